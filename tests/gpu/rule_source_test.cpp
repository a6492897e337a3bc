// The text of a rule that is a program, read line by line and carried out for single cells.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/rule_source.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

using namespace tessera;

namespace {

using Values = std::map<std::string, bool>;

// "#define NAME VALUE"
int defined(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(fmt::format("#define {} ", name));
  REQUIRE(at != std::string::npos);
  return std::stoi(text.substr(at + name.size() + 9));
}

// Whether bit n of "#define NAME(n) TESSERA_BIT(n, LOWull, HIGHull)" is set.
bool has_bit(const std::string& text, const std::string& name, int n) {
  const std::string start = fmt::format("#define {}(n) TESSERA_BIT(n, ", name);
  const std::size_t at = text.find(start);
  REQUIRE(at != std::string::npos);
  std::istringstream words(text.substr(at + start.size(), text.find(')', at + start.size()) - at));
  std::string low, high;
  words >> low >> high;
  return std::stoull(n < 64 ? low : high) >> n % 64 & 1;
}

// Carries out the assignments of a function: "NAME = TESSERA_LUT3(TABLE, A, B, C);" or
// "NAME = A;". Returns what it returns, where it does.
bool carry_out(const std::string& text, const std::string& function, Values& values) {
  std::size_t at = text.find(fmt::format(" {}(", function));
  REQUIRE(at != std::string::npos);
  at = text.find(") {\n", at) + 3;  // an empty body has one end of a line
  std::istringstream lines(text.substr(at, text.find("\n}", at) - at));
  const auto value = [&](const std::string& name) {
    REQUIRE(values.contains(name));
    return values.at(name);
  };
  for (std::string line; std::getline(lines, line);) {
    std::ranges::replace_if(
        line, [](char c) { return c == '(' || c == ')' || c == ',' || c == ';'; }, ' ');
    std::istringstream words(line);
    std::string name, equals, a, b, c;
    int table = 0;
    words >> name >> equals >> a;
    if (name == "return") return value(equals);
    if (equals != "=") continue;  // a declaration
    if (a != "TESSERA_LUT3") {
      values[name] = value(a);
      continue;
    }
    words >> table >> a >> b >> c;
    values[name] = table >> (4 * value(a) + 2 * value(b) + value(c)) & 1;
  }
  return false;
}

// The next state of the middle of a pattern by a program of the text, which may read of the rows
// above and below only what it says.
bool next_by_text(const std::string& text, int pattern,
                  const std::string& function = "tessera_program",
                  const std::string& macros = "TESSERA") {
  Values values;
  for (int row = 0; row < 3; row++) {
    Values own;
    for (int cell = 0; cell < 3; cell++)
      own[fmt::format("row[{}]", cell)] = pattern >> (8 - 3 * row - cell) & 1;
    carry_out(text, "tessera_codes", own);
    for (const auto& [name, bit] : own) {
      const int n = std::stoi(name.substr(4));
      if (row == 1 || has_bit(text, macros + (row == 0 ? "_ABOVE" : "_BELOW"), n))
        values[fmt::format("{}{}", "abc"[row], name.substr(3))] = bit;
    }
  }
  return carry_out(text, function, values);
}

}  // namespace

TEST_CASE("the text of a program computes its rule") {
  std::mt19937_64 random(3);
  std::vector<Rule> rules;
  for (const char* rule : {"B3/S2-i34q", "B2/S34H", "B13/S13V", "W110", "W30", "B01c3/S24k", "B/S"})
    rules.push_back(parse_rule(rule));
  for (int i = 0; i < 3; i++) {
    Rule map{0, 0, RuleFamily::map, {}};
    for (std::uint64_t& word : map.table.words) word = random();
    rules.push_back(map);
  }
  for (const Rule& rule : rules) {
    INFO(to_string(rule));
    const NeighbourhoodTable table = neighbourhood_table(rule);
    const std::string text = cuda::program_header(state_program(rule, first_program(table)));
    CHECK(defined(text, "TESSERA_PROGRAM") == 1);
    CHECK(defined(text, "TESSERA_PLANES") == 1);
    int wrong = 0;
    for (int p = 0; p < kPatterns; p++) wrong += next_by_text(text, p) != table.at(p);
    CHECK(wrong == 0);
  }
}

TEST_CASE("the text of two rules in turns computes both, from functions of rows that serve both") {
  std::mt19937_64 random(4);
  std::vector<std::array<Rule, 2>> turns = {{parse_rule("B3/S23"), parse_rule("B2/S")},
                                            {parse_rule("B2-a/S12"), parse_rule("B36/S23")},
                                            {parse_rule("W110"), parse_rule("B2/S34H")}};
  for (int i = 0; i < 3; i++) {
    std::array<Rule, 2> maps{Rule{0, 0, RuleFamily::map, {}}, Rule{0, 0, RuleFamily::map, {}}};
    for (Rule& map : maps)
      for (std::uint64_t& word : map.table.words) word = random();
    turns.push_back(maps);
  }
  int most = 0;
  for (const auto& [even, odd] : turns) {
    INFO(to_string(even), "|", to_string(odd));
    const NeighbourhoodTable first = neighbourhood_table(even), second = neighbourhood_table(odd);
    const std::string text = cuda::turns_header(first_program(first), first_program(second));
    CHECK(defined(text, "TESSERA_TURNS") == 2);
    most = std::max(most, defined(text, "TESSERA_CODES"));
    int wrong = 0;
    for (int p = 0; p < kPatterns; p++) {
      wrong += next_by_text(text, p) != first.at(p);
      wrong += next_by_text(text, p, "tessera_odd_program", "TESSERA_ODD") != second.at(p);
    }
    CHECK(wrong == 0);
  }
  CHECK(most > 61);  // more than a word of bits tells
}

TEST_CASE("the text of a rule of several states computes their planes") {
  for (const char* name : {"/2/3", "345/2/4", "3/2/5H", "23/3/10", "23/3/256", "WireWorld"}) {
    INFO(std::string(name));
    const Rule rule = parse_rule(name);
    const StateProgram program = state_program(rule, first_program(neighbourhood_table(rule)));
    const std::string text = cuda::program_header(program);
    REQUIRE(defined(text, "TESSERA_PLANES") == program.planes);
    for (int state = 0; state < rule.states(); state++) {
      for (const bool lives : {false, true}) {
        Values values{{"lives", lives}};
        std::vector<bool> signals;
        for (int p = 0; p < program.planes; p++) {
          signals.push_back(program.codes[static_cast<std::size_t>(state)] >> p & 1);
          values[fmt::format("s[{}]", p)] = signals.back();
        }
        signals.push_back(lives);
        for (const ProgramGate& gate : program.gates) {
          signals.push_back(gate.table >> (4 * signals[gate.in[0]] + 2 * signals[gate.in[1]] +
                                           signals[gate.in[2]]) &
                            1);
        }
        carry_out(text, "tessera_states", values);
        for (int p = 0; p < program.planes; p++) {
          CHECK(values.at(fmt::format("next[{}]", p)) ==
                signals[program.next[static_cast<std::size_t>(p)]]);
        }
      }
    }
  }
}
