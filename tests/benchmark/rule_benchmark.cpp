// How fast the CPU steps rules of every kind on one thread, beside Life with `simd` in the same
// run. Processor time, the best of many short turns in which all rules follow each other, so that a
// machine that others use, too, disturbs little.
//
//   rule_benchmark [SIZE [TURNS [RULE...]]]        a torus of SIZE x SIZE, 1024 by default
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/box_backend.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/cpu/span_backend.h"
#include "backends/cpu/strip_kernel.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_spec.h"
#include "core/rules/state_program.h"

namespace tessera {
namespace {

constexpr double kTurn = 0.02;  // seconds

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Rival {
  std::string kernel;
  std::unique_ptr<StepBackend> backend;
  std::int64_t generations = 1;  // of a turn
  double best = 0;               // cell updates per second

  double turn() {
    const double begin = processor_seconds();
    backend->step(generations);
    backend->synchronize();
    const double taken = processor_seconds() - begin;
    const BackendSpec& spec = backend->spec();
    best = std::max(best, static_cast<double>(spec.width * spec.height * generations) / taken);
    return taken;
  }
};

struct Row {
  std::string name;
  int gates = 0;
  std::vector<Rival> rivals{};
};

// What stands in for `sums` where there is no machine code.
std::unique_ptr<StepBackend> without_code(const BackendSpec& spec, const Tuning& tuning) {
  if (BoxBackend::takes(spec, 0))
    return std::make_unique<BoxBackend>(spec, BackendInfo{}, tuning, 0);
  return std::make_unique<SpanBackend>(spec, BackendInfo{}, tuning);
}

int gates_of(const BackendSpec& spec) {
  if (spec.rule == kLife) return 8;
  if (!spec.rule.ranged()) return state_program(spec.rule, best_program(spec.rule)).cost();
  const int lanes = strip_lanes();
  return BoxBackend::takes(spec, lanes) ? BoxBackend(spec, {}, {}, lanes).cost() : 0;
}

Row row_of(const std::string& name, std::int64_t size) {
  BackendSpec spec;
  spec.width = spec.height = size;
  spec.rule = parse_rule(name);
  Row row{name, gates_of(spec)};
  Tuning tuning;
  tuning.threads = 1;
  const auto add = [&](const char* kernel, std::unique_ptr<StepBackend> backend) {
    Rival rival{kernel, std::move(backend)};
    rival.backend->fill(Soup{42, 32768});
    rival.backend->step(rival.backend->spec().rule.ranged() ? 1 : 200);
    while (rival.turn() < kTurn) rival.generations *= 2;
    rival.best = 0;
    row.rivals.push_back(std::move(rival));
  };
  for (const char* kernel : {"simd", "compiled", "gates", "sums"}) {
    if (cpu_driver().unsupported(0, spec, kernel)) continue;
    add(kernel, cpu_driver().create(0, spec, kernel, tuning));
  }
  if (spec.rule.ranged()) add("no code", without_code(spec, tuning));
  return row;
}

void run(int argc, char** argv) {
  const std::int64_t size = argc > 1 ? std::atoll(argv[1]) : 1024;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 25;
  std::vector<std::string> names(argv + std::min(argc, 3), argv + argc);
  if (names.empty()) {
    names = {"HighLife",
             "Day & Night",
             "Seeds",
             "B0245/S1367",
             "Just Friends",
             "tlife",
             "B2e3cik4jny5aq6n/S01e2ik3jqr4cw5n6ac7e",
             "MAPpU3KGCUwux1tEyze1iN7LtkeP3IfyxlxF0SU1kk8nVw0YL4xIB5p/tqg7"
             "ui5mX9cfCmZ/a/lkyU81lSvTfrXFA",
             "B2/S34H",
             "B13/S13V",
             "W110",
             "Brian's Brain",
             "Star Wars",
             "Bloomerang",
             "WireWorld",
             "R2,C0,M1,S5..9,B6..8,NM",
             "R5,C0,M1,S34..58,B34..45,NM",
             "R5,C4,M1,S34..58,B34..45,NM",
             "R10,C0,M1,S123..212,B123..170,NM",
             "R20,C0,M1,S490..830,B490..640,NM",
             "R2,C0,M1,S4..6,B5..6,NN",
             "R5,C0,M1,S18..30,B18..24,NN",
             "R20,C0,M1,S240..400,B240..320,NN",
             "R5,C0,M1,S27..44,B27..35,NC",
             "R20,C0,M1,S390..660,B390..510,NC",
             "R5,C2,S6-10,B6-8,N+",
             "R20,C2,S24-40,B24-32,N+",
             "R2,C2,S4-6,B5-6,N@891891"};
  }
  names.insert(names.begin(), "B3/S23");
  std::vector<Row> rows;
  for (const std::string& name : names) rows.push_back(row_of(name, size));
  for (int turn = 0; turn < turns; turn++) {
    for (Row& row : rows)
      for (Rival& rival : row.rivals) rival.turn();
  }
  const double life = rows.front().rivals.front().best;
  for (const Row& row : rows) {
    for (const Rival& rival : row.rivals) {
      fmt::print(
          "{:<24.24} {:3} gates  {:<9} {:9.3g} cells/s  {:6.3f} of Life  {:5.2f} x 8/gates  {}\n",
          row.name, row.gates, rival.kernel, rival.best, rival.best / life,
          rival.best / life * row.gates / 8, to_string(rival.backend->info().tuning));
    }
  }
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  try {
    tessera::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rule_benchmark: {}\n", error.what());
    return 1;
  }
}
