// A launch whose blocks wait for each other, or several such on devices of their own: all of their
// parts by turns, each until it waits, in orders that bring them as far apart as they may come.
// Other threads may run launches that these wait for.
#ifndef TESSERA_TOGETHER_CUH
#define TESSERA_TOGETHER_CUH

#include "warp.cuh"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/cells/soup.h"

namespace emulated {

/// Which part goes on of those that can: the first, the last, or anybody.
enum class Order { first, last, any };
inline constexpr Order kOrders[] = {Order::first, Order::last, Order::any};

/// The parts that run by turns: warps, or whole blocks, whose lanes meet at barriers.
struct Parts {
  std::vector<std::size_t> blocks;  ///< of each launch
  std::size_t a_block;              ///< parts of a block
  unsigned int lanes;               ///< of a part
  std::size_t room;                 ///< shared memory of a block, 16 bytes each
};

/// Runs all parts of the launches, of which kernel(i) is a lane of one; false where none can go on.
/// `progress` changes when one has; `seed` draws an order. Then `patient` is asked whether to look
/// again, for what other threads may have done.
inline bool run_together(const Parts& parts, const std::function<void(std::size_t)>& kernel,
                         Order order, const std::function<std::uint64_t()>& progress,
                         std::uint64_t seed, const std::function<bool()>& patient = {}) {
  static thread_local std::vector<Warp> all;
  const std::size_t blocks = std::accumulate(parts.blocks.begin(), parts.blocks.end(), 0ul);
  const std::size_t count = blocks * parts.a_block;
  all.resize(std::max(all.size(), count));
  at_barrier.assign(parts.a_block > 1 ? blocks : 0, 0);
  rooms.assign(blocks, std::vector<uint4>(parts.room, {~0u, 0, ~0u, 0}));
  blockDim.x = static_cast<unsigned int>(parts.a_block) * parts.lanes;
  while_awaiting = rest;
  // The launch of a block.
  const auto launch_of = [&](std::size_t block) {
    std::size_t launch = 0, first = 0;
    while (block - first >= parts.blocks[launch]) first += parts.blocks[launch++];
    first_block = static_cast<unsigned int>(first);
    blockIdx.x = static_cast<unsigned int>(block - first);
    gridDim.x = static_cast<unsigned int>(parts.blocks[launch]);
    return launch;
  };
  const auto in_turn = [&](std::size_t i, const auto& action) {
    std::swap(warp, all[i]);
    launch_of(i / parts.a_block);
    const bool ended = action();
    std::swap(warp, all[i]);
    return ended;
  };
  const auto so_far = [&] {
    return std::accumulate(at_barrier.begin(), at_barrier.end(), progress());
  };
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < count; i++) {
    all[i].kernel = [&kernel, launch = launch_of(i / parts.a_block)] { kernel(launch); };
    left.push_back(i);
    in_turn(i, [&] {
      start_lanes(parts.lanes);
      return false;
    });
  }
  std::size_t begin = 0, waiting = 0;  // the first that is asked; how many were in vain
  while (!left.empty()) {
    if (waiting == left.size()) {
      if (!patient || !patient()) break;
      waiting = 0;
    }
    std::size_t at = (begin + waiting) % left.size();
    if (order == Order::last) at = left.size() - 1 - at;
    const std::uint64_t before = so_far();
    const bool ended = in_turn(left[at], [&] {
      return go_on(static_cast<unsigned int>(left[at] % parts.a_block) * parts.lanes, parts.lanes);
    });
    waiting = ended || so_far() != before ? 0 : waiting + 1;
    if (ended) left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    if (waiting == 0 && order == Order::any)
      begin = static_cast<std::size_t>(tessera::mix64(seed++) % 1000);
  }
  // Of parts that never end.
  if (!left.empty()) all_copies.fill({});
  while_awaiting = nullptr;
  at_barrier.clear();
  blockDim.x = gridDim.x = 1;
  first_block = 0;
  return left.empty();
}

}  // namespace emulated

#endif
