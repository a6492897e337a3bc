#include "core/rules/rule_notes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/rules/file_rule.h"

using namespace tessera;

TEST_CASE("every named rule is listed once, under its first name, with a note") {
  const std::vector<NotedRule> all = find_rules("");
  for (const NamedRule& named : named_rules())
    CHECK(std::ranges::count(all, named.rule, &NotedRule::rule) == 1);
  for (const NotedRule& rule : all) {
    INFO(rule.name);
    CHECK(std::string(rule.note) != "");
    CHECK(parse_rule(rule.name) == rule.rule);
    const auto named = std::ranges::find(named_rules(), rule.rule, &NamedRule::rule);
    const std::string first =
        named != named_rules().end() ? named->name : rule.rule.file->name.c_str();
    CHECK(first == rule.name);
  }
}

TEST_CASE("rules are found by a part of a name, of another name, of the spelling and of the note") {
  const auto first = [](const char* word) {
    const std::vector<NotedRule> found = find_rules(word);
    return found.empty() ? std::string() : std::string(found.front().name);
  };
  CHECK(first("highl") == "HighLife");
  CHECK(first("Majority") == "Vote");
  CHECK(first("b3678/s3") == "Day & Night");
  CHECK(first("corridors") == "Maze");
  CHECK(find_rules("no such rule").empty());
  CHECK(find_rules("conway").size() == 1);
  CHECK(first("jvn") == "JvN29");
  CHECK(find_rules("universal constructor").size() == 1);
}
