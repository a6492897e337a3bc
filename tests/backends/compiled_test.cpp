// Machine code of rules' programs, against tables and counting with single bits.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bitset>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/compiled_backend.h"
#include "backends/cpu/compiled_planes_backend.h"
#include "backends/cpu/gate_writer.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/register_plan.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_layout.h"
#include "core/rules/counting_program.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/rules/state_program.h"
#include "tests/support/kernels.h"
#include "tests/support/make_spec.h"
#include "tests/support/own_cache.h"
#include "tests/support/program_change.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kRows = 3 * kRowStep;

// The vectors that code can be made for and that this processor has, whichever are in use.
std::vector<int> lanes_here() {
  std::vector<int> lanes;
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) lanes.push_back(8);
  if (__builtin_cpu_supports("avx2")) lanes.push_back(4);
  if (lanes.empty() || missing_machine_code(lanes.front())) {
    fmt::print("[tessera] machine code skipped: {}\n",
               lanes.empty() ? "no AVX2" : *missing_machine_code(lanes.front()));
    return {};
  }
  return lanes;
}

// A group of random words between what surrounds it.
class Field {
 public:
  Field(int columns, int lanes, std::mt19937_64& random)
      : columns_(columns),
        lanes_(lanes),
        stride_((columns + 3) * lanes),
        words_(static_cast<std::size_t>((kRows + 2) * stride_ + lanes)),
        state_(words_.size()) {
    for (std::uint64_t& word : words_) word = random();
    old_ = words_;
  }

  // Steps all columns, into the words left of them or elsewhere.
  void run(const StripCode& code, bool in_place) {
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(code.frame_words()) + 8);
    auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    auto& frame = *new (reinterpret_cast<void*>((at + 63) / 64 * 64)) StripCodeFrame;
    std::vector<std::uint64_t> elsewhere(words_.size());
    out_ = in_place ? words_.data() : elsewhere.data();
    const std::uint64_t* first = words_.data() + 2 * stride_ + lanes_;
    for (int lane = 0; lane < lanes_; lane++) {
      const auto l = static_cast<std::size_t>(lane);
      frame.left_a[l] = words_[l];
      frame.left_b[l] = words_[static_cast<std::size_t>(stride_) + l];
    }
    frame.in = first;
    frame.out = out_ + 2 * stride_;
    frame.above_a = first - 2 * stride_;
    frame.above_b = first - stride_;
    frame.keep_a = first + (kRows - 2) * stride_;
    frame.keep_b = first + (kRows - 1) * stride_;
    frame.state_a = state_.data();
    frame.state_b = state_.data() + stride_;
    frame.stride = 8 * stride_;
    frame.rows = kRows;
    code.run(static_cast<int>(columns_), false, frame);
    result_.assign(out_, out_ + words_.size());
  }

  // Cells that are not what `table` says of the nine, and how many patterns occur.
  int wrong(const NeighbourhoodTable& table, std::bitset<512>& seen) const {
    int count = 0;
    for (std::int64_t y = 0; y < kRows; y++) {
      for (std::int64_t j = 0; j < columns_ * lanes_; j++) {
        for (int bit = 0; bit < 64; bit++) {
          int pattern = 0;
          for (std::int64_t row = y; row < y + 3; row++)
            for (std::int64_t left = 0; left < 3; left++)
              pattern = 2 * pattern + cell(old_, row * stride_ + j + left * lanes_, bit);
          seen.set(static_cast<std::size_t>(pattern));
          count += table.at(pattern) != (cell(result_, (y + 2) * stride_ + j, bit) != 0);
        }
      }
    }
    return count;
  }
  // Whether the last two rows were kept for the next group, and the words left of it.
  bool kept() const {
    for (std::int64_t row = 0; row < 2; row++)
      for (std::int64_t j = 0; j < columns_ * lanes_; j++)
        if (state_[static_cast<std::size_t>(row * stride_ + j)] !=
            old_[static_cast<std::size_t>((kRows + row) * stride_ + lanes_ + j)])
          return false;
    return true;
  }

 private:
  static int cell(const std::vector<std::uint64_t>& words, std::int64_t at, int bit) {
    return static_cast<int>(words[static_cast<std::size_t>(at)] >> bit & 1);
  }

  std::int64_t columns_, lanes_, stride_;
  std::vector<std::uint64_t> words_, state_, old_{}, result_{};
  std::uint64_t* out_ = nullptr;
};

void check_code(const StateProgram& program, const NeighbourhoodTable& table,
                std::mt19937_64& random) {
  for (const int lanes : lanes_here()) {
    const auto code = StripCode::of(program, lanes, {});
    for (int columns = 1; columns <= code->columns(); columns++) {
      for (const bool in_place : {false, true}) {
        Field field(columns, lanes, random);
        field.run(*code, in_place);
        std::bitset<512> seen;
        CAPTURE(lanes);
        CAPTURE(columns);
        CHECK(field.wrong(table, seen) == 0);
        CHECK(field.kept());
        CHECK(seen.count() > 500);
      }
    }
  }
}

NeighbourhoodTable random_table(std::mt19937_64& random) {
  NeighbourhoodTable table;
  for (std::uint64_t& word : table.words) word = random();
  return table;
}

}  // namespace

TEST_CASE("two-input formulas of all gates are what their tables say") {
  for (int table = 2; table < 256; table += 2) {
    const GateFormula& formula = gate_formula(static_cast<std::uint8_t>(table));
    std::vector<int> nodes = {0xF0, 0xCC, 0xAA};
    for (int i = 0; i < formula.count; i++) {
      const GateFormula::Step& step = formula.steps[static_cast<std::size_t>(i)];
      const int a = nodes.at(static_cast<std::size_t>(step.a)),
                b = nodes.at(static_cast<std::size_t>(step.b));
      nodes.push_back(step.kind == CodeOp::Kind::both     ? a & b
                      : step.kind == CodeOp::Kind::either ? a | b
                      : step.kind == CodeOp::Kind::differ ? a ^ b
                                                          : ~a & b);
    }
    const bool single = table == 0xF0 || table == 0xCC || table == 0xAA;
    CHECK((formula.count > 0 || single));
    if (!single) CHECK(nodes.back() == table);
  }
  CHECK(gate_formula(0x96).count == 2);
  CHECK(gate_formula(0xE8).count == 4);
}

// A second gate reads what a first one made, two of its inputs for the last time.
TEST_CASE("machine code of gates replaces what was made last where that is faster") {
  CodeBlock block;
  GateWriter out(block, true);
  const CodeSignal a = out.load({}), b = out.load({}), c = out.load({});
  const CodeSignal sum = out.gate(0x96, {a, b, c}), other = out.gate(0x1E, {a, b, sum});
  for (const CodeSignal& each : {sum, other, c}) out.store(each, {CodeBase::out});
  using Kind = CodeInstruction::Kind;
  for (const int fresh : {0, 8}) {
    const RegisterPlan plan(block, 8, {}, fresh);
    std::vector<CodeInstruction> gates, copies;
    for (const CodeInstruction& each : plan.instructions()) {
      if (each.kind == Kind::gate) gates.push_back(each);
      if (each.kind == Kind::move && each.out.is_reg() && each.a.is_reg()) copies.push_back(each);
    }
    REQUIRE(gates.size() == 2);
    CAPTURE(fresh);
    // The first replaces a copy of a, b or c, since all are read again.
    REQUIRE(copies.size() == (fresh > 0 ? 2 : 1));
    CHECK(copies[0].out.index == gates[0].out.index);
    const bool replaces_copy = gates[1].out.index == copies.back().out.index;
    CHECK((replaces_copy && copies.back().a.index == gates[0].out.index) == (fresh > 0));
  }
}

TEST_CASE("machine code loads what one gate reads with it, but for what is stored in between") {
  for (const bool stored_between : {false, true}) {
    CodeBlock block;
    GateWriter out(block, true);
    const CodeSignal a = out.load({}), b = out.load({CodeBase::plane_in});
    if (stored_between) out.store(a, {CodeBase::plane_out});
    out.store(out.gate(0x3C, {a, b, b}), {CodeBase::out});
    const RegisterPlan plan(block, 8, {}, 8);
    int loads = 0;
    for (const CodeInstruction& each : plan.instructions())
      loads += each.kind == CodeInstruction::Kind::move && each.out.is_reg();
    CHECK(loads == (stored_between ? 2 : 1));
  }
}

TEST_CASE("programs that count are right, and never longer than thirteen gates") {
  std::mt19937_64 random(18);
  for (int i = 0; i < 200; i++) {
    Rule rule;
    rule.birth = random() % 512;
    rule.survival = random() % 512;
    const GateProgram program = counting_program(rule);
    CHECK(table_of(program) == neighbourhood_table(rule));
    CHECK(program.cost() <= 13);
  }
}

// First programs of random rules have a hundred gates: more values than registers.
TEST_CASE("machine code of every kind of rule is right in all 512 neighbourhoods") {
  const OwnCache none_found("programs");
  std::mt19937_64 random(512);
  const std::int64_t count = std::max<std::int64_t>(2, case_count(1000) / 25);
  for (std::int64_t i = 0; i < count; i++) {
    CAPTURE(i);
    const NeighbourhoodTable table = random_table(random);
    check_code({first_program(table)}, table, random);
  }
  for (const NamedRule& named : named_rules()) {
    if (named.rule.states() > 2) continue;
    CAPTURE(std::string(named.name));
    check_code({ready_program(named.rule)}, neighbourhood_table(named.rule), random);
  }
  for (const char* text :
       {"B/S", "B012345678/S012345678", "B/S012345678", "B012345678/S", "W0", "W255", "W204",
        "W170", "W240", "W51", "W110", "B2/S34H", "B13/S13V", "B0/S", "B02a/S3-n5"}) {
    CAPTURE(std::string(text));
    const Rule rule = parse_rule(text);
    check_code({ready_program(rule)}, neighbourhood_table(rule), random);
  }
}

// Functions of rows that read two cells or one, and gates of every kind, also as the next state.
TEST_CASE("machine code of any gates is right") {
  std::mt19937_64 random(2);
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::int64_t count = std::max<std::int64_t>(20, case_count(1000) / 10);
  for (std::int64_t i = 0; i < count; i++) {
    CAPTURE(i);
    GateProgram program;
    for (const int row : {0x11, 0x77, 0x5F, 0xC3, 0x0F, 0x96, 0x30, 0xEE})
      if (below(3) == 0) program.rows.push_back(static_cast<std::uint8_t>(row));
    for (int g = 0; g < 8; g++) {
      const auto signals = static_cast<std::size_t>(program.first_gate() + g);
      ProgramGate gate;
      gate.table = static_cast<std::uint8_t>(random());
      for (std::uint16_t& in : gate.in) {
        const std::size_t back =
            g > 0 && below(2) == 0 ? 1 + below(static_cast<std::size_t>(g)) : 1 + below(signals);
        in = static_cast<std::uint16_t>(signals - back);
      }
      if (below(3) == 0) gate.table = static_cast<std::uint8_t>(0x11 * (gate.table & 0xF));
      program.gates.push_back(gate);
    }
    check_code({program}, table_of(program), random);
  }
}

TEST_CASE("code is made once for a program") {
  for (const int lanes : lanes_here()) {
    const StateProgram program{ready_program(parse_rule("B36/S23"))};
    CHECK(StripCode::of(program, lanes, {}) == StripCode::of(program, lanes, {}));
    const StateProgram other{ready_program(parse_rule("B36/S125"))};
    CHECK(StripCode::of(program, lanes, {}) != StripCode::of(other, lanes, {}));
  }
}

// The search comes due before and between passes.
TEST_CASE("the first program and the one that is searched for give the cells of the reference") {
  if (CompiledStepper::missing()) return;
  for (const char* text : {"B2-a/S12-n", "B02a/S3-n5", "B368/S237"}) {
    std::vector<BackendSpec> specs;
    for (const std::int64_t width : {1, 63, 130, 2111}) {
      BackendSpec spec;
      spec.width = width;
      spec.height = 90;
      spec.rule = parse_rule(text);
      spec.boundary = width % 2 ? Boundary::torus : Boundary::plane;
      specs.push_back(spec);
    }
    check_programs(specs, {3}, {0, 20000},
                   [](const BackendSpec& spec, int threads, std::int64_t patience) {
                     Tuning tuning;
                     tuning.threads = threads;
                     return std::make_unique<CompiledBackend>(
                         spec, BackendInfo{"cpu", "", "compiled", {}}, tuning, patience);
                   });
  }
}

// Less work than any other: a gate of one word.
TEST_CASE("a program of one gate steps few cells as many generations as it is asked to") {
  if (CompiledStepper::missing()) return;
  CHECK(known_program(neighbourhood_table(parse_rule("W90")))->gates.size() == 1);
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    BackendSpec spec;
    spec.width = 6;
    spec.height = 7;
    spec.rule = parse_rule("W90");
    spec.boundary = boundary;
    CompiledBackend compiled(spec, BackendInfo{"cpu", "", "compiled", {}}, {});
    const auto judge = reference().create(spec);
    for (StepBackend* each : {static_cast<StepBackend*>(&compiled), judge.get()}) {
      each->fill(Soup{3, 20000});
      each->step(17);
    }
    CHECK((compiled.download() == judge->download()));
  }
}

// Strips of equal length and of two lengths, whose ends meet in other lanes or in none.
TEST_CASE("code closes rows of any number of segments as the reference has them") {
  if (CompiledStepper::missing()) return;
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for (const std::int64_t width : {1024, 1536, 513, 1600}) {
      BackendSpec spec;
      spec.width = width;
      spec.height = 41;
      spec.boundary = boundary;
      spec.rule = parse_rule("B36/S23");
      const Soup soup{static_cast<std::uint64_t>(width), 32768};
      const auto judge = reference().create(spec);
      judge->fill(soup);
      judge->step(11);
      const CellGrid wanted = judge->download();
      for (int segments = 1; segments <= strip_lanes(); segments *= 2) {
        Tuning tuning;
        tuning.generations = 4;
        tuning.rows = 8;
        tuning.group = segments;
        tuning.threads = 1;
        CompiledBackend backend(spec, {"cpu", "", "compiled", {}}, tuning, 1 << 30);
        backend.fill(soup);
        backend.step(11);
        CAPTURE(width);
        CAPTURE(segments);
        CHECK(backend.download() == wanted);
      }
    }
  }
}

// Planes stepped where they end, and a search in the middle.
TEST_CASE("several planes in passes of any shape give the cells of the reference") {
  if (CompiledStepper::missing()) return;
  for (const char* text : {"/2/3", "345/2/4", "12/347/7", "B2/S346/C24", "WireWorld"}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const BackendSpec spec = make_spec(131, 350, boundary, text);
      const Soup soup{11, 32768, static_cast<std::uint16_t>(spec.rule.states())};
      const auto judge = reference().create(spec);
      judge->fill(soup);
      judge->step(21);
      const CellGrid wanted = judge->download();
      for (const int generations : {1, 2, 8, 16}) {
        Tuning tuning;
        tuning.generations = generations;
        tuning.rows = generations > 2 ? 8 : 4;
        tuning.threads = 3;
        CompiledPlanesBackend backend(spec, {"cpu", "", "compiled", {}}, tuning, 100'000);
        backend.fill(soup);
        backend.step(9);
        backend.step(12);
        INFO(std::string(text) << " by " << generations);
        CHECK(backend.download() == wanted);
      }
    }
  }
}
