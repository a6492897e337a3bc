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

/// Steps after which the result of a gate is in its register alone. On a Zen core a gate of three
/// inputs that replaces such a result before is twice as fast, and on others as fast as ever: 0.
int fresh_steps();

}  // namespace tessera
