#include "backends/distributed/distributed_backend.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "backends/distributed/band_grid.h"
#include "backends/distributed/halo_piece.h"
#include "core/base/error.h"

namespace tessera {

// The rows of one part. Only its own thread uses the backend while the team works.
struct DistributedBackend::Band : BandGrid {
  std::vector<HaloLink*> gives, gets;
};

// The bands with what joins them; outlives nothing that it points to.
struct DistributedBackend::Parts {
  explicit Parts(std::size_t count) : bands(count), team(static_cast<int>(count)) {}

  std::vector<Band> bands;
  std::vector<std::unique_ptr<HaloLink>> links;
  HaloSchedule halos;
  bool trades = false;  // bands exchange rows by themselves, and need not meet
  LocalTeam team;

  // Calls work(band) for every band on its own thread.
  template <class Work>
  void each(Work&& work) {
    team.run([&](Communicator& us) { work(bands[static_cast<std::size_t>(us.rank())]); });
  }

  void join(const BackendSpec& spec, const DistributedPlan& plan);
  void join_group(const BackendSpec& spec, const DistributedPlan& plan);
  void give_up(const Band& failed);
  std::string link_names() const;
  void exchange(Band& band, Communicator& us, bool sent) const;
};

// Links from every band to those whose halos repeat its cells.
void DistributedBackend::Parts::join(const BackendSpec& spec, const DistributedPlan& plan) {
  const std::size_t count = bands.size();
  if (plan.halo == 0) return;
  halos.halo = plan.halo;
  std::vector<RowPort*> ports;
  for (std::size_t i = 0; i < count; i++) {
    ports.push_back(bands[i].backend->row_port());
    if (ports[i]) ports[i]->set_halos(plan.above(i, spec), plan.below(i, spec));
  }
  if (plan.link == LinkChoice::nccl) return join_group(spec, plan);
  for (const HaloPiece& piece : halo_pieces(spec, plan)) {
    Band &from = bands[static_cast<std::size_t>(piece.from)],
         &to = bands[static_cast<std::size_t>(piece.to)];
    links.push_back(make_link({from.backend.get(), to.backend.get(), piece.side,
                               from.local(piece.cells), to.local(piece.at), piece.turn},
                              plan.link));
    from.gives.push_back(links.back().get());
    to.gets.push_back(links.back().get());
  }
  trades = std::ranges::all_of(
      links, [](const auto& each) { return std::string_view(each->name()) == "peer"; });
  if (!trades) return;
  std::vector<std::string> addresses;
  for (RowPort* const port : ports)
    addresses.push_back(port->trade_address(plan.halo * spec.reach(), false));
  for (std::size_t i = 0; i < count && trades; i++)
    trades = !ports[i]->join_trades(addresses, i).has_value();
  if (trades) {
    halos.uses_up = ports.front()->uses_up();
  } else {
    for (RowPort* const port : ports) port->leave_trades();
  }
}

// All bands become members of one group of the devices' own library.
void DistributedBackend::Parts::join_group(const BackendSpec& spec, const DistributedPlan& plan) {
  trades = true;
  RowGroup group;
  group.size = static_cast<int>(bands.size());
  group.rows = plan.halo * spec.reach();
  const auto port_of = [](const Band& band) {
    RowPort* const port = band.backend->row_port();
    if (port) return port;
    throw UnsupportedError("link nccl: " + band.backend->info().backend +
                           " passes no rows to other devices; auto and host are accepted here");
  };
  const std::string layout = port_of(bands.front())->row_layout();
  group.alike = std::ranges::all_of(
      bands, [&](const Band& band) { return port_of(band)->row_layout() == layout; });
  group.name = port_of(bands.front())->new_group();
  team.run([&](Communicator& us) {
    RowGroup mine = group;
    mine.rank = us.rank();
    port_of(bands[static_cast<std::size_t>(us.rank())])->join_group(mine);
  });
}

// Lets nobody wait for a part that failed.
void DistributedBackend::Parts::give_up(const Band& failed) {
  for (const Band& band : bands) {
    if (&band == &failed) continue;
    if (RowPort* const port = band.backend->row_port()) port->abandon();
  }
}

std::string DistributedBackend::Parts::link_names() const {
  std::set<std::string> names;
  for (const auto& link : links) names.insert(link->name());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text;
}

void DistributedBackend::Parts::exchange(Band& band, Communicator& us, bool sent) const {
  if (trades) return band.backend->row_port()->trade(sent);
  for (HaloLink* link : band.gives) link->post();
  us.barrier();
  for (HaloLink* link : band.gets) link->take();
  us.barrier();
  if (RowPort* const port = band.backend->row_port()) port->halos_replaced();
}

std::unique_ptr<DistributedBackend> DistributedBackend::create(
    const BackendSpec& spec, BackendInfo info, const DistributedPlan& plan,
    const std::vector<BackendFactory>& make) {
  const std::size_t count = plan.bands.size();
  auto parts = std::make_unique<Parts>(count);
  parts->team.run([&](Communicator& us) {
    const auto i = static_cast<std::size_t>(us.rank());
    Band& band = parts->bands[i];
    band.place(plan, i, spec);
    band.backend = make[i](plan.band_spec(i, spec));
  });
  parts->join(spec, plan);
  info.parts = static_cast<int>(count);
  info.halo = plan.halo;
  info.link = plan.link == LinkChoice::nccl && plan.halo > 0 ? "nccl" : parts->link_names();
  info.tuning = parts->bands.front().backend->info().tuning;
  if (plan.halo > 0) parts->halos.use_pass(info.tuning.generations);
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
  parts_->halos.forget();
  parts_->each([&](Band& band) { band.fill(soup, y, rows, index); });
}

void DistributedBackend::do_step(std::int64_t generations) {
  Parts& parts = *parts_;
  const HaloSchedule old = parts.halos;
  parts.team.run([&](Communicator& us) {
    Band& band = parts.bands[static_cast<std::size_t>(us.rank())];
    HaloSchedule halos = old;
    bool odd = begins_odd();
    try {
      halos.run(
          generations, [&](bool sent) { parts.exchange(band, us, sent); },
          [&](std::int64_t now, bool last) {
            if (last && parts.trades) band.backend->row_port()->send_rows();
            band.backend->step(now, odd);
            odd ^= now % 2 != 0;
          });
    } catch (...) {
      parts.give_up(band);
      throw;
    }
    // All of them find the same.
    if (us.rank() == 0) parts.halos = halos;
  });
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
  parts_->halos.forget();
  parts_->each([&](Band& band) { band.edit(at, cells); });
}

Survey DistributedBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                     std::int64_t row0) {
  std::vector<Survey> found(parts_->bands.size());
  parts_->each([&](Band& band) {
    found[static_cast<std::size_t>(&band - parts_->bands.data())] =
        band.survey(rect, parts, column0, row0);
  });
  Survey all;
  for (const Survey& each : found) all += each;
  return all;
}

void DistributedBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  std::ranges::fill(counts.pixels, std::uint64_t{0});
  std::vector<std::vector<BandGrid::PixelRowsOfBand>> pieces(parts_->bands.size());
  parts_->each([&](Band& band) {
    pieces[static_cast<std::size_t>(&band - parts_->bands.data())] = band.view(rect, scale);
  });
  for (const auto& of_band : pieces) {
    for (const BandGrid::PixelRowsOfBand& piece : of_band)
      counts.add(piece.counts, 0, piece.pixel_row);
  }
}

}  // namespace tessera
