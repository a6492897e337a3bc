#pragma once

#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/rules/rule.h"

namespace tessera {

/// Throws InputError, which begins with `what`, for cells of other bit planes than the rule has, or
/// of a state that it has not.
void check_states(const Rule& rule, const CellGrid& cells, const char* what);
/// Likewise for a soup.
void check_states(const Rule& rule, const Soup& soup, const char* what);
/// Likewise for a cell of a state.
void check_state(const Rule& rule, int state, const char* what);

}  // namespace tessera
