#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The contents of a folder, for a dialog that asks for a file. A folder is read when it is first
/// shown and when a new reading is asked for, never in between.
class FolderListing {
 public:
  static constexpr std::size_t kMostEntries = 2000;

  /// Shows the folder of a path that is being typed: the path itself where it is a folder, or else
  /// the one that it lies in; "." for a name alone.
  void show(const std::string& path);
  /// Reads the folder again.
  void refresh();
  const std::string& folder() const { return folder_; }
  /// "../" and the folders, with a slash at the end, then the files; each in order, without hidden
  /// ones, at most kMostEntries. Of a folder that cannot be read, "../" alone.
  const std::vector<std::string>& entries() const { return entries_; }
  /// Where an entry leads.
  std::string path_of(const std::string& entry) const;

 private:
  std::optional<std::string> path_;  // that was shown last
  std::string folder_;
  std::vector<std::string> entries_;
};

}  // namespace tessera
