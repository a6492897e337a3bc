#include "backends/distributed/rank_worker.h"

#include <array>
#include <limits>
#include <utility>

#include "backends/distributed/rank_error.h"
#include "backends/distributed/rank_spec.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/files/checkpoint_shards.h"

namespace tessera {

namespace {

constexpr int kLetter = 100, kCells = 200;  // tags

Rect rows_of(const Rect& rect, const BandRows& rows) {
  return rect.common({rect.x, rows.first, rect.width, rows.rows});
}

}  // namespace

RankWorker::RankWorker(Communicator& us, RankPlace place, FindDevice find)
    : us_(us), place_(std::move(place)), find_(std::move(find)) {}

void RankWorker::serve() {
  while (true) {
    std::vector<std::byte> bytes;
    us_.broadcast(bytes);
    RankMessage message(std::move(bytes));
    const auto task = message.take<Task>();
    if (task == Task::end) return;
    try {
      carry_out(task, message);
    } catch (const Error&) {
      // All agreed that it failed, and rank 0 tells.
    }
  }
}

void RankWorker::carry_out(Task task, RankMessage& message) {
  switch (task) {
    case Task::end:
      break;
    case Task::devices:
      find_devices(message);
      break;
    case Task::create:
      make_grid(message);
      break;
    case Task::destroy:
      drop_grid(message);
      break;
    case Task::fill:
      fill_part(message);
      break;
    case Task::edit:
      take_part(message, nullptr);
      break;
    case Task::step: {
      const auto grid = message.take<std::uint64_t>();
      const auto generations = message.take<std::int64_t>();
      band(grid).step(generations, message.take<bool>());
      break;
    }
    case Task::synchronize:
      together([&] { band(message.take<std::uint64_t>()).synchronize(); });
      break;
    case Task::download:
      give_part(message, nullptr);
      break;
    case Task::survey:
      survey_part(message);
      break;
    case Task::view:
      view_parts(message);
      break;
    case Task::write_shards:
      write_part(message);
      break;
    case Task::note:
      hear_note(message);
      break;
  }
}

// Everybody learns whether anybody failed. The lowest rank that did tells rank 0 why; all throw.
void RankWorker::agree(const std::exception_ptr& error) {
  const auto size = static_cast<std::uint64_t>(us_.size());
  const auto me = static_cast<std::uint64_t>(us_.rank());
  std::array<std::uint64_t, 2> first{error ? me : size, 0};
  RankMessage letter;
  if (error) letter = letter_of(error);
  us_.reduce(Reduction::least, std::span(first).first(1));
  if (first[0] == size) return;
  const int failed = static_cast<int>(first[0]);
  if (first[0] == me) first[1] = letter.bytes().size();
  us_.reduce(Reduction::sum, std::span(first).last(1));
  if (failed != 0 && first[0] == me) {
    const Outgoing out{0, kLetter, letter.bytes()};
    us_.exchange({&out, 1}, {});
  }
  if (us_.rank() != 0) throw Error("a rank failed");
  if (failed != 0) {
    letter.bytes().resize(first[1]);
    const Incoming in{failed, kLetter, letter.bytes()};
    us_.exchange({}, {&in, 1});
  }
  throw_letter(letter, failed);
}

// Work that may fail on any rank: all return, or all throw.
template <class Work>
void RankWorker::together(Work&& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (const PartLost&) {
    throw;
  } catch (...) {
    error = std::current_exception();
  }
  agree(error);
}

// What every rank has to say, on rank 0.
std::vector<RankMessage> RankWorker::gather(RankMessage mine) {
  const auto me = static_cast<std::size_t>(us_.rank());
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(us_.size()));
  sizes[me] = mine.bytes().size();
  us_.reduce(Reduction::sum, sizes);
  if (me != 0) {
    const Outgoing out{0, kLetter, mine.bytes()};
    if (sizes[me] > 0) us_.exchange({&out, 1}, {});
    return {};
  }
  std::vector<RankMessage> all(sizes.size());
  std::vector<Incoming> in;
  for (std::size_t rank = 1; rank < all.size(); rank++) {
    all[rank].bytes().resize(sizes[rank]);
    if (sizes[rank] > 0) in.push_back({static_cast<int>(rank), kLetter, all[rank].bytes()});
  }
  us_.exchange({}, in);
  all[0] = std::move(mine);
  return all;
}

// Tells the others, and leaves of the message what they find after the task.
void RankWorker::command(RankMessage& message) {
  us_.broadcast(message.bytes());
  message.take<Task>();
}

void RankWorker::end() {
  RankMessage message = begin(Task::end);
  command(message);
}

void RankWorker::note(const std::string& text) {
  RankMessage message = begin(Task::note).put(text);
  command(message);
  hear_note(message);
}

void RankWorker::hear_note(RankMessage& message) {
  const std::string text = message.take_text();
  if (hear_) hear_(text);
}

std::vector<RankMessage> RankWorker::find_devices(RankMessage& message) {
  const std::string name = message.take_text();
  RankDevice found;
  found.threads = place_.threads;
  try {
    const PartDevice part = find_(name, place_);
    found.name = part.device.name;
    found.memory = part.device.memory;
    found.software = part.device.software;
  } catch (const InputError& error) {
    found.missing = error.what();
  }
  return gather(RankMessage()
                    .put(found.name)
                    .put(found.missing)
                    .put(found.memory)
                    .put(found.software)
                    .put(found.threads));
}

std::vector<RankDevice> RankWorker::devices(const std::string& name) {
  RankMessage message = begin(Task::devices).put(name);
  command(message);
  std::vector<RankDevice> all;
  for (RankMessage& each : find_devices(message)) {
    RankDevice& found = all.emplace_back();
    found.name = each.take_text();
    found.missing = each.take_text();
    found.memory = each.take<std::int64_t>();
    found.software = each.take<bool>();
    found.threads = each.take<int>();
  }
  return all;
}

std::uint64_t RankWorker::create(const RankOrder& order) {
  const std::uint64_t grid = next_++;
  RankMessage message =
      begin(Task::create).put(grid).put(order.device).put(order.kernel).put(order.tuning);
  put_spec(message, order.spec);
  message.put(order.plan.halo).put(std::span<const BandRows>(order.plan.bands));
  command(message);
  make_grid(message);
  return grid;
}

void RankWorker::make_grid(RankMessage& message) {
  const auto grid = message.take<std::uint64_t>();
  RankOrder order;
  order.device = message.take_text();
  order.kernel = message.take_text();
  order.tuning = message.take<Tuning>();
  order.spec = take_spec(message);
  order.plan.halo = message.take<std::int64_t>();
  order.plan.bands = message.take_all<BandRows>();
  std::unique_ptr<StepBackend> backend;
  together([&] {
    const auto me = static_cast<std::size_t>(us_.rank());
    if (me >= order.plan.bands.size()) return;
    const PartDevice part = find_(order.device, place_);
    BackendSpec spec = order.plan.band_spec(me, order.spec);
    spec.max_memory = memory_share(spec, order.spec);
    if (spec.max_memory == 0 && std::string_view(part.driver->name()) == "cpu") {
      spec.max_memory = part.device.memory / place_.locals;
    }
    Kernel kernel{part.driver, part.device, {}, false};
    for (KernelInfo& info : part.driver->kernels()) {
      if (info.name == order.kernel) kernel.info = std::move(info);
    }
    Tuning tuning = order.tuning;
    if (kernel.info.parameter(&Tuning::threads)) {
      tuning.threads =
          tuning.threads > 0 ? std::max(1, tuning.threads / place_.locals) : place_.threads;
    }
    backend = kernel.create(spec, Tunings().complete(kernel, spec, tuning).tuning);
  });
  grids_[grid] = {order.plan.bands, std::make_unique<RankBand>(us_, order, std::move(backend))};
}

void RankWorker::destroy(std::uint64_t grid) {
  RankMessage message = begin(Task::destroy).put(grid);
  command(message);
  drop_grid(message);
}

void RankWorker::drop_grid(RankMessage& message) { grids_.erase(message.take<std::uint64_t>()); }

void RankWorker::fill(std::uint64_t grid, const Soup& soup, std::int64_t y, std::int64_t rows,
                      std::uint64_t index) {
  RankMessage message = begin(Task::fill).put(grid).put(soup).put(y).put(rows).put(index);
  command(message);
  fill_part(message);
}

void RankWorker::fill_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto soup = message.take<Soup>();
  const auto y = message.take<std::int64_t>(), rows = message.take<std::int64_t>();
  const auto index = message.take<std::uint64_t>();
  mine.changed();
  together([&] {
    if (mine.any()) mine.grid().fill(soup, y, rows, index);
  });
}

void RankWorker::edit(std::uint64_t grid, const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  RankMessage message = begin(Task::edit).put(grid).put(rect).put(cells.planes());
  command(message);
  take_part(message, &cells);
}

// Rank 0 gives every rank the rows that are its own, one rank after the other.
void RankWorker::take_part(RankMessage& message, const CellGrid* cells) {
  const Grid& grid = grids_.at(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const int planes = message.take<int>();
  grid.band->changed();
  std::exception_ptr error;
  for (int rank = 0; rank < static_cast<int>(grid.rows.size()); rank++) {
    const Rect part = rows_of(rect, grid.rows[static_cast<std::size_t>(rank)]);
    if (part.empty() || (us_.rank() != 0 && us_.rank() != rank)) continue;
    CellGrid mine = cells ? cells->window({0, part.y - rect.y, part.width, part.height})
                          : CellGrid(part.width, part.height, planes);
    for (int p = 0; p < planes && rank > 0; p++) {
      if (cells) {
        const Outgoing out{rank, kCells + p, std::as_bytes(mine.plane(p).words())};
        us_.exchange({&out, 1}, {});
      } else {
        const Incoming in{0, kCells + p, std::as_writable_bytes(mine.plane(p).words())};
        us_.exchange({}, {&in, 1});
      }
    }
    if (rank != us_.rank()) continue;
    try {
      grid.band->grid().edit({part.x, part.y}, mine);
    } catch (...) {
      error = std::current_exception();
    }
  }
  agree(error);
}

void RankWorker::step(std::uint64_t grid, std::int64_t generations, bool odd) {
  RankMessage message = begin(Task::step).put(grid).put(generations).put(odd);
  command(message);
  band(grid).step(generations, odd);
}

void RankWorker::synchronize(std::uint64_t grid) {
  RankMessage message = begin(Task::synchronize).put(grid);
  command(message);
  together([&] { band(grid).synchronize(); });
}

CellGrid RankWorker::download(std::uint64_t grid, const Rect& rect) {
  RankMessage message = begin(Task::download).put(grid).put(rect);
  CellGrid cells(rect.width, rect.height, grids_.at(grid).band->planes());
  command(message);
  give_part(message, &cells);
  return cells;
}

void RankWorker::give_part(RankMessage& message, CellGrid* cells) {
  const Grid& grid = grids_.at(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const int planes = grid.band->planes();
  std::optional<CellGrid> own;
  together([&] {
    grid.band->check();
    if (!grid.band->any()) return;
    const Rect part = grid.band->grid().common(rect);
    if (!part.empty()) own = grid.band->grid().backend->download(grid.band->grid().local(part));
  });
  for (int rank = 0; rank < static_cast<int>(grid.rows.size()); rank++) {
    const Rect part = rows_of(rect, grid.rows[static_cast<std::size_t>(rank)]);
    if (part.empty() || (us_.rank() != 0 && us_.rank() != rank)) continue;
    if (rank > 0 && cells) own.emplace(part.width, part.height, planes);
    for (int p = 0; p < planes && rank > 0; p++) {
      if (cells) {
        const Incoming in{rank, kCells + p, std::as_writable_bytes(own->plane(p).words())};
        us_.exchange({}, {&in, 1});
      } else {
        const Outgoing out{0, kCells + p, std::as_bytes(own->plane(p).words())};
        us_.exchange({&out, 1}, {});
      }
    }
    if (cells) cells->paste(0, part.y - rect.y, *own);
  }
}

Survey RankWorker::survey(std::uint64_t grid, const Rect& rect, SurveyParts parts,
                          std::int64_t column0, std::int64_t row0) {
  RankMessage message = begin(Task::survey).put(grid).put(rect).put(parts).put(column0).put(row0);
  command(message);
  return survey_part(message);
}

Survey RankWorker::survey_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const auto parts = message.take<SurveyParts>();
  const auto column0 = message.take<std::int64_t>(), row0 = message.take<std::int64_t>();
  Survey found;
  together([&] {
    mine.check();
    if (mine.any()) found = mine.grid().survey(rect, parts, column0, row0);
  });
  std::array<std::uint64_t, 2> sums{static_cast<std::uint64_t>(found.population), found.hash};
  us_.reduce(Reduction::sum, sums);
  // Coordinates of a grid are not negative; of the most the complement is the least.
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::array<std::uint64_t, 4> box{kNone, kNone, kNone, kNone};
  if (found.bounds) {
    box = {static_cast<std::uint64_t>(found.bounds->xmin),
           static_cast<std::uint64_t>(found.bounds->ymin),
           ~static_cast<std::uint64_t>(found.bounds->xmax),
           ~static_cast<std::uint64_t>(found.bounds->ymax)};
  }
  us_.reduce(Reduction::least, box);
  Survey all;
  all.population = static_cast<std::int64_t>(sums[0]);
  all.hash = sums[1];
  if (box[0] != kNone) {
    all.bounds = Bounds{static_cast<std::int64_t>(box[0]), static_cast<std::int64_t>(box[1]),
                        static_cast<std::int64_t>(~box[2]), static_cast<std::int64_t>(~box[3])};
  }
  return all;
}

void RankWorker::view(std::uint64_t grid, const Rect& rect, std::int64_t scale,
                      CellCounts& counts) {
  RankMessage message = begin(Task::view).put(grid).put(rect).put(scale);
  command(message);
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

std::vector<RankMessage> RankWorker::view_parts(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto rect = message.take<Rect>();
  const auto scale = message.take<std::int64_t>();
  std::vector<BandGrid::PixelRowsOfBand> found;
  together([&] {
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
  return gather(std::move(reply));
}

std::vector<Shard> RankWorker::write_shards(std::uint64_t grid, const ShardOrder& order,
                                            const Cell& at) {
  RankMessage message = begin(Task::write_shards)
                            .put(grid)
                            .put(at)
                            .put(order.path)
                            .put(order.series)
                            .put(order.header)
                            .put(order.extent)
                            .put(order.planes);
  command(message);
  std::vector<Shard> shards;
  for (RankMessage& each : write_part(message)) {
    Shard shard{each.take_text(), each.take<std::uint64_t>()};
    if (!shard.file.empty()) shards.push_back(std::move(shard));
  }
  return shards;
}

std::vector<RankMessage> RankWorker::write_part(RankMessage& message) {
  RankBand& mine = band(message.take<std::uint64_t>());
  const auto at = message.take<Cell>();
  ShardOrder order;
  order.path = message.take_text();
  order.series = message.take<std::int64_t>();
  order.header = message.take_text();
  order.extent = message.take<Rect>();
  order.planes = message.take<int>();
  Shard shard;
  together([&] {
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
    shard = write_shard(order, us_.rank(), cells);
  });
  return gather(RankMessage().put(shard.file).put(shard.checksum));
}

}  // namespace tessera
