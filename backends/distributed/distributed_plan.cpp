#include "backends/distributed/distributed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/stepping/surroundings.h"

namespace tessera {

namespace {

void check_size(const BackendSpec& spec) {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 50;
  if (BitGrid::bytes(spec.width, spec.height) && spec.height <= kMostRows) return;
  throw UnsupportedError(
      fmt::format("a grid of {}x{} cells: sides from 1 and up to 2^46 bytes are supported",
                  spec.width, spec.height));
}

// Kernels that step bands together take rows by fours, where there are enough.
std::vector<BandRows> bands_of(const BackendSpec& spec, const std::vector<double>& weights,
                               std::int64_t least, bool peers) {
  constexpr std::int64_t kUnit = 4;
  const std::int64_t each = spec.height / kUnit / std::ssize(weights) * kUnit;
  if (!peers || spec.height % kUnit != 0 || each < std::max<std::int64_t>(least, 1))
    return plan_bands(spec.height, weights, least);
  std::vector<BandRows> bands = plan_bands(spec.height / kUnit, weights, ceil_div(least, kUnit));
  for (BandRows& band : bands) band.first *= kUnit, band.rows *= kUnit;
  return bands;
}

// As deep as makes the slowest band the quickest where the parts can tell, else by rows and rates.
std::int64_t halo_for(const BackendSpec& spec, const std::vector<double>& weights,
                      std::int64_t most, const HaloCosts& costs) {
  const auto slowest = [&](std::int64_t halo) -> std::optional<double> {
    const DistributedPlan plan{bands_of(spec, weights, halo * spec.reach(), costs.peers), halo,
                               LinkChoice::automatic, costs.peers};
    double seconds = 0;
    for (std::size_t i = 0; i < plan.bands.size(); i++) {
      const std::optional<double> own = costs.band_seconds(i, plan.band_spec(i, spec), halo);
      if (!own) return std::nullopt;
      seconds = std::max(seconds, *own);
    }
    return seconds;
  };
  // Rows that are only stored cost nothing but memory; others are stepped, too.
  const std::int64_t deepest = std::min<std::int64_t>(most, costs.peers ? 1024 : 384);
  std::optional<std::int64_t> halo;
  if (costs.band_seconds) halo = quickest_halo(deepest, costs.exchange_seconds, slowest);
  return halo ? *halo : choose_halo(spec.width, most, costs);
}

}  // namespace

std::int64_t DistributedPlan::above(std::size_t i, const BackendSpec& spec) const {
  return i == 0 && spec.boundary == Boundary::plane ? 0 : halo * spec.reach();
}

std::int64_t DistributedPlan::below(std::size_t i, const BackendSpec& spec) const {
  const bool last = i + 1 == bands.size();
  return last && spec.boundary == Boundary::plane ? 0 : halo * spec.reach();
}

std::int64_t DistributedPlan::beside(const BackendSpec& spec) const {
  const bool joined =
      spec.boundary == Boundary::shifted_torus || spec.boundary == Boundary::klein_bottle;
  return spec.plain_edges() || (joined && !spec.seam.vertical) ? 0 : halo * spec.reach();
}

BackendSpec DistributedPlan::band_spec(std::size_t i, const BackendSpec& spec) const {
  if (crew) return spec;
  BackendSpec out = spec;
  out.halo_above = above(i, spec);
  out.halo_rows = out.halo_above + below(i, spec);
  out.peer_bands = peers && bands.size() > 1 && spec.boundary == Boundary::torus;
  out.height = bands[i].rows + out.halo_rows;
  if (spec.plain_edges()) return out;
  out.width = left(spec) + spec.width + beside(spec);
  out.boundary = beside(spec) > 0 ? Boundary::plane : Boundary::torus;
  out.seam = {};
  return out;
}

std::int64_t memory_share(const BackendSpec& band, const BackendSpec& whole) {
  if (whole.max_memory == 0) return 0;
  const double share = static_cast<double>(band.height) / static_cast<double>(whole.height) *
                       (static_cast<double>(band.width) / static_cast<double>(whole.width));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(whole.max_memory) * std::min(1.0, share)));
}

DistributedPlan plan_grid(const BackendSpec& spec, const std::vector<double>& weights,
                          const BandOptions& options, const HaloCosts& costs) {
  check_size(spec);
  DistributedPlan plan;
  plan.link = options.link;
  const std::int64_t reach = spec.reach();
  // A slow part still gets the rows that its neighbours' halos need.
  const auto count = static_cast<std::int64_t>(std::min<std::size_t>(
      weights.size(), static_cast<std::size_t>(std::min<std::int64_t>(spec.height, 1 << 20))));
  const std::int64_t deepest = unrolls(spec) ? std::numeric_limits<std::int64_t>::max() : 1;
  if (options.halo > deepest) {
    throw UnsupportedError(
        fmt::format("a halo of {} generations: what lies beyond the edges of this universe is "
                    "known for one generation at a time; a halo of 1 is accepted",
                    options.halo));
  }
  const std::int64_t most = std::clamp<std::int64_t>(spec.height / count / reach, 1, deepest);
  const std::int64_t wanted =
      options.halo > 0 ? options.halo : halo_for(spec, weights, most, costs);
  plan.peers = costs.peers;
  plan.bands = bands_of(spec, weights, wanted * reach, costs.peers);
  const bool alone = plan.bands.size() < 2;
  if (alone && spec.plain_edges()) return plan;
  const std::int64_t rows = std::ranges::min(plan.bands, {}, &BandRows::rows).rows;
  if (!alone && (options.halo * reach > rows || rows < reach)) {
    throw UnsupportedError(fmt::format(
        "a halo of {} generations needs {} rows and {} rows in {} bands have {} each: a halo of "
        "at most {} generations is accepted, or fewer parts",
        std::max<std::int64_t>(1, options.halo), std::max<std::int64_t>(1, options.halo) * reach,
        spec.height, plan.bands.size(), rows, rows / reach));
  }
  plan.halo = options.halo > 0 ? options.halo : std::min(wanted, rows / reach);
  return plan;
}

}  // namespace tessera
