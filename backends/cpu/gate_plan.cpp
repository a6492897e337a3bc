#include "backends/cpu/gate_plan.h"

#include <algorithm>
#include <cstddef>

namespace tessera {
namespace {

// Words of scratch memory that stay in the L1 cache, and of the longest row of a block.
constexpr std::int64_t kCached = 3072, kMostColumns = 32;
constexpr std::int64_t kFewestRows = 4;

// A value of the program: a column of cells, a function of rows or a gate. What stands for three
// signals (one per row of a neighbourhood) is one value.
struct Value {
  int buffer = -1;
  std::size_t last_use = 0;  // the step
};

struct Use {
  std::size_t value;
  int row;  // 0 to 2; 1 for gates, which have one row
};

Use use_of(const GateProgram& program, int signal) {
  if (signal < 9) return {static_cast<std::size_t>(signal % 3), signal / 3};
  const int function = (signal - 9) / 3;
  if (signal < program.first_gate()) return {static_cast<std::size_t>(3 + function), signal % 3};
  return {3 + program.rows.size() + static_cast<std::size_t>(signal - program.first_gate()), 1};
}

// Gives every value a buffer; returns how many there are.
int give_buffers(const GateProgram& program, std::vector<Value>& values) {
  const std::size_t rows = program.rows.size();
  for (std::size_t cell = 0; cell < 3; cell++) {
    values[cell] = {static_cast<int>(cell), rows == 0 ? 0 : rows - 1};
  }
  for (std::size_t k = 0; k < program.gates.size(); k++) {
    for (const int signal : program.gates[k].in)
      values[use_of(program, signal).value].last_use = rows + k;
  }
  int buffers = 3;
  std::vector<int> free;
  for (std::size_t step = 0; step + 3 < values.size(); step++) {
    Value& made = values[3 + step];
    if (free.empty()) free.push_back(buffers++);
    made.buffer = free.back();
    free.pop_back();
    for (std::size_t v = 0; v < 3 + step; v++) {
      if (values[v].last_use == step) free.push_back(values[v].buffer);
    }
    // What nobody reads ends here, too.
    if (made.last_use <= step && 4 + step < values.size()) free.push_back(made.buffer);
  }
  return buffers;
}

}  // namespace

GatePlan::GatePlan(const GateProgram& program, std::int64_t words, std::int64_t grid_rows) {
  std::vector<Value> values(3 + program.rows.size() + program.gates.size());
  buffers = give_buffers(program, values);
  columns = std::min(words, kMostColumns);
  const std::int64_t wanted = kCached / buffers / columns - 2;
  rows = std::min(grid_rows, std::max(kFewestRows, wanted));
  // What is computed beyond the end of a block is not read.
  stride = whole_vectors((rows + 2) * columns) + kGateWords;
  const auto place = [&](int buffer, int row) { return buffer * stride + row * columns; };
  const auto& functions = gate_functions();
  for (std::size_t i = 0; i < program.rows.size(); i++) {
    steps.push_back({functions[program.rows[i]],
                     {place(0, 0), place(1, 0), place(2, 0)},
                     place(values[3 + i].buffer, 0),
                     true});
  }
  for (std::size_t k = 0; k < program.gates.size(); k++) {
    const ProgramGate& gate = program.gates[k];
    Step step{functions[gate.table], {}, 0, false};
    for (std::size_t i = 0; i < 3; i++) {
      const Use use = use_of(program, gate.in[i]);
      step.in[i] = place(values[use.value].buffer, use.row);
    }
    step.out = place(values[3 + program.rows.size() + k].buffer, 1);
    steps.push_back(step);
  }
}

}  // namespace tessera
