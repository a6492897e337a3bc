#include "core/stepping/kernel_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {

namespace {

std::string accepted_text(const TuningParameter& parameter) {
  if (parameter.searched()) return fmt::format("{}", fmt::join(parameter.candidates, ", "));
  return fmt::format("{} to {}", parameter.least, parameter.most);
}

std::string meaning_text(const TuningParameter& parameter, const std::string& field) {
  return parameter.name == field ? parameter.meaning
                                 : fmt::format("{}: {}", parameter.name, parameter.meaning);
}

}  // namespace

bool TuningParameter::accepts(int value) const {
  if (value == 0) return true;
  if (!searched()) return value >= least && value <= most;
  return std::ranges::find(candidates, value) != candidates.end();
}

const TuningParameter* KernelInfo::parameter(int Tuning::*member) const {
  const auto found = std::ranges::find(parameters, member, &TuningParameter::member);
  return found == parameters.end() ? nullptr : &*found;
}

bool KernelInfo::tunable() const {
  return std::ranges::any_of(parameters, &TuningParameter::searched);
}

std::optional<std::string> KernelInfo::objection(const Tuning& tuning) const {
  for (const TuningField& field : tuning_fields()) {
    const int value = tuning.*field.member;
    const TuningParameter* known = parameter(field.member);
    if (known ? known->accepts(value) : value == 0) continue;
    if (known) {
      return fmt::format("{}={} ({}): accepted are {}, or 0 for its own choice", field.name, value,
                         meaning_text(*known, field.name), accepted_text(*known));
    }
    std::vector<const char*> names;
    for (const TuningParameter& each : parameters) names.push_back(tuning_field(each.member).name);
    return fmt::format("{}={}: it has no such parameter; accepted are {}", field.name, value,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return std::nullopt;
}

}  // namespace tessera
