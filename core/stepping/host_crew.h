#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Processes of one host that step one grid together, as threads of one process do. Each makes the
/// same backend, of one tuning but for the threads, and makes the same calls of step(), in one
/// order; all of them see the same cells, and each may read and replace any, as long as all have
/// ended that before the next step.
class HostCrew {
 public:
  virtual ~HostCrew() = default;
  /// This process's number, 0 to size() - 1.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Zeros at an address which is the same in all processes, aligned to a page, until this object
  /// is gone. All call it in one order and with equal numbers. Throws UnsupportedError in all.
  virtual std::byte* allocate(std::int64_t bytes) = 0;
  /// Returns when all have called it, without sleeping; what they did before is seen by all
  /// afterwards. Throws Error after `give_up`.
  virtual void meet() = 0;
  /// Lets nobody wait for this process any more.
  virtual void give_up() = 0;
};

}  // namespace tessera
