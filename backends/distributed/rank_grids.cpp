#include "backends/distributed/rank_grids.h"

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/distributed/rank_crew.h"
#include "backends/distributed/rank_spec.h"
#include "backends/tuning/tunings.h"
#include "core/files/checkpoint_shards.h"

namespace tessera {

namespace {

constexpr int kCells = 200;  // tag of the first plane of cells

Rect rows_of(const Rect& rect, const BandRows& rows) {
  return rect.common({rect.x, rows.first, rect.width, rows.rows});
}

// What the first rank steps by, but for the threads: memory that all share has one layout, and
// ranks whose threads differ would choose several.
void take_shape(Communicator& us, Tuning& tuning) {
  std::array<std::uint64_t, 4> shape{};
  const std::array<int*, 4> fields{&tuning.generations, &tuning.rows, &tuning.words, &tuning.group};
  for (std::size_t i = 0; us.rank() == 0 && i < shape.size(); i++)
    shape[i] = static_cast<std::uint64_t>(*fields[i]);
  us.reduce(Reduction::sum, shape);
  for (std::size_t i = 0; i < shape.size(); i++) *fields[i] = static_cast<int>(shape[i]);
}

}  // namespace

bool RankGrids::carry_out(RankTask task, RankMessage& message) {
  switch (task) {
    case RankTask::create:
      make_grid(message);
      break;
    case RankTask::destroy:
      drop_grid(message);
      break;
    case RankTask::fill:
      fill_part(message);
      break;
    case RankTask::edit:
      take_part(message, nullptr);
      break;
    case RankTask::step: {
      const auto grid = message.take<std::uint64_t>();
      const auto generations = message.take<std::int64_t>();
      band(grid).step(generations, message.take<bool>());
      break;
    }
    case RankTask::synchronize:
      ranks_.together([&] { band(message.take<std::uint64_t>()).synchronize(); });
      break;
    case RankTask::download:
      give_part(message, nullptr);
      break;
    case RankTask::survey:
      survey_part(message);
      break;
    case RankTask::view:
      view_parts(message);
      break;
    case RankTask::write_shards:
      write_part(message);
      break;
    default:
      return false;
  }
  return true;
}

std::uint64_t RankGrids::create(const RankOrder& order) {
  const std::uint64_t grid = next_++;
  RankMessage message = ranks_.begin(RankTask::create)
                            .put(grid)
                            .put(order.device)
                            .put(order.kernel)
                            .put(order.tuning);
  put_spec(message, order.spec);
  message.put(order.plan.halo)
      .put(order.plan.link)
      .put(order.plan.peers)
      .put(order.plan.crew)
      .put(std::span<const BandRows>(order.plan.bands));
  ranks_.command(message);
  make_grid(message);
  return grid;
}

void RankGrids::make_grid(RankMessage& message) {
  const auto grid = message.take<std::uint64_t>();
  RankOrder order;
  order.device = message.take_text();
  order.kernel = message.take_text();
  order.tuning = message.take<Tuning>();
  order.spec = take_spec(message);
  order.plan.halo = message.take<std::int64_t>();
  order.plan.link = message.take<LinkChoice>();
  order.plan.peers = message.take<bool>();
  order.plan.crew = message.take<bool>();
  order.plan.bands = message.take_all<BandRows>();
  std::unique_ptr<HostCrew> crew;
  std::unique_ptr<StepBackend> backend;
  ranks_.together([&] {
    if (order.plan.crew) crew = std::make_unique<RankCrew>(us());
    const auto me = static_cast<std::size_t>(us().rank());
    if (me >= order.plan.bands.size()) return;
    const Kernel kernel = site_.kernel(order.device, order.kernel);
    BackendSpec spec = order.plan.band_spec(me, order.spec);
    spec.max_memory = memory_share(spec, order.spec);
    spec.crew = crew.get();
    if (!crew && spec.max_memory == 0 && std::string_view(kernel.driver->name()) == "cpu") {
      spec.max_memory = kernel.device.memory / site_.place().locals;
    }
    Tuning tuning = Tunings().complete(kernel, spec, site_.tuning(kernel, order.tuning)).tuning;
    if (crew) take_shape(us(), tuning);
    backend = kernel.create(spec, tuning);
  });
  auto made = std::make_unique<RankBand>(us(), order, std::move(backend), std::move(crew));
  made->on_lost_device(lost_device_);
  ranks_.together([&] { made->join(site_.place().locals == us().size()); });
  grids_[grid] = std::move(made);
}

void RankGrids::destroy(std::uint64_t grid) {
  RankMessage message = ranks_.begin(RankTask::destroy).put(grid);
  ranks_.command(message);
  drop_grid(message);
}

void RankGrids::drop_grid(RankMessage& message) {
  const auto grid = grids_.find(message.take<std::uint64_t>());
  if (grid == grids_.end()) return;
  grid->second->leave();
  grids_.erase(grid);
}

void RankGrids::fill(std::uint64_t grid, const Soup& soup, std::int64_t y, std::int64_t rows,
                     std::uint64_t index) {
  RankMessage message =
      ranks_.begin(RankTask::fill).put(grid).put(soup).put(y).put(rows).put(index);
  ranks_.command(message);
  fill_part(message);
}

void RankGrids::fill_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto soup = message.take<Soup>();
  const auto y = message.take<std::int64_t>(), rows = message.take<std::int64_t>();
  const auto index = message.take<std::uint64_t>();
  mine.changed();
  ranks_.together([&] {
    if (mine.any()) mine.grid().fill(soup, y, rows, index);
  });
}

void RankGrids::edit(std::uint64_t grid, const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  RankMessage message = ranks_.begin(RankTask::edit).put(grid).put(rect).put(cells.planes());
  ranks_.command(message);
  take_part(message, &cells);
}

// Rank 0 gives every rank the rows that are its own, one rank after the other.
void RankGrids::take_part(RankMessage& message, const CellGrid* cells) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const int planes = message.take<int>();
  mine.changed();
  std::exception_ptr error;
  for (int rank = 0; rank < static_cast<int>(mine.bands().size()); rank++) {
    const Rect part = rows_of(rect, mine.bands()[static_cast<std::size_t>(rank)]);
    if (part.empty() || (us().rank() != 0 && us().rank() != rank)) continue;
    CellGrid own = cells ? cells->window({0, part.y - rect.y, part.width, part.height})
                         : CellGrid(part.width, part.height, planes);
    for (int p = 0; p < planes && rank > 0; p++) {
      if (cells) {
        const Outgoing out{rank, kCells + p, std::as_bytes(own.plane(p).words())};
        us().exchange({&out, 1}, {});
      } else {
        const Incoming in{0, kCells + p, std::as_writable_bytes(own.plane(p).words())};
        us().exchange({}, {&in, 1});
      }
    }
    if (rank != us().rank()) continue;
    try {
      mine.grid().edit({part.x, part.y}, own);
    } catch (...) {
      error = std::current_exception();
    }
  }
  ranks_.agree(error);
}

void RankGrids::step(std::uint64_t grid, std::int64_t generations, bool odd) {
  RankMessage message = ranks_.begin(RankTask::step).put(grid).put(generations).put(odd);
  ranks_.command(message);
  band(grid).step(generations, odd);
}

void RankGrids::synchronize(std::uint64_t grid) {
  RankMessage message = ranks_.begin(RankTask::synchronize).put(grid);
  ranks_.command(message);
  ranks_.together([&] { band(grid).synchronize(); });
}

CellGrid RankGrids::download(std::uint64_t grid, const Rect& rect) {
  RankMessage message = ranks_.begin(RankTask::download).put(grid).put(rect);
  CellGrid cells(rect.width, rect.height, band(grid).planes());
  ranks_.command(message);
  give_part(message, &cells);
  return cells;
}

void RankGrids::give_part(RankMessage& message, CellGrid* cells) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const int planes = mine.planes();
  std::optional<CellGrid> own;
  ranks_.together([&] {
    mine.check();
    if (!mine.any()) return;
    BandGrid& grid = mine.grid();
    const Rect part = grid.common(rect);
    if (!part.empty()) own = grid.backend->download(grid.local(part));
  });
  for (int rank = 0; rank < static_cast<int>(mine.bands().size()); rank++) {
    const Rect part = rows_of(rect, mine.bands()[static_cast<std::size_t>(rank)]);
    if (part.empty() || (us().rank() != 0 && us().rank() != rank)) continue;
    if (rank > 0 && cells) own.emplace(part.width, part.height, planes);
    for (int p = 0; p < planes && rank > 0; p++) {
      if (cells) {
        const Incoming in{rank, kCells + p, std::as_writable_bytes(own->plane(p).words())};
        us().exchange({}, {&in, 1});
      } else {
        const Outgoing out{0, kCells + p, std::as_bytes(own->plane(p).words())};
        us().exchange({&out, 1}, {});
      }
    }
    if (cells) cells->paste(0, part.y - rect.y, *own);
  }
}

Survey RankGrids::survey(std::uint64_t grid, const Rect& rect, SurveyParts parts,
                         std::int64_t column0, std::int64_t row0) {
  RankMessage message =
      ranks_.begin(RankTask::survey).put(grid).put(rect).put(parts).put(column0).put(row0);
  ranks_.command(message);
  return survey_part(message);
}

Survey RankGrids::survey_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const auto parts = message.take<SurveyParts>();
  const auto column0 = message.take<std::int64_t>(), row0 = message.take<std::int64_t>();
  Survey found;
  ranks_.together([&] {
    mine.check();
    if (mine.any()) found = mine.grid().survey(rect, parts, column0, row0);
  });
  std::array<std::uint64_t, 2> sums{static_cast<std::uint64_t>(found.population), found.hash};
  us().reduce(Reduction::sum, sums);
  // Coordinates of a grid are not negative; of the most the complement is the least.
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::array<std::uint64_t, 4> box{kNone, kNone, kNone, kNone};
  if (found.bounds) {
    box = {static_cast<std::uint64_t>(found.bounds->xmin),
           static_cast<std::uint64_t>(found.bounds->ymin),
           ~static_cast<std::uint64_t>(found.bounds->xmax),
           ~static_cast<std::uint64_t>(found.bounds->ymax)};
  }
  us().reduce(Reduction::least, box);
  Survey all;
  all.population = static_cast<std::int64_t>(sums[0]);
  all.hash = sums[1];
  if (box[0] != kNone) {
    all.bounds = Bounds{static_cast<std::int64_t>(box[0]), static_cast<std::int64_t>(box[1]),
                        static_cast<std::int64_t>(~box[2]), static_cast<std::int64_t>(~box[3])};
  }
  return all;
}

void RankGrids::view(std::uint64_t grid, const Rect& rect, std::int64_t scale, CellCounts& counts) {
  RankMessage message = ranks_.begin(RankTask::view).put(grid).put(rect).put(scale);
  ranks_.command(message);
  for (RankMessage& each : view_parts(message)) {
    for (auto left = each.take<std::uint64_t>(); left > 0; left--) {
      BandGrid::PixelRowsOfBand rows;
      rows.pixel_row = each.take<std::int64_t>();
      rows.counts.width = each.take<std::int64_t>();
      rows.counts.height = each.take<std::int64_t>();
      rows.counts.pixels = each.take_all<std::uint64_t>();
      counts.add(rows.counts, 0, rows.pixel_row);
    }
  }
}

std::vector<RankMessage> RankGrids::view_parts(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const auto scale = message.take<std::int64_t>();
  std::vector<BandGrid::PixelRowsOfBand> found;
  ranks_.together([&] {
    mine.check();
    if (mine.any()) found = mine.grid().view(rect, scale);
  });
  RankMessage reply;
  reply.put(static_cast<std::uint64_t>(found.size()));
  for (const BandGrid::PixelRowsOfBand& rows : found) {
    reply.put(rows.pixel_row)
        .put(rows.counts.width)
        .put(rows.counts.height)
        .put(std::span<const std::uint64_t>(rows.counts.pixels));
  }
  return ranks_.gather(std::move(reply));
}

std::vector<Shard> RankGrids::write_shards(std::uint64_t grid, const ShardOrder& order,
                                           const Cell& at) {
  RankMessage message = ranks_.begin(RankTask::write_shards).put(grid).put(at);
  put_order(message, order);
  ranks_.command(message);
  std::vector<Shard> shards;
  for (RankMessage& each : write_part(message)) {
    Shard shard{each.take_text(), each.take<std::uint64_t>()};
    if (!shard.file.empty()) shards.push_back(std::move(shard));
  }
  return shards;
}

std::vector<RankMessage> RankGrids::write_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto at = message.take<Cell>();
  const ShardOrder order = take_order(message);
  Shard shard;
  ranks_.together([&] {
    mine.check();
    if (!mine.any()) return;
    BandGrid& grid = mine.grid();
    const Rect& all = order.extent;
    const Rect own = grid.common({all.x - at.x, all.y - at.y, all.width, all.height});
    if (own.empty()) return;
    BandSource cells({own.x + at.x, own.y + at.y, own.width, own.height}, [&](const Rect& rect) {
      return grid.backend->download(
          grid.local({rect.x - at.x, rect.y - at.y, rect.width, rect.height}));
    });
    shard = write_shard(order, us().rank(), cells);
  });
  return ranks_.gather(RankMessage().put(shard.file).put(shard.checksum));
}

}  // namespace tessera
