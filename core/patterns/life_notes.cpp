#include "core/patterns/life_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

constexpr std::string_view kName = "Name:";
constexpr std::string_view kAuthor = "Author:";
constexpr std::string_view kGeneration = "Generation:";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Survival first, as these formats have it. They know outer-totalistic rules alone; the others are
// spelled as elsewhere.
std::string survival_first(const RuleSpec& spec) {
  if (!spec.rule.outer_totalistic() || spec.odd_rule) return to_string(spec);
  const std::string rule = to_string(spec.rule);  // "B36/S23"
  const std::size_t slash = rule.find('/');
  return rule.substr(slash + 2) + "/" + rule.substr(1, slash - 1) +
         to_string(spec).substr(rule.size());
}

}  // namespace

void LifeNotes::take(TextLine line) {
  const std::string& all = line.text();
  const bool spaced = all.size() < 2 || all[1] == ' ' || all[1] == '\t';
  if (spaced && line.accept("N")) {
    pattern_->rule = RuleSpec{};
  } else if (spaced && line.accept("R")) {
    pattern_->rule = line.rule();
  } else if (spaced && (line.accept("D") || line.accept("C"))) {
    take_description(line);
  } else {
    pattern_->comments.push_back(comment_text(line.rest()));
  }
}

// Descriptions are free text: a generation that is not a number stays a comment.
void LifeNotes::take_description(TextLine& line) {
  const std::string text = comment_text(line.rest());
  const auto value = [&](std::string_view key) {
    return trimmed(std::string_view(text).substr(key.size()));
  };
  if (!name_seen_ && text.starts_with(kName)) {
    name_seen_ = true;
    pattern_->name = value(kName);
  } else if (!author_seen_ && text.starts_with(kAuthor)) {
    author_seen_ = true;
    pattern_->author = value(kAuthor);
  } else if (!generation_seen_ && text.starts_with(kGeneration) &&
             whole_number(value(kGeneration))) {
    generation_seen_ = true;
    pattern_->generation = *whole_number(value(kGeneration));
  } else {
    pattern_->comments.push_back(text);
  }
}

void write_life_notes(const Pattern& pattern, TextSink& sink) {
  // The line below keeps a comment that begins like one of the following from being taken for it.
  const auto needed = [&](bool has_value, std::string_view key) {
    return has_value ||
           std::any_of(pattern.comments.begin(), pattern.comments.end(),
                       [key](const std::string& text) { return text.starts_with(key); });
  };
  const auto write = [&](std::string_view key, const std::string& value) {
    sink.write(fmt::format("#D {}{}{}\n", key, value.empty() ? "" : " ", value));
  };
  if (needed(!pattern.name.empty(), kName)) write(kName, pattern.name);
  if (needed(!pattern.author.empty(), kAuthor)) write(kAuthor, pattern.author);
  if (needed(pattern.generation != 0, kGeneration)) {
    write(kGeneration, fmt::format("{}", pattern.generation));
  }
  for (const std::string& comment : pattern.comments) {
    sink.write(comment.empty() ? "#D\n" : fmt::format("#D {}\n", comment));
  }
  if (pattern.rule) {
    sink.write(*pattern.rule == RuleSpec{} ? "#N\n"
                                           : fmt::format("#R {}\n", survival_first(*pattern.rule)));
  }
}

}  // namespace tessera
