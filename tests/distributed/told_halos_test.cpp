// Halos of parts whose drivers tell how long steps take.

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "backends/distributed/edges_driver.h"
#include "backends/distributed/ranks_driver.h"
#include "tests/distributed/threaded_ranks.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Says that it is a GPU, steps like the processor, and tells that bands with halos of more than 100
// rows take for ever, so that 96 are best: however high bands are, where parts are measured.
class TellingDriver final : public Driver {
 public:
  const char* name() const override { return "cuda"; }
  DeviceList devices() const override { return {{DeviceInfo{}}, ""}; }
  std::vector<KernelInfo> kernels() const override {
    return {{"reference", "", {}}, {"silent", "", {}}};
  }
  std::optional<double> step_seconds(int, const BackendSpec& spec, const std::string& kernel,
                                     const Tuning&, std::int64_t) const override {
    if (kernel == "silent") return std::nullopt;
    return spec.halo_rows > 200 ? 1e9 : 1.0;
  }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string&, const Tuning&) const override {
    return [spec] { return reference().create(spec); };
  }
};

}  // namespace

TEST_CASE("parts whose devices tell how long steps take get the halos that fit them") {
  static const TellingDriver own;
  // As drivers come from the list of all: see with_any_edges.
  static const Driver& telling = with_any_edges(own);
  BackendSpec spec;
  spec.width = 4096;
  spec.height = 3 * 300;
  const std::vector<PartDevice> parts(3, {&telling, DeviceInfo{}});
  const auto halo = [&](const std::string& kernel, const BandOptions& options) {
    return distributed_driver(parts, options).create(0, spec, kernel, {})->info().halo;
  };
  const std::int64_t by_rates = halo("silent", {});
  CHECK(by_rates != 96);
  CHECK(halo("reference", {}) == 96);
  CHECK(halo("reference", {50}) == 50);
  // By way of the host an exchange costs more with each row.
  CHECK(halo("reference", {0, LinkChoice::host}) == halo("silent", {0, LinkChoice::host}));

  // A device of its own for each rank.
  for (const bool alike : {true, false}) {
    CAPTURE(alike);
    const auto find = [&](const std::string&, const RankPlace& place) {
      PartDevice part{&telling, DeviceInfo{}};
      part.device.index = place.local;
      part.device.name = alike || place.local == 0 ? "one" : "another";
      part.device.software = true;  // so that it is measured quickly
      return part;
    };
    on_ranks(3, find, [&](RankWorker& worker) {
      const RanksDriver driver(worker, "cuda", {});
      const std::int64_t told = driver.create(0, spec, "reference", {})->info().halo;
      CHECK((told == 96) == alike);
    });
  }
}
