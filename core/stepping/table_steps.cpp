#include "core/stepping/table_steps.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tessera {

namespace {

// Generations that are queued at a time: few where something was missing, since what follows it is
// queued in vain.
constexpr std::int64_t kFirstTableSteps = 4, kMostTableSteps = 512;
// A copy begins with room for so many entries, and then doubles.
constexpr std::int64_t kLeastRoom = 1 << 14;
// Words whose cells may all be unknown.
constexpr std::int64_t kPartWords = TableDevice::kMostUnknown / 32;

}  // namespace

TableSteps::TableSteps(const BackendSpec& spec) : batch_(kFirstTableSteps) {
  graphs_[0] = TransitionGraph::of(*spec.rule.file);
  if (spec.odd_rule) graphs_[1] = TransitionGraph::of(*spec.odd_rule->file);
}

// Whether there were any.
bool TableSteps::send_news(TableDevice& device, int rule) {
  const TransitionGraph& graph = *graphs_[static_cast<std::size_t>(rule)];
  Copy& copy = copies_[static_cast<std::size_t>(rule)];
  std::uint64_t seen = copy.seen;
  std::vector<TransitionGraph::Piece> news = graph.news(seen);
  // Others may use the graph and make it larger meanwhile.
  while (graph.size() > copy.room) {
    const auto size = static_cast<std::uint64_t>(graph.size());
    const auto room = std::max(kLeastRoom, static_cast<std::int64_t>(std::bit_ceil(size)));
    copy = {};
    device.make_room(rule, room);
    copy.room = room;
    seen = 0;
    news = graph.news(seen);
  }
  for (const TransitionGraph::Piece& piece : news) device.send(rule, piece);
  copy.seen = seen;
  return !news.empty();
}

std::uint8_t TableSteps::next(int rule, const UnknownCell& cell) {
  std::array<std::uint8_t, TableLine::kMostInputs> states{};
  for (std::size_t i = 0; i < states.size(); i++)
    states[i] = static_cast<std::uint8_t>(cell.states[i / 4] >> 8 * (i % 4));
  return graphs_[static_cast<std::size_t>(rule)]->next(states.data());
}

void TableSteps::step(TableDevice& device, std::int64_t generations, bool odd) {
  for (int rule = 0; rule < rules(); rule++) send_news(device, rule);
  while (generations > 0) {
    const std::int64_t now = std::min(generations, batch_);
    device.begin_steps();
    for (std::int64_t n = 0; n < now; n++) {
      device.queue(rule_of(odd != (n % 2 != 0)), static_cast<std::uint32_t>(n), 0, device.words());
    }
    const TableDevice::Stop stop = device.stopped();
    const bool whole = stop.generation == TableDevice::Stop::kNone;
    const std::int64_t done = whole ? now : static_cast<std::int64_t>(stop.generation);
    device.advance(done);
    generations -= done;
    odd = odd != (done % 2 != 0);
    batch_ = whole ? std::min(2 * batch_, kMostTableSteps) : kFirstTableSteps;
    if (whole) continue;
    const int rule = rule_of(odd);
    for (const UnknownCell& cell : stop.cells) next(rule, cell);
    if (send_news(device, rule)) continue;
    step_by_host(device, rule);
    generations--;
    odd = !odd;
  }
}

// A generation of which nothing that is missing can be kept, in parts so small that no unknown cell
// is forgotten.
void TableSteps::step_by_host(TableDevice& device, int rule) {
  for (std::int64_t first = 0; first < device.words(); first += kPartWords) {
    device.begin_steps();
    device.queue(rule, 0, first, std::min(first + kPartWords, device.words()));
    std::vector<UnknownCell> cells = device.stopped().cells;
    for (UnknownCell& cell : cells) cell.states[0] = next(rule, cell);
    if (!cells.empty()) device.put(cells);
  }
  device.advance(1);
}

}  // namespace tessera
