#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace tessera {

/// A line on standard error that shows the progress and speed of a run. It is updated a few times
/// per second, after the first half second, and only when standard error is a terminal.
class Progress {
 public:
  /// Counts from `start` to `end`, where an end is known; `what` names what is counted. `wanted`:
  /// false keeps it silent even on a terminal.
  Progress(const char* what, bool wanted, std::int64_t start, std::optional<std::int64_t> end);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `at` is reached. `seconds` and `cells` (cell updates), where there are any, are
  /// totals of stepping so far.
  void update(std::int64_t at, double seconds = 0, double cells = 0);
  /// Removes the line until the next update, so that something else can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  const char* what_;
  bool wanted_;
  bool shown_ = false;
  std::int64_t start_;
  std::optional<std::int64_t> end_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point last_ = began_;
};

}  // namespace tessera
