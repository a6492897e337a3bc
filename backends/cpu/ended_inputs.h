#pragma once

#include "backends/cpu/code_block.h"

namespace tessera {

/// Ends inputs of gates early. Where a gate is a parity of an input and others read that input
/// together with the same two others, as the carry of three bits does beside their sum, they can
/// read the parity in its place. Then the input ends with the parity, which takes its register:
/// vpternlog needs no copy of it.
void end_inputs(CodeBlock& block);

}  // namespace tessera
