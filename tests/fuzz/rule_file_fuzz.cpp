// The reader of rule files and of the colours beside old ones, and the two ways in which the CPU
// steps what they say.

#include <array>
#include <optional>
#include <vector>

#include "backends/cpu/plain_table.h"
#include "core/base/error.h"
#include "core/rules/file_colours.h"
#include "core/rules/file_rule.h"
#include "core/rules/file_transitions.h"
#include "properties.h"

using namespace tessera;

namespace {

// A few neighbourhoods of a rule, by both.
void check_steps(const FileRule& rule, std::size_t seed) {
  const auto transitions = file_transitions(rule);
  std::uint64_t random = seed;
  for (int trial = 0; trial < 4; trial++) {
    std::array<int, 9> states{};
    for (int& state : states) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      state = static_cast<int>(random >> 33) % rule.states;
    }
    const auto at = [&](int dx, int dy) {
      return states[static_cast<std::size_t>(3 * (dy + 1) + dx + 1)];
    };
    FileTransitions::Known known = transitions->start();
    for (std::size_t i = 0; i < transitions->cells().size(); i++) {
      const SeenCell cell = transitions->cells()[i];
      known = transitions->read(known, i, at(cell.dx, cell.dy));
    }
    fuzz::require(static_cast<int>(known.front()) == plain_next(rule, at),
                  "both ways to step a rule file agree");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  try {
    const FileRule rule = parse_rule_file(text, fuzz::kName);
    fuzz::require(rule.states >= 2 && rule.states <= kMostStates, "states are bounded");
    fuzz::require(rule.table.has_value() != rule.tree.has_value(), "a table or a tree");
    // What takes long is for tests that may.
    if (size < 4000 && (!rule.table || !rule.table->symmetry.permuted)) check_steps(rule, size);
  } catch (const ParseError& error) {
    fuzz::require_message(error.what());
  }
  try {
    std::vector<std::optional<FileColour>> colours(5);
    read_old_colours(text, fuzz::kName, colours);
    fuzz::require(colours.size() == 5, "colours are of the rule's states");
  } catch (const ParseError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
