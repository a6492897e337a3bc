#pragma once

#include "apps/common/simulation.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// What `run --tune` does first: unless a tuning is known for these options, it searches for one
/// for half a minute and remembers it. `work`: cell updates of the run, where known; for a run that
/// takes less than the search, nothing is searched. Throws InputError on the infinite plane, whose
/// grid has no size yet.
void tune_before_run(const DeviceOptions& device, const RuleSpec& rule, std::optional<double> work,
                     bool quiet);

}  // namespace tessera
