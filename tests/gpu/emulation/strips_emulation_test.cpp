// The text of the kernel strips, compiled for the CPU in one shape (TESSERA_W, _R, _T, _WARPS,
// _TORUS, _BAND) with the text of one rule (TESSERA_RULE) and run tile by tile: every way in which
// halos are cut at the edges, without a GPU. Buffers end at inaccessible pages.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "strips.cu"
// Needs the kernel's macros.
#include "layout_strips.cuh"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/strips_stepper.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"

#if !TESSERA_BAND

namespace {

// Cells of all states, half of them 0.
tessera::CellGrid random_states(const tessera::BackendSpec& spec, std::uint64_t seed) {
  tessera::CellGrid cells(spec.width, spec.height, spec.rule.planes());
  for (std::int64_t y = 0; y < spec.height; y++) {
    for (std::int64_t x = 0; x < spec.width; x++) {
      const std::uint64_t draw = tessera::mix64(seed * 0x9E3779B97F4A7C15u + y * 65536 + x);
      const auto states = static_cast<std::uint64_t>(spec.rule.states() - 1);
      if (draw & 1) cells.set_state(x, y, static_cast<int>(1 + (draw >> 8) % states));
    }
  }
  return cells;
}

// The kernel's planes of cells.
std::vector<tessera::BitGrid> planes_of(const tessera::CellGrid& cells,
                                        const tessera::cuda::StripsStepper& stepper) {
  if (stepper.planes() == 1) return {cells.plane(0)};
  const std::vector<std::uint16_t> codes = stepper.codes();
  const tessera::BitGrid none(cells.width(), cells.height());
  std::vector<tessera::BitGrid> out(static_cast<std::size_t>(stepper.planes()), none);
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      const unsigned code = codes[static_cast<std::size_t>(cells.state(x, y))];
      for (std::size_t p = 0; code >> p != 0; p++)
        if (code >> p & 1) out[p].set(x, y, true);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the kernel strips, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  const Rule rule = parse_rule(TESSERA_RULE);
  const int trials = rule == kLife ? 60 : 25;
  const Boundary boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
  constexpr std::int64_t macro = kStripMacro, owned = 32 * R - 2 * T;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  DeviceFacts facts;
  facts.multiprocessors = 1;  // so that some of these grids have more tiles than it has schedulers
  int shared = 0;
  const Tuning shape{T, R, W, kWarps, 0};
  for (int i = 0; i < trials; i++) {
    // From a column into the last macro-column to one short of its end.
    const std::int64_t widths[] = {
        1, W - 1, W, W + 1, M * W, M * W + 1, macro - 1, macro, 1 + upto(macro - 1)};
    const std::int64_t heights[] = {1,         1 + upto(2 * T), owned,
                                    owned + 1, 2 * owned - 1,   1 + upto(3 * owned)};
    const BackendSpec spec{(M > 1 ? 2 + upto(3) : upto(5)) * macro + widths[upto(8)],
                           heights[i % 6], boundary, rule, 0};
    if (spec.width < W) continue;  // those are compiled differently
    INFO(spec.width, "x", spec.height);
    const StripsStepper stepper(spec, shape, facts);
    REQUIRE(stepper.tuning() == shape);
    const Grid& grid = stepper.grid();
    shared += stepper.pass(1).shared_tiles > 0;
    last_word = static_cast<int>(spec.width % W);
    const auto cpu = cpu_driver().create(0, spec, rule == kLife ? "word" : "reference", {});
    if (rule.states() == 2) {
      cpu->fill({seed, 30000});
    } else {
      cpu->upload(random_states(spec, seed));
    }

    Buffer one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage));
    u32 *from = one.words(), *to = other.words();
    const Box all{0, 0, spec.width, spec.height};
    const i64 plane_words = grid.storage / 4 / P;
    REQUIRE(stepper.planes() == P);
    const std::vector<BitGrid> start = planes_of(cpu->download(), stepper);
    for (int p = 0; p < P; p++) {
      for (i64 n = 0; n < layout_pieces(grid, all); n++) {
        layout_paste(grid, from + p * plane_words, all, n,
                     start[static_cast<std::size_t>(p)].words().data(), grid.words);
      }
    }
    threadIdx.x = blockIdx.x = 0;  // the only thread of a grid-stride kernel
    if (TESSERA_TORUS) fill_margins(grid, from);
    for (const std::int64_t generations : {std::int64_t{T}, std::int64_t{T}, 1 + upto(T - 1)}) {
      StripRun run = stepper.pass(generations);
      run.from = from;
      run.to = to;
      emulated::warp.kernel = [&] { step(grid, run); };
      for (std::int64_t block = 0; block < stepper.shape().blocks; block++) {
        blockIdx.x = static_cast<unsigned int>(block);
        for (unsigned int n = 0; n < kWarps; n++) emulated::run_warp(n);
      }
      std::swap(from, to);
      cpu->step(generations);
      const CellGrid cells = cpu->download();
      const std::vector<BitGrid> want = planes_of(cells, stepper);
      const BitGrid live = cells.live();
      std::int64_t wrong = 0, halos = 0;
      for (i64 y = 0; y < grid.height; y++) {
        for (i64 n = 0; n < grid.words; n++) {
          const auto at = static_cast<std::size_t>(y * grid.words + n);
          wrong += layout_word(grid, from, n, y) != live.words()[at];
          for (int p = 0; p < P; p++) {
            wrong += layout_plane_word(grid, from + p * plane_words, n, y) !=
                     want[static_cast<std::size_t>(p)].words()[at];
          }
        }
        for (i64 n = 0; n < P * grid.units * W; n++)
          halos += (from[n * grid.stride + grid.above + y] & ~kInner) != 0;
      }
      REQUIRE(wrong == 0);
      REQUIRE(halos == 0);
    }
  }
  CHECK((shared > 2 || trials < 60));
}

#else

namespace {

using namespace tessera;

// A grid that is a band, and the CPU's own of the same cells. The copies are right from `wrong`
// rows on; the others hold noise, which must not matter.
struct BandGrid {
  BandGrid(const BackendSpec& whole, const StripsStepper& stepper)
      : spec(whole),
        grid(stepper.grid()),
        one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage)),
        from(one.words()),
        to(other.words()),
        cpu(cpu_driver().create(0, whole, "word", {})) {}

  void paste(std::int64_t y, std::int64_t rows, std::int64_t change = 0) {
    if (rows == 0) return;
    BitGrid cells = cpu->download({0, y, spec.width, rows}).plane(0);
    for (std::uint64_t& word : cells.words()) word ^= static_cast<std::uint64_t>(change);
    const Box box{0, y, spec.width, rows};
    const Index thread = threadIdx, block = blockIdx;
    for (i64 n = 0; n < layout_pieces(grid, box); n++)
      layout_paste(grid, from, box, n, cells.words().data(), grid.words);
    threadIdx = thread, blockIdx = block;
  }

  // Words of the rows that neighbours get.
  std::vector<u32> leaving(std::int64_t above, std::int64_t below, std::int64_t rows) const {
    std::vector<u32> out;
    for (i64 n = 0; n < grid.units * W; n++) {
      const u32* column = to + n * grid.stride + grid.above;
      if (above > 0) out.insert(out.end(), column + above, column + above + rows);
      if (below > 0) {
        const i64 end = grid.height - below;
        out.insert(out.end(), column + end - rows, column + end);
      }
    }
    return out;
  }

  BackendSpec spec;
  Grid grid;
  Buffer one, other;
  u32 *from, *to;
  std::unique_ptr<StepBackend> cpu;
};

// What before_await does.
BandGrid* arriving = nullptr;
std::int64_t rows_above = 0, rows_below = 0;
bool arrived = false;
void put_copies(std::int64_t change) {
  arriving->paste(0, rows_above, change);
  arriving->paste(arriving->grid.height - rows_below, rows_below, change);
}
void let_copies_arrive() {
  if (!arrived) put_copies(0);
  arrived = true;
}

}  // namespace

TEST_CASE("the kernel strips steps a band whose copies leave first and arrive last") {
  const Boundary boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  const Tuning shape{T, R, W, kWarps, 0};
  int waits = 0, leaves = 0, shared = 0;
  for (int i = 0; i < 24; i++) {
    const std::int64_t copies = 1 + upto(i % 2 == 0 ? 3 * T : 2 * T * R);
    rows_above = TESSERA_TORUS || i % 3 != 0 ? copies : 0;
    rows_below = TESSERA_TORUS || i % 3 != 1 ? copies : 0;
    const std::int64_t width = (2 + upto(5)) * kStripMacro + 1 + upto(kStripMacro - 1);
    const BackendSpec spec{width, rows_above + rows_below + copies + upto(80 * R), boundary, kLife,
                           0};
    DeviceFacts facts;
    facts.multiprocessors = i % 3 == 0 ? 1 : 1000;  // few places, where no tile may wait; and many
    INFO(spec.width, "x", spec.height, ", copies ", rows_above, " and ", rows_below);
    StripsStepper stepper(spec, shape, facts);
    REQUIRE(stepper.tuning() == shape);
    last_word = static_cast<int>(spec.width % W);
    u32 tickets = 0, done = 7;
    stepper.make_band({rows_above, rows_below, reinterpret_cast<CUdeviceptr>(&tickets),
                       reinterpret_cast<CUdeviceptr>(&done)});
    BandGrid band(spec, stepper);
    band.cpu->fill({seed, 30000});
    band.paste(0, spec.height);
    arriving = &band;
    stepper.halos_renewed(std::nullopt);
    bool waiting = false;
    for (int period = 0; period < 3; period++) {
      for (std::int64_t wrong = 0; wrong < copies;) {
        const std::int64_t now =
            std::min<std::int64_t>(upto(3) == 0 ? 1 + upto(T - 1) : T, copies - wrong);
        StripsStepper::BandPass pass = stepper.band_pass(now);
        REQUIRE((pass.run.ready != nullptr) == waiting);
        waits += waiting;
        pass.run.from = band.from;
        pass.run.to = band.to;
        shared += pass.run.shared_tiles > 0;
        emulated::warp.kernel = [&] { step(band.grid, pass.run); };
        const u32 before = tickets;
        before_await = let_copies_arrive;
        for (std::int64_t block = 0; block < pass.shape.blocks; block++) {
          for (unsigned int n = 0; n < kWarps; n++) {
            blockIdx.x = static_cast<unsigned int>(block);
            arrived = !waiting;
            if (waiting) put_copies(-1);
            const u32 handed = tickets;
            const std::vector<u32> old = band.leaving(rows_above, rows_below, copies);
            emulated::run_warp(n);
            if (pass.run.tickets && tickets == handed)
              REQUIRE(band.leaving(rows_above, rows_below, copies) == old);
          }
        }
        before_await = nullptr;
        waiting = false;
        if (pass.run.tickets) {
          leaves++;
          REQUIRE(stepper.edges_stored() == tickets);
        } else {
          REQUIRE(tickets == before);
          REQUIRE(!stepper.edges_stored());
        }
        std::swap(band.from, band.to);
        band.cpu->step(now);
        wrong += now;
        const BitGrid want = band.cpu->download().plane(0);
        std::int64_t bad = 0, halos = 0;
        const i64 first = std::min(wrong, rows_above);
        const i64 end = band.grid.height - std::min(wrong, rows_below);
        for (i64 y = first; y < end; y++) {
          for (i64 n = 0; n < band.grid.words; n++) {
            bad += layout_word(band.grid, band.from, n, y) !=
                   want.words()[static_cast<std::size_t>(y * band.grid.words + n)];
          }
          for (i64 n = 0; n < band.grid.units * W; n++)
            halos += (band.from[n * band.grid.stride + band.grid.above + y] & ~kInner) != 0;
        }
        REQUIRE(bad == 0);
        REQUIRE(halos == 0);
      }
      if (stepper.edges_stored()) {
        stepper.halos_renewed(done);
        waiting = true;
      } else {
        put_copies(0);
        stepper.halos_renewed(std::nullopt);
      }
    }
  }
  CHECK(waits > 10);
  CHECK(leaves > 20);
  MESSAGE("shared ", shared);
}

#endif
