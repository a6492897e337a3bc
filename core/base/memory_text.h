#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// An amount of memory for people: "512 bytes", "1.5 KiB", "12.3 MiB", "1010 GiB"; three
/// significant digits, or four just below the next unit. `bytes` is 0 or more.
std::string memory_text(std::int64_t bytes);

}  // namespace tessera
