#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "core/rules/gate_program.h"

namespace tessera {

/// A program as numbers between spaces: how many functions of a row there are and the functions,
/// how many gates and for each its table and its three inputs (GateProgram).
std::string program_text(const GateProgram& program);

/// The program of such a text. Nothing where a number is missing or out of range, where a gate
/// reads what comes later, or where there is no gate or more than 4096.
std::optional<GateProgram> read_program(std::istream& text);

}  // namespace tessera
