#pragma once

#include "apps/tessera/run/run_options.h"
#include "core/rules/rule.h"

namespace tessera {

/// What is refused before a run begins, each with an InputError that names the option: options that
/// contradict each other or lack the option that they need;
void check_combinations(const RunOptions& options);
/// what could not be written at the end, would take the place of what the person had, or has the
/// name of another result;
void check_paths(const RunOptions& options);
/// and formats that cannot hold the states of the rule.
void check_states(const RunOptions& options, const Rule& rule);

}  // namespace tessera
