#include "core/files/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

constexpr std::int64_t kSureSize = std::int64_t{64} << 20;
constexpr std::int64_t kMaxRatio = 200;

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

// The stored bytes.
struct ByteSource::Raw {
  int descriptor = -1;  // none when the bytes are in memory
  std::string_view memory;
  std::unique_ptr<char[]> block;
  std::int64_t size = 0;  // of the file, or 0 when unknown (a pipe)

  ~Raw() {
    if (descriptor > STDIN_FILENO) ::close(descriptor);
  }

  std::string_view next(const std::string& name) {
    if (descriptor < 0) return std::exchange(memory, {});
    if (!block) block = std::make_unique_for_overwrite<char[]>(kBlock);
    std::size_t filled = 0;
    while (filled < kBlock) {
      const ssize_t got = ::read(descriptor, block.get() + filled, kBlock - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw FileError(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return {block.get(), filled};
  }
};

struct ByteSource::Unpacker {
  z_stream stream{};
  std::string_view packed;         // not yet given to zlib
  std::int64_t packed_before = 0;  // bytes of earlier blocks
  std::size_t packed_size = 0;     // of the current block
  std::int64_t unpacked = 0;
  bool between_members = false;
  bool at_end = false;
  std::unique_ptr<char[]> block = std::make_unique_for_overwrite<char[]>(kBlock);

  Unpacker() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacker() { inflateEnd(&stream); }

  void give(std::string_view bytes) {
    packed_before += static_cast<std::int64_t>(packed_size);
    packed = bytes;
    packed_size = bytes.size();
  }
  std::int64_t consumed() const {
    return packed_before + static_cast<std::int64_t>(packed_size - packed.size());
  }
};

ByteSource::ByteSource(const std::string& path)
    : name_(path == "-" ? "stdin" : printable(path)), raw_(std::make_unique<Raw>()) {
  if (path == "-") {
    raw_->descriptor = STDIN_FILENO;
  } else {
    // Opening a named pipe without O_NONBLOCK would wait for a writer.
    raw_->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (raw_->descriptor < 0) {
      throw InputError(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
    }
  }
  struct stat status {};
  if (::fstat(raw_->descriptor, &status) != 0) {
    throw FileError(fmt::format("{}: cannot examine: {}", name_, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw InputError(fmt::format("{}: this is a folder; a file is accepted", name_));
  }
  if (S_ISFIFO(status.st_mode) && path != "-" && !names_open_descriptor(path)) {
    throw InputError(
        fmt::format("{}: this is a pipe; a file is accepted, or - to read standard input", name_));
  }
  if (S_ISREG(status.st_mode)) raw_->size = status.st_size;
  if (path != "-" && ::fcntl(raw_->descriptor, F_SETFL, 0) != 0) {
    throw FileError(fmt::format("{}: cannot prepare reading: {}", name_, std::strerror(errno)));
  }
}

ByteSource::ByteSource(std::string_view bytes, const std::string& name)
    : name_(printable(name)), raw_(std::make_unique<Raw>()) {
  raw_->memory = bytes;
  raw_->size = static_cast<std::int64_t>(bytes.size());
}

ByteSource::~ByteSource() = default;

std::string_view ByteSource::next() {
  if (unpacker_) return next_unpacked();
  const std::string_view block = raw_->next(name_);
  const bool first = !std::exchange(started_, true);
  if (!first || !is_gzip(block)) return block;
  unpacker_ = std::make_unique<Unpacker>();
  unpacker_->give(block);
  return next_unpacked();
}

std::string_view ByteSource::next_unpacked() {
  Unpacker& u = *unpacker_;
  std::size_t filled = 0;
  while (filled < kBlock && !u.at_end) {
    if (u.packed.empty()) {
      u.give(raw_->next(name_));
      if (u.packed.empty()) {
        if (!u.between_members) fail_packed("the compressed data end early; the file is cut short");
        u.at_end = true;
        break;
      }
    }
    if (u.between_members) {
      if (u.packed.front() != '\x1f') {
        fail_packed("something that is not gzip follows the compressed data");
      }
      inflateReset(&u.stream);
      u.between_members = false;
    }
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t offered = std::min(u.packed.size(), kMost);
    u.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(u.packed.data()));
    u.stream.avail_in = static_cast<uInt>(offered);
    u.stream.next_out = reinterpret_cast<Bytef*>(u.block.get() + filled);
    u.stream.avail_out = static_cast<uInt>(kBlock - filled);
    const int result = inflate(&u.stream, Z_NO_FLUSH);
    u.packed.remove_prefix(offered - u.stream.avail_in);
    const std::size_t now = kBlock - u.stream.avail_out;
    u.unpacked += static_cast<std::int64_t>(now - filled);
    filled = now;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      u.between_members = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail_packed(fmt::format("the compressed data are damaged ({})",
                              u.stream.msg ? u.stream.msg : "no reason given"));
    }
    if (u.unpacked > kSureSize && u.unpacked / kMaxRatio > std::max(raw_->size, u.consumed())) {
      fail_packed(fmt::format(
          "the compressed data unpack to more than {} MiB and {} times their size; unpack "
          "them first (gunzip) if that is meant",
          kSureSize >> 20, kMaxRatio));
    }
  }
  return {u.block.get(), filled};
}

void ByteSource::check_rest() {
  while (unpacker_ && !next().empty()) continue;
}

void ByteSource::fail_packed(const std::string& message) const {
  throw ParseError(fmt::format("{}:byte {}", name_, unpacker_->consumed()), message);
}

}  // namespace tessera
