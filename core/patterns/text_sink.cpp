#include "core/patterns/text_sink.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace tessera {
namespace {

[[noreturn]] void fail_output() {
  throw FileError(std::string("stdout: cannot write: ") + std::strerror(errno));
}

}  // namespace

void StandardOutputSink::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output();
}

void StandardOutputSink::finish() {
  if (std::fflush(stdout) != 0) fail_output();
}

struct GzipSink::Packer {
  z_stream stream{};
  std::vector<char> block = std::vector<char>(std::size_t{1} << 18);

  Packer() {
    constexpr int kGzip = 16;
    constexpr int kMemory = 8;  // zlib's own choice
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Packer() { deflateEnd(&stream); }
};

GzipSink::GzipSink(std::unique_ptr<TextSink> packed)
    : packed_(std::move(packed)), packer_(std::make_unique<Packer>()) {}

GzipSink::~GzipSink() = default;

void GzipSink::write(std::string_view text) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kMost);
    pack(piece, false);
    text.remove_prefix(piece.size());
  }
}

void GzipSink::finish() {
  pack({}, true);
  packed_->finish();
}

void GzipSink::pack(std::string_view text, bool last) {
  z_stream& stream = packer_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  int result;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(packer_->block.data());
    stream.avail_out = static_cast<uInt>(packer_->block.size());
    result = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    packed_->write({packer_->block.data(), packer_->block.size() - stream.avail_out});
  } while (stream.avail_out == 0 || (last && result != Z_STREAM_END));
}

}  // namespace tessera
