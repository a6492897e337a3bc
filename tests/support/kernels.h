#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/rules/rule_spec.h"

namespace tessera::test {

/// How much work a test may give to a kernel.
enum class Speed {
  fast,     ///< the default kernel of a real device
  slow,     ///< a plain kernel, or an emulated device
  slowest,  ///< the reference
};

/// How much that is.
Speed speed_of(const Kernel& kernel);

/// Every kernel on every device of every driver, in the drivers' order.
/// TESSERA_BACKENDS="cpu,vulkan:0" and TESSERA_KERNELS="strips,word" narrow it, where "default" is
/// the kernel that "auto" means; the former may also name several parts that step one grid:
/// "cpu*3", which TESSERA_LINK=peer joins so. Throws std::runtime_error when
/// TESSERA_REQUIRE="cpu,vulkan" names a backend that has no device here, when either variable names
/// an unknown backend, and when nothing is left.
const std::vector<Kernel>& kernels_here();

/// The judge, cpu:0/reference, regardless of TESSERA_BACKENDS.
const Kernel& reference();

/// Counts a case that `kernel` ran, for the report that is printed when the program ends.
void ran(const Kernel& kernel);

/// Counts a case that it did not run, with the reason: reported, and never as passed.
void skipped(const Kernel& kernel, const std::string& reason);

/// True when `kernel` takes `spec`; otherwise the driver's reason is counted as a skip.
bool supports(const Kernel& kernel, const BackendSpec& spec);

/// Whether it is a kernel of one device, not of several parts.
bool is_single(const Kernel& kernel);

/// Whether it steps tiles, and not under rules of longer range alone.
bool has_tiles(const Kernel& kernel);

/// Whether its backends make pictures while they continue stepping (StepBackend::look); on a CPU
/// and over several parts the host does it.
bool has_looks(const Kernel& kernel);

/// What a universe of `spec` asks of its backend (the infinite plane: of its first one).
BackendSpec grid_spec(const RuleSpec& spec);

/// Calls body(kernel) for every one of `kernels` that takes `spec`; failures name it.
template <class Body>
void for_each_kernel(const BackendSpec& spec, Body&& body,
                     const std::vector<Kernel>& kernels = kernels_here()) {
  for (const Kernel& kernel : kernels) {
    if (!supports(kernel, spec)) continue;
    INFO(kernel.name());
    body(kernel);
    ran(kernel);
  }
}

/// Cell updates that a test may ask of a kernel for one case: plenty for fast ones, few for slow
/// ones; at most TESSERA_CELLS when that is set, which the report says.
std::int64_t cell_budget(const Kernel& kernel);

/// Cases that a randomized test runs: `usual`, or TESSERA_CASES when that is set; else at
/// most TESSERA_MOST_CASES. The report says so.
std::int64_t case_count(std::int64_t usual);

}  // namespace tessera::test
