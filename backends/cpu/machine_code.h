#pragma once

#include <optional>
#include <string>

namespace tessera {

/// Why no machine code can be made for vectors of `lanes` 64-bit lanes on this machine; nothing
/// where it can: 8 lanes are AVX-512, 4 AVX2.
std::optional<std::string> missing_machine_code(int lanes);

/// Whether such vectors have gates of any three inputs.
bool has_three_input_gates(int lanes);

/// Vector registers of such code.
int code_registers(int lanes);

}  // namespace tessera
