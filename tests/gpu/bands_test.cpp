// Bands of one grid on CUDA devices, real ones or pretended ones (emulation/driver), against the
// CPU: halos of any depth that devices exchange by themselves, with edits and questions between. On
// rank 0 of an mpirun each band is that of a process.
#include <dlfcn.h>
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
#include "tests/gpu/emulation/driver/fake_launches.h"
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

// Of pretended devices (emulation/driver); null where devices are real.
using Launches = decltype(&fake_launches);
Launches find_launches() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver ? reinterpret_cast<Launches>(::dlsym(driver, "fake_launches")) : nullptr;
}

// The shape of strips that the pretended devices have. They have march for Life on tori alone.
constexpr Tuning kShape{8, 1, 8, 4, 0};

// The least halo of a ring.
constexpr std::int64_t kRingHalo = 32;

// What steps: strips, march, or bands that march can step together.
enum class Way { strips, march, ring };

Way draw_way(Dice& dice, bool marches) {
  if (!marches || dice.between(0, 2) > 0) return Way::strips;
  return dice.between(0, 3) > 0 ? Way::ring : Way::march;
}

BackendSpec draw_spec(Dice& dice, Way way, bool pretended) {
  BackendSpec spec;
  spec.width = dice.between(8, dice.between(0, 3) == 0 ? 700 : 300);
  spec.height = dice.between(2, 160);
  spec.boundary = dice.between(0, 1) == 0 ? Boundary::torus : Boundary::plane;
  if (way == Way::ring) {
    spec.width = 32 * dice.between(3, pretended ? 140 : 400);
    spec.height = 4 * dice.between(pretended ? 46 : 40, pretended ? 60 : 400);
    spec.boundary = Boundary::torus;
  }
  if (way != Way::strips && pretended) {
    spec.boundary = Boundary::torus;
    return spec;
  }
  if (dice.between(0, 2) > 0) {
    spec.rule.birth = static_cast<std::uint16_t>(dice.between(0, 255) * 2);
    spec.rule.survival = static_cast<std::uint16_t>(dice.between(0, 511));
  }
  return spec;
}

// Of bands that have so many rows.
std::int64_t draw_halo(Dice& dice, Way way, std::int64_t rows, bool pretended) {
  std::int64_t least = 1, most = rows;
  // Deeper ones take pretended devices too long.
  if (way != Way::strips && pretended) most = std::min<std::int64_t>(most, 48);
  if (way == Way::ring && dice.between(0, 3) > 0) least = std::min(kRingHalo, most);
  const std::int64_t halo = dice.between(least, most);
  // Mostly what whole vectors of rows make, which leaves by the kernel that steps.
  return halo > 4 && dice.between(0, 3) > 0 ? halo / 4 * 4 : halo;
}

std::int64_t draw_generations(Dice& dice, int turn, Way way, std::int64_t halo) {
  // At first until an exchange is due, for which rows have left already.
  if (turn == 0) return halo * dice.between(1, 2);
  // After an edit as few as a ring steps: it leaves some of the halos, which nobody may use.
  if (turn == 2 && way == Way::ring) return kRingHalo + dice.between(0, 3);
  return dice.between(1, 3 * halo + 9);
}

// Three bands on pretended devices, whose halos are deep enough for a ring.
void check_without_ring(const BackendSpec& spec, LinkChoice link = LinkChoice::automatic) {
  const auto several =
      make_factory(devices(3, device_count()), "march", {}, nullptr, {kRingHalo, link})(spec);
  const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
  several->fill({5, 30000});
  judge->fill({5, 30000});
  const Launches launches = find_launches();
  const long rings = launches("ring");
  several->step(kRingHalo + 9);
  judge->step(kRingHalo + 9);
  CHECK(several->download() == judge->download());
  CHECK(launches("ring") == rings);
}

}  // namespace

TEST_CASE("bands on CUDA devices give the CPU's bits") {
  const int count = device_count();
  const bool marches = !find_kernels({"cuda"}, {"march"}).empty();
  const Launches launches = find_launches();
  const std::int64_t cases = case_count(45);
  int traded = 0;
  for (std::int64_t seed = 0; seed < cases; seed++) {
    Dice dice(static_cast<std::uint64_t>(seed) + 7);
    const Way way = draw_way(dice, marches);
    const BackendSpec spec = draw_spec(dice, way, launches != nullptr);
    // Now and then more parts than devices, which then meet for every exchange.
    const std::int64_t wanted = dice.between(2, std::max(2, count + (dice.between(0, 3) == 0)));
    const int parts = static_cast<int>(
        std::min<std::int64_t>(rank_team() ? rank_team()->ranks : wanted, spec.height));
    const std::int64_t halo = draw_halo(dice, way, spec.height / parts, launches != nullptr);
    const LinkChoice link = dice.between(0, 4) == 0 ? LinkChoice::host : LinkChoice::automatic;
    INFO("seed ", seed, ": ", spec.width, "x", spec.height, " on ", devices(parts, count),
         ", halo ", halo);
    const auto several =
        make_factory(devices(parts, count), way == Way::strips ? "strips" : "march",
                     way == Way::strips ? kShape : Tuning{}, nullptr, {halo, link})(spec);
    const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
    const std::string host = rank_team() ? "mpi" : "host";
    REQUIRE(several->info().link == (link == LinkChoice::host ? host : "peer"));
    traded += link != LinkChoice::host && parts <= count;
    const Soup soup{static_cast<std::uint64_t>(seed), 30000};
    several->fill(soup);
    judge->fill(soup);
    for (int turn = 0; turn < 4; turn++) {
      const std::int64_t generations = draw_generations(dice, turn, way, halo);
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
  if (count < 2) return;
  CHECK(traded > cases / 3);
  if (!launches) return;
  CHECK(launches("ring") > cases / 2);
  CHECK(launches("step of march.cu") > cases);
}

TEST_CASE("bands joined by the host are stepped by relay, each by itself") {
  const Launches launches = find_launches();
  if (!launches) return;
  const long relays = launches("relay");
  // So wide and high that relay takes less time than march: three windows of five segments.
  check_without_ring({3 * 4032, 3 * 256, Boundary::torus, kLife, 0}, LinkChoice::host);
  CHECK(launches("relay") > relays);
}

TEST_CASE("no ring joins bands of which one is too low for it") {
  if (find_launches()) check_without_ring({960, 60 + 60 + 56, Boundary::torus, kLife, 0});
}
