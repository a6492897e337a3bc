#include "backends/distributed/distributed_backend.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace tessera {

namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t DistributedPlan::above(std::size_t i, const BackendSpec& spec) const {
  return i == 0 && spec.boundary == Boundary::plane ? 0 : halo * spec.rule.reach();
}

std::int64_t DistributedPlan::below(std::size_t i, const BackendSpec& spec) const {
  const bool last = i + 1 == bands.size();
  return last && spec.boundary == Boundary::plane ? 0 : halo * spec.rule.reach();
}

BackendSpec DistributedPlan::band_spec(std::size_t i, const BackendSpec& spec) const {
  BackendSpec out = spec;
  out.height = above(i, spec) + bands[i].rows + below(i, spec);
  return out;
}

// The rows of one part. Only its own thread uses the backend while the team works.
struct DistributedBackend::Band {
  BandRows own;
  std::int64_t above = 0;  // rows of halo
  std::unique_ptr<StepBackend> backend;
  std::vector<HaloLink*> gives, gets;

  // The part of `rect` that it holds, in the coordinates of the whole grid; empty() when none is.
  Rect common(const Rect& rect) const {
    return rect.common({rect.x, own.first, rect.width, own.rows});
  }
  // A row of the whole grid in the backend's own.
  std::int64_t row(std::int64_t y) const { return y - own.first + above; }
  Rect local(const Rect& rect) const { return {rect.x, row(rect.y), rect.width, rect.height}; }
};

// The bands with what joins them; outlives nothing that it points to.
struct DistributedBackend::Parts {
  explicit Parts(std::size_t count) : bands(count), team(static_cast<int>(count)) {}

  std::vector<Band> bands;
  std::vector<std::unique_ptr<HaloLink>> links;
  std::int64_t halo = kForever;  // generations that new halos last
  std::int64_t fresh = 0;        // generations that the present ones still do
  std::int64_t pass = 1;  // generations that a kernel steps at once, where halos last so long
  LocalTeam team;

  // Calls work(band) for every band on its own thread.
  template <class Work>
  void each(Work&& work) {
    team.run([&](Communicator& us) { work(bands[static_cast<std::size_t>(us.rank())]); });
  }

  void join(const BackendSpec& spec, const DistributedPlan& plan);
  std::string link_names() const;
  void exchange(Band& band, Communicator& us) const;
};

// Links from every band to its neighbours: on a torus the last one's is the first.
void DistributedBackend::Parts::join(const BackendSpec& spec, const DistributedPlan& plan) {
  const std::size_t count = bands.size();
  const std::int64_t rows = plan.halo * spec.rule.reach();
  const bool torus = spec.boundary == Boundary::torus;
  const auto link = [&](Band& from, Band& to, RowSide side, std::int64_t from_row,
                        std::int64_t to_row) {
    links.push_back(
        make_link({from.backend.get(), to.backend.get(), side, from_row, to_row, rows}, plan.link));
    from.gives.push_back(links.back().get());
    to.gets.push_back(links.back().get());
  };
  if (count < 2) return;
  halo = plan.halo;
  for (std::size_t i = 0; i < count; i++) {
    if (i + 1 == count && !torus) continue;
    Band &upper = bands[i], &lower = bands[(i + 1) % count];
    link(upper, lower, RowSide::below, upper.row(upper.own.end()) - rows, lower.above - rows);
    link(lower, upper, RowSide::above, lower.above, upper.row(upper.own.end()));
  }
}

std::string DistributedBackend::Parts::link_names() const {
  std::set<std::string> names;
  for (const auto& link : links) names.insert(link->name());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text;
}

void DistributedBackend::Parts::exchange(Band& band, Communicator& us) const {
  for (HaloLink* link : band.gives) link->post();
  us.barrier();
  for (HaloLink* link : band.gets) link->take();
  us.barrier();
}

std::unique_ptr<DistributedBackend> DistributedBackend::create(
    const BackendSpec& spec, BackendInfo info, const DistributedPlan& plan,
    const std::vector<BackendFactory>& make) {
  const std::size_t count = plan.bands.size();
  auto parts = std::make_unique<Parts>(count);
  parts->team.run([&](Communicator& us) {
    const auto i = static_cast<std::size_t>(us.rank());
    Band& band = parts->bands[i];
    band.own = plan.bands[i];
    band.above = plan.above(i, spec);
    band.backend = make[i](plan.band_spec(i, spec));
  });
  parts->join(spec, plan);
  info.parts = static_cast<int>(count);
  info.halo = count > 1 ? plan.halo : 0;
  info.link = parts->link_names();
  info.tuning = parts->bands.front().backend->info().tuning;
  if (info.tuning.generations > 0 && info.tuning.generations <= plan.halo)
    parts->pass = info.tuning.generations;
  return std::unique_ptr<DistributedBackend>(
      new DistributedBackend(spec, std::move(info), std::move(parts)));
}

DistributedBackend::DistributedBackend(const BackendSpec& spec, BackendInfo info,
                                       std::unique_ptr<Parts> parts)
    : StepBackend(spec, std::move(info)), parts_(std::move(parts)) {}

// A device may still copy from another one's memory: all have ended before any of it is freed.
DistributedBackend::~DistributedBackend() {
  for (const Band& band : parts_->bands) {
    try {
      band.backend->synchronize();
    } catch (const DeviceError&) {
      // It was lost, and whoever stepped it was told.
    }
  }
}

void DistributedBackend::do_upload(const CellGrid& cells) { do_edit({0, 0}, cells); }

void DistributedBackend::do_fill(const Soup& soup, std::int64_t y, std::int64_t rows,
                                 std::uint64_t index) {
  const auto words = static_cast<std::uint64_t>(ceil_div(spec().width, 64));
  parts_->fresh = 0;
  parts_->each([&](Band& band) {
    const Rect part = band.common({0, y, spec().width, rows});
    if (part.empty()) return;
    band.backend->fill(soup, band.row(part.y), part.height,
                       index + static_cast<std::uint64_t>(part.y - y) * words);
  });
}

void DistributedBackend::do_step(std::int64_t generations) {
  Parts& parts = *parts_;
  const std::int64_t old = parts.fresh;
  std::int64_t kept = 0;  // which all of them find
  parts.team.run([&](Communicator& us) {
    Band& band = parts.bands[static_cast<std::size_t>(us.rank())];
    std::int64_t fresh = old;
    for (std::int64_t left = generations; left > 0;) {
      // An early exchange costs less than a pass that is not full.
      if (fresh < left) fresh -= fresh % parts.pass;
      if (fresh == 0) {
        parts.exchange(band, us);
        fresh = parts.halo;
      }
      const std::int64_t now = std::min(left, fresh);
      band.backend->step(now);
      left -= now;
      fresh -= now;
    }
    if (us.rank() == 0) kept = fresh;
  });
  parts.fresh = kept;
}

void DistributedBackend::do_synchronize() {
  parts_->each([](Band& band) { band.backend->synchronize(); });
}

CellGrid DistributedBackend::do_download(const Rect& rect) {
  CellGrid out(rect.width, rect.height, spec().rule.planes());
  parts_->each([&](Band& band) {
    const Rect part = band.common(rect);
    if (!part.empty()) out.paste(0, part.y - rect.y, band.backend->download(band.local(part)));
  });
  return out;
}

void DistributedBackend::do_edit(const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  parts_->fresh = 0;
  parts_->each([&](Band& band) {
    const Rect part = band.common(rect);
    if (part.empty()) return;
    band.backend->edit({part.x, band.row(part.y)},
                       cells.window({0, part.y - at.y, part.width, part.height}));
  });
}

Survey DistributedBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                     std::int64_t row0) {
  std::vector<Survey> found(parts_->bands.size());
  parts_->each([&](Band& band) {
    const Rect part = band.common(rect);
    if (part.empty()) return;
    const std::int64_t shift = band.own.first - band.above;
    Survey mine = band.backend->survey(band.local(part), parts, column0, row0 + shift);
    if (mine.bounds) mine.bounds = mine.bounds->shifted(0, shift);
    found[static_cast<std::size_t>(&band - parts_->bands.data())] = mine;
  });
  Survey all;
  for (const Survey& each : found) all += each;
  return all;
}

void DistributedBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  std::ranges::fill(counts.pixels, std::uint64_t{0});
  // A band's rows begin and end within pixels, whose counts are added up.
  struct PartCounts {
    std::int64_t pixel_row;
    CellCounts counts;
  };
  std::vector<std::vector<PartCounts>> pieces(parts_->bands.size());
  parts_->each([&](Band& band) {
    const Rect part = band.common(rect);
    if (part.empty()) return;
    std::vector<PartCounts>& mine = pieces[static_cast<std::size_t>(&band - parts_->bands.data())];
    const auto add = [&](std::int64_t y, std::int64_t end) {
      if (y >= end) return;
      mine.push_back({(y - rect.y) / scale, {}});
      band.backend->view(band.local({rect.x, y, rect.width, end - y}), scale, mine.back().counts);
    };
    // Written without sums that could overflow: a scale may be as large as the rectangle.
    const std::int64_t first = part.y - rect.y, end = part.y + part.height;
    const std::int64_t middle =
        std::min(end, rect.y + std::min(ceil_div(first, scale) * scale, rect.height));
    add(part.y, middle);
    add(middle, end);
  });
  for (const std::vector<PartCounts>& of_band : pieces) {
    for (const PartCounts& piece : of_band) counts.add(piece.counts, 0, piece.pixel_row);
  }
}

}  // namespace tessera
