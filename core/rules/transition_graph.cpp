#include "core/rules/transition_graph.h"

#include <algorithm>
#include <map>
#include <new>
#include <utility>

namespace tessera {
namespace {

// Entries of a node: what fits the caches nearest to the core with many of its like.
constexpr std::uint32_t kMostFan = 512;
constexpr std::uint32_t kMostEntries = 1 << 25;
constexpr std::size_t kMostKnownBytes = std::size_t{1} << 27;
// Entries that are given together when one of them is new.
constexpr std::uint32_t kPage = 256;

std::uint32_t power(int base, std::size_t exponent) {
  std::uint32_t value = 1;
  for (std::size_t i = 0; i < exponent; i++) value *= static_cast<std::uint32_t>(base);
  return value;
}

}  // namespace

TransitionGraph::TransitionGraph(const FileRule& rule)
    : transitions_(file_transitions(rule)),
      states_(rule.states),
      entries_(std::calloc(kMostEntries, sizeof(Entry))),
      pages_(kMostEntries / kPage) {
  static_assert(sizeof(Entry) == 4 && Entry::is_always_lock_free);
  if (!entries_) throw std::bad_alloc();
  const std::size_t cells = transitions_->cells().size();
  std::size_t most = 1;
  while (most < cells && power(states_, most + 1) <= kMostFan) most++;
  const std::size_t levels = (cells + most - 1) / most;
  for (std::size_t level = 0; level < levels; level++) {
    const std::size_t first = cells * level / levels;
    levels_.push_back({first, cells * (level + 1) / levels - first});
    fan_.push_back(power(states_, levels_.back().count));
    used_ = std::max(used_, fan_.back());
  }
  nodes_.resize(levels);
  root_ = node_of(0, transitions_->start());
}

std::shared_ptr<TransitionGraph> TransitionGraph::of(const FileRule& rule) {
  static std::mutex mutex;
  static std::map<const FileRule*, std::weak_ptr<TransitionGraph>> all;
  const std::lock_guard lock(mutex);
  std::weak_ptr<TransitionGraph>& kept = all[&rule];
  std::shared_ptr<TransitionGraph> graph = kept.lock();
  if (!graph) kept = graph = std::make_shared<TransitionGraph>(rule);
  return graph;
}

std::size_t TransitionGraph::KnownHash::operator()(const Known& known) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  for (const std::uint32_t each : known) {
    hash = (hash ^ each) * 0xD1342543DE82EF95;
    hash ^= hash >> 32;
  }
  return hash;
}

// The node of a level for what is known, or 0 where there is no room for it.
std::uint32_t TransitionGraph::node_of(std::size_t level, Known known) {
  auto& nodes = nodes_[level];
  if (const auto found = nodes.find(known); found != nodes.end()) return found->second;
  const std::size_t bytes = known.size() * sizeof(std::uint32_t) + 128;
  if (used_ + fan_[level] > kMostEntries || known_bytes_ + bytes > kMostKnownBytes) return 0;
  known_bytes_ += bytes;
  const std::uint32_t node = used_;
  used_ += fan_[level];
  const auto at = nodes.emplace(std::move(known), node).first;
  known_.emplace(node, &at->first);
  return node;
}

void TransitionGraph::keep(std::uint32_t at, std::uint32_t value) {
  entries()[at].store(value, std::memory_order_relaxed);
  pages_[at / kPage] = ++made_;
}

std::vector<TransitionGraph::Piece> TransitionGraph::news(std::uint64_t& seen) const {
  const std::lock_guard lock(mutex_);
  std::vector<Piece> out;
  for (std::uint32_t page = 0; page * kPage < used_; page++) {
    if (pages_[page] <= seen) continue;
    const std::uint32_t first = page * kPage, end = std::min(first + kPage, used_);
    if (out.empty() || out.back().first + out.back().entries.size() != first)
      out.push_back({first, {}});
    for (std::uint32_t at = first; at < end; at++)
      out.back().entries.push_back(entries()[at].load(std::memory_order_relaxed));
  }
  seen = made_;
  return out;
}

std::uint32_t TransitionGraph::size() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint8_t TransitionGraph::next(const std::uint8_t* states) {
  std::unique_lock lock(mutex_);
  std::uint32_t node = root_;
  Known known;  // where there is no node any more
  for (std::size_t level = 0; level < levels_.size(); level++) {
    const auto [first, count] = levels_[level];
    std::uint32_t entry = 0;
    for (std::size_t i = first; i < first + count; i++)
      entry = entry * static_cast<std::uint32_t>(states_) + states[i];
    const std::uint32_t child = node == 0 ? 0 : follow(node, entry);
    if (child != 0) {
      node = child;
      continue;
    }
    if (node != 0) known = *known_.at(node);
    for (std::size_t i = first; i < first + count; i++)
      known = transitions_->read(known, i, states[i]);
    std::uint32_t made = 0;
    if (level + 1 == levels_.size()) {
      made = known.front() + 1;
    } else if (node != 0) {
      made = node_of(level + 1, known);
    }
    if (node != 0 && made != 0) keep(node + entry, made);
    node = made;
    // Without room, other threads need not wait.
    if (node == 0 && lock.owns_lock()) lock.unlock();
  }
  return static_cast<std::uint8_t>(node - 1);
}

}  // namespace tessera
