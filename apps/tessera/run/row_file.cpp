#include "apps/tessera/run/row_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {

RowFile::RowFile(const std::string& path, Begin begin) : path_(path) {
  if (path == "-") {
    path_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  const int flags = begin == Begin::anew ? O_TRUNC : 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) fail("cannot open");
}

RowFile::~RowFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

bool RowFile::has_rows() const {
  struct stat status {};
  return descriptor_ != STDOUT_FILENO && ::fstat(descriptor_, &status) == 0 &&
         S_ISREG(status.st_mode) && status.st_size > 0;
}

void RowFile::append(const std::string& rows) {
  const off_t start = ::lseek(descriptor_, 0, SEEK_CUR);
  std::size_t done = 0;
  while (done < rows.size()) {
    const ssize_t written = ::write(descriptor_, rows.data() + done, rows.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      // Pipes and devices have nothing to cut off.
      [[maybe_unused]] const bool cut = start >= 0 && ::ftruncate(descriptor_, start) == 0;
      errno = reason;
      fail("cannot write");
    }
    done += static_cast<std::size_t>(written);
  }
}

void RowFile::cut(std::int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) fail("cannot cut off later rows");
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail("cannot append");
}

void RowFile::sync() {
  // Pipes and devices cannot be synced and say so with EINVAL or EROFS.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot sync");
}

void RowFile::fail(const char* what) const {
  throw FileError(fmt::format("{}: {}: {}", printable(path_), what, std::strerror(errno)));
}

}  // namespace tessera
