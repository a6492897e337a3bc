#pragma once

#include <optional>

#include "backends/cpu/code_block.h"
#include "backends/cpu/strip_layout.h"
#include "core/rules/state_program.h"

namespace tessera {

/// A rule's program as code that walks some neighbouring columns of words down the rows of a group
/// (Group in strip_columns.inl), one row of input and one of output at a time.
///
/// Functions of rows are computed when their row enters, and are in homes for the next two rows.
/// All words of a row are loaded before one is stored, since the output may take the place of the
/// input one word to the left. Planes other than the first are read and written in place.
struct ColumnCode {
  /// `rows`: of `body`. `three_inputs`: see GateWriter. `closing`: of columns that end their rows,
  /// of at least two words; the code then closes each row while its last word is in a register.
  ColumnCode(const StateProgram& program, int columns, int rows, bool three_inputs,
             std::optional<RowClosing> closing = {});

  CodeBlock enter;  ///< brings the rows above the group home, and keeps rows for the next group
  CodeBlock body;   ///< a multiple of this is a group
  int rows = 1;
  /// Most values that are used again at a time, homes included.
  int live = 0;
};

/// Whether a plane of a program keeps its memory: another one moves there as a whole. Plane 0 is
/// always written.
bool plane_moves(const StateProgram& program, int plane);

}  // namespace tessera
