#pragma once

#include <optional>

#include "core/rules/rule.h"

namespace tessera {

/// Rules without B0 that step an infinite plane under a rule with B0.
///
/// The far away cells of such a plane are all alike, but not dead: what is stored is how cells
/// differ from them, as in Golly. Where the rule has S8, too, they are alive from the first
/// generation on, so that stored cells are always the complement. Where it has not, the background
/// is dead in even generations and alive in odd ones, and two rules take turns.
struct BackgroundRules {
  Rule even;                ///< steps from even generations, or from all
  std::optional<Rule> odd;  ///< steps from odd ones
};

/// Those of a rule with B0.
BackgroundRules background_rules(const Rule& rule);

/// Those of two rules of two states that take turns, `even` first, of which one has B0. The
/// background is dead in even generations where that can be, and otherwise alive in them from
/// generation 0 on. Nothing where it is neither: it would repeat only after four generations.
std::optional<BackgroundRules> background_rules(const Rule& even, const Rule& odd);

}  // namespace tessera
