// Bands whose kernels step only the rows that are still right: strips on the processor, with
// vectors that hold one row each and others.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "backends/drivers.h"
#include "core/cells/soup.h"
#include "core/stepping/row_form.h"
#include "tests/support/kernels.h"
#include "tests/support/make_spec.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Draws numbers from the first to the second.
auto drawing(std::mt19937_64& random) {
  return [&random](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
}

}  // namespace

TEST_CASE("bands in strips give the bits of one grid, however deep their passes are") {
  int alone = 0, passes = 0;
  for (std::int64_t seed = 0; seed < case_count(80); seed++) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 3);
    const auto between = drawing(random);
    const std::string name = between(0, 1) == 0 ? "simd" : "compiled";
    const std::vector<Kernel> found = find_kernels({"cpu"}, {name});
    if (found.empty()) continue;  // there is no machine code of rules here
    const KernelInfo& info = found.front().info;
    BackendSpec spec;
    spec.width = between(1, between(0, 1) == 0 ? 4000 : 900);
    spec.height = between(3, 200);
    spec.boundary = between(0, 2) == 0 ? Boundary::plane : Boundary::torus;
    if (between(0, 1) == 0) spec.rule = parse_rule("B36/S23");
    const auto parts = std::min<std::int64_t>(between(2, 3), spec.height);
    const std::int64_t halo = between(1, spec.height / parts);
    Tuning tuning;
    const std::vector<int>& depths = info.parameter(&Tuning::generations)->candidates;
    const std::vector<int>& segments = info.parameter(&Tuning::group)->candidates;
    tuning.generations = depths.at(static_cast<std::size_t>(between(0, 7)));
    tuning.group = between(0, 3) > 0 ? segments.back() : segments.front();
    tuning.threads = static_cast<int>(between(1, 6));
    INFO("seed ", seed, ": ", name, ", ", spec.width, "x", spec.height, ", ", parts,
         " parts, halo ", halo, ", ", tuning.generations, " generations a pass, ", tuning.group,
         " segments");
    const auto several = make_factory(fmt::format("cpu*{}", parts), name, tuning, nullptr,
                                      {halo, LinkChoice::automatic})(spec);
    alone += tuning.group == segments.back();
    passes += tuning.generations < halo;
    const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
    const Soup soup{static_cast<std::uint64_t>(seed), 30000};
    several->fill(soup);
    judge->fill(soup);
    for (int turn = 0; turn < 4; turn++) {
      const std::int64_t generations = between(1, 2 * halo + 3);
      several->step(generations);
      judge->step(generations);
      if (turn == 1) {
        const Cell at{between(0, spec.width - 1), between(0, spec.height - 1)};
        const CellGrid cell = judge->download({0, 0, 1, 1});
        several->edit(at, cell);
        judge->edit(at, cell);
      }
      REQUIRE(several->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
    }
    REQUIRE(several->download() == judge->download());
  }
  CHECK(alone > 0);
  CHECK(passes > 0);
}

TEST_CASE("rows of strips pass as they lie from one grid to another of another height") {
  int tried = 0;
  for (const std::string name : {"simd", "compiled"}) {
    const std::vector<Kernel> found = find_kernels({"cpu"}, {name});
    if (found.empty()) continue;  // there is no machine code of rules here
    const int most = found.front().info.parameter(&Tuning::group)->candidates.back();
    for (const std::int64_t width : {70, 513, 1100, 4096}) {
      INFO(name, ", width ", width);
      const auto grid = [&](std::int64_t height, int group) {
        Tuning tuning;
        tuning.group = group;
        return found.front().create(make_spec(width, height, Boundary::torus, "B3/S23"), tuning);
      };
      const auto from = grid(40, most), to = grid(25, most), judge = grid(25, most);
      RowForm *const lie = from->row_form(), *const into = to->row_form();
      REQUIRE(lie);
      REQUIRE(into);
      CHECK(lie->name() == into->name());
      CHECK_FALSE(lie->name().empty());
      from->fill({3, 30000});
      from->step(7);
      std::vector<std::uint64_t> rows(static_cast<std::size_t>(11 * lie->words()));
      lie->read(5, rows);
      for (const auto& each : {to.get(), judge.get()}) each->fill({4, 30000});
      into->write(14, rows);
      judge->edit({0, 14}, from->download({0, 5, width, 11}));
      CHECK(to->download() == judge->download());
      for (const auto& each : {to.get(), judge.get()}) each->step(9);
      CHECK(to->download() == judge->download());
      if (most > 1) CHECK_FALSE(grid(40, 1)->row_form());
      tried++;
    }
  }
  CHECK(tried > 0);
}

TEST_CASE("a band that slides keeps the rows that it had") {
  int slid = 0, refused = 0;
  for (std::int64_t seed = 0; seed < case_count(60); seed++) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 77);
    const auto between = drawing(random);
    const std::vector<Kernel> found =
        find_kernels({"cpu"}, {between(0, 1) == 0 ? "simd" : "compiled"});
    if (found.empty()) continue;  // there is no machine code of rules here
    BackendSpec spec;
    spec.width = between(300, 1500);  // narrow ones are turned
    spec.height = between(20, 150);
    spec.boundary = between(0, 1) == 0 ? Boundary::plane : Boundary::torus;
    spec.halo_rows = 8, spec.halo_above = 4;
    if (found.front().info.name == "compiled" && between(0, 1) == 0) spec.rule = parse_rule("/2/3");
    Tuning tuning;
    tuning.generations = 4;
    tuning.group = found.front().info.parameter(&Tuning::group)->candidates.back();
    tuning.threads = static_cast<int>(between(1, 3));
    INFO("seed ", seed, ": ", found.front().name(), ", ", spec.width, "x", spec.height);
    const auto band = found.front().create(spec, tuning);
    BackendSpec whole = spec;
    whole.halo_rows = whole.halo_above = 0;
    CellGrid cells = make_soup_cells({static_cast<std::uint64_t>(seed), 30000}, spec.width,
                                     spec.height, spec.rule.planes(), 0);
    band->upload(cells);
    CHECK(band->room() == spec.height / 2);
    for (int turn = 0; turn < 4; turn++) {
      const std::int64_t height = cells.height(), first = between(-20, height - 10),
                         then = between(10, height + 20);  // more than halos
      const CellGrid before = band->download();
      CHECK(before == cells);
      if (!band->slide(first, then)) {
        refused++;
        CHECK(band->download() == before);
        continue;
      }
      slid++;
      REQUIRE(band->spec().height == then);
      // Rows that come are replaced, those that stay are there.
      CellGrid wanted(spec.width, then, spec.rule.planes());
      for (std::int64_t y = 0; y < then; y++) {
        const bool stays = first + y >= 0 && first + y < height;
        const CellGrid row =
            stays ? cells.window({0, first + y, spec.width, 1})
                  : make_soup_cells({random(), 30000}, spec.width, 1, spec.rule.planes(), 0);
        wanted.paste(0, y, row);
        if (!stays) band->edit({0, y}, row);
      }
      REQUIRE(band->download() == wanted);
      // And step as those of a grid of their own.
      whole.height = then;
      const auto judge = reference().create(whole);
      judge->upload(wanted);
      judge->step(3);
      band->step(3);
      cells = judge->download();
      const Rect right{0, std::min<std::int64_t>(4, then - 1), spec.width,
                       std::max<std::int64_t>(1, then - 8)};
      CHECK(band->download(right) == cells.window(right));
      band->upload(cells);
    }
  }
  CHECK(slid > 0);
  CHECK(refused > 0);
}
