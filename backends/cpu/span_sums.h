#pragma once

#include <cstdint>

namespace tessera {

/// sums[i] += plus[i] - minus[i] for i from 0 to count - 1, with the vectors of the processor. No
/// pointer needs to be aligned; `sums` overlaps neither of the others.
void add_differences(std::int32_t* sums, const std::int32_t* plus, const std::int32_t* minus,
                     std::int64_t count);

}  // namespace tessera
