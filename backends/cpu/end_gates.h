#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/gate_vectors.h"
#include "core/rules/range_gates.h"
#include "core/rules/state_program.h"

namespace tessera {

/// What follows the sums of a rule that counts in boxes: gates from the bits of the sums and the
/// planes of the cells to the planes of the next generation, interpreted one after the other over a
/// row of words.
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

  explicit EndGates(const Rule& rule);

  void run(const Row& row) const;

  int buffers() const { return buffers_; }
  int cost() const { return static_cast<int>(steps_.size()); }
  /// Codes, planes, and which of them move (StateProgram::next). Its `lives` is empty.
  const StateProgram& states() const { return states_; }

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

  StateProgram states_;
  std::vector<Step> steps_;
  int buffers_ = 0;
};

}  // namespace tessera
