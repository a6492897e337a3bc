// The parts of one process: threads that work together, meet and fail together. Also run under a
// sanitizer that finds races.

#include "backends/distributed/local_team.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "backends/distributed/distributed_backend.h"
#include "core/base/error.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("what a part wrote before a barrier, all see behind it") {
  for (const int size : {1, 2, 3, 8}) {
    CAPTURE(size);
    LocalTeam team(size);
    CHECK(team.size() == size);
    for (int round = 0; round < 200; round++) {
      std::vector<int> written(static_cast<std::size_t>(size)), sums(written);
      team.run([&](Communicator& us) {
        const auto me = static_cast<std::size_t>(us.rank());
        for (int turn = 1; turn <= 3; turn++) {
          written[me] = turn * (us.rank() + 1);
          us.barrier();
          sums[me] = 0;
          for (const int each : written) sums[me] += each;
          us.barrier();
        }
      });
      for (const int sum : sums) REQUIRE(sum == 3 * size * (size + 1) / 2);
    }
  }
}

TEST_CASE("an error of one part is the error of all, and nobody waits for it") {
  LocalTeam team(4);
  for (int lost = 0; lost < 4; lost++) {
    CAPTURE(lost);
    const std::string what = message_of<DeviceError>([&] {
      team.run([&](Communicator& us) {
        us.barrier();
        if (us.rank() == lost) throw DeviceError("part " + std::to_string(lost) + " is lost");
        us.barrier();
        FAIL_CHECK("a barrier was passed without a part");
      });
    });
    CHECK(what == "part " + std::to_string(lost) + " is lost");
    // The team goes on.
    int count = 0;
    team.run([&](Communicator& us) {
      us.barrier();
      if (us.rank() == 0) count = us.size();
    });
    CHECK(count == 4);
  }
  // Several that fail: the lowest is heard.
  CHECK(message_of<InputError>([&] {
          team.run([&](Communicator& us) {
            if (us.rank() > 0) throw InputError("part " + std::to_string(us.rank()));
            us.barrier();
          });
        }).starts_with("part "));
}

TEST_CASE("bands step at the same time and exchange halos without a race") {
  const BackendFactory word = find_kernels({"cpu"}, {"word"}).at(0).factory();
  BackendSpec spec;
  spec.width = 150;
  spec.height = 61;
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    spec.boundary = boundary;
    const auto judge = reference().create(spec);
    judge->fill(Soup{});
    const DistributedPlan plan{plan_bands(spec.height, {1, 1, 1, 1}), 5, LinkChoice::automatic};
    const auto several =
        DistributedBackend::create(spec, {"test", "", "", {}}, plan, {word, word, word, word});
    several->fill(Soup{});
    std::mt19937_64 random(1);
    for (int round = 0; round < 40; round++) {
      const auto now = static_cast<std::int64_t>(random() % 14);
      several->step(now);
      judge->step(now);
      if (round % 7 == 3) {
        const BitGrid patch = make_soup({random(), 32768}, 33, 20);
        several->edit({60, static_cast<std::int64_t>(random() % 41)}, patch);
        judge->upload(several->download());
      }
      REQUIRE(several->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
    }
  }
}

TEST_CASE("every kernel of the processor steps bands without a race") {
  BackendSpec spec;
  spec.width = 1000;
  spec.height = 130;
  const auto judge = reference().create(spec);
  judge->fill(Soup{});
  judge->step(45);
  for (const Kernel& kernel : find_kernels({"cpu*3"}, {"all"})) {
    INFO(kernel.name());
    if (!supports(kernel, spec)) continue;
    const auto several = kernel.create(spec);
    several->fill(Soup{});
    for (const std::int64_t now : {1, 17, 27}) several->step(now);
    CHECK(several->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
  }
}
