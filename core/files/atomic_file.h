#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// What becomes of the file that a new one replaces.
enum class OldFile {
  replace,        ///< it is gone
  keep_previous,  ///< it stays as FILE.prev, a hard link made before the rename; what killed
                  ///< writers left in the folder is removed, too
};

/// Whether `commit` waits for the disk: when the machine itself fails, the last moments of an
/// unsynced file may be missing. A process that is killed harms neither.
enum class Durability { synced, unsynced };

/// Writes a file that exists either as it was or whole and new at every instant, whatever kills the
/// process.
///
/// Bytes go to a nameless temporary in the destination's folder (a file named ".tessera-PID-N.tmp"
/// where the file system has no nameless ones), which `commit` syncs, renames over the destination
/// and syncs the folder of. A replaced file's permissions, and its owner where the system lets us,
/// are kept; a symbolic link is followed. Devices and pipes (/dev/stdout, /dev/null), which cannot
/// be replaced, are written in place.
class AtomicFile {
 public:
  /// Opens the temporary. Throws FileError when the folder does not exist or cannot be written, or
  /// when `path` is a folder.
  explicit AtomicFile(const std::string& path);
  /// Without a commit, removes the temporary and leaves the destination as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes (buffered). Throws FileError.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

  /// Puts the file in its place; nothing may be called after it. Throws FileError; the destination
  /// is then as it was (or new, when only its folder could not be synced).
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

  std::string path_;       // as the caller spelled it, for messages
  std::string target_;     // with symbolic links resolved
  std::string folder_;     // of the target
  std::string temporary_;  // empty while nameless, and when written in place
  std::string buffer_;
  int descriptor_ = -1;
  bool in_place_ = false;
};

}  // namespace tessera
