#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/cells/cell_runs.h"

namespace tessera::test {

/// Cells the slow and obvious way: (y, x) in reading order.
using CellSet = std::set<std::pair<std::int64_t, std::int64_t>>;

inline CellSet cells_of(const CellRuns& runs) {
  CellSet set;
  CellRuns::Reader reader = runs.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    for (std::int64_t i = 0; i < run->length; i++) set.emplace(run->y, run->x + i);
  }
  return set;
}

inline std::vector<CellRun> list_of(const CellRuns& runs) {
  std::vector<CellRun> list;
  CellRuns::Reader reader = runs.reader();
  while (const std::optional<CellRun> run = reader.next()) list.push_back(*run);
  return list;
}

inline CellRuns runs_of_list(std::initializer_list<CellRun> list) {
  CellRuns runs;
  for (const CellRun& run : list) runs.append(run.x, run.y, run.length);
  return runs;
}

/// Cells drawn with '.' and 'O', rows between '/'; for example "O.O/.O.".
inline CellRuns drawn(const std::string& rows) {
  CellRuns runs;
  std::int64_t x = 0, y = 0;
  for (const char c : rows) {
    if (c == '/') {
      y++;
      x = 0;
    } else {
      if (c == 'O') runs.append(x, y, 1);
      x++;
    }
  }
  return runs;
}

}  // namespace tessera::test
