#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Values on their way to other ranks, which run the same program on the same kind of machine: they
/// travel as they lie in memory, one behind the other.
class RankMessage {
 public:
  RankMessage() = default;
  explicit RankMessage(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <class Value>
  RankMessage& put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return append(&value, sizeof value);
  }
  template <class Value>
  RankMessage& put(std::span<const Value> values) {
    put(static_cast<std::uint64_t>(values.size()));
    return append(values.data(), values.size_bytes());
  }
  RankMessage& put(const std::string& text) { return put(std::span<const char>(text)); }
  /// All that was put into another one.
  RankMessage& put(const RankMessage& other) {
    return append(other.bytes_.data(), other.bytes_.size());
  }

  /// What was put next; values are taken in the order and by the types in which they were put.
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <class Value>
  std::vector<Value> take_all() {
    std::vector<Value> values(static_cast<std::size_t>(take<std::uint64_t>()));
    if (!values.empty())
      std::memcpy(values.data(), bytes_.data() + at_, values.size() * sizeof(Value));
    at_ += values.size() * sizeof(Value);
    return values;
  }
  std::string take_text() {
    const std::vector<char> text = take_all<char>();
    return {text.begin(), text.end()};
  }

  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  RankMessage& append(const void* data, std::size_t size);

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace tessera
