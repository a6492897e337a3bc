#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/patterns/macrocell_lines.h"
#include "core/rules/rule.h"

namespace tessera {
namespace {

using Node = Quadtree::Node;

constexpr std::size_t kMostPlanes = 8;
static_assert(kMostStates == 1 << kMostPlanes);

// A square by those of its planes.
using Planes = std::array<Node, kMostPlanes>;

struct PlanesHash {
  std::size_t operator()(const Planes& planes) const {
    std::uint64_t hash = 0;
    for (const Node node : planes) {
      hash = (hash ^ node) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// Numbers the squares, each different one once, and writes a line for each.
class SquareWriter {
 public:
  SquareWriter(const Quadtree& tree, TextSink& sink) : tree_(&tree), sink_(&sink) {}

  // The number of the square of these planes, of which all but empty ones have this level; 0 for
  // an empty one.
  std::uint32_t write(const Planes& planes, int level) {
    if (planes == Planes{}) return 0;
    if (const auto known = squares_.find(planes); known != squares_.end()) return known->second;
    const std::uint32_t number =
        level == Quadtree::kLeafLevel ? write_leaf(planes) : write_join(planes, level);
    squares_.emplace(planes, number);
    return number;
  }

  void finish() { sink_->write(lines_); }

 private:
  std::uint32_t write_join(const Planes& planes, int level) {
    std::array<std::uint32_t, 4> parts;
    for (std::size_t i = 0; i < 4; i++) {
      Planes part;
      for (std::size_t p = 0; p < kMostPlanes; p++) part[p] = tree_->parts(planes[p])[i];
      parts[i] = write(part, level - 1);
    }
    return add(level, parts);
  }

  std::uint32_t write_leaf(const Planes& planes) {
    std::array<std::uint64_t, kMostPlanes> bits;
    for (std::size_t p = 0; p < kMostPlanes; p++) bits[p] = tree_->cells(planes[p]);
    return write_small(Quadtree::kLeafLevel, [&](unsigned x, unsigned y) {
      std::uint32_t state = 0;
      for (std::size_t p = 0; p < kMostPlanes; p++)
        state |= static_cast<std::uint32_t>(bits[p] >> (8 * y + x) & 1) << p;
      return state;
    });
  }

  // The number of a square of level 0 to 3, that of a cell being its state.
  template <class StateAt>
  std::uint32_t write_small(int level, const StateAt& state_at, unsigned x = 0, unsigned y = 0) {
    if (level == 0) return state_at(x, y);
    std::array<std::uint32_t, 4> parts;
    const unsigned half = 1u << (level - 1);
    for (unsigned i = 0; i < 4; i++)
      parts[i] = write_small(level - 1, state_at, x + half * (i & 1), y + half * (i >> 1));
    if (parts == std::array<std::uint32_t, 4>{}) return 0;
    // Leaves are told apart by their planes.
    if (level == Quadtree::kLeafLevel) return add(level, parts);
    auto& known = small_[static_cast<std::size_t>(level)];
    const auto [at, made] = known.try_emplace(parts, 0);
    if (made) at->second = add(level, parts);
    return at->second;
  }

  std::uint32_t add(int level, const std::array<std::uint32_t, 4>& parts) {
    if (count_ == std::numeric_limits<std::uint32_t>::max())
      throw InputError("the pattern has more than 2^32 different squares; .rle is accepted");
    fmt::format_to(std::back_inserter(lines_), "{} {} {} {} {}\n", level, parts[0], parts[1],
                   parts[2], parts[3]);
    if (lines_.size() >= 65536) {
      sink_->write(lines_);
      lines_.clear();
    }
    return ++count_;
  }

  const Quadtree* tree_;
  TextSink* sink_;
  std::unordered_map<Planes, std::uint32_t, PlanesHash> squares_;
  std::array<std::map<std::array<std::uint32_t, 4>, std::uint32_t>, Quadtree::kLeafLevel>
      small_;  // by level
  std::uint32_t count_ = 0;
  std::string lines_;
};

}  // namespace

void write_macrocell_states(const Quadtree& tree, const std::vector<Node>& planes, TextSink& sink) {
  Planes root{};
  std::ranges::copy(planes, root.begin());
  int level = 0;
  for (const Node node : planes) level = std::max(level, tree.level(node));
  SquareWriter writer(tree, sink);
  writer.write(root, level);
  writer.finish();
}

}  // namespace tessera
