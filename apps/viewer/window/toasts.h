#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// Messages that lie on the cells for a few seconds, errors for longer.
class Toasts {
 public:
  void add(const std::string& text, bool error);
  /// Removes those whose time is over.
  void expire();
  bool empty() const { return toasts_.empty(); }
  /// Text of the last message, also when it is no longer shown; empty before the first one.
  const std::string& last() const { return last_; }
  /// Draws them at the bottom left. `width`: of the cells' view, in window units.
  void draw(float width) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Toast {
    Message message;
    Clock::time_point until;
  };
  std::vector<Toast> toasts_;
  std::string last_;
};

}  // namespace tessera
