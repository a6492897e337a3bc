#include "backends/distributed/rank_band.h"

#include <array>
#include <vector>

namespace tessera {

namespace {

// Rows that go to the band above, and those that go to the one below: on a torus of two bands both
// are one rank. Each plane has a tag.
constexpr int kUpwards = 0, kDownwards = 8;

}  // namespace

RankBand::RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend)
    : us_(us), planes_(order.spec.rule.planes()), width_(order.spec.width) {
  const auto me = static_cast<std::size_t>(us.rank());
  const int bands = static_cast<int>(order.plan.bands.size());
  grid_.backend = std::move(backend);
  if (bands > 1) halos_.halo = order.plan.halo;
  // One pass for all, for the exchanges of all are the same.
  std::array<std::uint64_t, 1> pass{
      any() ? static_cast<std::uint64_t>(grid_.backend->info().tuning.generations) : 0};
  us.reduce(Reduction::most, pass);
  if (bands > 1) halos_.use_pass(static_cast<int>(pass[0]));
  if (!any()) return;
  grid_.own = order.plan.bands[me];
  grid_.above = order.plan.above(me, order.spec);
  if (bands < 2) return;
  rows_ = order.plan.halo * order.spec.reach();
  const bool torus = order.spec.boundary == Boundary::torus;
  if (torus || us.rank() > 0) up_ = (us.rank() + bands - 1) % bands;
  if (torus || us.rank() + 1 < bands) down_ = (us.rank() + 1) % bands;
}

template <class Work>
void RankBand::attempt(Work&& work) {
  if (failure_) return;
  try {
    work();
  } catch (const PartLost&) {
    throw;
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RankBand::exchange() {
  CellGrid to_up(width_, rows_, planes_), to_down(to_up), from_up(to_up), from_down(to_up);
  const std::int64_t first = grid_.above, end = grid_.row(grid_.own.end());
  attempt([&] {
    if (up_ >= 0) to_up = grid_.backend->download({0, first, width_, rows_});
    if (down_ >= 0) to_down = grid_.backend->download({0, end - rows_, width_, rows_});
  });
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const auto add = [&](int neighbour, int out_tag, CellGrid& sent, int in_tag, CellGrid& got) {
    if (neighbour < 0) return;
    for (int p = 0; p < planes_; p++) {
      out.push_back({neighbour, out_tag + p, std::as_bytes(sent.plane(p).words())});
      in.push_back({neighbour, in_tag + p, std::as_writable_bytes(got.plane(p).words())});
    }
  };
  add(up_, kUpwards, to_up, kDownwards, from_up);
  add(down_, kDownwards, to_down, kUpwards, from_down);
  us_.exchange(out, in);
  attempt([&] {
    if (up_ >= 0) grid_.backend->edit({0, first - rows_}, from_up);
    if (down_ >= 0) grid_.backend->edit({0, end}, from_down);
  });
}

void RankBand::step(std::int64_t generations, bool odd) {
  if (!any()) return;
  halos_.run(
      generations,
      [&] {
        if (rows_ > 0) exchange();
      },
      [&](std::int64_t now) {
        attempt([&] { grid_.backend->step(now, odd); });
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
