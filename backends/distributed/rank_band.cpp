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
  for (const HaloPiece& piece : halo_pieces(order.spec, order.plan)) {
    if (piece.from == us.rank()) gives_.push_back(piece);
    if (piece.to == us.rank()) gets_.push_back(piece);
  }
}

void RankBand::join(const RankOrder& order, bool one_host) {
  link_ = join_ranks(us_, order.plan, order.spec, grid_.backend.get(), one_host);
  if (link_.trades() && link_.port) halos_.uses_up = link_.port->uses_up();
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
  std::vector<CellGrid> sent, got;
  for (const HaloPiece& piece : gives_)
    sent.emplace_back(piece.cells.width, piece.cells.height, planes_);
  for (const HaloPiece& piece : gets_)
    got.emplace_back(piece.cells.width, piece.cells.height, planes_);
  attempt([&] {
    for (std::size_t i = 0; i < sent.size(); i++)
      sent[i] = grid_.backend->download(grid_.local(gives_[i].cells));
  });
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int p = 0; p < planes_; p++) {
    for (std::size_t i = 0; i < sent.size(); i++)
      out.push_back({gives_[i].to, p, std::as_bytes(sent[i].plane(p).words())});
    for (std::size_t i = 0; i < got.size(); i++)
      in.push_back({gets_[i].from, p, std::as_writable_bytes(got[i].plane(p).words())});
  }
  us_.exchange(out, in);
  attempt([&] {
    for (std::size_t i = 0; i < got.size(); i++)
      grid_.backend->edit(grid_.local(gets_[i].at), turned(got[i], gets_[i].turn));
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
