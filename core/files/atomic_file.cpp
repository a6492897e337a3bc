#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// A name in `folder` that no other writer of this or another process uses. It is short even for a
// long destination, so that it never exceeds the file system's limit.
std::string unused_name(const std::string& folder) {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}/.tessera-{}-{}.tmp", folder, ::getpid(), count++);
}

// Removes temporaries that killed processes left in `folder`. Every writer holds a lock on its own
// file, which ends with the process, on any machine. Files that cannot be locked or removed stay.
void remove_abandoned(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string(), name = entry->path().filename().string();
    if (!name.starts_with(".tessera-") || !name.ends_with(".tmp")) continue;
    const int file = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(file);
  }
}

}  // namespace

std::string previous_of(const std::string& file) { return file + ".prev"; }

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  if (!error) target_ = canonical.string();
  folder_ = std::filesystem::path(target_).parent_path().string();
  if (folder_.empty()) folder_.assign(1, '.');

  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("cannot write");
  }
  // /dev/stdout may lead to a file that others hold open; replacing it would cut them off.
  in_place_ = !replaces(path);
  try {
    open_temporary();
    if (exists && !in_place_) keep_owner_and_mode();
    buffer_.reserve(kBufferBytes);
  } catch (...) {
    discard();
    throw;
  }
}

AtomicFile::~AtomicFile() { discard(); }

bool AtomicFile::replaces(const std::string& path) {
  struct stat status {};
  return !names_open_descriptor(path) &&
         (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

void AtomicFile::open_temporary() {
  if (in_place_) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot open");
    return;
  }
#ifdef O_TMPFILE
  // Without /proc a nameless file could not be given a name afterwards.
  if (::access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      ::flock(descriptor_, LOCK_EX | LOCK_NB);  // see remove_abandoned
      return;
    }
  }
#endif
  // Skips a name that a killed process of the same number left, and a file that was taken for
  // abandoned before it could be locked.
  bool retry;
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    temporary_ = unused_name(folder_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    retry = descriptor_ < 0 && errno == EEXIST;
    if (descriptor_ >= 0) {
      ::flock(descriptor_, LOCK_EX | LOCK_NB);
      struct stat made {};
      retry = ::fstat(descriptor_, &made) == 0 && made.st_nlink == 0;
    }
  } while (retry);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot create a file in its folder");
  }
}

void AtomicFile::keep_owner_and_mode() {
  struct stat old {};
  struct stat made {};
  if (::stat(target_.c_str(), &old) != 0 || ::fstat(descriptor_, &made) != 0)
    fail("cannot examine");
  if (old.st_uid != made.st_uid || old.st_gid != made.st_gid) {
    // Only a privileged process may give files away; others keep the new owner.
    if (::fchown(descriptor_, old.st_uid, old.st_gid) != 0 && errno != EPERM)
      fail("cannot keep the owner");
  }
  if (::fchmod(descriptor_, old.st_mode & 0777) != 0) fail("cannot keep the permissions");
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  if (bytes < kBufferBytes - buffer_.size()) {
    buffer_.append(from, bytes);
    return;
  }
  flush();
  if (bytes < kBufferBytes) {
    buffer_.append(from, bytes);
  } else {
    write_through(from, bytes);
  }
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_through(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, data, bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write");
    }
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

// Gives a nameless temporary a name, since a link cannot replace a file but a rename can.
void AtomicFile::name_temporary() {
  const std::string descriptor = fmt::format("/proc/self/fd/{}", descriptor_);
  std::string name;
  int result;
  do {
    name = unused_name(folder_);
    result = ::linkat(AT_FDCWD, descriptor.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  } while (result != 0 && errno == EEXIST);
  if (result != 0) fail("cannot create a file in its folder");
  temporary_ = name;
}

void AtomicFile::commit(OldFile old_file, Durability durability) {
  flush();
  if (!in_place_) {
    if (durability == Durability::synced && ::fsync(descriptor_) != 0) fail("cannot sync");
    if (temporary_.empty()) name_temporary();
  }
  // Network file systems may report a failed write only here. The lock lasts until the file has its
  // name.
  const int lock = ::dup(descriptor_);
  const int closed = ::close(descriptor_);
  descriptor_ = lock;
  if (closed != 0 || lock < 0) fail("cannot close");
  if (in_place_) return;

  if (old_file == OldFile::keep_previous) {
    remove_abandoned(folder_);
    const std::string previous = previous_of(target_);
    if (::unlink(previous.c_str()) != 0 && errno != ENOENT)
      fail("cannot remove its old .prev file");
    if (::link(target_.c_str(), previous.c_str()) != 0 && errno != ENOENT) {
      fail("cannot keep the old file as .prev by a hard link");
    }
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot put the new file in place");
  temporary_.clear();
  if (durability == Durability::synced) sync_folder();
}

void AtomicFile::sync_folder() const {
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail("cannot open its folder to sync it");
  // Some file systems cannot sync folders and say so with EINVAL; their renames are as safe as they
  // get.
  const bool synced = ::fsync(folder) == 0 || errno == EINVAL;
  const int reason = errno;
  ::close(folder);
  errno = reason;
  if (!synced) fail("cannot sync its folder");
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
}

void AtomicFile::fail(const char* what) const {
  throw FileError(fmt::format("{}: {}: {}", printable(path_), what, std::strerror(errno)));
}

}  // namespace tessera
