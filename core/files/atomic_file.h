#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// What happens to a file that is replaced.
enum class OldFile {
  replace,        ///< it is gone
  keep_previous,  ///< it stays as FILE.prev, a hard link made before the rename; leftovers of
                  ///< killed writers in the folder are removed, too
};

/// FILE.prev.
std::string previous_of(const std::string& file);

/// Whether `commit` waits for the disk. When the machine itself fails, the end of an unsynced file
/// may be missing. Killing the process harms neither kind.
enum class Durability { synced, unsynced };

/// Writes a file. At every instant the file is either the old one or the complete new one, whatever
/// kills the process.
///
/// Bytes go to a nameless temporary in the destination's folder (a file named ".tessera-PID-N.tmp"
/// where the file system has no nameless ones), which `commit` syncs and renames over the
/// destination; then it syncs the folder. A replaced file's permissions are kept, and its owner
/// where the system allows that. A symbolic link is followed. Devices and pipes (/dev/stdout,
/// /dev/null), which cannot be replaced, are written in place.
class AtomicFile {
 public:
  /// Opens the temporary. Throws FileError when the folder does not exist or cannot be written, or
  /// when `path` is a folder.
  explicit AtomicFile(const std::string& path);
  /// Whether a file at `path` is replaced, and not written in place.
  static bool replaces(const std::string& path);
  /// Without a commit, removes the temporary and leaves the destination as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes (buffered). Throws FileError.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

  /// Puts the file in its place; nothing may be called afterwards. Throws FileError and leaves the
  /// destination unchanged (or new, when only its folder could not be synced).
  void commit(OldFile old_file = OldFile::replace, Durability durability = Durability::synced);

 private:
  void open_temporary();
  void name_temporary();
  void write_through(const char* data, std::size_t bytes);
  void flush();
  void keep_owner_and_mode();
  void sync_folder() const;
  void discard() noexcept;
  [[noreturn]] void fail(const char* what) const;

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // with symbolic links resolved
  std::string folder_;     // of the target
  std::string temporary_;  // empty while nameless, and when written in place
  std::string buffer_;
  int descriptor_ = -1;
  bool in_place_ = false;
};

}  // namespace tessera
