#include "core/rules/foreign_rule.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// True for "B2o/S2m34H": LifeViewer's letters o, m and p for the hexagonal neighbourhood.
bool names_hexagonal_arrangements(const std::string& rule) {
  return rule.size() > 2 && rule[0] == 'b' && rule.ends_with('h') &&
         rule.find_first_of("omp") != std::string::npos && consists_of(rule, "bs0123456-/omph");
}

// True for "R1,C2,S4-6,B5,NW010..." and "R2,C2,S2,B3,NL": weights, and triangular cells.
std::string other_range(const std::string& rule) {
  const std::size_t at = rule.rfind(",n");
  if (rule.size() < 3 || rule[0] != 'r' || !is_digit(rule[1]) || at == std::string::npos) return "";
  const std::string shape = rule.substr(at + 2);
  if (shape.starts_with('w') || shape.starts_with('g')) return "a weighted rule";
  return shape.ends_with('l') ? "a triangular rule" : "";
}

struct Named {
  const char* name;
  const char* what;
};

// Rules that Golly knows without a rule file and that have no notation of counts.
constexpr Named kNamed[] = {
    {"JvN29", "von Neumann's rule JvN29, which has 29 states"},
    {"Nobili32", "the rule Nobili32, which has 32 states"},
    {"Hutton32", "the rule Hutton32, which has 32 states"},
};

std::string named(const std::string& rule) {
  for (const Named& each : kNamed) {
    if (lower(each.name) == rule) return each.what;
  }
  return "";
}

}  // namespace

std::string foreign_rule(std::string_view text) {
  const std::string rule = lower(text);
  if (const std::string range = other_range(rule); !range.empty()) return range;
  if (names_hexagonal_arrangements(rule)) return "a hexagonal rule with letters";
  return named(rule);
}

}  // namespace tessera
