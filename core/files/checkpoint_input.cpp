#include "core/files/checkpoint_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {

CheckpointInput::CheckpointInput(const std::string& path) : path_(printable(path)) {
  // Opening a named pipe without O_NONBLOCK would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0) file_.reset(::fdopen(descriptor, "rb"));
  if (!file_) throw InputError(fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
  struct stat status {};
  if (::fstat(::fileno(file_.get()), &status) != 0) fail("cannot examine");
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path_ + ": a checkpoint is expected, which is a regular file");
  }
  size_ = status.st_size;
  // A file without a name, which is open already, has the folder of its descriptor.
  std::error_code error;
  std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error) file = path;
  folder_ = file.parent_path().string();
}

void CheckpointInput::read(void* data, std::size_t bytes) {
  const std::size_t got = std::fread(data, 1, bytes, file_.get());
  checksum_.add(data, got);
  at_ += static_cast<std::int64_t>(got);
  if (got == bytes) return;
  if (std::ferror(file_.get())) fail("cannot read");
  damaged("the checkpoint is cut short here");
}

std::uint32_t CheckpointInput::read_u32() {
  unsigned char b[4];
  read(b, sizeof b);
  return b[0] | b[1] << 8 | b[2] << 16 | static_cast<std::uint32_t>(b[3]) << 24;
}

std::uint64_t CheckpointInput::read_u64() {
  const std::uint64_t low = read_u32();
  return low | std::uint64_t{read_u32()} << 32;
}

void CheckpointInput::check_checksum() {
  last_ = checksum_.value();
  const auto expected = little_endian(last_);
  std::array<unsigned char, 8> found;
  read(found.data(), found.size());
  if (found != expected)
    damaged("the checkpoint is damaged: its bytes up to here do not match their checksum");
}

void CheckpointInput::check_end() {
  if (std::fgetc(file_.get()) != EOF) damaged("the checkpoint ends here, but the file goes on");
  if (std::ferror(file_.get())) fail("cannot read");
}

void CheckpointInput::damaged(const std::string& message) const {
  throw ParseError(fmt::format("{}:byte {}", path_, at_), message);
}

void CheckpointInput::fail(const char* what) const {
  throw FileError(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

}  // namespace tessera
