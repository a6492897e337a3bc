// Bands of one grid on CUDA devices, real ones or pretended ones (emulation/driver), against the
// CPU: halos of any depth that devices exchange by themselves, with edits and questions between. On
// rank 0 of an mpirun each band is that of a process.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backends/distributed/rank_team.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/soup.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Dice {
  explicit Dice(std::uint64_t seed) : random(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::mt19937_64 random;
};

// Devices of CUDA, at least one.
int device_count() {
  std::set<int> found;
  for (const Kernel& kernel : find_kernels({"cuda"}, {"default"}))
    found.insert(kernel.device.index);
  return static_cast<int>(found.size());
}

std::string devices(int parts, int count) {
  if (rank_team()) return "cuda*ranks";
  std::string text;
  for (int part = 0; part < parts; part++)
    text += fmt::format("{}cuda:{}", part > 0 ? "+" : "", part % count);
  return text;
}

// Pretended devices have strips alone.
bool has_march() {
  const std::vector<Kernel> all = find_kernels({"cuda"}, {"march"});
  return !all.empty() && all.front().device.name != "emulated";
}

// The shape that the pretended devices have.
constexpr Tuning kShape{8, 1, 8, 4, 0};

BackendSpec draw_spec(Dice& dice) {
  BackendSpec spec;
  spec.width = dice.between(8, dice.between(0, 3) == 0 ? 700 : 300);
  spec.height = dice.between(2, 160);
  spec.boundary = dice.between(0, 1) == 0 ? Boundary::torus : Boundary::plane;
  if (dice.between(0, 2) > 0) {
    spec.rule.birth = static_cast<std::uint16_t>(dice.between(0, 255) * 2);
    spec.rule.survival = static_cast<std::uint16_t>(dice.between(0, 511));
  }
  return spec;
}

}  // namespace

TEST_CASE("bands on CUDA devices give the CPU's bits") {
  const int count = device_count();
  const bool marches = has_march();
  const std::int64_t cases = case_count(30);
  int traded = 0;
  for (std::int64_t seed = 0; seed < cases; seed++) {
    Dice dice(static_cast<std::uint64_t>(seed) + 7);
    const BackendSpec spec = draw_spec(dice);
    // Now and then more parts than devices, which then meet for every exchange.
    const std::int64_t wanted = dice.between(2, std::max(2, count + (dice.between(0, 3) == 0)));
    const int parts = static_cast<int>(
        std::min<std::int64_t>(rank_team() ? rank_team()->ranks : wanted, spec.height));
    std::int64_t halo = dice.between(1, spec.height / parts);
    // Mostly what whole vectors of rows make, which leaves by the kernel that steps.
    if (halo > 4 && dice.between(0, 3) > 0) halo = halo / 4 * 4;
    const LinkChoice link = dice.between(0, 4) == 0 ? LinkChoice::host : LinkChoice::automatic;
    INFO("seed ", seed, ": ", spec.width, "x", spec.height, " on ", devices(parts, count),
         ", halo ", halo);
    const bool march = marches && dice.between(0, 2) == 0;
    const auto several = make_factory(devices(parts, count), march ? "march" : "strips",
                                      march ? Tuning{} : kShape, nullptr, {halo, link})(spec);
    const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
    const std::string host = rank_team() ? "mpi" : "host";
    REQUIRE(several->info().link == (link == LinkChoice::host ? host : "peer"));
    traded += link != LinkChoice::host && parts <= count;
    const Soup soup{static_cast<std::uint64_t>(seed), 30000};
    several->fill(soup);
    judge->fill(soup);
    for (int turn = 0; turn < 4; turn++) {
      // At first until an exchange is due, for which rows have left already.
      const std::int64_t generations =
          turn == 0 ? halo * dice.between(1, 2) : dice.between(1, 3 * halo + 9);
      several->step(generations);
      judge->step(generations);
      if (turn == 0) {
        const CellGrid cells(make_soup({soup.seed + 1, 20000}, spec.width, spec.height));
        several->edit({0, 0}, cells);
        judge->edit({0, 0}, cells);
      }
      if (turn == 1) {
        const Rect rect{dice.between(0, spec.width - 1), dice.between(0, spec.height - 1), 1, 1};
        const CellGrid cells = judge->download({0, 0, 1, 1});
        several->edit({rect.x, rect.y}, cells);
        judge->edit({rect.x, rect.y}, cells);
      }
      REQUIRE(several->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
    }
    REQUIRE(several->download() == judge->download());
  }
  // One device has nobody to trade with.
  if (count > 1) CHECK(traded > cases / 3);
}
