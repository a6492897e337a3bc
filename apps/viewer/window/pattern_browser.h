#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "core/pictures/density_image.h"

namespace tessera {

/// A pattern file in the browser.
struct PatternCard {
  std::string path;
  std::string title;  ///< name and size in cells, or why the file cannot be read
  std::vector<std::string> comments;
  DensityImage thumbnail;
};

/// The patterns of a folder and a picture of one of them, read on separate threads.
class PatternBrowser {
 public:
  static constexpr std::int64_t kThumbnail = 160;  ///< most pixels per side
  static constexpr std::size_t kMostFiles = 20000;

  /// Golly's patterns where they are installed, or the current folder.
  static std::string usual_folder();
  /// Files below `folder` with a pattern's suffix, in order, relative to it. Unreadable folders are
  /// skipped.
  static std::vector<std::string> list(const std::string& folder);
  /// Reads one file; if it cannot be read or exceeds 16 MiB, the title is the reason.
  static PatternCard read(const std::string& path);

  void show_folder(const std::string& folder);
  void choose(const std::string& name);
  const std::string& folder() const { return folder_; }
  const std::vector<std::string>& files();
  const std::string& chosen() const { return chosen_; }
  /// The chosen file's card, once it is read.
  const PatternCard* card();
  bool busy() const { return listing_.valid() || reading_.valid(); }

 private:
  void start_reading();

  std::string folder_;
  std::string chosen_;
  std::vector<std::string> files_;
  std::optional<PatternCard> card_;
  std::future<std::vector<std::string>> listing_;
  std::future<PatternCard> reading_;
};

}  // namespace tessera
