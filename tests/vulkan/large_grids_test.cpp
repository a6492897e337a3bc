// What grids take in one binding, in chunks and by addresses, beside CUDA: device time, and the
// same hashes. The ways that are compared come first, for all grids; those that explain them
// afterwards. Not run by ctest; large-grids.sh runs it where there is a GPU.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/cells/state_hash.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

constexpr int kRepeats = 5;
constexpr double kWork = 4.4e12;  // cell updates of a repeat: 0.1 s of a large GPU
constexpr std::int64_t kPass = 64;

using Maker = std::function<std::unique_ptr<StepBackend>()>;

// The Vulkan backend with a plan of its own. `stripe` 0: as chosen.
std::unique_ptr<StepBackend> on_vulkan(const BackendSpec& spec, std::int64_t largest,
                                       bool addresses, std::int64_t stripe) {
  const Gpu& gpu = Gpus::get().list.at(0);
  const KernelShape shape = choose_shape(gpu, "strips", spec, {});
  GridPlan plan = plan_grid(spec, shape, largest, addresses);
  if (!plan.problem.empty()) throw UnsupportedError(plan.problem);
  if (addresses && !plan.addressed) throw UnsupportedError("the grid is not cut");
  if (stripe > 0) plan.stripe = stripe;
  return std::make_unique<VulkanBackend>(Device::get(0), spec,
                                         BackendInfo{"vulkan", gpu.name, "strips", shape.tuning},
                                         shape, std::move(plan));
}

// How a grid is stepped.
struct Way {
  std::string name;
  Maker make;
  bool extra = false;  // says only why another way is fast or slow
};

std::vector<Way> ways(const BackendSpec& spec) {
  const Gpu& gpu = Gpus::get().list.at(0);
  const KernelShape shape = choose_shape(gpu, "strips", spec, {});
  const std::int64_t device = largest_chunk(gpu);
  const GridPlan plan = plan_grid(spec, shape, device, false);
  std::vector<Way> all;
  for (const std::string kernel : {"auto", "strips"}) {
    all.push_back({"cuda, " + kernel,
                   [=] { return KernelChooser("cuda", kernel).choose(spec).create(spec); },
                   kernel == "strips"});
  }
  // Grids that fit a binding are cut into three, too.
  const bool fits = plan.chunks.size() == 1;
  const std::int64_t largest = fits ? plan.chunks[0].bytes / 8 * 3 : device;
  if (fits) all.push_back({"one binding", [=] { return on_vulkan(spec, device, false, 0); }});
  all.push_back({"chunks", [=] { return on_vulkan(spec, largest, false, 0); }});
  if (!gpu.addresses) return all;
  const std::int64_t chosen = plan_grid(spec, shape, largest, true).stripe;
  const std::int64_t macros = ceil_div(spec.width, shape.macro());
  for (const std::int64_t stripe : std::set<std::int64_t>{chosen, 16, macros}) {
    all.push_back({fmt::format("addresses, stripes of {} of {}", stripe, macros),
                   [=] { return on_vulkan(spec, largest, true, stripe); }, stripe != chosen});
  }
  return all;
}

std::vector<BackendSpec> grids() {
  const char* asked = std::getenv("TESSERA_GRIDS");
  std::istringstream in(asked ? asked
                              : "262144x262144 65536x65536 16384x16384 180224x180224 "
                                "262144x65536 65536x262144");
  const char* named = std::getenv("TESSERA_RULE");
  const Rule rule = parse_rule(named ? named : "B3/S23");
  std::vector<BackendSpec> all;
  std::int64_t width = 0, height = 0;
  for (char by = 0; in >> width >> by >> height;)
    all.push_back({width, height, Boundary::torus, rule, 0});
  return all;
}

// One line; the hash afterwards.
std::string measure(const BackendSpec& spec, const Way& way) {
  const auto backend = way.make();
  const double cells = static_cast<double>(spec.width) * static_cast<double>(spec.height);
  const auto generations =
      std::max(kPass, static_cast<std::int64_t>(kWork / cells) / kPass * kPass);
  const char* few = std::getenv("TESSERA_GENERATIONS");
  const std::int64_t each = few ? std::atoll(few) : generations;
  backend->fill({1, 32768});
  backend->step(each);
  std::vector<double> seconds;
  for (int i = 0; i < kRepeats; i++) {
    const double before = backend->device_seconds().value_or(0);
    backend->step(each);
    seconds.push_back(backend->device_seconds().value_or(0) - before);
  }
  std::ranges::sort(seconds);
  const std::string hash = hash_text(hash_of(*backend));
  fmt::print("{}x{}, {}: {:.3e} cell updates/s ({:.2f} ms, {:.2f} to {:.2f}, {} generations), {}\n",
             spec.width, spec.height, way.name,
             cells * static_cast<double>(each) / seconds[kRepeats / 2], 1e3 * seconds[kRepeats / 2],
             1e3 * seconds.front(), 1e3 * seconds.back(), each, hash);
  std::fflush(stdout);
  return hash;
}

}  // namespace

TEST_CASE("large grids by every way have the same hashes") {
  REQUIRE_MESSAGE(!Gpus::get().list.empty(), Gpus::get().missing);
  const std::vector<BackendSpec> all = grids();
  std::vector<std::string> hashes(all.size());
  for (const bool extra : {false, true}) {
    for (std::size_t g = 0; g < all.size(); g++) {
      const BackendSpec& spec = all[g];
      for (const Way& way : ways(spec)) {
        if (way.extra != extra) continue;
        INFO(spec.width, "x", spec.height, ", ", way.name);
        try {
          const std::string hash = measure(spec, way);
          if (hashes[g].empty()) hashes[g] = hash;
          CHECK(hash == hashes[g]);
        } catch (const UnsupportedError& error) {
          fmt::print("{}x{}, {}: skipped: {}\n", spec.width, spec.height, way.name, error.what());
        }
      }
    }
  }
}
