#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "core/pictures/density_image.h"

namespace tessera {

/// A pattern file as the browser shows it.
struct PatternCard {
  std::string path;
  std::string title;  ///< name and size in cells, or why the file cannot be read
  std::vector<std::string> comments;
  DensityImage thumbnail;
};

/// Patterns of a folder and what one of them looks like, read on threads of their own.
class PatternBrowser {
 public:
  static constexpr std::int64_t kThumbnail = 160;  ///< most pixels a side
  static constexpr std::size_t kMostFiles = 20000;

  /// Golly's patterns where they are installed, or the current folder.
  static std::string usual_folder();
  /// Files below `folder` with a pattern's suffix, in order, relative to it. Unreadable folders are
  /// passed over.
  static std::vector<std::string> list(const std::string& folder);
  /// Reads one file; of one that cannot be read or is above 16 MiB, the reason is the title.
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
