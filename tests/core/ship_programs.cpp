// Writes core/rules/shipped_programs.inl: the programs of all named rules, as the rule compiler
// finds them with some seeds. Some minutes of one core; the same on every machine.
//
//   ship_programs > core/rules/shipped_programs.inl
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/rules/counting_program.h"
#include "core/rules/program_text.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

// One of the first seeds, with which some rules take a gate less.
constexpr unsigned kSeeds = 16;

GateProgram shortest(const Rule& rule) {
  GateProgram best;
  const auto take = [&](GateProgram other) {
    if (best.gates.empty() || other.cost() < best.cost()) best = std::move(other);
  };
  for (unsigned seed = 1; seed <= kSeeds; seed++)
    take(search_program(neighbourhood_table(rule), seed));
  if (rule.counts_eight()) take(counting_program(rule));
  return best;
}

// A line for the name and some for the gates, between which two spaces stand.
std::string entry(const char* name, const GateProgram& program) {
  constexpr std::size_t kColumns = 94;
  std::istringstream parts(program_text(program));
  std::string out = fmt::format("{{\"{}\",", name), line, part;
  while (std::getline(parts, part)) {
    if (!line.empty() && line.size() + part.size() > kColumns) {
      out += fmt::format("\n \"{}  \"", line);
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + part;
  }
  return out + fmt::format("\n \"{}\"}},\n", line);
}

void write_entries() {
  fmt::print(
      "// The first name of a rule, and its program_text(). The program ship_programs of the "
      "tests\n"
      "// writes this.\n"
      "// clang-format off\n");
  std::vector<NeighbourhoodTable> written;
  for (const NamedRule& named : named_rules()) {
    if (named.rule.ranged()) continue;
    const NeighbourhoodTable table = neighbourhood_table(named.rule);
    if (std::ranges::find(written, table) != written.end()) continue;
    written.push_back(table);
    fmt::print("{}", entry(named.name, shortest(named.rule)));
  }
}

}  // namespace
}  // namespace tessera

int main() {
  tessera::write_entries();
  return 0;
}
