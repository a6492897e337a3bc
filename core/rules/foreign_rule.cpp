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

// Rules that files in circulation name and that have no notation of counts.
constexpr Named kNamed[] = {
    {"LifeHistory", "the rule LifeHistory, which has 7 states"},
    {"JvN29", "von Neumann's rule JvN29, which has 29 states"},
    {"Nobili32", "the rule Nobili32, which has 32 states"},
    {"Hutton32", "the rule Hutton32, which has 32 states"},
    {"Codd", "the rule table Codd, which has 8 states"},
    {"Codd2", "the rule table Codd2, which has 8 states"},
    {"Devore", "the rule table Devore"},
    {"Perrier", "the rule table Perrier"},
    {"Tempesti", "the rule table Tempesti"},
    {"Caterpillars", "the rule table Caterpillars"},
    {"Langtons-Loops", "the rule table Langtons-Loops, which has 8 states"},
    {"HPP", "the rule table HPP"},
    {"Chou-Reggia-1", "the rule table Chou-Reggia-1"},
    {"Chou-Reggia-2", "the rule table Chou-Reggia-2"},
    {"Ed-rep", "the rule table Ed-rep"},
    {"LifeOnTheEdge", "the rule table LifeOnTheEdge"},
    {"LifeOnTheSlope", "the rule table LifeOnTheSlope"},
};

// The first words of families of Golly's rule files.
constexpr Named kFamilies[] = {
    {"turmite", "a turmite, a rule file of Golly"},
    {"triturmite", "a turmite, a rule file of Golly"},
    {"absoluteturmite", "a turmite, a rule file of Golly"},
    {"langtonsant", "Langton's ant, a rule file of Golly"},
    {"langtons-ant", "Langton's ant, a rule file of Golly"},
    {"worm-", "a worm of Paterson's, a rule file of Golly"},
    {"banks-", "a rule of Banks', a rule file of Golly"},
};

std::string named(const std::string& rule) {
  for (const Named& each : kNamed) {
    if (lower(each.name) == rule) return each.what;
  }
  for (const Named& each : kFamilies) {
    if (rule.starts_with(each.name)) return each.what;
  }
  if (rule.find("margolus") != std::string::npos) return "a Margolus rule";
  if (rule.ends_with("-loop") || rule.starts_with("evoloop")) return "a rule table of loops";
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
