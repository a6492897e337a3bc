#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
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

/// One way to step that this machine has: a kernel on a device of a driver.
struct Stepper {
  const Driver* driver = nullptr;
  DeviceInfo device;
  KernelInfo kernel;
  Speed speed = Speed::slow;

  /// As in "cpu:0/simd".
  std::string name() const;
  /// A backend; throws what the driver throws.
  std::unique_ptr<StepBackend> create(const BackendSpec& spec, const Tuning& tuning = {}) const;
  /// For Universe.
  BackendFactory factory(const Tuning& tuning = {}) const;
};

/// Every kernel on every device of every driver, in the drivers' order.
/// TESSERA_BACKENDS="cpu,vulkan:0" and TESSERA_KERNELS="strips,word" narrow it. Throws
/// std::runtime_error when TESSERA_REQUIRE="cpu,vulkan" names a backend that has no device here,
/// when either variable names an unknown backend, and when nothing is left.
const std::vector<Stepper>& steppers();

/// The judge, cpu:0/reference, whatever TESSERA_BACKENDS says.
const Stepper& reference();

/// Counts a case that `stepper` ran, for the report that is printed when the program ends.
void ran(const Stepper& stepper);

/// Counts a case that it did not run, with the reason: reported, and never as passed.
void skipped(const Stepper& stepper, const std::string& reason);

/// True when `stepper` takes `spec`; otherwise the driver's reason is counted as a skip.
bool supports(const Stepper& stepper, const BackendSpec& spec);

/// What a universe of `spec` asks of its backend (the infinite plane: of its first one).
BackendSpec backend_spec(const RuleSpec& spec);

/// Calls body(stepper) for every stepper that takes `spec`; failures name it.
template <class Body>
void for_each_stepper(const BackendSpec& spec, Body&& body) {
  for (const Stepper& stepper : steppers()) {
    if (!supports(stepper, spec)) continue;
    INFO(stepper.name());
    body(stepper);
    ran(stepper);
  }
}

/// Cell updates that a test may ask of a stepper for one case: plenty for fast ones, few for slow
/// ones; at most TESSERA_CELLS when that is set, which the report says.
std::int64_t cell_budget(const Stepper& stepper);

/// Cases that a randomized test runs: `usual`, or TESSERA_CASES when that is set; the report says
/// so.
std::int64_t case_count(std::int64_t usual);

}  // namespace tessera::test
