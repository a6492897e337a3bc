#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

namespace tessera::test {

/// An empty folder that is the user's cache while it lives, for what is kept in one of its folders.
class OwnCache {
 public:
  explicit OwnCache(const std::string& kind)
      : folder_(std::filesystem::temp_directory_path() /
                ("tessera-cache-test-" + std::to_string(getpid()))),
        entries_(folder_ / kind) {
    std::filesystem::create_directories(folder_);
    setenv("TESSERA_CACHE", folder_.c_str(), 1);
  }
  ~OwnCache() {
    unsetenv("TESSERA_CACHE");
    std::filesystem::remove_all(folder_);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;

  /// How many entries there are.
  std::ptrdiff_t entries() const {
    if (!std::filesystem::exists(entries_)) return 0;
    const std::filesystem::directory_iterator all(entries_);
    return std::distance(begin(all), end(all));
  }
  /// The only one.
  std::filesystem::path entry() const {
    REQUIRE(entries() == 1);
    return std::filesystem::directory_iterator(entries_)->path();
  }

 private:
  std::filesystem::path folder_, entries_;
};

}  // namespace tessera::test
