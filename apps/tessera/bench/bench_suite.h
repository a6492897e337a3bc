#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/tessera/bench/sparse_patterns.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// What a suite's figures are given in.
enum class BenchUnit {
  cells_per_second,
  seconds_of_1024,  ///< seconds for 1024 generations
  milliseconds_per_step,
  frames_per_second,  ///< generations per second
  generations_per_second,
};

/// How a case is measured.
enum class BenchKind {
  steps,    ///< generations on end
  frames,   ///< each generation copied out and drawn, as a program that shows them does
  ceiling,  ///< what the device can do at most
  pattern,  ///< a pattern on the infinite plane beside QuickLife
  batch,    ///< many universes as one job beside one grid of as many cells
  program,  ///< the same for whole processes, and as many generations as QuickLife does in a while
};

/// One figure of a suite: who steps what, where it stands in the suite's table, and what was
/// published.
struct BenchCase {
  std::string table;  ///< heading of the table it belongs to
  std::string row;
  std::string column;
  Kernel kernel;
  std::string missing;  ///< why there is no such case on this device, or empty
  Tuning tuning;
  RuleSpec rule;  ///< a torus, or the infinite plane; of a batch: each of its universes
  std::int64_t grid_side = 0;  ///< of a batch: cells per side of the grid, which all universes fill
  BenchUnit unit = BenchUnit::cells_per_second;
  BenchKind kind = BenchKind::steps;
  double published = 0;      ///< in the same unit; 0: none
  std::string published_on;  ///< the hardware of the published figure
  SparsePattern pattern;     ///< of the last two kinds
};

/// A named list of cases.
struct BenchSuite {
  const char* name;
  const char* summary;
  bool beside = false;  ///< beside another program, which must be there: not one of "all"
};

/// All suites, in the order in which "all" runs them.
const std::vector<BenchSuite>& bench_suites();

/// The cases of a suite on some devices. `kernels` holds every kernel of each device that takes
/// part. Grids are no larger than `max_side` a side: larger cases take that size instead, once, and
/// have no published figure then. `golly` is the folder of Golly's patterns. Throws InputError for
/// an unknown suite.
std::vector<BenchCase> bench_cases(const std::string& suite, const std::vector<Kernel>& kernels,
                                   std::int64_t max_side, const std::string& golly);

/// A case's figure in the suite's unit, from seconds per generation of so many cells.
double in_unit(BenchUnit unit, double seconds_per_generation, double cells);
/// "cells/s", "s for 1024 generations", "ms per step", "frames/s".
const char* unit_text(BenchUnit unit);
/// True where more is better.
bool is_rate(BenchUnit unit);

}  // namespace tessera
