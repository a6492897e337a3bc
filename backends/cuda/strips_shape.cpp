#include "backends/cuda/strips_shape.h"

#include <algorithm>
#include <optional>
#include <string>

#include "backends/cuda/strip_plan.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/rules/shipped_programs.h"
#include "core/rules/state_program.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

// What a rule asks of a tile: planes of cells, and about how many gates per word.
struct Demand {
  int planes = 1;
  double gates = 8;
};

// Of the program that is shipped for a rule; or of the first one, long before it is searched for,
// which makes it shorter by a third.
Demand program_demand(const Rule& rule) {
  const NeighbourhoodTable table = neighbourhood_table(rule);
  if (const std::optional<GateProgram> shipped = shipped_program(table)) {
    const StateProgram program = state_program(rule, *shipped);
    return {program.planes, static_cast<double>(program.cost())};
  }
  const StateProgram first = state_program(rule, first_program(table));
  return {first.planes,
          0.7 * first.lives.cost() + static_cast<double>(first.cost() - first.lives.cost())};
}

// Where two rules take turns, that of the longer one.
Demand demand_of(const BackendSpec& spec) {
  if (has_one_circuit(spec)) return {};
  Demand demand = program_demand(spec.rule);
  if (spec.odd_rule) demand.gates = std::max(demand.gates, program_demand(*spec.odd_rule).gates);
  return demand;
}

// Words that a lane holds.
int tile_words(const Tuning& t, const Demand& demand) { return t.words * t.rows * demand.planes; }

// Blocks that should fit a multiprocessor: smaller tiles need fewer registers per thread.
int blocks_an_sm(const Tuning& t, const Demand& demand) {
  // Many planes have many addresses, too.
  const int words = tile_words(t, demand), warps = words > 64 || demand.planes > 6 ? 8
                                                   : words > 32                    ? 12
                                                                                   : 16;
  return std::max(1, warps / t.group);
}

constexpr int kMostHalo = 8;
constexpr int kMostTile = 128;  // words a lane

// Why the kernel cannot have this shape on a grid of that width, or empty.
std::string objection(const Tuning& t, const Demand& demand, std::int64_t width) {
  if (rows_owned(t) <= 0) return "generations must be less than 16 times the rows";
  if (halo_bits(t) > kMostHalo)
    return "generations must not exceed " + std::to_string(kMostHalo) + " times the words";
  if (tile_words(t, demand) > kMostTile) {
    return "rows times words must not exceed " + std::to_string(kMostTile) +
           (demand.planes > 1
                ? ", divided by the " + std::to_string(demand.planes) + " planes of the rule"
                : "");
  }
  // The loads at the edge rely on it, and a halo should not be wider than the grid.
  const std::int64_t least = 2 * macro_width(t) + 1;
  if (halo_bits(t) > 1 && width < least) {
    return "more generations than words need a grid " + std::to_string(least) +
           " cells wide or wider";
  }
  return "";
}

// Approximate cycles per generation. A pass costs a launch. Every scheduler of a multiprocessor
// processes its tiles, as many at a time as fit, and the tiles of a wave load and store their cells
// together, while little is computed. Fitted to 60 shapes and sizes on an H100; the mean error is 9
// %. Several planes wait for memory, where one hides it.
double estimate(const Tuning& t, const BackendSpec& spec, const Demand& demand,
                const DeviceFacts& facts) {
  // Per pass; per word of a tile and wave, and of a tile and generation.
  constexpr double kLaunch = 3400, kMove = 75, kMoveOfPlanes = 160, kComputeOfLife = 18;
  const double compute = kComputeOfLife * demand.gates / 8 / demand.planes;
  // Of a band's halos half of the rows are stepped on the average.
  const std::int64_t rows = spec.height - spec.halo_rows / 2;
  const std::int64_t deep = ceil_div(strip_plan(t, spec.width, rows, facts).tiles,
                                     std::int64_t{kSchedulers} * facts.multiprocessors);
  const std::int64_t waves =
      ceil_div(deep, std::max(1, blocks_an_sm(t, demand) * t.group / kSchedulers));
  const double words = tile_words(t, demand), move = demand.planes > 1 ? kMoveOfPlanes : kMove;
  return (kLaunch + words * (move * static_cast<double>(waves) +
                             compute * static_cast<double>(deep * t.generations))) /
         t.generations;
}

// Words of a tile, and instructions of a generation, beyond which a program's tiles are no faster:
// their registers and their code have no room. Short programs need few registers where one steps
// alone, and only long ones give a pass of four generations enough to do. Of many planes most words
// are only kept, and smaller tiles would step most rows twice.
constexpr int kMostChosen = 48, kMostOfShort = 64, kMostOfPlanes = 112, kFewGenerations = 4;
constexpr double kShort = 12, kLong = 33, kMostCode = 1600;

bool suits(const Tuning& t, const BackendSpec& spec, const Demand& demand) {
  if (has_one_circuit(spec)) return true;
  const int most = demand.planes > 3                          ? kMostOfPlanes
                   : demand.gates <= kShort && !spec.odd_rule ? kMostOfShort
                                                              : kMostChosen;
  return tile_words(t, demand) <= most && t.words * t.rows * demand.gates <= kMostCode &&
         (t.generations > kFewGenerations || demand.gates > kLong || demand.planes > 2);
}

Tuning choose(const BackendSpec& spec, const Tuning& wanted, const Demand& demand,
              const DeviceFacts& facts) {
  const auto agrees = [](int field, int value) { return field == 0 || field == value; };
  std::optional<Tuning> best;
  double least = 0;
  for (const Tuning& t : !has_one_circuit(spec) ? strips_program_shapes() : strips_shapes()) {
    if (!agrees(wanted.generations, t.generations) || !agrees(wanted.rows, t.rows) ||
        !agrees(wanted.words, t.words) || !objection(t, demand, spec.width).empty() ||
        !suits(t, spec, demand)) {
      continue;
    }
    const double cost = estimate(t, spec, demand, facts);
    if (!best || cost < least) best = t, least = cost;
  }
  const Tuning otherwise = !has_one_circuit(spec) ? Tuning{4, 1, 4, 4, 0} : Tuning{8, 8, 8, 4, 0};
  Tuning out = best.value_or(otherwise);
  if (wanted.generations) out.generations = wanted.generations;
  if (wanted.rows) out.rows = wanted.rows;
  if (wanted.words) out.words = wanted.words;
  if (wanted.group) out.group = wanted.group;
  if (const std::string why = objection(out, demand, spec.width); !why.empty()) {
    throw UnsupportedError("kernel strips: " + std::to_string(out.generations) +
                           " generations with " + std::to_string(out.rows) + " rows and " +
                           std::to_string(out.words) + " words: " + why);
  }
  return out;
}

}  // namespace

std::vector<Tuning> strips_shapes() {
  return {{8, 8, 8, 2, 0},  {8, 4, 8, 4, 0},  {8, 2, 8, 4, 0}, {8, 1, 8, 4, 0},
          {12, 4, 6, 4, 0}, {16, 4, 4, 4, 0}, {16, 3, 2, 4, 0}};
}

std::vector<Tuning> strips_program_shapes() {
  std::vector<Tuning> shapes = strips_shapes();
  for (const Tuning& small : {Tuning{8, 6, 8, 2, 0}, Tuning{12, 4, 6, 2, 0}, Tuning{12, 4, 4, 2, 0},
                              Tuning{8, 4, 4, 4, 0}, Tuning{8, 2, 4, 4, 0}, Tuning{4, 8, 4, 4, 0},
                              Tuning{4, 4, 4, 4, 0}, Tuning{4, 2, 4, 4, 0}, Tuning{4, 1, 4, 4, 0}})
    shapes.push_back(small);
  return shapes;
}

StripsShape strips_shape(const BackendSpec& spec, const Tuning& wanted, const DeviceFacts& facts) {
  const Demand demand = demand_of(spec);
  const Tuning tuning = choose(spec, wanted, demand, facts);
  return {tuning, demand.planes, blocks_an_sm(tuning, demand),
          estimate(tuning, spec, demand, facts)};
}

}  // namespace tessera::cuda
