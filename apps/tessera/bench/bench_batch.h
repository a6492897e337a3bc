#pragma once

#include "apps/tessera/bench/bench_run.h"

namespace tessera {

/// Measures BenchKind::batch: `universes`, `packing`, the fields of a Measurement and the figure in
/// the suite's unit, of which `published` is the figure of one grid of as many cells on the same
/// device in the same run. Some of the universes are checked against a kernel of plain words first.
void put_batch(Json& out, const BenchCase& c, const BenchPlan& plan, DeviceFacts& facts,
               const Clock& clock);

}  // namespace tessera
