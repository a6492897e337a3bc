#pragma once

#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// A rule with its canonical name and one line on how its patterns behave.
struct NotedRule {
  const char* name;
  Rule rule;
  const char* note;
};

/// The named rules whose name, other name, spelling or note contains `word`, in upper or lower
/// case; all for an empty word. Each rule once, under its canonical name, in the order of
/// named_rules(), and then the constructor rules likewise.
std::vector<NotedRule> find_rules(std::string_view word);

}  // namespace tessera
