#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/large_pages.h"

namespace tessera {

/// A list of plain values that only grows, in pages of 2 MiB that stay where they are: tens of
/// millions of them cost no copying, and few faults of the system's where it has large pages.
template <class Value>
class LongList {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  LongList() = default;
  LongList(const LongList& other) {
    for (std::size_t i = 0; i < other.size(); i++) push_back(other[i]);
  }
  LongList(LongList&& other) noexcept
      : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
  LongList& operator=(LongList other) noexcept {
    pages_.swap(other.pages_);
    size_ = other.size_;
    return *this;
  }

  std::size_t size() const { return size_; }
  const Value& operator[](std::size_t i) const { return pages_[i / kPerPage][i % kPerPage]; }
  const Value& back() const { return (*this)[size_ - 1]; }
  /// Throws std::bad_alloc.
  void push_back(const Value& value) {
    if (size_ == pages_.size() * kPerPage) add_page();
    pages_.back()[size_++ % kPerPage] = value;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20, kPerPage = kPage / sizeof(Value);
  struct Free {
    void operator()(Value* page) const { ::operator delete[](page, std::align_val_t{kPage}); }
  };

  void add_page() {
    auto* const page = static_cast<Value*>(::operator new[](kPage, std::align_val_t{kPage}));
    pages_.emplace_back(page);
    // Of a short list only the beginning is touched.
    if (pages_.size() > 1) want_large_pages(page, kPage);
  }

  std::vector<std::unique_ptr<Value[], Free>> pages_;
  std::size_t size_ = 0;
};

}  // namespace tessera
