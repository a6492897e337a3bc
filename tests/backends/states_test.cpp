// Rules of more than two states: the programs of gates, and the kernels against the reference.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/planes_backend.h"
#include "core/base/error.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/rules/shipped_programs.h"
#include "core/rules/state_program.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// The next state as the family defines it: `lives` is what counts of neighbours say.
int next_state(const Rule& rule, int state, bool lives) {
  if (rule.family == RuleFamily::wire_world)
    return state == 0 ? 0 : state == 1 ? 2 : state == 2 ? 3 : lives ? 1 : 3;
  if (state >= 2) return state + 1 == rule.states() ? 0 : state + 1;
  if (lives) return 1;
  return state == 0 || rule.states() == 2 ? 0 : 2;
}

bool value(const ProgramGate& gate, const std::vector<bool>& signals) {
  int at = 0;
  for (const std::uint16_t in : gate.in) {
    if (in >= signals.size()) FAIL("a gate reads what comes later");
    at = 2 * at + signals[in];
  }
  return gate.table >> at & 1;
}

// The planes after one step of a cell, where `lives` is what the neighbourhood says.
unsigned stepped(const StateProgram& program, unsigned code, bool lives) {
  std::vector<bool> signals;
  for (int p = 0; p < program.planes; p++) signals.push_back(code >> p & 1);
  signals.push_back(lives);
  for (const ProgramGate& gate : program.gates) signals.push_back(value(gate, signals));
  unsigned out = 0;
  for (int p = 0; p < program.planes; p++) {
    if (signals.at(program.next.at(static_cast<std::size_t>(p)))) out |= 1u << p;
  }
  return out;
}

// Every state under every answer of the neighbourhood that can be.
void check_every_state(const Rule& rule, const StateProgram& program) {
  REQUIRE(program.codes.size() == static_cast<std::size_t>(rule.states()));
  REQUIRE(program.planes <= static_cast<int>(kMostProgramPlanes));
  CHECK(program.codes[0] == 0);
  if (rule.states() % 16 == 3) CHECK(program.codes == state_codes(rule));
  CHECK(std::bit_width(*std::ranges::max_element(program.codes)) == program.planes);
  CHECK(std::set<std::uint16_t>(program.codes.begin(), program.codes.end()).size() ==
        program.codes.size());
  bool can[2][2]{};  // by the cell itself, in state 1 or not
  for (int p = 0; p < kPatterns; p++) can[centre_lives(p)][rule.next_of(p)] = true;
  for (int state = 0; state < rule.states(); state++) {
    const unsigned code = program.codes[static_cast<std::size_t>(state)];
    if ((code & 1) != (state == 1)) FAIL_CHECK("state " << state << " and plane 0");
    for (const bool lives : {false, true}) {
      if (!can[state == 1][lives]) continue;
      if (stepped(program, code, lives) !=
          program.codes[static_cast<std::size_t>(next_state(rule, state, lives))])
        FAIL_CHECK("state " << state << ", lives " << lives);
    }
  }
  // A plane moves to one place at most.
  std::vector<int> moves(static_cast<std::size_t>(program.planes));
  for (const std::uint16_t signal : program.next) {
    if (signal < program.planes) CHECK(++moves[signal] == 1);
  }
}

BackendSpec spec_of(const Rule& rule, std::int64_t width, std::int64_t height, Boundary boundary) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary;
  spec.rule = rule;
  return spec;
}

}  // namespace

TEST_CASE("programs of 2 to 256 states are right for every state and answer") {
  for (int states = 2; states <= kMostStates; states++) {
    for (const char* text : {"B2/S", "B2/S345"}) {
      Rule rule = parse_rule(text);
      rule.state_count = static_cast<std::uint16_t>(states);
      CAPTURE(to_string(rule));
      const StateProgram program = state_program(rule, first_program(neighbourhood_table(rule)));
      check_every_state(rule, program);
      // Ages have as few bits as can hold them, but where they leave just one or two codes; three
      // gates at most say what comes into the first; the rest is whether something is dying, and
      // who begins to.
      const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(states - 2)));
      const bool more = states == 127 || states >= 255;
      CHECK(program.planes == 1 + bits + (more ? 1 : 0));
      CHECK(program.cost() - program.lives.cost() <= 5 + bits / 2);
    }
  }
  const Rule wires = parse_rule("WireWorld");
  check_every_state(wires, state_program(wires, first_program(neighbourhood_table(wires))));
}

TEST_CASE("named rules of several states take few gates") {
  struct Floor {
    const char* name;
    int gates;
  };
  for (const auto& [name, gates] :
       {Floor{"Brian's Brain", 10}, {"Star Wars", 13}, {"WireWorld", 12}, {"Bloomerang", 17}}) {
    const Rule rule = parse_rule(name);
    const NeighbourhoodTable table = neighbourhood_table(rule);
    const GateProgram lives = compile_rule(table);
    CHECK(table_of(lives) == table);
    const StateProgram program = state_program(rule, lives);
    MESSAGE(std::string(name) << ": " << program.cost() << " gates, " << program.planes
                              << " planes");
    CHECK(program.cost() <= gates);
    CHECK(shipped_program(table).value().cost() <= lives.cost());
  }
}

TEST_CASE("kernels of several states give the reference's bits") {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::vector<std::string> rules = {
      "/2/3",    "345/2/4", "234/34678/24", "23/23/8",      "WireWorld", "2-a/3/4",       "3/2/5H",
      "13/1/6V", "/2/256",  "345/2/57",     "MAPARYXfg/13", "12/34/18",  "0235678/3468/9"};
  for (std::int64_t i = 0; i < case_count(120); i++) {
    const std::string& text = rules[static_cast<std::size_t>(i) % rules.size()];
    const Rule rule = parse_rule(text);
    const std::int64_t width = i % 7 == 0 ? 1 + below(4) : 1 + below(200);
    const std::int64_t height = i % 11 == 0 ? 1 + below(4) : 1 + below(90);
    const BackendSpec spec =
        spec_of(rule, width, height, i % 2 ? Boundary::torus : Boundary::plane);
    Soup soup{random(), static_cast<std::uint32_t>(below(65537))};
    if (i % 3) soup.states = static_cast<std::uint16_t>(rule.states());
    INFO(to_string(rule) << " " << width << "x" << height);
    const auto judge = reference().create(spec);
    judge->fill(soup);
    const std::int64_t generations = below(30);
    const CellGrid patch =
        make_soup_cells(soup, 1 + below(width), 1 + below(height), rule.planes());
    judge->step(generations);
    judge->edit({width - patch.width(), height - patch.height()}, patch);
    judge->step(3);
    for_each_kernel(spec, [&](const Kernel& kernel) {
      const auto backend = kernel.create(spec);
      backend->fill(soup);
      CHECK(backend->survey(kWholeSurvey) ==
            survey_cells(backend->download(), {0, 0, width, height}, kWholeSurvey));
      backend->step(generations);
      backend->edit({width - patch.width(), height - patch.height()}, patch);
      backend->step(3);
      CHECK(backend->download() == judge->download());
      CHECK(backend->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
      const Rect part{width / 3, height / 4, width - width / 3, height - height / 4};
      CHECK(backend->survey(part, kWholeSurvey, 7, -3) == judge->survey(part, kWholeSurvey, 7, -3));
      CHECK(backend->download(part) == judge->download(part));
      const std::array<Rect, 3> parts{part, {0, 0, 1, 1}, {0, height / 2, width, 1}};
      CHECK(backend->download(parts) == judge->download(parts));
    });
  }
}

TEST_CASE("a shorter program in the middle of a run changes no bit") {
  const Rule rule = parse_rule("12/347/7");
  const BackendSpec spec = spec_of(rule, 300, 100, Boundary::torus);
  const auto judge = reference().create(spec);
  PlanesBackend backend(spec, {}, {}, 100'000);
  const Soup soup{3, 20000, 7};
  judge->fill(soup);
  backend.fill(soup);
  judge->step(12);
  backend.step(12);
  CHECK(backend.download() == judge->download());
}

TEST_CASE("states and soups that a rule has not are refused") {
  const Rule rule = parse_rule("/2/3");
  const BackendSpec spec = spec_of(rule, 20, 10, Boundary::torus);
  for_each_kernel(spec, [&](const Kernel& kernel) {
    const auto backend = kernel.create(spec);
    CellGrid cells(5, 5, 2);
    cells.set_state(2, 2, 3);
    CHECK(message_of<InputError>([&] {
            backend->edit({0, 0}, cells);
          }).find("a cell of state 3; the rule /2/3 has states 0 to 2") != std::string::npos);
    CHECK_THROWS_AS(backend->fill(Soup{1, 32768, 4}), InputError);
    CHECK(backend->download().population() == 0);
  });
}
