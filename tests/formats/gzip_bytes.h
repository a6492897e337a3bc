#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace tessera::test {

/// One gzip member, made by zlib's own means.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  // Most texts of tests are short, and zlib clears all memory that it may need.
  const bool is_short = text.size() < 512;
  const int window_bits = is_short ? 9 : MAX_WBITS, memory_level = is_short ? 1 : 8;
  if (deflateInit2(&stream, 6, Z_DEFLATED, window_bits + 16, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

}  // namespace tessera::test
