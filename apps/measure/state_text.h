#pragma once

#include <string>

namespace tessera {

/// What a cell of a rule of so many states is: "alive" or "dead", or of more than two "in state 3".
inline std::string state_text(int state, int states) {
  if (states > 2) return "in state " + std::to_string(state);
  return state != 0 ? "alive" : "dead";
}

}  // namespace tessera
