#pragma once

#include "apps/common/simulation.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// What `run --tune` does before it begins: unless a tuning is known for what the options name, it
/// searches one for half a minute and remembers it. `work`: cell updates of the run, where they are
/// known; a run that takes less than the search is not searched for. Throws InputError on the
/// infinite plane, whose grid has no size yet.
void tune_before_run(const DeviceOptions& device, const RuleSpec& rule, std::optional<double> work,
                     bool quiet);

}  // namespace tessera
