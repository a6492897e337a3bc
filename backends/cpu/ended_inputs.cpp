#include "backends/cpu/ended_inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/gate_table.h"

namespace tessera {
namespace {

// Whether an input can be told from the output and the other inputs.
bool can_be_told(std::uint8_t table, int position) {
  return fixed_input(table, position, false) ==
         static_cast<std::uint8_t>(~fixed_input(table, position, true));
}

class EndedInputs {
 public:
  explicit EndedInputs(CodeBlock& block)
      : block_(block), readers_(static_cast<std::size_t>(block.values)) {
    for (std::size_t i = 0; i < block.ops.size(); i++) {
      for (const int value : block.ops[i].in)
        if (value >= 0) readers_[static_cast<std::size_t>(value)].push_back(i);
    }
    for (const int value : block.leaves)
      readers_[static_cast<std::size_t>(value)].push_back(block.ops.size());
    for (std::size_t i = 0; i < block.ops.size(); i++) end_inputs(i);
  }

 private:
  void end_inputs(std::size_t at) {
    const CodeOp& op = block_.ops[at];
    if (op.kind != CodeOp::Kind::gate || op.in[2] < 0) return;
    const auto ends = [&](int value) {
      return readers_[static_cast<std::size_t>(value)].back() <= at;
    };
    if (std::any_of(op.in.begin(), op.in.end(), ends)) return;
    for (int position = 0; position < 3; position++) {
      const int value = op.in[static_cast<std::size_t>(position)];
      std::vector<std::size_t>& readers = readers_[static_cast<std::size_t>(value)];
      const auto later = std::upper_bound(readers.begin(), readers.end(), at);
      const bool all = std::all_of(later, readers.end(), [&](std::size_t reader) {
        return reader < block_.ops.size() && same_inputs(block_.ops[reader], op);
      });
      if (!all || !can_be_told(op.table, position)) continue;
      for (auto reader = later; reader != readers.end(); ++reader) {
        read_output(block_.ops[*reader], op, position);
        readers_[static_cast<std::size_t>(op.out)].push_back(*reader);
      }
      auto& of_output = readers_[static_cast<std::size_t>(op.out)];
      std::sort(of_output.begin(), of_output.end());
      readers.erase(later, readers.end());
      return;
    }
  }

  static bool same_inputs(const CodeOp& a, const CodeOp& b) {
    return a.kind == CodeOp::Kind::gate && a.in == b.in;
  }

  // Both have the same inputs in the same order.
  static void read_output(CodeOp& reader, const CodeOp& parity, int position) {
    const int bit = 4 >> position;
    // The input is its complement where the parity of a 0 there is not what the output says.
    reader.table = moved_table(reader.table, [&](int i) {
      const bool output = i & bit, of_zero = parity.table >> (i & ~bit) & 1;
      return output == of_zero ? i & ~bit : i | bit;
    });
    reader.in[static_cast<std::size_t>(position)] = parity.out;
  }

  CodeBlock& block_;
  std::vector<std::vector<std::size_t>> readers_;  // of each value, ascending
};

}  // namespace

void end_inputs(CodeBlock& block) { EndedInputs ended(block); }

}  // namespace tessera
