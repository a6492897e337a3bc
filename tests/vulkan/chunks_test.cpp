// Grids cut into several buffers, like those beyond maxStorageBufferRange; here the limit is a few
// kilobytes. A dispatch steps a buffer, or all of them by their addresses.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <numeric>
#include <string>

#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/support/allocations.h"
#include "tests/support/kernels.h"
#include "tests/support/states.h"
#include "tests/support/surveys.h"
#include "tests/vulkan/first_gpu.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

// The fewest macro-columns that a buffer may hold at most where there are several: twice the least
// that one has, whole words of 64 cells.
std::int64_t fewest_macros(std::int64_t macro) {
  const std::int64_t whole = std::lcm(macro, std::int64_t{64}) / macro;
  return 2 * ceil_div(4, whole) * whole;
}

// A backend whose buffers hold `macros` macro-columns at most.
std::unique_ptr<VulkanBackend> make_cut(const BackendSpec& spec, const std::string& kernel,
                                        std::int64_t macros, bool addresses,
                                        const Tuning& tuning = {}) {
  const Gpu& gpu = first_gpu();
  const KernelShape shape = choose_shape(gpu, kernel, spec, tuning);
  const GridPlan whole = plan_grid(spec, shape, largest_chunk(gpu), false);
  GridPlan plan =
      plan_grid(spec, shape, whole.stride * shape.words * 4 * shape.bit_planes * macros, addresses);
  REQUIRE_MESSAGE(plan.problem.empty(), plan.problem);
  CHECK(plan.chunks.size() > 1);
  CHECK(plan.addressed == addresses);
  if (addresses) plan.stripe = 5;  // no divisor of what is inside
  return std::make_unique<VulkanBackend>(Device::get(0), spec,
                                         BackendInfo{"vulkan", gpu.name, kernel, shape.tuning},
                                         shape, std::move(plan));
}

void check_same(StepBackend& cut, StepBackend& judge) {
  CHECK(hash_text(hash_at(cut, 3, 5)) == hash_text(hash_at(judge, 3, 5)));
  CHECK(population_of(cut) == population_of(judge));
  CHECK(bounds_of(cut) == bounds_of(judge));
  CHECK((cut.download() == judge.download()));
}

}  // namespace

TEST_CASE("a grid cut into several buffers steps like a whole one") {
  for (const KernelInfo& kernel : kernel_infos()) {
    CAPTURE(kernel.name);
    if (!kernel.near) continue;
    if (const auto why = missing_for(first_gpu(), kernel.name)) {
      MESSAGE("skipped: " << *why);
      continue;
    }
    // Widths that end just after a cut: a buffer holds twice the minimum.
    const BackendSpec wide = make_spec(10'000, 37, Boundary::torus, "B3/S23");
    const std::int64_t macro = choose_shape(first_gpu(), kernel.name, wide, {}).macro();
    const std::int64_t macros = fewest_macros(macro), cut_cells = macros * macro;
    for (const std::int64_t width :
         {2 * cut_cells + 1, 3 * cut_cells - 5, 2 * cut_cells + cut_cells / 2 + 3}) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        const bool torus = boundary == Boundary::torus;
        CAPTURE(width);
        CAPTURE(torus);
        const BackendSpec spec = make_spec(width, 37, boundary, torus ? "B3/S23" : "B0246/S1357");
        const auto cut = make_cut(spec, kernel.name, macros, false);
        const auto judge = test::reference().create(spec);
        const Soup soup{7, 20000};
        cut->fill(soup);
        judge->fill(soup);
        check_same(*cut, *judge);
        cut->step(19);
        judge->step(19);
        check_same(*cut, *judge);
        const BitGrid block = make_soup({9, 50000}, cut_cells + 40, 11);
        cut->edit({cut_cells / 2 + 3, 20}, block);
        judge->edit({cut_cells / 2 + 3, 20}, block);
        check_same(*cut, *judge);
        DensityImage seen, expected;
        const Rect rect{cut_cells - 31, 2, cut_cells + 17, 33};
        cut->view(rect, 7, seen);
        judge->view(rect, 7, expected);
        CHECK(seen == expected);
        CHECK((cut->download(rect) == judge->download(rect)));
      }
    }
  }
}

TEST_CASE("so does a grid of several states") {
  if (missing_for(first_gpu(), "strips")) return;
  const BackendSpec wide = make_spec(10'000, 37, Boundary::torus, "345/2/4");
  const std::int64_t macro = choose_shape(first_gpu(), "strips", wide, {}).macro();
  const std::int64_t macros = fewest_macros(macro);
  // Three buffers, the last of which is wider.
  const BackendSpec spec = make_spec(5 * macros * macro / 2 + 3, 37, Boundary::torus, "345/2/4");
  const auto cut = make_cut(spec, "strips", macros, false);
  const auto judge = test::reference().create(spec);
  Draw draw(5);
  check_states(*cut, *judge, draw);
}

TEST_CASE("rules of longer range are stepped alike where a device has no addresses") {
  // Lines loaded ahead, lines that are not, cells from lists with corners and without, states.
  for (const char* rule :
       {"R3,C0,M1,S14..24,B14..19,NM", "R13,C0,M1,S200..400,B205..280,NM",
        "R4,C0,M0,S5..9,B6..8,N+", "R4,C0,M1,S12..21,B13..17,NN", "R3,C4,M1,S14..24,B14..19,NM"}) {
    CAPTURE(rule);
    const BackendSpec spec = make_spec(203, 61, Boundary::torus, rule);
    const KernelShape shape = choose_shape(first_gpu(), "sums", spec, {});
    GridPlan plan = plan_grid(spec, shape, largest_chunk(first_gpu()), false);
    CHECK_FALSE(plan.addressed);
    VulkanBackend without(Device::get(0), spec,
                          BackendInfo{"vulkan", first_gpu().name, "sums", shape.tuning}, shape,
                          std::move(plan));
    const auto judge = test::reference().create(spec);
    without.fill(Soup{7, 30000});
    judge->fill(Soup{7, 30000});
    without.step(5);
    judge->step(5);
    CHECK(population_of(*judge) > 0);
    check_same(without, *judge);
  }
}

TEST_CASE("addresses reach every buffer in every shape, for rules of all kinds, and nothing else") {
  struct Case {
    const char* rule;
    Boundary boundary;
    Tuning shape;  // generations, rows, words, subgroups
  };
  // Accesses of one, two and four rows; columns in one plane and in two; halos of one bit and of
  // two to six; tiles of one subgroup and of several that share rows.
  constexpr Boundary kTorus = Boundary::torus, kPlane = Boundary::plane;
  const Case cases[] = {{"B3/S23", kTorus, {2, 2, 4, 1, 0}},
                        {"B3/S23", kPlane, {8, 2, 3, 4, 0}},
                        {"B36/S23", kTorus, {16, 8, 3, 2, 0}},
                        {"B3-k/S23", kPlane, {4, 3, 2, 1, 0}},
                        {"/2/3", kTorus, {4, 4, 2, 1, 0}}};
  if (const auto why = missing_for(first_gpu(), "strips")) {
    MESSAGE("skipped: " << *why);
    return;
  }
  if (!first_gpu().addresses) {
    MESSAGE("skipped: the device has no addresses of buffers");
    return;
  }
  Draw draw(17);
  for (const Case& each : cases) {
    BackendSpec spec = make_spec(100'000, 100, each.boundary, each.rule);
    const KernelShape wide = choose_shape(first_gpu(), "strips", spec, each.shape);
    const std::int64_t macros = fewest_macros(wide.macro()), cut_cells = macros * wide.macro();
    // Ends within the first macro-column of a buffer and anywhere; tori of few rows, too.
    for (const std::int64_t width : {cut_cells + cut_cells / 2 + draw.between(1, wide.macro()),
                                     draw.between(cut_cells + 1, 3 * cut_cells)}) {
      spec.width = width;
      spec.height = width > 2 * cut_cells ? draw.between(1, 12) : draw.between(40, 90);
      INFO(std::string(each.rule), " ", spec.width, "x", spec.height);
      const auto cut = [&] {
        const AllocationScope guarded(4096);
        return make_cut(spec, "strips", macros, true, each.shape);
      }();
      const auto judge = test::reference().create(spec);
      const Soup soup{draw.word(), 30000, spec.rule.state_count};
      cut->fill(soup);
      judge->fill(soup);
      for (const std::int64_t generations : {1, 19}) {
        cut->step(generations);
        judge->step(generations);
        check_same(*cut, *judge);
        const CellGrid block = make_soup_cells({draw.word(), 40000}, 90, 1, spec.rule.planes());
        cut->edit({cut_cells - 40, spec.height / 2}, block);
        judge->edit({cut_cells - 40, spec.height / 2}, block);
      }
      check_same(*cut, *judge);
      CHECK_NOTHROW(cut->check_guards());
    }
  }
}

TEST_CASE("a device that takes few workgroups a dispatch's side gets them in two dimensions") {
  Gpu gpu = first_gpu();
  gpu.max_groups = 40;
  for (const char* kernel : {"strips", "word"}) {
    CAPTURE(kernel);
    if (missing_for(gpu, kernel)) continue;
    const BackendSpec spec = make_spec(1500, 900, Boundary::torus, "B3/S23");
    const KernelShape shape = choose_shape(gpu, kernel, spec, {});
    const BackendInfo info{"vulkan", gpu.name, kernel, shape.tuning};
    VulkanBackend folded(std::make_shared<Device>(gpu), spec, info, shape,
                         plan_grid(spec, shape, largest_chunk(gpu), false));
    const auto judge = test::reference().create(spec);
    folded.fill({3, 30000});
    judge->fill({3, 30000});
    folded.step(9);
    judge->step(9);
    check_same(folded, *judge);
  }
}

TEST_CASE("a plan respects every limit or says which one it cannot") {
  const Gpu& gpu = first_gpu();
  const std::int64_t limit = std::int64_t{128} << 20;
  const BackendSpec large = make_spec(100'000, 70'000, Boundary::torus, "B3/S23");
  const KernelShape shape = choose_shape(gpu, "word", large, {});
  const GridPlan plan = plan_grid(large, shape, limit, true);
  REQUIRE(plan.problem.empty());
  std::int64_t x = 0, bytes = plan.transfer;
  for (const ChunkPlan& chunk : plan.chunks) {
    CHECK(chunk.x == x);
    CHECK(chunk.bytes <= limit);
    CHECK(chunk.width >= 33);
    x += chunk.width;
    if (x < large.width) CHECK(chunk.width % 64 == 0);
    bytes += 2 * chunk.bytes;
  }
  CHECK(x == large.width);
  CHECK(plan.bytes == bytes);
  CHECK_FALSE(plan.addressed);  // word has no such variant
  if (!missing_for(gpu, "strips")) {
    const KernelShape strips = choose_shape(gpu, "strips", large, {});
    const GridPlan far = plan_grid(large, strips, limit, true);
    CHECK(far.addressed);
    CHECK(far.stripe == 16);
    CHECK(far.columns == 16 * ceil_div(large.width, strips.macro()));
    CHECK(far.bytes == plan_grid(large, strips, limit, false).bytes + 2 * far.columns);
    const BackendSpec small = make_spec(1000, 1000, Boundary::torus, "B3/S23");
    CHECK_FALSE(plan_grid(small, strips, limit, true).addressed);
    // What fits one binding is stepped by addresses from 2^31 cells on.
    const std::int64_t roomy = std::int64_t{1} << 32;
    for (const std::int64_t height : {32767, 32768}) {
      const BackendSpec wide = make_spec(65536, height, Boundary::torus, "B3/S23");
      const GridPlan fits = plan_grid(wide, choose_shape(gpu, "strips", wide, {}), roomy, true);
      CHECK(fits.chunks.size() == 1);
      CHECK(fits.addressed == (height == 32768));
    }
  }
  const GridPlan tall =
      plan_grid(make_spec(1000, 50'000'000, Boundary::torus, "B3/S23"), shape, limit, true);
  CHECK(tall.problem.find("134217728") != std::string::npos);
}
