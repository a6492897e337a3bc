#pragma once

#include <optional>
#include <string_view>

#include "core/rules/file_rule.h"
#include "core/rules/rule.h"

namespace tessera {

/// Whether pictures show each state in a colour of its own: under rules of more than two states,
/// and where a rule file gives colours.
bool shown_by_state(const Rule& rule);

/// The colour that a rule file gives a state. Where it has colours but none for state 0, that is
/// the dark grey of Golly, which such colours were chosen beside. Nothing under other rules.
std::optional<FileColour> colour_of_state(const Rule& rule, int state);

/// What a state is called: by the @NAMES of a rule file, or under WireWorld. Empty where a state
/// has no name.
std::string_view name_of_state(const Rule& rule, int state);

}  // namespace tessera
