// Bands of one grid on CUDA devices, real ones or pretended ones (emulation/driver), against the
// CPU: halos of any depth that devices exchange by themselves, with edits and questions between.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/base/error.h"
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
  std::string text;
  for (int part = 0; part < parts; part++)
    text += fmt::format("{}cuda:{}", part > 0 ? "+" : "", part % count);
  return text;
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
  const std::int64_t cases = case_count(30);
  int traded = 0;
  for (std::int64_t seed = 0; seed < cases; seed++) {
    Dice dice(static_cast<std::uint64_t>(seed) + 7);
    const BackendSpec spec = draw_spec(dice);
    // Now and then more parts than devices, which then meet for every exchange.
    const int parts = static_cast<int>(
        std::min(dice.between(2, std::max(2, count + (dice.between(0, 3) == 0))), spec.height));
    const std::int64_t halo = dice.between(1, spec.height / parts);
    const LinkChoice link = dice.between(0, 4) == 0 ? LinkChoice::host : LinkChoice::automatic;
    INFO("seed ", seed, ": ", spec.width, "x", spec.height, " on ", devices(parts, count),
         ", halo ", halo);
    const auto several =
        make_factory(devices(parts, count), "strips", kShape, nullptr, {halo, link})(spec);
    const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
    REQUIRE(several->info().link == (link == LinkChoice::host ? "host" : "peer"));
    traded += link != LinkChoice::host && parts <= count;
    const Soup soup{static_cast<std::uint64_t>(seed), 30000};
    several->fill(soup);
    judge->fill(soup);
    for (int turn = 0; turn < 4; turn++) {
      const std::int64_t generations = dice.between(1, 3 * halo + 9);
      several->step(generations);
      judge->step(generations);
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
