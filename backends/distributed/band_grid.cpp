#include "backends/distributed/band_grid.h"

namespace tessera {

namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 27;  // of a soup in the host's memory

}  // namespace

void BandGrid::place(const DistributedPlan& plan, std::size_t i, const BackendSpec& spec) {
  own = plan.bands[i];
  width = spec.width;
  above = plan.crew ? own.first : plan.above(i, spec);
  left = plan.left(spec);
}

bool BandGrid::slide(const BandRows& rows) {
  const std::int64_t halos = backend->spec().height - own.rows;
  if (!backend->slide(rows.first - own.first, rows.rows + halos)) return false;
  own = rows;
  return true;
}

void BandGrid::fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) {
  const Rect part = common({0, y, width, rows});
  if (part.empty()) return;
  const auto words = static_cast<std::uint64_t>(ceil_div(width, 64));
  index += static_cast<std::uint64_t>(part.y - y) * words;
  if (left == 0) return backend->fill(soup, row(part.y), part.height, index);
  // Rows of a soup are as wide as the backend's grid, which has more columns here.
  const std::int64_t most = std::max<std::int64_t>(1, kMostCells / width);
  for (std::int64_t done = 0; done < part.height; done += most) {
    const std::int64_t now = std::min(most, part.height - done);
    backend->edit(local(Cell{0, part.y + done}),
                  make_soup_cells(soup, width, now, backend->spec().rule.planes(),
                                  index + static_cast<std::uint64_t>(done) * words));
  }
}

void BandGrid::edit(const Cell& at, const CellGrid& cells) {
  const Rect part = common({at.x, at.y, cells.width(), cells.height()});
  if (part.empty()) return;
  backend->edit(local(Cell{part.x, part.y}),
                cells.window({0, part.y - at.y, part.width, part.height}));
}

Survey BandGrid::survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                        std::int64_t row0) {
  const Rect part = common(rect);
  if (part.empty()) return {};
  const std::int64_t shift = own.first - above;
  Survey found = backend->survey(local(part), parts, column0 - left / 64, row0 + shift);
  if (found.bounds) found.bounds = found.bounds->shifted(-left, shift);
  return found;
}

// A band's rows begin and end within pixels, whose counts are added up.
std::vector<BandGrid::PixelRowsOfBand> BandGrid::view(const Rect& rect, std::int64_t scale) {
  std::vector<PixelRowsOfBand> found;
  const Rect part = common(rect);
  if (part.empty()) return found;
  const auto add = [&](std::int64_t y, std::int64_t end) {
    if (y >= end) return;
    found.push_back({(y - rect.y) / scale, {}});
    backend->view(local(Rect{rect.x, y, rect.width, end - y}), scale, found.back().counts);
  };
  // Written without sums that could overflow: a scale may be as large as the rectangle.
  const std::int64_t first = part.y - rect.y, end = part.y + part.height;
  const std::int64_t middle =
      std::min(end, rect.y + std::min(ceil_div(first, scale) * scale, rect.height));
  add(part.y, middle);
  add(middle, end);
  return found;
}

}  // namespace tessera
