#include "backends/distributed/rank_band.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

// Cells that move from a band to the next at a time: some megabytes.
constexpr std::int64_t kMovedCells = std::int64_t{1} << 26;

BandRows joined(const BandRows& a, const BandRows& b) {
  const std::int64_t first = std::min(a.first, b.first);
  return {first, std::max(a.end(), b.end()) - first};
}

}  // namespace

RankBand::RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend,
                   std::unique_ptr<HostCrew> crew)
    : us_(us), order_(order), planes_(order.spec.rule.planes()), crew_(std::move(crew)) {
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
  if (any()) passages_ = passages_of(halo_pieces(order_.spec, order_.plan));
  begin_balance();
}

RankBand::Passages RankBand::passages_of(const std::vector<HaloPiece>& pieces) {
  Passages out;
  for (const HaloPiece& piece : pieces) {
    if (piece.from == us_.rank()) out.gives.push_back({piece, parcel_of(piece)});
    if (piece.to == us_.rank()) out.gets.push_back({piece, parcel_of(piece)});
  }
  return out;
}

void RankBand::begin_balance() {
  const auto ranks = static_cast<std::size_t>(us_.size());
  std::vector<std::uint64_t> rooms(ranks);
  if (any() && !link_.port)
    rooms[static_cast<std::size_t>(us_.rank())] = static_cast<std::uint64_t>(grid_.backend->room());
  us_.reduce(Reduction::sum, rooms);
  if (bands().size() < ranks || ranks == 1 || std::ranges::max(rooms) == 0) return;
  const std::int64_t rows = order_.plan.halo * order_.spec.reach();
  balance_.emplace(bands(),
                   BandBalance::Limits{rows,
                                       rows,
                                       std::max<std::int64_t>(1, kMovedCells / order_.spec.width),
                                       {rooms.begin(), rooms.end()}});
}

// The backend holds the old rows and the new ones while they move.
void RankBand::recut(const std::vector<BandRows>& to) {
  const BandRows old = bands()[static_cast<std::size_t>(us_.rank())],
                 own = to[static_cast<std::size_t>(us_.rank())];
  const auto slide = [&](const BandRows& rows) {
    attempt([&] {
      if (!grid_.slide(rows)) throw std::logic_error("a band has no room for rows that move");
    });
  };
  DistributedPlan plan = order_.plan;
  plan.bands = to;
  Passages moves = passages_of(moved_pieces(order_.spec, plan, bands()));
  slide(joined(old, own));
  exchange_by_host(moves);
  slide(own);
  order_.plan = std::move(plan);
  passages_ = passages_of(halo_pieces(order_.spec, order_.plan));
  halos_.fresh = halos_.halo;
}

// Whether bands were cut anew.
bool RankBand::balance() {
  std::vector<std::uint64_t> told(bands().size());
  told[static_cast<std::size_t>(us_.rank())] = nanoseconds(std::exchange(stepping_, 0));
  us_.reduce(Reduction::sum, told);
  std::vector<double> seconds;
  for (const std::uint64_t each : told) seconds.push_back(1e-9 * static_cast<double>(each));
  const std::optional<std::vector<BandRows>> better = balance_->told(seconds);
  if (better) recut(*better);
  return better.has_value();
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
    if (crew_) crew_->give_up();
    // Peers give up after some seconds; NCCL never does.
    if (link_.name == "nccl" && end_) end_(error.what());
  }
}

void RankBand::exchange(bool sent) {
  if (!link_.trades()) return exchange_by_host(passages_);
  attempt([&] { link_.port->trade(sent); });
}

// Between two ranks pieces travel in the order in which both have them; each plane has a tag.
void RankBand::exchange_by_host(Passages& passages) {
  attempt([&] {
    for (Passage& each : passages.gives) {
      const Rect from = grid_.local(each.piece.cells);
      each.parcel.pack(*grid_.backend, {from.x, from.y});
    }
  });
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (Passage& each : passages.gives) {
    for (int tag = 0; const std::span<std::byte> bytes : each.parcel.pieces())
      out.push_back({each.piece.to, tag++, bytes});
  }
  for (Passage& each : passages.gets) {
    for (int tag = 0; const std::span<std::byte> bytes : each.parcel.pieces())
      in.push_back({each.piece.from, tag++, bytes});
  }
  us_.exchange(out, in);
  attempt([&] {
    for (const Passage& each : passages.gets)
      each.parcel.unpack(*grid_.backend, grid_.local(each.piece.at), each.piece.turn);
    if (link_.port) link_.port->halos_replaced();
  });
}

void RankBand::step(std::int64_t generations, bool odd) {
  if (!any()) return;
  halos_.run(
      generations,
      [&](bool sent) {
        if (balance_ && balance_->due() && balance()) return;
        if (!passages_.gets.empty() || !passages_.gives.empty()) exchange(sent);
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
