#include "backends/measure/tuning_table.h"

namespace tessera {

std::span<const KnownTuning> known_tunings() {
  return {};  // none has been measured yet
}

}  // namespace tessera
