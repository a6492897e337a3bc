#pragma once

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstddef>

#include "backends/cuda/kernel_params.h"

namespace tessera::cuda {

/// Zeroed memory between two inaccessible pages, directly before the second.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : pages_((bytes + kPage - 1) / kPage) {
    void* map = mmap(nullptr, (pages_ + 2) * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(map != MAP_FAILED);
    map_ = static_cast<char*>(map);
    REQUIRE(mprotect(map_ + kPage, pages_ * kPage, PROT_READ | PROT_WRITE) == 0);
    words_ = reinterpret_cast<u32*>(map_ + kPage + pages_ * kPage - bytes);
  }
  ~Buffer() { munmap(map_, (pages_ + 2) * kPage); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  u32* words() { return words_; }
  const u32* words() const { return words_; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t pages_;
  char* map_ = nullptr;
  u32* words_ = nullptr;
};

}  // namespace tessera::cuda
