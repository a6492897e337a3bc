#include "core/rules/program_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <istream>

namespace tessera {
namespace {

constexpr unsigned kMostRows = 256, kMostGates = 4096;

// Nothing where there is no number up to `most`.
std::optional<unsigned> number(std::istream& text, unsigned most) {
  unsigned value = 0;
  if (!(text >> value) || value > most) return std::nullopt;
  return value;
}

}  // namespace

std::string program_text(const GateProgram& program) {
  std::string text = fmt::format("{}", program.rows.size());
  for (const std::uint8_t row : program.rows) text += fmt::format(" {}", row);
  text += fmt::format("\n{}\n", program.gates.size());
  for (const ProgramGate& gate : program.gates)
    text += fmt::format("{} {} {} {}\n", gate.table, gate.in[0], gate.in[1], gate.in[2]);
  return text;
}

std::optional<GateProgram> read_program(std::istream& text) {
  GateProgram program;
  const auto rows = number(text, kMostRows);
  if (!rows) return std::nullopt;
  for (unsigned i = 0; i < *rows; i++) {
    const auto row = number(text, 255);
    if (!row) return std::nullopt;
    program.rows.push_back(static_cast<std::uint8_t>(*row));
  }
  const auto gates = number(text, kMostGates);
  if (!gates || *gates == 0) return std::nullopt;
  for (unsigned i = 0; i < *gates; i++) {
    const auto table = number(text, 255);
    if (!table) return std::nullopt;
    ProgramGate gate{static_cast<std::uint8_t>(*table), {}};
    for (std::uint16_t& in : gate.in) {
      // A gate reads what comes before it.
      const auto signal = number(text, static_cast<unsigned>(program.first_gate()) + i - 1);
      if (!signal) return std::nullopt;
      in = static_cast<std::uint16_t>(*signal);
    }
    program.gates.push_back(gate);
  }
  return program;
}

}  // namespace tessera
