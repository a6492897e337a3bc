#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/console.h"
#include "apps/tessera/command.h"
#include "apps/tessera/json.h"
#include "apps/tessera/text_table.h"
#include "core/base/error.h"
#include "core/base/nearest_word.h"
#include "core/base/paths.h"
#include "core/rules/file_rule.h"
#include "core/rules/rule_folders.h"
#include "core/rules/rule_notation.h"
#include "core/rules/rule_notes.h"

namespace tessera {
namespace {

[[noreturn]] void nothing_found(const std::string& word) {
  const std::string meant = did_you_mean(word, rule_names());
  throw InputError(
      fmt::format("rules: no named rule has '{}' in its name, spelling or description{}",
                  printable(word), meant.empty() ? "; 'tessera rules' lists all" : meant));
}

// The rule of a rule file of this name, with a line on what the file holds.
struct FoundFile {
  std::optional<Rule> rule;
  std::string note;
};

FoundFile find_file(const std::string& word) {
  FoundFile found{find_rule_file(word), ""};
  if (!found.rule) return found;
  const FileRule& file = *found.rule->file;
  if (file.tree) {
    found.note = fmt::format("a tree of {} states and {} nodes", file.states,
                             file.tree->children.size() / static_cast<std::size_t>(file.states));
  } else {
    found.note = fmt::format("a table of {} states and {} transitions", file.states,
                             file.table->lines.size());
  }
  const FileNeighbourhood seen = file.tree ? file.tree->neighbourhood : file.table->neighbourhood;
  found.note += fmt::format("; a cell sees {} neighbours", cells_seen(seen).size() - 1);
  return found;
}

int list_rules(const std::string& word, bool json) {
  const std::vector<NotedRule> found = find_rules(word);
  FoundFile file = find_file(word);
  if (std::ranges::find(found, file.rule, &NotedRule::rule) != found.end()) file.rule.reset();
  if (found.empty() && !file.rule) nothing_found(word);
  if (json) {
    Json all = Json::array();
    for (const NotedRule& each : found) {
      Json names = Json::array();
      for (const NamedRule& named : named_rules())
        if (named.rule == each.rule) names.push_back(named.name);
      if (names.empty()) names.push_back(each.name);
      all.push_back({{"name", each.name},
                     {"rule", to_string(each.rule)},
                     {"names", std::move(names)},
                     {"note", each.note}});
    }
    if (file.rule) {
      all.push_back({{"name", file.rule->file->name},
                     {"rule", to_string(*file.rule)},
                     {"names", Json::array({file.rule->file->name})},
                     {"note", file.note}});
    }
    print(text_of(Json{{"rules", std::move(all)}}));
    return 0;
  }
  TextTable table({"name", "rule", "what it does"}, 3);
  for (const NotedRule& each : found) table.add({each.name, to_string(each.rule), each.note});
  if (file.rule) table.add({file.rule->file->name, to_string(*file.rule), file.note});
  print(table.text());
  return 0;
}

}  // namespace

Command add_rules(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("rules", "List the rules that have names");
  struct Options {
    std::string word;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  sub->add_option("WORD", options->word,
                  "Only rules with this in a name, the spelling or the description, and the rule "
                  "file of this name")
      ->type_name("");
  sub->add_flag("--json", options->json,
                "Print one JSON object: rules, each with name, rule, names (all of them) and note");
  sub->footer(
      "A name may stand wherever a rule is expected; case, spaces, '&', '-' and '_' do not "
      "matter.\n"
      "\n"
      "Examples:\n"
      "  tessera rules\n"
      "  tessera rules replicator\n"
      "  tessera run --rule DayAndNight:T512 --soup 0.5 --gens 1000 --out end.png");
  return {sub, [options] { return list_rules(options->word, options->json); }};
}

}  // namespace tessera
