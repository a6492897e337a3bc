// The text of the kernel strips, compiled for the CPU in one shape (TESSERA_W, _R, _T, _WARPS,
// _TORUS, _BAND) with the text of one rule (TESSERA_RULE) and run tile by tile: every way in which
// halos are cut at the edges, without a GPU. Buffers end at inaccessible pages.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "strips.cu"
// Needs the kernel's macros.
#include "layout_strips.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/strips_stepper.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"
#include "tests/gpu/emulation/states.h"

#if !TESSERA_BAND

TEST_CASE("the kernel strips, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  const RuleSpec rules = parse_rule_spec(TESSERA_RULE);
  const Rule& rule = rules.rule;
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
    BackendSpec spec{(M > 1 ? 2 + upto(3) : upto(5)) * macro + widths[upto(8)], heights[i % 6],
                     boundary, rule, 0};
    spec.odd_rule = rules.odd_rule;
    if (spec.width < W) continue;  // those are compiled differently
    INFO(spec.width, "x", spec.height);
    StripsStepper stepper(spec, shape, facts);
    REQUIRE(stepper.tuning() == shape);
    const Grid& grid = stepper.grid();
    shared += stepper.pass(1).shared_tiles > 0;
    last_word = static_cast<int>(spec.width % W);
    const bool plain = rule == kLife && !rules.odd_rule;
    const auto cpu = cpu_driver().create(0, spec, plain ? "word" : "reference", {});
    bool odd = i % 2 == 1;
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
      stepper.begin(odd);
      StripRun run = stepper.pass(generations);
      run.from = from;
      run.to = to;
      emulated::warp.kernel = [&] { step(grid, run); };
      for (std::int64_t block = 0; block < stepper.shape().blocks; block++) {
        blockIdx.x = static_cast<unsigned int>(block);
        for (unsigned int n = 0; n < kWarps; n++) emulated::run_warp(n);
      }
      std::swap(from, to);
      cpu->step(generations, odd);
      odd ^= generations % 2 != 0;
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

// What the band beyond one end has, on a device of its own: two buffers of a grid of the same size,
// which hold noise, and the words that each writes for the other.
struct Neighbour {
  explicit Neighbour(const Grid& grid)
      : one(static_cast<std::size_t>(grid.storage)), other(static_cast<std::size_t>(grid.storage)) {
    for (u32* words : {one.words(), other.words()})
      for (i64 n = 0; n < grid.storage / 4; n++) words[n] = noise(n);
  }
  static u32 noise(i64 n) { return static_cast<u32>(mix64(static_cast<std::uint64_t>(n) + 77)); }

  // The rows that it gets, from `first` on.
  std::vector<u32> rows(const Grid& grid, u32 buffer, std::int64_t first,
                        std::int64_t count) const {
    std::vector<u32> out;
    const u32* words = buffer == 0 ? one.words() : other.words();
    for (i64 n = 0; n < grid.units * W; n++) {
      const u32* column = words + n * grid.stride + grid.above + first;
      out.insert(out.end(), column, column + count);
    }
    return out;
  }
  // Words that are noise no more.
  std::int64_t changed(const Grid& grid) const {
    std::int64_t count = 0;
    for (const u32* words : {one.words(), other.words()})
      for (i64 n = 0; n < grid.storage / 4; n++) count += words[n] != noise(n);
    return count;
  }

  Buffer one, other;
  u32 room[2] = {}, room_there[2] = {}, arrived = 0, arrived_there = 0, stored = 0;
};

// What before_await does: the copies arrive, and the neighbours offer room.
BandGrid* arriving = nullptr;
std::array<std::unique_ptr<Neighbour>, 2> neighbours;
std::int64_t rows_above = 0, rows_below = 0;
bool arrived = false;
u32 exchange_to_come = 0, exchange_to_leave = 0, room_to_offer = 0;
void put_copies(std::int64_t change) {
  arriving->paste(0, rows_above, change);
  arriving->paste(arriving->grid.height - rows_below, rows_below, change);
}
void let_neighbours_act() {
  if (!arrived) put_copies(0);
  arrived = true;
  for (const auto& each : neighbours) {
    each->arrived = exchange_to_come;
    each->room[exchange_to_leave % 2] = room_to_offer;
  }
}

bool shares(const KernelSource& source) {
  return std::ranges::count(source.options, "-DTESSERA_SHARED=1") > 0;
}

}  // namespace

TEST_CASE("the kernel strips steps a band whose copies leave first and arrive last") {
  const Boundary boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  const Tuning shape{T, R, W, kWarps, 0};
  int waits = 0, leaves = 0, shared = 0, inner = 0;
  for (int i = 0; i < 24; i++) {
    // Mostly whole vectors, for other copies do not leave by the kernel.
    std::int64_t copies = 1 + upto(i % 2 == 0 ? 3 * T : 2 * T * R);
    if (i % 4 != 0) copies = (copies + 3) / 4 * 4;
    rows_above = TESSERA_TORUS || i % 3 != 0 ? copies : 0;
    rows_below = TESSERA_TORUS || i % 3 != 1 ? copies : 0;
    const std::int64_t width = (2 + upto(5)) * kStripMacro + 1 + upto(kStripMacro - 1);
    const BackendSpec spec{width, rows_above + rows_below + copies + upto(80 * R), boundary, kLife,
                           0};
    DeviceFacts facts;
    facts.multiprocessors = i % 3 == 0 ? 1 : 1000;
    INFO(spec.width, "x", spec.height, ", copies ", rows_above, " and ", rows_below);
    StripsStepper stepper(spec, shape, facts);
    REQUIRE(stepper.tuning() == shape);
    last_word = static_cast<int>(spec.width % W);
    stepper.make_band({rows_above, rows_below});
    REQUIRE(stepper.meets_neighbours() == (copies % V == 0));
    BandGrid band(spec, stepper);
    BandNeighbours met;
    for (std::size_t n = 0; n < 2; n++) {
      neighbours[n] = std::make_unique<Neighbour>(band.grid);
      if ((n == 0 ? rows_above : rows_below) == 0) continue;
      Neighbour& each = *neighbours[n];
      StripSide& side = met.sides[n];
      side.there[0] = each.one.words();
      side.there[1] = each.other.words();
      side.there_stride = band.grid.stride;
      side.there_row = band.grid.above +
                       (n == 0 ? band.grid.height - 2 * copies : 2 * copies - band.grid.height);
      side.room = each.room, side.room_there = each.room_there;
      side.arrived = &each.arrived, side.arrived_there = &each.arrived_there;
      side.stored = &each.stored;
    }
    met.buffer = reinterpret_cast<CUdeviceptr>(band.from);
    stepper.join_neighbours(met);
    band.cpu->fill({seed, 30000});
    band.paste(0, spec.height);
    arriving = &band;
    stepper.halos_renewed(false);
    bool waiting = false;
    const u32* const first_buffer = band.from;
    for (int period = 0; period < 3; period++) {
      bool sent = false;
      for (std::int64_t wrong = 0; wrong < copies;) {
        const std::int64_t now =
            std::min<std::int64_t>(upto(3) == 0 ? 1 + upto(T - 1) : T, copies - wrong);
        const bool leaving = wrong + now == copies && stepper.meets_neighbours() && upto(4) > 0;
        const u32 buffer = band.to == first_buffer ? 0 : 1;
        StripsStepper::BandPass pass = stepper.band_pass(now, leaving, buffer);
        // The other kernel's passes are those of whole grids, which its own test covers.
        if (!pass.edges) inner++;
        REQUIRE((pass.edges || TESSERA_TORUS));
        REQUIRE((!!pass.neighbours.arrives == waiting));
        // Tiles are shared only where the kernel knows of that.
        REQUIRE((pass.run.shared_tiles == 0 || !pass.edges || shares(stepper.edge_source())));
        REQUIRE((!!pass.neighbours.leaves == leaving));
        if (!pass.edges) {
          const std::int64_t first = pass.grid.above - band.grid.above;
          pass.run.first = static_cast<u32>(first);
          pass.run.end = static_cast<u32>(first + pass.grid.height);
          pass.grid = band.grid;
        }
        waits += waiting;
        pass.run.from = band.from;
        pass.run.to = band.to;
        shared += pass.run.shared_tiles > 0;
        emulated::warp.kernel = [&] { step(band.grid, pass.run, pass.neighbours); };
        exchange_to_come = pass.neighbours.arriving;
        const u32 theirs = static_cast<u32>(upto(1));
        exchange_to_leave = pass.neighbours.leaving;
        room_to_offer = 2 * exchange_to_leave + theirs;
        std::array<std::int64_t, 2> noise{};
        for (std::size_t n = 0; n < 2; n++) {
          if (waiting) neighbours[n]->arrived = exchange_to_come - 1;
          noise[n] = neighbours[n]->changed(band.grid);
        }
        const auto told = [&](std::size_t n) {
          return neighbours[n]->arrived_there == pass.neighbours.leaving;
        };
        before_await = let_neighbours_act;
        for (std::int64_t block = 0; block < pass.shape.blocks; block++) {
          for (unsigned int n = 0; n < kWarps; n++) {
            blockIdx.x = static_cast<unsigned int>(block);
            arrived = !waiting;
            if (waiting) put_copies(-1);
            const u32 handed = neighbours[0]->stored + neighbours[1]->stored;
            const std::vector<u32> old = band.leaving(rows_above, rows_below, copies);
            const bool done = leaving && told(0) + told(1) > 0;
            emulated::run_warp(n);
            const std::vector<u32> now_leaving = band.leaving(rows_above, rows_below, copies);
            if (leaving && neighbours[0]->stored + neighbours[1]->stored == handed)
              REQUIRE(now_leaving == old);
            // Who is told finds all rows, as they will stay.
            if (leaving && !done) {
              const std::int64_t end = band.grid.height - copies;
              if (rows_above > 0 && told(0))
                REQUIRE(neighbours[0]->rows(band.grid, theirs, end, copies) ==
                        band.leaving(rows_above, 0, copies));
              if (rows_below > 0 && told(1))
                REQUIRE(neighbours[1]->rows(band.grid, theirs, 0, copies) ==
                        band.leaving(0, rows_below, copies));
            }
          }
        }
        before_await = nullptr;
        waiting = false;
        for (std::size_t n = 0; n < 2; n++) {
          if ((n == 0 ? rows_above : rows_below) == 0) continue;
          const Neighbour& each = *neighbours[n];
          if (!leaving) {
            REQUIRE(each.changed(band.grid) == noise[n]);
            continue;
          }
          REQUIRE(told(n));
          REQUIRE(each.stored == pass.neighbours.sides[n].all_stored);
          REQUIRE(each.room_there[exchange_to_leave % 2] == 2 * pass.neighbours.leaving + buffer);
          REQUIRE(
              each.rows(band.grid, theirs, n == 0 ? band.grid.height - copies : 0, copies) ==
              (n == 0 ? band.leaving(rows_above, 0, copies) : band.leaving(0, rows_below, copies)));
          // Nothing but those rows, in either buffer.
          REQUIRE(each.changed(band.grid) <= 2 * copies * band.grid.units * W);
        }
        leaves += leaving;
        sent = leaving;
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
      waiting = sent;
      if (!sent) put_copies(0);
      stepper.halos_renewed(sent);
    }
  }
  CHECK(waits > 10);
  CHECK(leaves > 20);
  CHECK((inner > 10 || !TESSERA_TORUS));
  MESSAGE("shared ", shared);
}

#endif
