#include "backends/distributed/rank_link.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <vector>

#include "backends/distributed/halo_parcel.h"
#include "core/base/error.h"

namespace tessera {

namespace {

constexpr int kTexts = 300;  // tag

// What every rank has to say, by rank, for all.
std::vector<std::string> all_texts(Communicator& us, const std::string& mine) {
  const auto me = static_cast<std::size_t>(us.rank());
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(us.size()));
  sizes[me] = mine.size();
  us.reduce(Reduction::sum, sizes);
  std::vector<std::string> all(sizes.size());
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t rank = 0; rank < all.size(); rank++) {
    if (rank == me) continue;
    all[rank].resize(sizes[rank]);
    const int other = static_cast<int>(rank);
    if (!mine.empty()) out.push_back({other, kTexts, std::as_bytes(std::span(mine))});
    if (sizes[rank] > 0)
      in.push_back({other, kTexts, std::as_writable_bytes(std::span(all[rank]))});
  }
  us.exchange(out, in);
  all[me] = mine;
  return all;
}

// The first of the reasons that ranks have, or empty.
std::string first_reason(Communicator& us, const std::string& mine) {
  const std::vector<std::string> all = all_texts(us, mine);
  for (std::size_t rank = 0; rank < all.size(); rank++) {
    if (!all[rank].empty()) return fmt::format("rank {}: {}", rank, all[rank]);
  }
  return {};
}

// What `work` returns or throws as a reason.
template <class Work>
std::string reason_of(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    return error.what();
  }
}

// The ranks of one grid on their way to a link.
struct Joining {
  Communicator& us;
  const DistributedPlan& plan;
  const BackendSpec& spec;
  StepBackend* backend;
  RowPort* port;
  std::size_t me, bands;

  // Whether each rank has a device of its own that passes rows on.
  std::string no_devices() const {
    const std::vector<std::string> all = all_texts(us, port ? port->device_id() : "");
    std::set<std::string> seen;
    std::string why;
    if (backend && !port) why = backend->info().backend + " passes no rows to other devices";
    for (std::size_t rank = 0; rank < bands && why.empty(); rank++) {
      if (!all[rank].empty() && !seen.insert(all[rank]).second)
        why = "several ranks share " + backend_name();
    }
    return first_reason(us, why);
  }
  std::string backend_name() const { return backend ? backend->info().device : "a device"; }

  std::string no_peers(bool one_host) const {
    std::string address;
    std::string why = reason_of([&]() -> std::string {
      if (!one_host) return "the ranks are on several hosts";
      if (port) address = port->trade_address(plan.halo * spec.reach(), true);
      return {};
    });
    std::vector<std::string> all = all_texts(us, address);
    all.resize(bands);
    why = first_reason(us, why);
    if (!why.empty()) return why;
    why = reason_of([&] { return port ? port->join_trades(all, me).value_or("") : ""; });
    why = first_reason(us, why);
    if (!why.empty()) leave();
    return why;
  }

  std::string no_group() const {
    RowGroup group;
    std::string why = reason_of([&]() -> std::string {
      if (port) group.name = port->new_group();
      return {};
    });
    why = first_reason(us, why);
    if (!why.empty()) return why;
    group.name = all_texts(us, me == 0 ? group.name : "").front();
    group.rank = us.rank();
    group.size = static_cast<int>(bands);
    group.rows = plan.halo * spec.reach();
    const std::vector<std::string> layouts = all_texts(us, port ? port->row_layout() : "");
    group.alike =
        std::set(layouts.begin(), layouts.begin() + static_cast<std::ptrdiff_t>(bands)).size() == 1;
    why = reason_of([&]() -> std::string {
      if (port) port->join_group(group);
      return {};
    });
    return first_reason(us, why);
  }

  void leave() const {
    reason_of([&]() -> std::string {
      if (port) port->leave_trades();
      return {};
    });
    us.barrier();
  }
};

}  // namespace

RankLink join_ranks(Communicator& us, const DistributedPlan& plan, const BackendSpec& spec,
                    StepBackend* backend, bool one_host) {
  const std::size_t bands = plan.bands.size();
  const LinkChoice wanted = plan.link;
  if (plan.halo == 0) return {};
  const auto me = static_cast<std::size_t>(us.rank());
  const Joining ranks{us, plan, spec, backend, backend ? backend->row_port() : nullptr, me, bands};
  RankLink link;
  link.port = ranks.port;
  if (link.port) link.port->set_halos(plan.above(me, spec), plan.below(me, spec));
  link.forms = all_texts(us, backend ? form_of(*backend) : "");
  if (wanted == LinkChoice::host) return link;
  std::string why =
      spec.plain_edges() ? ranks.no_devices() : "edges that are shifted or twisted pass by MPI";
  if (why.empty()) {
    if (wanted != LinkChoice::nccl) {
      why = ranks.no_peers(one_host);
      if (why.empty()) link.name = "peer";
    }
    if (!link.trades() && wanted != LinkChoice::peer) {
      why = ranks.no_group();
      if (why.empty()) link.name = "nccl";
    }
  }
  if (!link.trades() && wanted != LinkChoice::automatic) {
    throw UnsupportedError(fmt::format("link {}: {}; auto and host are accepted here",
                                       wanted == LinkChoice::peer ? "peer" : "nccl", why));
  }
  return link;
}

}  // namespace tessera
