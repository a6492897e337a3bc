#include <cctype>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rules/file_rule.h"
#include "core/rules/rule.h"
#include "core/rules/rule_folders.h"
#include "core/rules/rule_notation.h"

namespace tessera {
namespace {

struct Spelled {
  const char* name;
  const char* rule;
};

// The names that Golly and LifeWiki use.
constexpr Spelled kNamed[] = {
    {"Life", "B3/S23"},
    {"Conway", "B3/S23"},
    {"Conway's Life", "B3/S23"},
    {"Game of Life", "B3/S23"},
    {"HighLife", "B36/S23"},
    {"Day & Night", "B3678/S34678"},
    {"Day and Night", "B3678/S34678"},
    {"Seeds", "B2/S"},
    {"Replicator", "B1357/S1357"},
    {"Fredkin", "B1357/S02468"},
    {"Live Free or Die", "B2/S0"},
    {"Life without Death", "B3/S012345678"},
    {"Flakes", "B3/S012345678"},
    {"Maze", "B3/S12345"},
    {"Mazectric", "B3/S1234"},
    {"2x2", "B36/S125"},
    {"34 Life", "B34/S34"},
    {"Amoeba", "B357/S1358"},
    {"Assimilation", "B345/S4567"},
    {"Coagulations", "B378/S235678"},
    {"Coral", "B3/S45678"},
    {"Corrosion of Conformity", "B3/S124"},
    {"Diamoeba", "B35678/S5678"},
    {"DotLife", "B3/S023"},
    {"DryLife", "B37/S23"},
    {"EightLife", "B3/S238"},
    {"Gnarl", "B1/S1"},
    {"H-trees", "B1/S012345678"},
    {"Long Life", "B345/S5"},
    {"LowDeath", "B368/S238"},
    {"Move", "B368/S245"},
    {"Morley", "B368/S245"},
    {"Pedestrian Life", "B38/S23"},
    {"Pseudo Life", "B357/S238"},
    {"Serviettes", "B234/S"},
    {"Persian Rug", "B234/S"},
    {"Stains", "B3678/S235678"},
    {"Vote", "B5678/S45678"},
    {"Majority", "B5678/S45678"},
    {"Vote 4/5", "B4678/S35678"},
    {"Anneal", "B4678/S35678"},
    {"Walled Cities", "B45678/S2345"},
    {"Just Friends", "B2-a/S12"},
    {"tlife", "B3/S2-i34q"},
    {"LeapLife", "B2n3/S23-q"},
    {"Rule 30", "W30"},
    {"Rule 90", "W90"},
    {"Rule 110", "W110"},
    {"Brian's Brain", "/2/3"},
    {"Star Wars", "345/2/4"},
    {"Bloomerang", "234/34678/24"},
    {"Belzhab", "23/23/8"},
    {"Bosco", "R5,C0,M1,S34..58,B34..45,NM"},
    {"Bugs", "R5,C0,M1,S34..58,B34..45,NM"},
    {"Bugsmovie", "R10,C0,M1,S123..212,B123..170,NM"},
    {"Globe", "R8,C0,M0,S163..223,B74..252,NM"},
    {"Waffle", "R7,C0,M1,S100..200,B75..170,NM"},
};

// Wire becomes a head beside one or two heads. What is a head itself is no wire.
Rule wire_world() {
  Rule rule{0, 0, RuleFamily::wire_world, {}, 4};
  for (int p = 0; p < kPatterns; p++) {
    if (!centre_lives(p) && (neighbours_in(p) == 1 || neighbours_in(p) == 2)) rule.table.set(p);
  }
  return rule;
}

// Lower-case letters and digits of a name; everything else is decoration.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

}  // namespace

std::span<const NamedRule> named_rules() {
  static const std::vector<NamedRule> kRules = [] {
    std::vector<NamedRule> rules;
    for (const Spelled& each : kNamed) rules.push_back({each.name, parse_notation(each.rule)});
    rules.push_back({"WireWorld", wire_world()});
    return rules;
  }();
  return kRules;
}

Rule parse_known_rule(std::string_view text) {
  if (text.size() <= 64) {
    const std::string wanted = plain(text);
    for (const NamedRule& named : named_rules()) {
      if (!wanted.empty() && plain(named.name) == wanted &&
          wanted.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos) {
        return named.rule;
      }
    }
  }
  return parse_notation(text);
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const NamedRule& named : named_rules()) names.emplace_back(named.name);
  for (std::string& name : rule_file_names()) names.push_back(std::move(name));
  return names;
}

Rule parse_rule(std::string_view text) {
  if (!rule_file_ending(text).empty()) {
    if (const auto found = find_rule_file(text)) return *found;
    throw ParseError("rule:1:1", missing_rule_file(text));
  }
  try {
    return parse_known_rule(text);
  } catch (const ParseError&) {
    if (const auto found = find_rule_file(text)) return *found;
  }
  return parse_notation(text, rule_names());
}

}  // namespace tessera
