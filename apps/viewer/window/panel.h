#pragma once

#include <optional>
#include <string>

#include "core/rules/rule_spec.h"

namespace tessera {

class Viewer;

/// The panel on the right: speed, rule, device, tools, view and population.
class Panel {
 public:
  void draw(Viewer& viewer);

 private:
  void rule_section(Viewer& viewer);

  std::optional<RuleSpec> shown_rule_;
  std::string rule_;   // as typed
  std::string error_;  // what is wrong with it
};

}  // namespace tessera
