#include "core/stepping/rule_states.h"

#include <string>

#include "core/base/error.h"

namespace tessera {

void check_states(const Rule& rule, const CellGrid& cells, const char* what) {
  if (cells.planes() != rule.planes()) {
    throw InputError(std::string(what) + ": cells of " + std::to_string(cells.planes()) +
                     " bit planes; the rule " + to_string(rule) + " has " +
                     std::to_string(rule.planes()));
  }
  check_state(rule, cells.highest_state(rule.states()), what);
}

void check_states(const Rule& rule, const Soup& soup, const char* what) {
  if (soup.states <= rule.states()) return;
  throw InputError(std::string(what) + ": a soup of " + std::to_string(soup.states) +
                   " states; the rule " + to_string(rule) + " has " +
                   std::to_string(rule.states()));
}

void check_state(const Rule& rule, int state, const char* what) {
  if (state < rule.states()) return;
  throw InputError(std::string(what) + ": a cell of state " + std::to_string(state) +
                   "; the rule " + to_string(rule) + " has states 0 to " +
                   std::to_string(rule.states() - 1));
}

}  // namespace tessera
