#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/gate_vectors.h"
#include "core/rules/range_gates.h"
#include "core/rules/state_program.h"

namespace tessera {

/// What follows the counts of a rule of longer range: gates from the bits of the counts and the
/// planes of the cells to the planes of the next generation.
///
/// Signals 0 to bits - 1 are the count's bits (RangeGates), then come the planes, and then the
/// outputs of the gates. A gate reads only signals before its own.
struct EndProgram {
  explicit EndProgram(const Rule& rule);

  int bits = 0;
  /// Codes, planes, and which of them move (StateProgram::next). Its `lives` is empty.
  StateProgram states;
  std::vector<ProgramGate> gates;
  /// The signals that planes become, each of another gate, in the order of the planes' numbers.
  std::vector<std::uint16_t> next;

  int inputs() const { return bits + states.planes; }
  int cost() const { return static_cast<int>(gates.size()); }
};

/// An EndProgram, its gates interpreted one after the other over a row of words.
class EndGates {
 public:
  /// Where a row lies: the planes of sums, those of cells, those that gates make (in the order of
  /// their numbers), and as many buffers as `buffers` says, each at a multiple of `stride` words
  /// from the first.
  struct Row {
    const std::uint64_t* sums;
    std::uint64_t* buffers;
    std::int64_t stride;
    std::array<const std::uint64_t*, 16> from;
    std::array<std::uint64_t*, 16> to;
    std::int64_t words;  ///< a multiple of kGateWords
  };

  explicit EndGates(const EndProgram& program);

  void run(const Row& row) const;

  int buffers() const { return buffers_; }

 private:
  enum class Kind : std::uint8_t { sum, plane, buffer, made };
  struct Place {
    Kind kind = Kind::sum;
    std::uint16_t at = 0;
  };
  struct Step {
    GateFunction function;
    std::array<Place, 3> in;
    Place out;
  };

  static std::uint64_t* at(const Row& row, const Place& place);

  std::vector<Step> steps_;
  int buffers_ = 0;
};

}  // namespace tessera
