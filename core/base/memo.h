#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace tessera {

/// What took long to find, by key, for all threads: up to 1000 values, forgotten together when
/// there are more.
template <class Key, class Value>
class Memo {
 public:
  std::optional<Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional<Value>(found->second);
  }

  /// Returns the value.
  Value keep(const Key& key, Value value) {
    const std::lock_guard lock(mutex_);
    if (values_.size() >= kMost) values_.clear();
    return values_[key] = std::move(value);
  }

 private:
  static constexpr std::size_t kMost = 1000;
  std::mutex mutex_;
  std::map<Key, Value> values_;
};

}  // namespace tessera
