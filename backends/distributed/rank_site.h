#pragma once

#include <functional>
#include <string>

#include "backends/distributed/distributed_driver.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// What a rank finds where it runs.
struct RankPlace {
  std::string host;
  int local = 0;    ///< its number among the ranks of its host
  int locals = 1;   ///< how many those are
  int threads = 1;  ///< of the processor that are its own
};

/// Finds the device of a rank that a name without parts means, as in "cuda" and "cuda:0"; throws
/// InputError or UnsupportedError where there is none.
using FindDevice = std::function<PartDevice(const std::string& name, const RankPlace& place)>;

/// What a rank steps with: its place, and the devices and kernels there.
class RankSite {
 public:
  RankSite(RankPlace place, FindDevice find);

  const RankPlace& place() const { return place_; }
  PartDevice device(const std::string& name) const { return find_(name, place_); }
  /// The kernel of that name on the device; one without a name where the device has none.
  Kernel kernel(const std::string& device, const std::string& name) const;
  /// What the person's tuning means to this rank: those of a host share its threads.
  Tuning tuning(const Kernel& kernel, Tuning tuning) const;

 private:
  RankPlace place_;
  FindDevice find_;
};

}  // namespace tessera
