#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/strip_plan.h"
#include "core/stepping/kernel_info.h"

namespace tessera {

/// The parameters of kernels that step strips.
std::vector<TuningParameter> strip_parameters();

/// plan_strips with the vectors and threads of this machine.
StripPlan strip_plan_here(const BackendSpec& spec, const StripWork& work, Tuning tuning,
                          StripTenants tenants = StripTenants::one);

/// band_nanoseconds likewise, in seconds; `tuning` need not be complete. Nothing where a pass would
/// not be full: halos are exchanged rather than that.
std::optional<double> band_seconds_here(const BackendSpec& spec, const StripWork& work,
                                        const Tuning& tuning, std::int64_t generations);

/// `tuning` with what that plan chooses where it is 0.
Tuning strip_tuning(const BackendSpec& spec, const StripWork& work, Tuning tuning);

}  // namespace tessera
