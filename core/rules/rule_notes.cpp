#include "core/rules/rule_notes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text_search.h"
#include "core/rules/constructor_rule.h"

namespace tessera {
namespace {

struct Note {
  std::string_view name;  // canonical, of named_rules()
  const char* text;
};

constexpr Note kNotes[] = {
    {"Life", "Conway's rule: gliders, guns and computers out of two numbers"},
    {"HighLife", "like Life, with a small replicator"},
    {"Day & Night", "live and dead cells behave alike"},
    {"Seeds", "every cell dies at once; nearly all patterns explode"},
    {"Replicator", "copies of any pattern, over and over"},
    {"Fredkin", "copies of any pattern, where a cell counts itself"},
    {"Live Free or Die", "cells live only alone"},
    {"Life without Death", "no cell ever dies; ladders grow from chaos"},
    {"Maze", "corridors fill the plane"},
    {"Mazectric", "mazes with longer straight corridors"},
    {"2x2", "blocks of 2x2 cells follow a rule of their own"},
    {"34 Life", "explodes from larger patterns; known for its oscillators"},
    {"Amoeba", "large patches that flow and fall apart"},
    {"Assimilation", "diamonds with a stable inside"},
    {"Coagulations", "grows without end and thickens as it goes"},
    {"Coral", "slow growth with a texture like coral"},
    {"Corrosion of Conformity", "fills its space with about a third of the cells alive"},
    {"Diamoeba", "large diamonds whose edges fluctuate"},
    {"DotLife", "Life where lonely cells survive"},
    {"DryLife", "like Life, with rakes and spaceships of its own"},
    {"EightLife", "Life where a cell survives in a full neighbourhood"},
    {"Gnarl", "a single cell grows a tangled pattern"},
    {"H-trees", "a single cell grows branches that never die"},
    {"Long Life", "oscillators with very long periods"},
    {"LowDeath", "like HighLife, with fewer deaths"},
    {"Move", "calm; patterns that move are common"},
    {"Pedestrian Life", "like Life, with births among eight neighbours"},
    {"Pseudo Life", "evolves much like Life, with other objects"},
    {"Serviettes", "every cell dies at once; symmetric starts make cloths"},
    {"Stains", "blots that grow and set; dense starts fill up"},
    {"Vote", "the majority wins; areas with smooth edges"},
    {"Vote 4/5", "a majority that errs at a tie; edges anneal"},
    {"Just Friends", "two neighbours give birth unless they share an edge"},
    {"tlife", "four cells in a T are a spaceship, which moves 1 cell in 5 generations"},
    {"LeapLife", "Life in which two neighbours in opposite corners give birth, too"},
    {"Rule 30", "a row that makes chaos from one cell, drawn downwards"},
    {"Rule 90", "a row that draws Sierpinski's triangle"},
    {"Rule 110", "a row that can compute anything"},
    {"Walled Cities", "busy areas behind walls that hold"},
    {"Brian's Brain", "three states; everything moves, and nothing stays"},
    {"Star Wars", "four states; fights along lines that hold"},
    {"Bloomerang", "24 states; slow waves that come back"},
    {"Belzhab", "eight states; solid clouds with long trails"},
    {"Bosco", "range 5; bugs that crawl and blobs that flicker, out of soups"},
    {"Bugsmovie", "range 10; large bugs that crawl in all directions"},
    {"Globe", "range 8; a few cells grow into a globe that fills the plane"},
    {"Waffle", "range 7; grows textures like a waffle's"},
    {"WireWorld", "electrons on wires: circuits and computers"},
};

// Rules that are no NamedRule, because their trees take a while to make.
const std::vector<NotedRule>& constructors() {
  static const std::vector<NotedRule> kRules = [] {
    constexpr std::pair<const char*, const char*> kTold[] = {
        {"JvN29", "29 states; von Neumann's universal constructor"},
        {"Nobili32", "32 states; von Neumann's rule with signals that cross"},
        {"Hutton32", "32 states; like Nobili32, but what is built turns with the signals"},
    };
    std::vector<NotedRule> rules;
    for (const auto& [name, note] : kTold) rules.push_back({name, *constructor_rule(name), note});
    return rules;
  }();
  return kRules;
}

const char* note_of(std::string_view name) {
  const auto found = std::ranges::find(kNotes, name, &Note::name);
  return found == std::end(kNotes) ? "" : found->text;
}

}  // namespace

std::vector<NotedRule> find_rules(std::string_view word) {
  std::vector<NotedRule> all;
  std::vector<bool> wanted;
  for (const NamedRule& named : named_rules()) {
    auto at = std::ranges::find(all, named.rule, &NotedRule::rule);
    if (at == all.end()) {
      const char* note = note_of(named.name);
      at = all.insert(at, {named.name, named.rule, note});
      wanted.push_back(contains_any_case(note, word) ||
                       contains_any_case(to_string(named.rule), word));
    }
    const auto i = static_cast<std::size_t>(at - all.begin());
    wanted[i] = wanted[i] || contains_any_case(named.name, word);
  }
  std::vector<NotedRule> out;
  for (std::size_t i = 0; i < all.size(); i++) {
    if (wanted[i]) out.push_back(all[i]);
  }
  for (const NotedRule& each : constructors()) {
    if (contains_any_case(each.name, word) || contains_any_case(each.note, word))
      out.push_back(each);
  }
  return out;
}

}  // namespace tessera
