#include "backends/distributed/part_speed.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSide = 4096, kSoftwareSide = 256;
constexpr double kSeconds = 0.03;
constexpr std::int64_t kMostGenerations = 1 << 16;

double measure(const Kernel& kernel, const Tuning& tuning) {
  BackendSpec spec;
  spec.width = spec.height = kernel.device.software ? kSoftwareSide : kSide;
  // One that steps no Life is as fast beside those of other devices as the default one, roughly.
  Tuning threads;
  threads.threads = tuning.threads;
  const auto backend = kernel.unsupported(spec)
                           ? kernel.driver->create(kernel.device.index, spec, "auto", threads)
                           : kernel.create(spec, tuning);
  backend->fill(Soup{});
  // Pays for what happens only once.
  backend->step(1);
  backend->synchronize();
  for (std::int64_t generations = 8;; generations *= 2) {
    const Clock::time_point start = Clock::now();
    backend->step(generations);
    backend->synchronize();
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    if (took >= kSeconds || generations >= kMostGenerations) {
      return static_cast<double>(generations) * static_cast<double>(spec.width) *
             static_cast<double>(spec.height) / std::max(took, 1e-9);
    }
  }
}

}  // namespace

double measured_speed(const Kernel& kernel, const Tuning& tuning) {
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::lock_guard lock(mutex);
  const std::string key = kernel.name() + ' ' + to_string(tuning);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = measure(kernel, tuning);
}

double nominal_speed(const Kernel& kernel, int threads) {
  if (kernel.device.software) return 1e9;
  if (std::string_view(kernel.driver->name()) != "cpu") return 4e13;
  return 1e11 * std::max(1, threads);
}

BackendSpec as_band(BackendSpec spec, std::size_t parts, bool peers) {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(parts, 1));
  spec.halo_rows = count > 1 || !spec.plain_edges() ? 2 : 0;
  spec.halo_above = spec.halo_rows / 2;
  spec.peer_bands = peers && count > 1 && spec.boundary == Boundary::torus;
  if (!spec.plain_edges()) spec.boundary = Boundary::torus, spec.seam = {};
  spec.width = std::max<std::int64_t>(1, spec.width);
  spec.height = std::max<std::int64_t>(1, spec.height / count) + spec.halo_rows;
  return spec;
}

}  // namespace tessera
