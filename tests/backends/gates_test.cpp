// The rule compiler, and the kernel that interprets what it makes.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/gate_vectors.h"
#include "backends/cpu/gates_backend.h"
#include "core/rules/found_programs.h"
#include "core/rules/program_text.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/rules/shipped_programs.h"
#include "core/rules/state_program.h"
#include "tests/support/kernels.h"
#include "tests/support/own_cache.h"
#include "tests/support/program_change.h"

using namespace tessera;
using namespace tessera::test;

namespace {

NeighbourhoodTable random_table(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  NeighbourhoodTable table;
  for (std::uint64_t& word : table.words) word = random();
  return table;
}

// What a program makes of one pattern, gate by gate, with bits.
bool run(const GateProgram& program, int pattern) {
  std::vector<int> signals;
  for (int cell = 0; cell < 9; cell++) signals.push_back(pattern >> (8 - cell) & 1);
  const auto at = [&](int a, int b, int c) { return 4 * a + 2 * b + c; };
  for (const int function : program.rows) {
    for (int row = 0; row < 3; row++) {
      const int l = signals[3 * row], x = signals[3 * row + 1], r = signals[3 * row + 2];
      signals.push_back(function >> at(l, x, r) & 1);
    }
  }
  for (const ProgramGate& gate : program.gates) {
    for (const std::uint16_t in : gate.in) {
      if (in >= signals.size()) FAIL("a gate reads what comes later");
    }
    const int a = signals[gate.in[0]], b = signals[gate.in[1]], c = signals[gate.in[2]];
    signals.push_back(gate.table >> at(a, b, c) & 1);
  }
  return signals.back();
}

bool computes(const GateProgram& program, const NeighbourhoodTable& rule) {
  if (program.gates.empty()) return false;
  for (int p = 0; p < kPatterns; p++) {
    if (run(program, p) != rule.at(p)) return false;
  }
  return table_of(program) == rule;
}

}  // namespace

TEST_CASE("first programs are right for every named rule and a thousand random ones") {
  std::vector<NeighbourhoodTable> rules;
  for (const NamedRule& named : named_rules()) rules.push_back(neighbourhood_table(named.rule));
  for (int i = 0; i < 9; i++)
    rules.push_back(neighbourhood_table(parse_rule(fmt::format("W{}", i * 31))));
  for (const char* text : {"B/S", "B012345678/S012345678", "B/S012345678", "B2/S34H", "B13/S13V",
                           "B012345678/S", "B0123456/SH"})
    rules.push_back(neighbourhood_table(parse_rule(text)));
  for (std::uint64_t seed = 0; seed < 1000; seed++) rules.push_back(random_table(seed));
  for (const NeighbourhoodTable& rule : rules) REQUIRE(computes(first_program(rule), rule));
}

TEST_CASE("rules that people play with take few gates") {
  const std::vector<std::pair<const char*, int>> known = {
      {"B3/S23", 9},   {"B3/S2-i34q", 16}, {"B2-a/S12", 13}, {"B2n3/S23-q", 14}, {"B2/S34H", 14},
      {"B13/S13V", 2}, {"W30", 2},         {"W110", 2},      {"B/S", 1},         {"B8/S", 4},
  };
  for (const auto& each : known) {
    const char* text = each.first;
    CAPTURE(std::string(text));
    const NeighbourhoodTable rule = neighbourhood_table(parse_rule(text));
    const GateProgram program = compile_rule(rule);
    CHECK(computes(program, rule));
    CHECK(program.cost() <= each.second);
    if (const auto shipped = shipped_program(rule)) CHECK(shipped->cost() <= program.cost());
  }
}

TEST_CASE("every named rule has a shipped program that is right, however the rule is spelled") {
  const OwnCache none_found("programs");
  std::vector<NeighbourhoodTable> rules;
  for (const NamedRule& named : named_rules()) {
    if (named.rule.ranged()) continue;
    CAPTURE(std::string(named.name));
    const NeighbourhoodTable rule = neighbourhood_table(named.rule);
    const auto program = shipped_program(rule);
    REQUIRE(program);
    CHECK(computes(*program, rule));
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
  }
  CHECK(shipped_programs().size() == rules.size());
  for (const ShippedProgram& each : shipped_programs()) {
    std::istringstream text(each.text);
    const auto program = read_program(text);
    CAPTURE(std::string(each.rule));
    REQUIRE(program);
    CHECK(computes(*program, neighbourhood_table(parse_rule(each.rule))));
  }
  const Rule friends = parse_rule("Just Friends");
  Rule spelled{0, 0, RuleFamily::map, neighbourhood_table(friends)};
  CHECK(known_program(neighbourhood_table(parse_rule(to_string(spelled)))) ==
        shipped_program(friends.table));
  CHECK(!shipped_program(neighbourhood_table(parse_rule("B2-a/S12-n"))));
}

TEST_CASE("shipped programs take few gates") {
  const std::vector<std::pair<const char*, int>> most = {
      {"Life", 8},        {"Just Friends", 12}, {"tlife", 14},     {"LeapLife", 12},
      {"HighLife", 10},   {"Brian's Brain", 8}, {"Star Wars", 12}, {"WireWorld", 9},
      {"Bloomerang", 17}, {"Belzhab", 11}};
  for (const auto& each : most) {
    CAPTURE(std::string(each.first));
    const Rule rule = parse_rule(each.first);
    const auto lives = shipped_program(neighbourhood_table(rule));
    REQUIRE(lives);
    CHECK(state_program(rule, *lives).cost() <= each.second);
  }
}

// Half a second each, so few: TESSERA_CASES=200000 takes a thousand.
TEST_CASE("random maps take at most eighty gates, always the same") {
  const std::int64_t count = std::max<std::int64_t>(1, case_count(1000) / 200);
  int worst = 0;
  for (std::int64_t seed = 0; seed < count; seed++) {
    const NeighbourhoodTable rule = random_table(static_cast<std::uint64_t>(seed));
    const GateProgram program = compile_rule(rule);
    CAPTURE(seed);
    CHECK(computes(program, rule));
    CHECK(program.cost() <= 80);
    if (seed == 0) CHECK(compile_rule(rule) == program);
    worst = std::max(worst, program.cost());
  }
  fmt::print("[tessera] the longest of {} random maps takes {} gates\n", count, worst);
}

TEST_CASE("all 256 gates are what their tables say, whatever the processor's vectors") {
  constexpr std::int64_t kWords = 3 * kGateWords;
  std::mt19937_64 random(256);
  std::array<std::vector<std::uint64_t>, 3> in;
  for (auto& words : in) {
    for (std::int64_t i = 0; i <= kWords; i++) words.push_back(random());
  }
  for (unsigned table = 0; table < 256; table++) {
    std::vector<std::uint64_t> out(kWords + 2, 42);
    gate_functions()[table](in[0].data() + 1, in[1].data(), in[2].data() + 1, out.data() + 1,
                            kWords);
    for (std::size_t i = 0; i < kWords; i++) {
      std::uint64_t wanted = 0;
      for (unsigned k = 0; k < 8; k++) {
        if (!(table >> k & 1)) continue;
        wanted |= (k & 4 ? in[0][i + 1] : ~in[0][i + 1]) & (k & 2 ? in[1][i] : ~in[1][i]) &
                  (k & 1 ? in[2][i + 1] : ~in[2][i + 1]);
      }
      if (out[i + 1] != wanted) FAIL_CHECK("table " << table << " at word " << i);
    }
    CHECK(out.front() == 42);
    CHECK(out.back() == 42);
  }
}

// Grids of one and of several blocks of words, cut and whole ones, and bands of threads.
TEST_CASE("the first program and the one that is searched for give the cells of the reference") {
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {1, 1}, {2, 3}, {62, 5}, {63, 70}, {126, 40}, {130, 200}, {2046, 61}, {2111, 90}, {6200, 50}};
  for (const char* text : {"B2-a/S12-n", "B02a/S3-n5", "B2/S35H", "B368/S237",
                           "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogQAAgAAWaH7oaIDogGiA6"
                           "ICAAIAAaIDogIAAgACAAIAAAAAAAA"}) {
    std::vector<BackendSpec> specs;
    for (const auto& size : sizes) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        BackendSpec spec;
        spec.width = size.first;
        spec.height = size.second;
        spec.boundary = boundary;
        spec.rule = parse_rule(text);
        specs.push_back(spec);
      }
    }
    check_programs(specs, {1, 3}, {0},
                   [](const BackendSpec& spec, int threads, std::int64_t patience) {
                     Tuning tuning;
                     tuning.threads = threads;
                     return std::make_unique<GatesBackend>(
                         spec, BackendInfo{"cpu", "", "gates", {}}, tuning, patience);
                   });
  }
}
