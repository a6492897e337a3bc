#include "backends/distributed/rank_band.h"

#include <array>
#include <chrono>
#include <new>
#include <utility>

#include "core/base/error.h"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

// Cells that move at a time: two megabytes pass through caches, and ranks that are busy wait for
// each other once per turn.
constexpr std::int64_t kMovedCells = std::int64_t{1} << 24;

// Rows that two bands have in common; none where the end is not behind the first.
BandRows common(const BandRows& a, const BandRows& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::min(a.end(), b.end()) - first};
}

BandRows joined(const BandRows& a, const BandRows& b) {
  const std::int64_t first = std::min(a.first, b.first);
  return {first, std::max(a.end(), b.end()) - first};
}

// Calls take(part) for parts of rows so wide that move at a time.
template <class Take>
void for_moves(const BandRows& rows, std::int64_t width, Take&& take) {
  const std::int64_t most = std::max<std::int64_t>(1, kMovedCells / width);
  for (std::int64_t y = rows.first; y < rows.end(); y += most)
    take(BandRows{y, std::min(most, rows.end() - y)});
}

}  // namespace

RankBand::RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend,
                   MakeBand make)
    : us_(us), order_(order), make_(std::move(make)), planes_(order.spec.rule.planes()) {
  const auto me = static_cast<std::size_t>(us.rank());
  grid_.backend = std::move(backend);
  if (order.plan.halo > 0) halos_.halo = order.plan.halo;
  // One pass for all, for the exchanges of all are the same.
  std::array<std::uint64_t, 1> pass{
      any() ? static_cast<std::uint64_t>(grid_.backend->info().tuning.generations) : 0};
  us.reduce(Reduction::most, pass);
  if (order.plan.halo > 0) halos_.use_pass(static_cast<int>(pass[0]));
  if (!any()) return;
  grid_.place(order.plan, me, order.spec);
}

void RankBand::join(bool one_host) {
  link_ = join_ranks(us_, order_.plan, order_.spec, grid_.backend.get(), one_host);
  if (link_.trades() && link_.port) halos_.uses_up = link_.port->uses_up();
  if (any()) find_passages();
  std::array<std::uint64_t, 1> cannot{any() && make_ && !link_.port ? 0u : 1u};
  us_.reduce(Reduction::most, cannot);
  if (cannot[0] != 0 || us_.size() == 1 || order_.plan.halo == 0) return;
  const std::int64_t rows = order_.plan.halo * order_.spec.reach();
  balance_.emplace(bands(), rows, rows);
}

void RankBand::find_passages() {
  gives_.clear();
  gets_.clear();
  for (const HaloPiece& piece : halo_pieces(order_.spec, order_.plan)) {
    if (piece.from == us_.rank()) gives_.push_back({piece, parcel_of(piece)});
    if (piece.to == us_.rank()) gets_.push_back({piece, parcel_of(piece)});
  }
}

// Null where there is no room for it.
std::unique_ptr<StepBackend> RankBand::try_make(const BackendSpec& band) const {
  if (failure_) return nullptr;
  try {
    std::unique_ptr<StepBackend> made = make_(band);
    return form_of(*made) == form_of(*grid_.backend) ? std::move(made) : nullptr;
  } catch (const Error&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// A rank whose backend has room slides to its old and new rows together, takes what it is given,
// and slides to the new ones; another one makes a new backend.
bool RankBand::recut(const std::vector<BandRows>& to) {
  DistributedPlan plan = order_.plan;
  plan.bands = to;
  const auto me = static_cast<std::size_t>(us_.rank());
  const BandRows old = bands()[me];
  const bool slid = !failure_ && grid_.slide(joined(old, to[me]));
  BandGrid next;
  if (!slid) next.backend = try_make(plan.band_spec(me, order_.spec));
  std::array<std::uint64_t, 1> failed{slid || next.backend ? 0u : 1u};
  us_.reduce(Reduction::most, failed);
  if (failed[0] != 0) {
    if (slid) grid_.slide(old);
    return false;
  }
  if (slid) {
    pass_rows_on(to, grid_);
    grid_.slide(to[me]);
  } else {
    next.place(plan, me, order_.spec);
    keep_rows(common(old, to[me]), next);
    pass_rows_on(to, next);
    grid_ = std::move(next);
  }
  order_.plan = std::move(plan);
  find_passages();
  halos_.forget();
  return true;
}

void RankBand::keep_rows(const BandRows& rows, BandGrid& next) {
  const std::string form = form_of(*grid_.backend);
  for_moves(rows, order_.spec.width, [&](const BandRows& part) {
    const Cell at{0, part.first};
    HaloParcel parcel({0, at.y, order_.spec.width, part.rows}, {}, *grid_.backend, form, form);
    attempt([&] {
      parcel.pack(*grid_.backend, grid_.local(at));
      parcel.unpack(*next.backend, next.local(at), {});
    });
  });
}

// All ranks at the same time: the first rows of each way, then the next.
void RankBand::pass_rows_on(const std::vector<BandRows>& to, BandGrid& next) {
  const auto me = static_cast<std::size_t>(us_.rank());
  const std::string form = form_of(*grid_.backend);
  struct Way {
    int other;
    bool out;
    BandRows rows;
  };
  std::vector<std::vector<Way>> turns;
  for (std::size_t other = 0; other < to.size(); other++) {
    if (other == me) continue;
    for (const bool out : {true, false}) {
      std::size_t turn = 0;
      const BandRows rows = out ? common(bands()[me], to[other]) : common(bands()[other], to[me]);
      for_moves(rows, order_.spec.width, [&](const BandRows& part) {
        if (turns.size() <= turn) turns.emplace_back();
        turns[turn++].push_back({static_cast<int>(other), out, part});
      });
    }
  }
  for (const std::vector<Way>& ways : turns) {
    std::vector<HaloParcel> parcels;
    for (const Way& way : ways) {
      const Rect cells{0, way.rows.first, order_.spec.width, way.rows.rows};
      HaloParcel& parcel = parcels.emplace_back(cells, Turn{}, *grid_.backend, form, form);
      if (way.out) attempt([&] { parcel.pack(*grid_.backend, grid_.local(Cell{0, cells.y})); });
    }
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (std::size_t i = 0; i < ways.size(); i++) {
      for (int tag = 0; const std::span<std::byte> bytes : parcels[i].pieces()) {
        if (ways[i].out) out.push_back({ways[i].other, tag, bytes});
        if (!ways[i].out) in.push_back({ways[i].other, tag, bytes});
        tag++;
      }
    }
    us_.exchange(out, in);
    for (std::size_t i = 0; i < ways.size(); i++) {
      const Cell at{0, ways[i].rows.first};
      if (!ways[i].out) attempt([&] { parcels[i].unpack(*next.backend, next.local(at), {}); });
    }
  }
}

void RankBand::balance() {
  std::vector<std::uint64_t> told(bands().size());
  told[static_cast<std::size_t>(us_.rank())] = nanoseconds(std::exchange(stepping_, 0));
  us_.reduce(Reduction::sum, told);
  std::vector<double> seconds;
  for (const std::uint64_t each : told) seconds.push_back(1e-9 * static_cast<double>(each));
  const std::optional<std::vector<BandRows>> better = balance_->told(seconds);
  if (!better) return;
  const Clock::time_point start = Clock::now();
  const bool done = recut(*better);
  std::array<std::uint64_t, 1> took{nanoseconds(since(start))};
  us_.reduce(Reduction::most, took);
  if (done) {
    balance_->moved(*better, 1e-9 * static_cast<double>(took[0]));
  } else {
    balance_.reset();
  }
}

// Both ends find the same.
HaloParcel RankBand::parcel_of(const HaloPiece& piece) {
  const auto form = [&](int rank) { return link_.forms.at(static_cast<std::size_t>(rank)); };
  return {piece.cells, piece.turn, *grid_.backend, form(piece.from), form(piece.to)};
}

void RankBand::leave() {
  if (!link_.trades()) return;
  if (link_.port) attempt([&] { link_.port->leave_trades(); });
  us_.barrier();
}

template <class Work>
void RankBand::attempt(Work&& work) {
  if (failure_) return;
  try {
    work();
  } catch (const PartLost&) {
    throw;
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    // Peers give up after some seconds; NCCL never does.
    if (link_.name == "nccl" && end_) end_(error.what());
  }
}

void RankBand::exchange(bool sent) {
  if (!link_.trades()) return exchange_by_host();
  attempt([&] { link_.port->trade(sent); });
}

// Between two ranks pieces travel in the order in which both have them; each plane has a tag.
void RankBand::exchange_by_host() {
  attempt([&] {
    for (Passage& each : gives_) {
      const Rect from = grid_.local(each.piece.cells);
      each.parcel.pack(*grid_.backend, {from.x, from.y});
    }
  });
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (Passage& each : gives_) {
    for (int tag = 0; const std::span<std::byte> bytes : each.parcel.pieces())
      out.push_back({each.piece.to, tag++, bytes});
  }
  for (Passage& each : gets_) {
    for (int tag = 0; const std::span<std::byte> bytes : each.parcel.pieces())
      in.push_back({each.piece.from, tag++, bytes});
  }
  us_.exchange(out, in);
  attempt([&] {
    for (const Passage& each : gets_)
      each.parcel.unpack(*grid_.backend, grid_.local(each.piece.at), each.piece.turn);
    if (link_.port) link_.port->halos_replaced();
  });
}

void RankBand::step(std::int64_t generations, bool odd) {
  if (!any()) return;
  halos_.run(
      generations,
      [&](bool sent) {
        if (balance_ && balance_->due()) balance();
        if (!gets_.empty() || !gives_.empty()) exchange(sent);
      },
      [&](std::int64_t now, bool last) {
        const Clock::time_point start = Clock::now();
        attempt([&] {
          if (last && link_.trades()) link_.port->send_rows();
          grid_.backend->step(now, odd);
        });
        stepping_ += since(start);
        odd ^= now % 2 != 0;
      });
}

void RankBand::synchronize() {
  if (any()) attempt([&] { grid_.backend->synchronize(); });
  check();
}

void RankBand::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace tessera
