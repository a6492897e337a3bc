#pragma once

#include <vector>

#include "backends/cpu/code_block.h"
#include "backends/cpu/end_gates.h"
#include "core/rules/count_edges.h"

namespace tessera {

/// Rows that a RowCode steps at a time, at most: they share the loads and stores of counts.
inline constexpr int kMostRowsAtOnce = 4;

/// Code that walks the columns of some rows of a BoxLayout from left to right under a rule of
/// longer range, and writes their next state. CodePlace::vector counts columns, CodePlace::row
/// rows.
struct RowCode {
  CodeBlock enter;  ///< brings home what goes on from column to column
  CodeBlock body;   ///< one column
  int rows = 1;
};

/// Whether next_rows_code takes the corners of a neighbourhood rather than its edges.
bool corners_are_fewer(const CountEdges& edges);

/// Counts for the next `rows` rows, each from the row above, whose counts CodeBase::sums has and is
/// left with those of the last row. `down`: edges from cells above. Where corners are fewer, what a
/// count gains from the row above runs along from column to column; one column more than the rows
/// see is read then.
RowCode next_rows_code(const EndProgram& end, const CountEdges& down, int rows, bool three_inputs);

/// Gates of three inputs that next_rows_code takes per row.
int next_rows_cost(const EndProgram& end, const CountEdges& down);

/// Rows at a time, so that with as many registers few values go to memory.
int rows_at_once(const EndProgram& end, const CountEdges& down, int registers);

/// The same of one row, each count from the one on its left; CodeBase::start has that of the first
/// column. `right`: edges from cells on the left. Reads one column more than the row sees.
RowCode first_row_code(const EndProgram& end, const CountEdges& right, bool three_inputs);

}  // namespace tessera
