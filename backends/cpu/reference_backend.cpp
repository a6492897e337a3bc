#include "backends/cpu/reference_backend.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "backends/cpu/plain_table.h"
#include "core/cells/state_hash.h"
#include "core/stepping/surroundings.h"

namespace tessera {

ReferenceBackend::ReferenceBackend(const BackendSpec& spec, BackendInfo info)
    : StepBackend(spec, std::move(info)),
      cells_(static_cast<std::size_t>(spec.width * spec.height)),
      next_(cells_.size()),
      ringed_(static_cast<std::size_t>((spec.width + 2) * (spec.height + 2))),
      counts_(static_cast<std::size_t>(spec.width)) {}

std::int64_t ReferenceBackend::bytes_needed(const BackendSpec& spec) {
  return 2 * spec.width * spec.height + (spec.width + 2) * (spec.height + 2) + spec.width;
}

void ReferenceBackend::do_upload(const CellGrid& cells) { do_edit({0, 0}, cells); }

void ReferenceBackend::do_edit(const Cell& to, const CellGrid& cells) {
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      at(to.x + x, to.y + y) = static_cast<std::uint8_t>(cells.state(x, y));
    }
  }
}

// The state that is seen at a place inside or at most one step beyond an edge. On a torus indexes
// are modular, and a cell may be its own neighbour or count more than once. Outside a plane all
// cells are dead.
std::uint8_t ReferenceBackend::seen(std::int64_t x, std::int64_t y) const {
  const std::int64_t width = spec().width, height = spec().height;
  if (!spec().plain_edges()) {
    const Cell cell = *Surroundings(spec()).cell({x, y});
    return at(cell.x, cell.y);
  }
  if (spec().boundary == Boundary::torus) {
    x = x < 0 ? x + width : x == width ? 0 : x;
    y = y < 0 ? y + height : y == height ? 0 : y;
  } else if (x < 0 || y < 0 || x >= width || y >= height) {
    return 0;
  }
  return at(x, y);
}

// Copies the cells with a ring of what is seen beyond the edges.
void ReferenceBackend::copy_with_ring() {
  const std::int64_t width = spec().width, height = spec().height;
  for (std::int64_t y = -1; y <= height; y++) {
    std::uint8_t* const row = ringed_row(y);
    if (y < 0 || y == height) {
      for (std::int64_t x = 0; x < width; x++) row[x] = seen(x, y);
    } else {
      std::copy_n(&at(0, y), width, row);
    }
    row[-1] = seen(-1, y);
    row[width] = seen(width, y);
  }
}

// The cells of state 1 among the eight neighbours, of each cell of a row.
void ReferenceBackend::count_neighbours(std::int64_t y) {
  const std::uint8_t* const above = ringed_row(y - 1);
  const std::uint8_t* const row = ringed_row(y);
  const std::uint8_t* const below = ringed_row(y + 1);
  std::uint8_t* const counts = counts_.data();
  for (std::int64_t x = 0; x < spec().width; x++) {
    counts[x] = static_cast<std::uint8_t>(
        (above[x - 1] == 1) + (above[x] == 1) + (above[x + 1] == 1) + (row[x - 1] == 1) +
        (row[x + 1] == 1) + (below[x - 1] == 1) + (below[x] == 1) + (below[x + 1] == 1));
  }
}

// The cells of state 1 among the neighbours of any range, and the cell itself where it counts.
int ReferenceBackend::count_in_range(const RangeRule& rule, std::int64_t x, std::int64_t y) const {
  const std::int64_t width = spec().width, height = spec().height;
  int count = rule.middle && at(x, y) == 1;
  for (int dy = -rule.radius; dy <= rule.radius; dy++) {
    for (int dx = -rule.radius; dx <= rule.radius; dx++) {
      if (!rule.neighbour(dx, dy)) continue;
      std::int64_t nx = x + dx, ny = y + dy;
      if (spec().boundary == Boundary::torus) {
        nx = floor_mod(nx, width);
        ny = floor_mod(ny, height);
      }
      if (nx >= 0 && ny >= 0 && nx < width && ny < height) count += at(nx, ny) == 1;
    }
  }
  return count;
}

// The cell and its neighbours as the number that NeighbourhoodTable has for them.
int ReferenceBackend::pattern_at(std::int64_t x, std::int64_t y) const {
  int pattern = 0;
  for (std::int64_t ny = y - 1; ny <= y + 1; ny++) {
    const std::uint8_t* const row = ringed_row(ny);
    for (std::int64_t nx = x - 1; nx <= x + 1; nx++) pattern = 2 * pattern + (row[nx] == 1);
  }
  return pattern;
}

int ReferenceBackend::next_state(const Rule& rule, std::int64_t x, std::int64_t y) const {
  if (rule.from_file())
    return plain_next(*rule.file, [&](int dx, int dy) { return ringed_row(y + dy)[x + dx]; });
  const int state = at(x, y);
  if (rule.family == RuleFamily::wire_world) {
    if (state < 3) return state == 0 ? 0 : state + 1;
    const int heads = counts_[static_cast<std::size_t>(x)];
    return heads == 1 || heads == 2 ? 1 : 3;
  }
  // The dying grow older, whatever is around them.
  if (state > 1) return (state + 1) % rule.states();
  if (rule.ranged()) {
    const CountSet& counts = state == 1 ? rule.range->survival : rule.range->birth;
    if (counts.has(count_in_range(*rule.range, x, y))) return 1;
    return state == 0 ? 0 : 2 % rule.states();
  }
  const bool lives = rule.counts_eight()
                         ? rule.next(state == 1, counts_[static_cast<std::size_t>(x)])
                         : rule.table.at(pattern_at(x, y));
  if (lives) return 1;
  return state == 0 ? 0 : 2 % rule.states();
}

void ReferenceBackend::do_step(std::int64_t generations) {
  for (std::int64_t g = 0; g < generations; g++) {
    const Rule& rule = rule_of(g);
    copy_with_ring();
    for (std::int64_t y = 0; y < spec().height; y++) {
      count_neighbours(y);
      for (std::int64_t x = 0; x < spec().width; x++) {
        next_[y * spec().width + x] = static_cast<std::uint8_t>(next_state(rule, x, y));
      }
    }
    cells_.swap(next_);
  }
}

CellGrid ReferenceBackend::do_download(const Rect& rect) {
  CellGrid out(rect.width, rect.height, spec().rule.planes());
  for (std::int64_t y = 0; y < rect.height; y++) {
    for (std::int64_t x = 0; x < rect.width; x++) out.set_state(x, y, at(rect.x + x, rect.y + y));
  }
  return out;
}

void ReferenceBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  for (std::int64_t py = 0; py < counts.height; py++) {
    for (std::int64_t px = 0; px < counts.width; px++) {
      std::uint64_t live = 0;
      for (std::int64_t y = py * scale; y < std::min((py + 1) * scale, rect.height); y++) {
        for (std::int64_t x = px * scale; x < std::min((px + 1) * scale, rect.width); x++) {
          live += at(rect.x + x, rect.y + y) != 0;
        }
      }
      counts.row(py)[px] = live;
    }
  }
}

Survey ReferenceBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                   std::int64_t row0) {
  Survey found;
  for (std::int64_t y = rect.y; y < rect.y + rect.height; y++) {
    std::array<std::uint64_t, 8> words{};  // of each plane
    for (std::int64_t x = rect.x; x < rect.x + rect.width; x++) {
      if (at(x, y)) {
        for (std::size_t p = 0; p < words.size(); p++)
          words[p] |= std::uint64_t{at(x, y)} >> p << 63 >> (63 - x % 64);
        if (parts.population) found.population++;
        if (parts.bounds && !found.bounds) found.bounds = Bounds{x, y, x, y};
        if (parts.bounds) {
          Bounds& box = *found.bounds;
          box = {std::min(box.xmin, x), box.ymin, std::max(box.xmax, x), y};
        }
      }
      if (x % 64 < 63 && x + 1 < rect.x + rect.width) continue;
      for (std::size_t p = 0; p < words.size(); p++) {
        if (parts.hash && words[p] != 0)
          found.hash += hash_word(words[p], column0 + x / 64, row0 + y, static_cast<int>(p));
      }
      words = {};
    }
  }
  return found;
}

}  // namespace tessera
