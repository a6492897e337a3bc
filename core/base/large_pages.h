#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace tessera {

/// Memory of so many bytes and more gains by large pages.
inline constexpr std::size_t kWorthLargePages = std::size_t{4} << 20;

/// Asks for the system's large pages where a piece of memory lies, which may begin within a page.
/// Without them it is only slower.
inline void want_large_pages(void* at, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto into = reinterpret_cast<std::uintptr_t>(at) % static_cast<std::size_t>(getpagesize());
  madvise(static_cast<std::byte*>(at) - into, bytes + into, MADV_HUGEPAGE);
#else
  static_cast<void>(at), static_cast<void>(bytes);
#endif
}

/// An allocator for vectors of tens of millions of values that are looked up here and there: where
/// they are long they lie in the system's large pages, if it has any, so that there are few faults
/// when they grow, and few misses when they are read.
template <class Value>
class LargePages {
 public:
  using value_type = Value;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  /// Throws std::bad_alloc.
  Value* allocate(std::size_t count) {
    void* const at = ::operator new(count * sizeof(Value), alignment(count));
    if (large(count)) want_large_pages(at, count * sizeof(Value));
    return static_cast<Value*>(at);
  }
  void deallocate(Value* at, std::size_t count) { ::operator delete(at, alignment(count)); }
  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  static bool large(std::size_t count) { return count >= kWorthLargePages / sizeof(Value); }
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{large(count) ? kPage : alignof(Value)};
  }
};

}  // namespace tessera
