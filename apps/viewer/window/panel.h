#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/rules/rule_spec.h"

namespace tessera {

class Viewer;
class Workspace;

/// The panel on the right: speed, rule, device, tools, view and population.
class Panel {
 public:
  void draw(Viewer& viewer);

 private:
  void rule_section(Viewer& viewer);
  void timeline_section(Workspace& work);

  std::optional<std::int64_t> scrub_to_;  // while the timeline is dragged
  std::optional<RuleSpec> shown_rule_;
  std::string rule_;   // as typed
  std::string error_;  // what is wrong with it
};

}  // namespace tessera
