#include "core/rules/program_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/cache_folder.h"
#include "core/rules/program_text.h"

namespace tessera {
namespace {

// The first line of a file; the rest is program_text(). To be raised when the search finds other
// programs.
constexpr const char* kMagic = "tessera-program-1";

std::string path_of(const NeighbourhoodTable& rule) {
  const std::string folder = cache_folder();
  if (folder.empty()) return folder;
  return fmt::format("{}/programs/{:016x}.txt", folder,
                     XXH3_64bits(rule.words.data(), sizeof rule.words));
}

std::optional<GateProgram> read(std::istream& file) {
  std::string magic;
  if (!std::getline(file, magic) || magic != kMagic) return std::nullopt;
  return read_program(file);
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
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  try {
    AtomicFile file(path);
    file.write(fmt::format("{}\n{}", kMagic, program_text(program)));
    file.commit();
  } catch (const FileError&) {
    // Without space or permission to write, the next run searches again.
  }
}

}  // namespace tessera
