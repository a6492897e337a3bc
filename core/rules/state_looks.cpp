#include "core/rules/state_looks.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tessera {
namespace {

constexpr FileColour kGollysDead{48, 48, 48};

bool gives_colours(const Rule& rule) {
  return rule.file && std::ranges::any_of(rule.file->colours,
                                          [](const auto& colour) { return colour.has_value(); });
}

}  // namespace

bool shown_by_state(const Rule& rule) { return rule.states() > 2 || gives_colours(rule); }

std::optional<FileColour> colour_of_state(const Rule& rule, int state) {
  if (!gives_colours(rule) || state < 0 || state >= rule.states()) return std::nullopt;
  const std::optional<FileColour> colour = rule.file->colours[static_cast<std::size_t>(state)];
  return state == 0 ? colour.value_or(kGollysDead) : colour;
}

std::string_view name_of_state(const Rule& rule, int state) {
  constexpr std::array<std::string_view, 4> kWireWorld{"nothing", "electron head", "electron tail",
                                                       "wire"};
  if (state < 0 || state >= rule.states()) return {};
  const auto at = static_cast<std::size_t>(state);
  if (rule.family == RuleFamily::wire_world) return kWireWorld[at];
  return rule.file ? std::string_view(rule.file->names[at]) : std::string_view{};
}

}  // namespace tessera
