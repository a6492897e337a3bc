#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "backends/gpu/allocation_trial.h"
#include "core/base/error.h"

namespace tessera::test {

/// Canaries around what devices allocate, or an allocation that fails (gpu::AllocationTrial), until
/// this ends.
class AllocationScope {
 public:
  explicit AllocationScope(std::int64_t guard, std::int64_t fail_at = -1) {
    gpu::allocation_trial() = {guard, fail_at};
  }
  ~AllocationScope() { gpu::allocation_trial() = {}; }
  AllocationScope(const AllocationScope&) = delete;
  AllocationScope& operator=(const AllocationScope&) = delete;
};

/// Fails one allocation of `make` after the other, until there is none left, with a typed error
/// each that says `text`; tells how many there were.
inline int failing_allocations(const std::function<void()>& make,
                               const std::string& text = "cannot allocate") {
  int failures = 0;
  for (bool failed = true; failed; failures += failed) {
    REQUIRE(failures < 50);
    const AllocationScope failing(0, failures);
    failed = false;
    try {
      make();
    } catch (const DeviceMemoryError& error) {
      failed = true;
      CHECK(std::string(error.what()).find(text) != std::string::npos);
    }
  }
  return failures;
}

}  // namespace tessera::test
