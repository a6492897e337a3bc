// The cache of compiled kernels: an intact entry is used, and a damaged one is compiled anew.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "backends/cuda/kernel_cache.h"
#include "tests/support/own_cache.h"

using namespace tessera::cuda;
using tessera::test::OwnCache;
namespace fs = std::filesystem;

namespace {

const KernelSource kSource{"ceiling.cu", {}, {}};
const KernelSource kOther{"ceiling.cu", {}, {"-DTESSERA_UNUSED=1"}};
constexpr int kMajor = 9, kMinor = 0;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a whole entry is used, a damaged or foreign one is compiled anew and replaced") {
  const OwnCache cache("cuda");
  const std::vector<char> image = cached_kernel(kSource, kMajor, kMinor).image;
  REQUIRE(!image.empty());
  const fs::path path = cache.entry();
  const std::string whole = read(path);
  REQUIRE(whole.size() > image.size());

  SUBCASE("whole") {
    // It is read, not made again: a hard link to it sees no replacement.
    fs::create_hard_link(path, path.parent_path().parent_path() / "link");
    CHECK(cached_kernel(kSource, kMajor, kMinor).image == image);
    CHECK(fs::hard_link_count(path) == 2);
  }
  SUBCASE("damaged") {
    std::string bytes = whole;
    SUBCASE("in the machine code") { bytes[whole.size() - image.size() / 2] ^= 1; }
    SUBCASE("in the last byte") { bytes.back() ^= 0x40; }
    SUBCASE("in the key") { bytes[60] ^= 1; }
    SUBCASE("in the length of the key") { bytes[8] ^= 1; }
    SUBCASE("in the length of the machine code") { bytes[21] ^= 0x7F; }
    SUBCASE("in the checksum") { bytes[25] ^= 1; }
    SUBCASE("of another format") { bytes[0] ^= 1; }
    SUBCASE("cut off") { bytes.resize(whole.size() - 1); }
    SUBCASE("cut off in its head") { bytes.resize(20); }
    SUBCASE("empty") { bytes.clear(); }
    SUBCASE("another kernel's") {
      fs::remove(path);
      cached_kernel(kOther, kMajor, kMinor);
      bytes = read(cache.entry());
      fs::remove(cache.entry());
    }
    REQUIRE(bytes != whole);
    write(path, bytes);
    CHECK(cached_kernel(kSource, kMajor, kMinor).image == image);
    CHECK(read(path) == whole);
  }
}

TEST_CASE("a cache that cannot be written is no error") {
  const OwnCache cache("cuda");
  setenv("TESSERA_CACHE", "/proc/no-such-folder", 1);
  CHECK(!cached_kernel(kSource, kMajor, kMinor).image.empty());
}
