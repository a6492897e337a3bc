#include "backends/distributed/rank_band.h"

#include <array>
#include <utility>

namespace tessera {

RankBand::RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend)
    : us_(us), planes_(order.spec.rule.planes()) {
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

void RankBand::join(const RankOrder& order, bool one_host) {
  link_ = join_ranks(us_, order.plan, order.spec, grid_.backend.get(), one_host);
  if (link_.trades() && link_.port) halos_.uses_up = link_.port->uses_up();
  if (!any()) return;
  for (const HaloPiece& piece : halo_pieces(order.spec, order.plan)) {
    if (piece.from == us_.rank()) gives_.push_back({piece, parcel_of(piece)});
    if (piece.to == us_.rank()) gets_.push_back({piece, parcel_of(piece)});
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
        if (!gets_.empty() || !gives_.empty()) exchange(sent);
      },
      [&](std::int64_t now, bool last) {
        attempt([&] {
          if (last && link_.trades()) link_.port->send_rows();
          grid_.backend->step(now, odd);
        });
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
