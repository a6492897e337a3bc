#pragma once

#include <cstdint>
#include <vector>

#include "core/rules/neighbourhood_table.h"
#include "core/stepping/step_backend.h"

namespace tessera::cuda {

/// When a kernel that steps by programs looks for shorter ones. A program that is found at once
/// steps until the search, which takes about a second and begins when that pays, has ended; so a
/// new rule steps within that.
class ProgramSearch {
 public:
  explicit ProgramSearch(const BackendSpec& spec);

  /// Notes whether what is loaded now, by ready_program, are the shorter ones.
  void loaded();
  /// To be asked before steps that take so many seconds by estimate. Returns whether shorter
  /// programs are there now, which should be loaded.
  bool due(double seconds);

 private:
  std::vector<NeighbourhoodTable> rules_;
  double patience_ = 0.005;  // seconds
  bool short_ = false;
};

}  // namespace tessera::cuda
