#include "core/base/memory_text.h"

#include <fmt/format.h>

namespace tessera {

std::string memory_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  // What would be rounded to 1024 is 1 of the next unit.
  for (; value >= 1023.5; value /= 1024) unit++;
  return value < 999.5 ? fmt::format("{:.3g} {}", value, kUnits[unit])
                       : fmt::format("{:.0f} {}", value, kUnits[unit]);
}

}  // namespace tessera
