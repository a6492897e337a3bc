#include "tests/support/sha256.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <bit>

namespace tessera::test {

std::string sha256_of(const BitGrid& grid) {
  static_assert(std::endian::native == std::endian::little,
                "words are hashed as they lie in memory");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(grid.words().data()), grid.words().size_bytes(),
         digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace tessera::test
