#include "core/stepping/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tessera {

namespace {

constexpr TuningField kFields[] = {{"generations", &Tuning::generations},
                                   {"rows", &Tuning::rows},
                                   {"words", &Tuning::words},
                                   {"group", &Tuning::group},
                                   {"threads", &Tuning::threads}};

}  // namespace

std::span<const TuningField> tuning_fields() { return kFields; }

const TuningField& tuning_field(std::string_view name) {
  const auto field = std::ranges::find(
      kFields, name, [](const TuningField& f) { return std::string_view(f.name); });
  if (field != std::end(kFields)) return *field;
  throw InputError(fmt::format(
      "a tuning has no field '{}'; it has generations, rows, words, group, threads", name));
}

const TuningField& tuning_field(int Tuning::*member) {
  return *std::ranges::find(kFields, member, &TuningField::member);
}

std::string to_string(const Tuning& tuning) {
  std::string text;
  for (const TuningField& field : kFields) {
    const int value = tuning.*field.member;
    if (value != 0) text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, value);
  }
  return text.empty() ? "own choice" : text;
}

const char* to_string(TunedBy by) {
  return by == TunedBy::stored ? "stored" : by == TunedBy::built_in ? "built-in" : "own choice";
}

}  // namespace tessera
