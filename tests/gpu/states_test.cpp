// Rules of several states on CUDA against the CPU: cells in and out, surveys, pictures and steps,
// in the one shape and under the one rule that the pretended driver has.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_driver.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"
#include "tests/support/states.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a rule of several states steps on CUDA as on the CPU") {
  const Rule rule = parse_rule("345/2/4");
  found_program(neighbourhood_table(rule));  // with which the pretended driver was made
  Draw draw(11);
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for (int i = 0; i < 4; i++) {
      const BackendSpec spec{draw.between(8, 700), draw.between(1, 90), boundary, rule, 0};
      INFO(spec.width, "x", spec.height);
      const auto gpu = cuda_driver().create(0, spec, "strips", {8, 1, 8, 4, 0});
      const auto cpu = cpu_driver().create(0, spec, "reference", {});
      check_states(*gpu, *cpu, draw);
    }
  }
}

TEST_CASE("kernels of two states refuse more with the reason") {
  const BackendSpec spec{64, 64, Boundary::torus, parse_rule("345/2/4"), 0};
  for (const KernelInfo& kernel : cuda_driver().kernels()) {
    INFO(kernel.name);
    CHECK(cuda_driver().unsupported(0, spec, kernel.name).has_value() == (kernel.name != "strips"));
  }
}
