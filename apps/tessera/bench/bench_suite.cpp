#include "apps/tessera/bench/bench_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_word.h"
#include "core/cells/soup.h"
#include "core/stepping/backend_spec.h"

namespace tessera {
namespace {

RuleSpec torus(std::int64_t side, const Rule& rule) { return {rule, Topology::torus, side, side}; }

// Builds the cases of one suite.
class Builder {
 public:
  Builder(const std::vector<Kernel>& kernels, std::int64_t max_side, std::string golly)
      : kernels_(kernels), max_side_(max_side), golly_(std::move(golly)) {}
  const std::string& golly() const { return golly_; }

  // One kernel for each device.
  std::vector<Kernel> devices() const {
    std::vector<Kernel> out;
    for (const Kernel& kernel : kernels_) {
      if (kernel.preferred) out.push_back(kernel);
    }
    return out;
  }

  // Adds a case on `device`, a torus, with the kernel of that name there; "" for the one that the
  // device takes for that torus, of those that are asked for.
  BenchCase& add(const Kernel& device, const std::string& kernel, std::int64_t side,
                 const Rule& rule = kLife) {
    BenchCase c;
    c.kernel = device;
    c.rule = torus(std::min(side, max_side_), rule);
    const std::string wanted =
        kernel.empty() ? device.driver->default_kernel(device.device.index, backend_spec(c.rule))
                       : kernel;
    const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& e) {
      return e.backend() == device.backend() && e.info.name == wanted;
    });
    if (found != kernels_.end()) {
      c.kernel = *found;
    } else if (!kernel.empty()) {
      c.kernel.info = {kernel, "", {}};
      c.missing = fmt::format("the {} backend has no kernel '{}'", device.driver->name(), kernel);
    }
    cases_.push_back(std::move(c));
    return cases_.back();
  }

  bool small(std::int64_t side) const { return side > max_side_; }
  // The sizes of a suite up to the largest wanted, or that size alone.
  std::vector<std::int64_t> sides(std::vector<std::int64_t> all) const {
    std::erase_if(all, [&](std::int64_t side) { return side > max_side_; });
    if (all.empty()) all.push_back(max_side_);
    return all;
  }
  std::vector<BenchCase> take() { return std::move(cases_); }

 private:
  const std::vector<Kernel>& kernels_;
  std::int64_t max_side_;
  std::string golly_;
  std::vector<BenchCase> cases_;
};

std::string kind_of(const Kernel& device) { return device.driver->name(); }

void sizes(Builder& b) {
  // The sizes below 1024 show where the CPU stops being faster.
  for (const Kernel& device : b.devices()) {
    for (const std::int64_t side :
         b.sides({64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536})) {
      BenchCase& c = b.add(device, "", side);
      c.table = "soup on a torus of so many cells per side";
      c.row = std::to_string(side);
      c.column = device.backend();
    }
  }
}

void rules(Builder& b) {
  constexpr const char* kKnown[][2] = {{"Life", "B3/S23"},
                                       {"HighLife", "B36/S23"},
                                       {"Day & Night", "B3678/S34678"},
                                       {"Seeds", "B2/S"},
                                       {"Replicator", "B1357/S1357"},
                                       {"Life without Death", "B3/S012345678"},
                                       {"Maze", "B3/S12345"},
                                       {"2x2", "B36/S125"},
                                       {"Diamoeba", "B35678/S5678"},
                                       {"Morley", "B368/S245"},
                                       {"Anneal", "B4678/S35678"},
                                       {"Live Free or Die", "B2/S0"}};
  constexpr const char* kLongest[] = {"B0568/S0345", "B12467/S018"};  // their circuits
  constexpr std::int64_t kSide = 16384;
  constexpr int kRandom = 8;
  for (const Kernel& device : b.devices()) {
    const auto one = [&](const std::string& name, const Rule& rule) {
      BenchCase& c = b.add(device, "", kSide, rule);
      c.table = fmt::format("{} cells per side", c.rule.width);
      c.row = name;
      c.column = device.backend();
    };
    for (const auto& [name, text] : kKnown) one(fmt::format("{} {}", name, text), parse_rule(text));
    for (int i = 1; i <= kRandom; i++) {
      const std::uint64_t bits = mix64(static_cast<std::uint64_t>(i));
      const Rule rule{static_cast<std::uint16_t>(bits & 0x1ff),
                      static_cast<std::uint16_t>(bits >> 9 & 0x1ff)};
      one(fmt::format("random {}", to_string(rule)), rule);
    }
    for (const char* text : kLongest) one(fmt::format("longest {}", text), parse_rule(text));
  }
}

constexpr std::int64_t kFujitaSide = 16384;
constexpr const char* kTitanX = "GeForce GTX TITAN X";
constexpr const char* kXeon = "Xeon X7460, one thread";

// T. Fujita, D. Nishikori, K. Nakano, Y. Ito: Efficient GPU implementations for the Conway's Game
// of Life, 2015, tables I and II: seconds for 1024 generations of 16384^2 cells.
void fujita(Builder& b) {
  const auto put = [&](BenchCase& c, const char* table, std::string row, std::string column,
                       double seconds, const char* on) {
    c.table = table;
    c.row = std::move(row);
    c.column = std::move(column);
    c.unit = BenchUnit::seconds_of_1024;
    if (seconds > 0 && !b.small(kFujitaSide)) c.published = seconds, c.published_on = on;
  };
  struct One {
    const char *column, *cpu, *gpu;
    double cpu_seconds, gpu_seconds;
  };
  constexpr One kOne[] = {{"word-per-cell", "reference", "byte", 2151, 119.3},
                          {"SINGLE-WORD", "word", "word", 84.8, 0.574},
                          {"DOUBLE-WORD", "double-word", "double-word", 58.3, 0.672}};
  struct Many {
    const char *column, *kernel;
    int side, words;
    double seconds[4];
  };
  constexpr int kSteps[] = {2, 4, 8, 16};
  constexpr Many kMany[] = {
      {"shared 32x32 SINGLE", "shared", 32, 1, {0.607, 0.482, 0.850, 0}},
      {"shared 64x64 SINGLE", "shared", 64, 1, {0.439, 0.301, 0.356, 0.762}},
      {"shared 64x64 DOUBLE", "shared", 64, 2, {0.385, 0.237, 0.248, 0.511}},
      {"registers 32x32 SINGLE", "warp", 32, 1, {0.543, 0.386, 0.545, 0}},
      {"registers 64x64 SINGLE", "warp", 64, 1, {0.390, 0.216, 0.197, 0.377}},
      {"registers 64x64 DOUBLE", "warp", 64, 2, {0.379, 0.194, 0.163, 0.295}}};
  for (const Kernel& device : b.devices()) {
    const std::string kind = kind_of(device);
    const bool cpu = kind == "cpu";
    for (const One& one : kOne) {
      BenchCase& c = b.add(device, cpu ? one.cpu : one.gpu, kFujitaSide);
      put(c, "Table I: one generation per launch", device.backend(), one.column,
          cpu ? one.cpu_seconds : one.gpu_seconds, cpu ? kXeon : kTitanX);
    }
    put(b.add(device, "", kFujitaSide), "Table I: one generation per launch", device.backend(),
        "this project's best", 0, "");
    if (cpu) continue;
    for (const Many& many : kMany) {
      for (int i = 0; i < 4; i++) {
        // The paper leaves out what no tile of 32x32 has room for.
        if (many.side == 32 && kSteps[i] == 16) continue;
        // Vulkan's kernels of the same ideas have other tiles.
        const bool own = kind == "vulkan";
        if (own && (many.side == 32 || many.words == 1)) continue;
        BenchCase& c =
            b.add(device, own && std::string_view(many.kernel) == "warp" ? "subgroup" : many.kernel,
                  kFujitaSide);
        c.tuning.generations = kSteps[i];
        if (!own) c.tuning.rows = many.side, c.tuning.words = many.words;
        put(c, "Table II: several generations per launch", std::to_string(kSteps[i]), many.column,
            many.seconds[i], kTitanX);
      }
    }
  }
}

// Boris the Brave: Game of Life in CUDA, parts 1 and 2: 65536^2 cells on an A40.
void boris(Builder& b) {
  constexpr std::int64_t kSide = 65536;
  const auto put = [&](BenchCase& c, const char* row, double milliseconds, const Kernel& device) {
    c.table = fmt::format("{0}x{0} cells", c.rule.width);
    c.row = row;
    c.column = device.backend();
    c.unit = BenchUnit::milliseconds_per_step;
    if (milliseconds > 0 && !b.small(kSide)) c.published = milliseconds, c.published_on = "A40";
  };
  for (const Kernel& device : b.devices()) {
    const std::string kind = kind_of(device);
    put(b.add(device, "word", kSide),
        "one generation per launch, one bit read and one written per cell", 1.4, device);
    if (kind != "cpu") {
      BenchCase& c = b.add(device, kind == "cuda" ? "shared-rows" : "shared", kSide);
      c.tuning.generations = 8;
      put(c, "eight generations per launch in shared memory", 0.68, device);
    }
    BenchCase& own = b.add(device, device.info.name, kSide);
    own.tuning.generations = 8;
    put(own, "eight generations per launch, this project's kernel", 0, device);
    put(b.add(device, "", kSide), "this project's kernel, its own choice", 0, device);
  }
}

// The CUDA report: versions 1 to 5 and the last one, frames per second on a GTX 1070; it does not
// tell the size.
void report(Builder& b) {
  constexpr std::int64_t kSide = 4096;
  struct Step {
    const char *row, *kernel;
    double frames;
    int threads;
  };
  constexpr Step kLadder[] = {{"1 Boolean expression", "byte", 1001, 0},
                              {"2 branches", "byte-branch", 1057.26, 0},
                              {"3 shared memory", "byte-shared", 1165.18, 0},
                              {"4 table, 256 threads", "lut", 2455.34, 256},
                              {"5 table, 1024 threads", "lut", 0, 1024},
                              {"6 4x4 cells in 16 bits, 6x6 in 64", "patch", 0, 0},
                              {"this project's best", "", 0, 0}};
  for (const Kernel& device : b.devices()) {
    for (const Step& step : kLadder) {
      BenchCase& c = b.add(device, step.kernel, kSide);
      c.table = fmt::format("{0}x{0} cells; the report does not tell its size", c.rule.width);
      c.row = step.row;
      c.column = device.backend();
      c.unit = BenchUnit::frames_per_second;
      c.tuning.threads = step.threads;
      if (step.frames > 0) c.published = step.frames, c.published_on = "GTX 1070, size not told";
    }
  }
}

// Habr: average milliseconds per generation over a hundred generations, including copy and drawing,
// on the faster of its machines.
void habr(Builder& b) {
  constexpr std::int64_t kSides[] = {1024, 2048, 4096, 8192, 16384, 32768};
  constexpr double kGpu[] = {0.35, 0.67, 1.63, 4.50, 14.51, 58.86},
                   kCpu[] = {4.34, 12.83, 42.62, 183.77, 796.56, 2647.11};
  for (const Kernel& device : b.devices()) {
    const bool cpu = kind_of(device) == "cpu";
    std::vector<std::string> kernels = {""};
    if (kind_of(device) == "cuda") kernels.push_back("mask");
    for (const std::string& kernel : kernels) {
      for (const std::int64_t side : b.sides({std::begin(kSides), std::end(kSides)})) {
        BenchCase& c = b.add(device, kernel, side);
        c.table = "average of a hundred generations, each copied out and drawn";
        c.row = std::to_string(side);
        c.column = device.backend() + (kernel.empty() ? "" : " " + kernel);
        c.unit = BenchUnit::milliseconds_per_step;
        c.kind = BenchKind::frames;
        const auto at = std::find(std::begin(kSides), std::end(kSides), side);
        if (at == std::end(kSides)) continue;
        c.published = (cpu ? kCpu : kGpu)[at - std::begin(kSides)];
        c.published_on = cpu ? "MacBook Pro 2017, Core i7" : "MacBook Pro 2017, HD Graphics 630";
      }
    }
  }
}

void ceilings(Builder& b) {
  for (const Kernel& device : b.devices()) {
    BenchCase& c = b.add(device, device.info.name, 64);
    c.table = "at most, measured";
    c.row = device.backend();
    c.kind = BenchKind::ceiling;
  }
}

void beside_quicklife(Builder& b, const std::vector<SparsePattern>& patterns, BenchKind kind,
                      const char* table) {
  for (const Kernel& device : b.devices()) {
    for (const SparsePattern& pattern : patterns) {
      BenchCase& c = b.add(device, device.info.name, 64);
      c.table = table;
      c.row = pattern.name;
      c.column = device.backend();
      c.rule = {kLife, Topology::infinite, 0, 0};
      c.unit = BenchUnit::generations_per_second;
      c.kind = kind;
      c.tuning.threads = 1;
      c.pattern = pattern;
    }
  }
}

void sparse(Builder& b) {
  beside_quicklife(b, sparse_patterns(b.golly()), BenchKind::pattern,
                   "patterns on the infinite plane, one thread, stepping alone");
}

void golly(Builder& b) {
  beside_quicklife(b, golly_patterns(b.golly()), BenchKind::program,
                   "Golly's patterns on the infinite plane, one thread, whole processes");
}

void batch(Builder& b) {
  constexpr std::int64_t kSide = 16384;
  for (const Kernel& device : b.devices()) {
    for (const std::int64_t side : b.sides({16, 64, 256, 1024})) {
      BenchCase& c = b.add(device, device.info.name, side);
      c.kind = BenchKind::batch;
      c.grid_side = b.sides({kSide}).front() / side * side;
      c.table = fmt::format("many tori of as many cells as one of {} per side", c.grid_side);
      c.row = fmt::format("{} x {}", side, side);
      c.column = device.backend();
    }
  }
}

struct Built {
  BenchSuite suite;
  void (*build)(Builder&);
};

const std::vector<Built>& table() {
  static const std::vector<Built> kTable = {
      {{"ceiling", "what the logic units and the memory of each device can do"}, ceilings},
      {{"sizes",
        "64 to 65536 cells per side, and the size from which a GPU is faster than the CPU"},
       sizes},
      {{"rules", "twelve well-known rules, eight random ones, two with the longest circuits"},
       rules},
      {{"fujita", "both tables of Fujita, Nishikori, Nakano and Ito (2015)"}, fujita},
      {{"boris",
        "65536x65536 cells, eight generations per launch, as in Boris the Brave's article"},
       boris},
      {{"report", "the ladder of kernels of the CUDA report, in frames per second"}, report},
      {{"habr", "six sizes with every generation copied out and drawn, as in Habr's article"},
       habr},
      {{"batch", "many tori of 16 to 1024 cells per side beside one grid of as many cells"}, batch},
      {{"sparse", "named patterns on the infinite plane beside QuickLife; needs bgolly", true},
       sparse},
      {{"golly", "Golly's other Life patterns beside QuickLife, whole processes; needs bgolly",
        true},
       golly}};
  return kTable;
}

}  // namespace

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> kSuites = [] {
    std::vector<BenchSuite> out;
    for (const Built& named : table()) out.push_back(named.suite);
    return out;
  }();
  return kSuites;
}

std::vector<BenchCase> bench_cases(const std::string& suite, const std::vector<Kernel>& kernels,
                                   std::int64_t max_side, const std::string& golly) {
  std::vector<std::string> accepted{"all"};
  for (const Built& named : table()) {
    if (suite == named.suite.name) {
      Builder builder(kernels, max_side, golly);
      named.build(builder);
      return builder.take();
    }
    accepted.emplace_back(named.suite.name);
  }
  throw InputError(fmt::format("--suite {}: there is no such suite{}{}", suite,
                               meant_or_accepted(suite, accepted), fmt::join(accepted, ", ")));
}

double in_unit(BenchUnit unit, double seconds, double cells) {
  switch (unit) {
    case BenchUnit::cells_per_second:
      return cells / seconds;
    case BenchUnit::seconds_of_1024:
      return 1024 * seconds;
    case BenchUnit::milliseconds_per_step:
      return 1e3 * seconds;
    default:
      return 1 / seconds;
  }
}

const char* unit_text(BenchUnit unit) {
  switch (unit) {
    case BenchUnit::cells_per_second:
      return "cells/s";
    case BenchUnit::seconds_of_1024:
      return "s for 1024 generations";
    case BenchUnit::milliseconds_per_step:
      return "ms per step";
    case BenchUnit::generations_per_second:
      return "generations/s";
    default:
      return "frames/s";
  }
}

bool is_rate(BenchUnit unit) {
  return unit == BenchUnit::cells_per_second || unit == BenchUnit::frames_per_second ||
         unit == BenchUnit::generations_per_second;
}

}  // namespace tessera
