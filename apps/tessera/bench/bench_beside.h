#pragma once

#include "apps/measure/clock.h"
#include "apps/tessera/bench/bench_run.h"
#include "apps/tessera/json.h"

namespace tessera {

/// Measures a pattern on the infinite plane beside bgolly's QuickLife, one run of theirs after the
/// other, and puts into `out`, besides what every measured case has: `generations`, `population`,
/// `floor` (or null), `wall_seconds` of stepping, `process` (`seconds` and bytes of `memory` of a
/// whole process of this program) and `peer` (`seconds` of stepping, `whole_seconds`, bytes of
/// `memory`). The value and its ratio are those of stepping, or of whole processes
/// (BenchKind::program). A population that differs from QuickLife's or the known one is `refused`,
/// before anything is timed. Throws FileError without bgolly or the pattern's file, and what
/// universes throw.
void put_beside(Json& out, const BenchCase& c, const BenchPlan& plan, const Clock& clock);

}  // namespace tessera
