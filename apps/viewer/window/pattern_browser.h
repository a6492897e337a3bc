#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/pictures/density_image.h"

namespace tessera {

/// A pattern file in the browser.
struct PatternCard {
  std::string path;
  std::string name;   ///< the pattern's own, or its file's
  std::string title;  ///< name and size in cells, or why the file cannot be opened
  bool refused = false;
  std::vector<std::string> comments;
  DensityImage thumbnail;  ///< empty for a pattern that is too large
};

/// A collection of patterns.
struct PatternRoot {
  std::string title;
  std::string path;
};

/// The patterns of a folder and of the folders in it, with a card for each. Folders and files are
/// read on another thread, and cards are kept, so that nobody waits for either.
class PatternBrowser {
 public:
  static constexpr std::int64_t kThumbnail = 96;  ///< most pixels per side
  static constexpr std::size_t kMostFiles = 20000;
  static constexpr std::size_t kMostCards = 4000;  ///< that are kept

  ~PatternBrowser();

  /// Where the gallery lies: share/tessera/patterns in a folder above the program's, as it is
  /// installed and built; empty where there is none.
  static std::string gallery_folder();
  /// The gallery, and Golly's patterns where they are installed: golly/Patterns in $XDG_DATA_HOME,
  /// or else in the first of $XDG_DATA_DIRS that has it.
  static std::vector<PatternRoot> roots();
  /// Files below `folder` with a pattern's suffix, in order, relative to it. Unreadable folders are
  /// skipped.
  static std::vector<std::string> list(const std::string& folder);
  /// Reads one file; a file that cannot be read is refused, and the title is the reason. One that
  /// exceeds 16 MiB has no thumbnail.
  static PatternCard read(const std::string& path);

  /// Shows a folder, as it is now; of the same one, cards are kept.
  void show_folder(const std::string& folder);
  const std::string& folder() const { return folder_; }
  /// Takes what was read since the last call, and reads on: first `wanted`, then everything in
  /// `folder`, of those that files() has. To be called once per frame.
  void update(const std::vector<std::string>& wanted, const std::string& inside);

  /// Relative to the folder; of `inside` ("" for everything) with `filter` in their path or name.
  /// Those that are refused come last.
  std::vector<std::string> files(const std::string& inside, const std::string& filter) const;
  /// Changes whenever files() may.
  std::uint64_t revision() const { return revision_; }
  /// The folders of files, relative to the folder, in order.
  const std::vector<std::string>& folders() const { return folders_; }
  /// The card of a file, or null until it is read.
  const PatternCard* card(const std::string& file) const;

  void choose(const std::string& file) { chosen_ = file; }
  const std::string& chosen() const { return chosen_; }
  std::string chosen_path() const;
  const PatternCard* chosen_card() const { return card(chosen_); }
  bool listing() const { return listing_.valid(); }
  bool busy() const { return listing_.valid() || reading_.valid(); }

 private:
  void take_listing();
  void take_cards();

  std::string folder_;
  std::string chosen_;
  std::vector<std::string> files_;
  std::vector<std::string> folders_;
  std::map<std::string, PatternCard> cards_;  // by file
  std::uint64_t revision_ = 0;
  std::atomic<bool> ended_ = false;
  std::future<std::pair<std::string, std::vector<std::string>>> listing_;  // of a folder
  std::future<std::map<std::string, PatternCard>> reading_;
  std::string reading_folder_;  // that of the files that are being read
};

}  // namespace tessera
