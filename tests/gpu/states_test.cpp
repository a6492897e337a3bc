// Rules of several states on CUDA against the CPU: cells in and out, surveys, pictures and steps,
// in the one shape and under the one rule that the pretended driver has.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "apps/measure/draw.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_driver.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"
#include "core/stepping/step_backend.h"

using namespace tessera;

namespace {

CellGrid random_cells(std::int64_t width, std::int64_t height, const Rule& rule, Draw& draw) {
  CellGrid cells(width, height, rule.planes());
  for (std::int64_t y = 0; y < height; y++) {
    for (std::int64_t x = 0; x < width; x++) {
      if (draw.chance(50)) cells.set_state(x, y, static_cast<int>(draw.below(rule.states())));
    }
  }
  return cells;
}

void check_same(StepBackend& got, StepBackend& want, Draw& draw) {
  REQUIRE(got.download() == want.download());
  const BackendSpec& spec = got.spec();
  const std::int64_t x = draw.below(spec.width), y = draw.below(spec.height);
  const Rect part{x, y, 1 + draw.below(spec.width - x), 1 + draw.below(spec.height - y)};
  for (const Rect& rect : {Rect{0, 0, spec.width, spec.height}, part}) {
    const Survey a = got.survey(rect, kWholeSurvey, 5, -7),
                 b = want.survey(rect, kWholeSurvey, 5, -7);
    CHECK(a.population == b.population);
    CHECK(a.bounds == b.bounds);
    CHECK(a.hash == b.hash);
    CHECK(got.download(rect) == want.download(rect));
    DensityImage seen, wanted;
    const std::int64_t scale = 1 + draw.below(9);
    got.view(rect, scale, seen);
    want.view(rect, scale, wanted);
    CHECK(seen == wanted);
  }
}

}  // namespace

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
      for (std::uint16_t states = 2; states <= 4; states++) {
        gpu->fill({7, 20000, states});
        cpu->fill({7, 20000, states});
        check_same(*gpu, *cpu, draw);
      }
      const CellGrid cells = random_cells(spec.width, spec.height, rule, draw);
      gpu->upload(cells);
      cpu->upload(cells);
      for (const std::int64_t generations : {1, 8, 5}) {
        gpu->step(generations);
        cpu->step(generations);
        check_same(*gpu, *cpu, draw);
        const std::int64_t x = draw.below(spec.width), y = draw.below(spec.height);
        const CellGrid patch = random_cells(1 + draw.below(spec.width - x),
                                            1 + draw.below(spec.height - y), rule, draw);
        gpu->edit({x, y}, patch);
        cpu->edit({x, y}, patch);
      }
      check_same(*gpu, *cpu, draw);
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
