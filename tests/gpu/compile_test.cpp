// Compiles every kernel for every architecture in use, without a GPU, and looks for registers that did not fit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>

#include "backends/cuda/compiler.h"
#include "backends/cuda/kernel_list.h"
#include "backends/cuda/strips_stepper.h"

using namespace tessera;
using namespace tessera::cuda;

namespace {

constexpr int kArchitectures[][2] = {{7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}};
constexpr BackendSpec spec_of(Boundary boundary, Rule rule) { return {4096, 4096, boundary, rule, 0}; }
constexpr Rule kWorst{0x14A, 0x0B5};  // a rule with a long circuit

DeviceFacts some_device() {
  DeviceFacts facts;
  facts.multiprocessors = 132;
  facts.clock_khz = 1980000;
  return facts;
}

bool spills(const std::string& log) {
  for (std::size_t at = 0; (at = log.find(" bytes spill", at)) != std::string::npos; at++) {
    const std::size_t number = log.find_last_not_of("0123456789", at - 1) + 1;
    if (log.substr(number, at - number) != "0") return true;
  }
  return false;
}

// 77 is what ctest calls skipped.
const bool kCompilerIsHere = [] {
  if (compiler_missing().empty()) return true;
  fmt::print("skipped: {}\n", compiler_missing());
  std::exit(77);
}();

}  // namespace

TEST_CASE("the default kernel's tuned shapes keep their cells in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  for (const auto& [major, minor] : kArchitectures) {
    for (const Tuning& shape : StripsStepper::tuned_shapes()) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        for (const Rule& rule : {kLife, kWorst}) {
          if (major != 9 && (boundary == Boundary::plane || rule != kLife)) continue;
          const StripsStepper stepper(spec_of(boundary, rule), shape, some_device());
          const CompiledKernel kernel = compile_kernel(stepper.source(), major, minor, true);
          INFO("sm_", major, minor, " R", shape.rows, " W", shape.words, " ", to_string(rule), "\n", kernel.log);
          REQUIRE(kernel.log.find("bytes spill stores") != std::string::npos);
          CHECK(!spills(kernel.log));
        }
      }
    }
  }
}

TEST_CASE("every kernel and its services compile for every architecture") {
  REQUIRE(kCompilerIsHere);
  for (const auto& [major, minor] : kArchitectures) {
    for (const KernelInfo& kernel : kernel_list()) {
      INFO("sm_", major, minor, " ", kernel.name);
      const Boundary boundary = minor == 0 ? Boundary::torus : Boundary::plane;
      const auto stepper = make_stepper(kernel.name, spec_of(boundary, kLife), {}, some_device());
      CHECK(!compile_kernel(stepper->source(), major, minor).image.empty());
      CHECK(!compile_kernel(stepper->services(), major, minor).image.empty());
    }
  }
}

TEST_CASE("every shape of every kernel compiles") {
  REQUIRE(kCompilerIsHere);
  for (const KernelInfo& kernel : kernel_list()) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const auto stepper = make_stepper(kernel.name, spec_of(boundary, kWorst), {}, some_device());
      INFO(kernel.name);
      CHECK(!compile_kernel(stepper->source(), 9, 0).image.empty());
    }
  }
}
