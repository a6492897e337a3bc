#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// Names of the rules in which universal constructors were built, which Golly knows without a rule
/// file: JvN29, Nobili32 and Hutton32. The neighbourhood is von Neumann's. States 1 to 8 are being
/// built, 9 to 16 ordinary and 17 to 24 special arrows, 25 to 28 confluent, 29 to 31 crossings.
///
/// JvN29: J. von Neumann, "Theory of Self-Reproducing Automata" (ed. A. W. Burks, 1966), chapter 2.
/// Nobili32: U. Pesavento, "An implementation of von Neumann's self-reproducing machine"
/// (Artificial Life 2, 1995), section 3: signals cross in a cell. Hutton32: T. J. Hutton's variant
/// of that; like the other two it is what Golly 4.2 does, whose transitions of random cells it was
/// found from.
///
/// The rule of this name as a rule file's (kept_file_rule), with a tree, colours and names that are
/// made here; nothing where the name is another.
std::optional<Rule> constructor_rule(std::string_view name);

/// The names of all of them.
std::vector<std::string> constructor_names();

}  // namespace tessera
