#include "core/stepping/tuning.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tessera {

std::span<const char* const> tuning_fields() {
  static constexpr const char* kFields[] = {"generations", "rows", "words", "group", "threads"};
  return kFields;
}

int& tuning_field(Tuning& tuning, std::string_view field) {
  if (field == "generations") return tuning.generations;
  if (field == "rows") return tuning.rows;
  if (field == "words") return tuning.words;
  if (field == "group") return tuning.group;
  if (field == "threads") return tuning.threads;
  throw InputError("a tuning has no field '" + std::string(field) +
                   "'; it has generations, rows, words, group, threads");
}

int tuning_field(const Tuning& tuning, std::string_view field) {
  Tuning copy = tuning;
  return tuning_field(copy, field);
}

std::string to_string(const Tuning& tuning) {
  std::string text;
  for (const char* field : tuning_fields()) {
    const int value = tuning_field(tuning, field);
    if (value != 0) text += fmt::format("{}{}={}", text.empty() ? "" : " ", field, value);
  }
  return text.empty() ? "own choice" : text;
}

const char* to_string(TunedBy by) {
  return by == TunedBy::stored ? "stored" : by == TunedBy::built_in ? "built-in" : "own choice";
}

}  // namespace tessera
