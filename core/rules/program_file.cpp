#include "core/rules/program_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/cache_folder.h"

namespace tessera {
namespace {

// The first line of a file, then the number of functions of a row and the functions, the number of
// gates and for each its table and inputs. To be raised when the search finds other programs.
constexpr const char* kMagic = "tessera-program-1";
constexpr unsigned kMostRows = 256, kMostGates = 4096;

std::string path_of(const NeighbourhoodTable& rule) {
  const std::string folder = cache_folder();
  if (folder.empty()) return folder;
  return fmt::format("{}/programs/{:016x}.txt", folder,
                     XXH3_64bits(rule.words.data(), sizeof rule.words));
}

// Nothing where there is no number up to `most`.
std::optional<unsigned> number(std::istream& file, unsigned most) {
  unsigned value = 0;
  if (!(file >> value) || value > most) return std::nullopt;
  return value;
}

std::optional<GateProgram> read(std::istream& file) {
  std::string magic;
  if (!std::getline(file, magic) || magic != kMagic) return std::nullopt;
  GateProgram program;
  const auto rows = number(file, kMostRows);
  for (unsigned i = 0; rows && i < *rows; i++) {
    const auto row = number(file, 255);
    if (!row) return std::nullopt;
    program.rows.push_back(static_cast<std::uint8_t>(*row));
  }
  const auto gates = number(file, kMostGates);
  if (!gates || *gates == 0) return std::nullopt;
  for (unsigned i = 0; i < *gates; i++) {
    const auto table = number(file, 255);
    if (!table) return std::nullopt;
    ProgramGate gate{static_cast<std::uint8_t>(*table), {}};
    for (std::uint16_t& in : gate.in) {
      // A gate reads what comes before it.
      const auto signal = number(file, static_cast<unsigned>(program.first_gate()) + i - 1);
      if (!signal) return std::nullopt;
      in = static_cast<std::uint16_t>(*signal);
    }
    program.gates.push_back(gate);
  }
  return program;
}

}  // namespace

std::optional<GateProgram> stored_program(const NeighbourhoodTable& rule) {
  const std::string path = path_of(rule);
  if (path.empty()) return std::nullopt;
  std::ifstream file(path);
  std::optional<GateProgram> program = read(file);
  if (program && !(table_of(*program) == rule)) return std::nullopt;
  return program;
}

void store_program(const NeighbourhoodTable& rule, const GateProgram& program) {
  const std::string path = path_of(rule);
  if (path.empty()) return;
  std::string text = fmt::format("{}\n{}", kMagic, program.rows.size());
  for (const std::uint8_t row : program.rows) text += fmt::format(" {}", row);
  text += fmt::format("\n{}\n", program.gates.size());
  for (const ProgramGate& gate : program.gates)
    text += fmt::format("{} {} {} {}\n", gate.table, gate.in[0], gate.in[1], gate.in[2]);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  try {
    AtomicFile file(path);
    file.write(text);
    file.commit();
  } catch (const FileError&) {
    // Without space or permission to write, the next run searches again.
  }
}

}  // namespace tessera
