#include "backends/cpu/gate_plan.h"

#include <algorithm>
#include <cstddef>

namespace tessera {
namespace {

// Words of scratch memory that stay in the L1 cache, and of the longest row of a block.
constexpr std::int64_t kCachedWords = 3072, kMostBlockColumns = 32;
constexpr std::int64_t kFewestRows = 4;

constexpr std::size_t kPlaneCells = 3;  // values that the neighbourhood of plane 0 takes

// A value of the program: a column of cells, another plane, a function of rows or a gate. What
// stands for three signals (one per row of a neighbourhood) is one value.
struct Value {
  int buffer = -1;
  std::size_t last_use = 0;  // the step
};

struct Use {
  std::size_t value = 0;
  int row = 1;  // 0 to 2; 1 for what has one row
};

struct Op {
  std::uint8_t table = 0;
  std::array<Use, 3> in{};
  bool of_rows = false;
};

// The program as one list of steps; step i makes value `first + i`.
class Ops {
 public:
  explicit Ops(const StateProgram& program)
      : first(kPlaneCells + static_cast<std::size_t>(program.planes - 1)),
        program_(program),
        lives_(program.lives) {
    for (const std::uint8_t table : lives_.rows)
      steps.push_back({table, {{{0, 0}, {1, 0}, {2, 0}}}, true});
    for (const ProgramGate& gate : lives_.gates) add(gate, &Ops::seen);
    lives_value_ = first + steps.size() - 1;
    for (const ProgramGate& gate : program.gates) add(gate, &Ops::own);
  }

  // Where a signal of the program's own gates is.
  Use own(int signal) const {
    if (signal == 0) return {1, 1};
    if (signal < program_.planes) return {kPlaneCells + static_cast<std::size_t>(signal - 1), 1};
    return {lives_value_ + static_cast<std::size_t>(signal - program_.planes), 1};
  }

  std::size_t first;  // value of the first step
  std::vector<Op> steps;

 private:
  // Where a signal of `lives` is.
  Use seen(int signal) const {
    if (signal < 9) return {static_cast<std::size_t>(signal % 3), signal / 3};
    const auto function = static_cast<std::size_t>(signal - 9) / 3;
    if (signal < lives_.first_gate()) return {first + function, signal % 3};
    return {first + lives_.rows.size() + static_cast<std::size_t>(signal - lives_.first_gate()), 1};
  }
  void add(const ProgramGate& gate, Use (Ops::*use)(int) const) {
    const auto& in = gate.in;
    steps.push_back({gate.table, {(this->*use)(in[0]), (this->*use)(in[1]), (this->*use)(in[2])}});
  }

  const StateProgram& program_;
  const GateProgram& lives_;
  std::size_t lives_value_ = 0;
};

// Gives every value a buffer; returns how many there are. What is `kept` has one to the end.
int give_buffers(const Ops& ops, const std::vector<Use>& kept, std::vector<Value>& values) {
  int buffers = 0;
  // Cells are there from the beginning, and after the last function of rows at the earliest free.
  std::size_t rows = 0;
  while (rows < ops.steps.size() && ops.steps[rows].of_rows) rows++;
  for (std::size_t i = 0; i < ops.first; i++)
    values[i] = {buffers++, i < kPlaneCells && rows > 0 ? rows - 1 : 0};
  for (std::size_t step = 0; step < ops.steps.size(); step++) {
    for (const Use& use : ops.steps[step].in)
      values[use.value].last_use = std::max(values[use.value].last_use, step);
  }
  for (const Use& use : kept) values[use.value].last_use = ops.steps.size();
  std::vector<int> free;
  for (std::size_t step = 0; step < ops.steps.size(); step++) {
    Value& made = values[ops.first + step];
    if (free.empty()) free.push_back(buffers++);
    made.buffer = free.back();
    free.pop_back();
    for (std::size_t v = 0; v < ops.first + step; v++) {
      if (values[v].last_use == step) free.push_back(values[v].buffer);
    }
    // What nobody reads ends here, too.
    if (made.last_use <= step) free.push_back(made.buffer);
  }
  return buffers;
}

}  // namespace

GatePlan::GatePlan(const StateProgram& program, std::int64_t words, std::int64_t grid_rows,
                   bool whole) {
  const Ops ops(program);
  std::vector<Use> kept;
  std::vector<int> made;  // planes
  for (int plane = 0; plane < program.planes; plane++) {
    const int signal = program.next[static_cast<std::size_t>(plane)];
    if (signal < program.planes) continue;
    kept.push_back(ops.own(signal));
    made.push_back(plane);
  }
  std::vector<Value> values(ops.first + ops.steps.size());
  buffers = give_buffers(ops, kept, values);
  columns = whole ? words : std::min(words, kMostBlockColumns);
  const std::int64_t wanted = kCachedWords / buffers / columns - 2;
  rows = whole ? grid_rows : std::min(grid_rows, std::max(kFewestRows, wanted));
  // What is computed beyond the end of a block is not read.
  stride = whole_vectors((rows + 2) * columns) + kGateWords;
  const auto place = [&](const Use& use) {
    return values[use.value].buffer * stride + use.row * columns;
  };
  const auto& functions = gate_functions();
  for (std::size_t i = 0; i < ops.steps.size(); i++) {
    const Op& op = ops.steps[i];
    steps.push_back({functions[op.table],
                     {place(op.in[0]), place(op.in[1]), place(op.in[2])},
                     place({ops.first + i, op.of_rows ? 0 : 1}),
                     op.of_rows});
  }
  for (int plane = 1; plane < program.planes; plane++) {
    const Use use = ops.own(plane);
    const auto reads = [&](const Op& op) {
      return std::any_of(op.in.begin(), op.in.end(),
                         [&](const Use& each) { return each.value == use.value; });
    };
    if (std::any_of(ops.steps.begin(), ops.steps.end(), reads)) in.push_back({plane, place(use)});
  }
  for (std::size_t i = 0; i < kept.size(); i++) out.push_back({made[i], place(kept[i])});
}

}  // namespace tessera
