// Generations around what a kernel does in one launch or pass, for every length that it declares.

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "tests/support/kernels.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kMost = 160;

// Generations per launch that the kernel accepts; 0 is its own choice.
std::vector<int> launch_lengths(const Kernel& kernel) {
  std::vector<int> lengths{0};
  if (const TuningParameter* depth = kernel.info.parameter(&Tuning::generations))
    lengths.insert(lengths.end(), depth->candidates.begin(), depth->candidates.end());
  // An emulated device builds every length anew, and long ones take it minutes.
  if (kernel.device.software && lengths.size() > 1) {
    skipped(kernel, "an emulated device takes its own choice of generations per launch");
    return {0};
  }
  return lengths;
}

std::vector<std::uint64_t> reference_hashes(const BackendSpec& spec, const BitGrid& start) {
  const auto judge = reference().create(spec);
  judge->upload(start);
  std::vector<std::uint64_t> hashes{hash_of(*judge)};
  for (std::int64_t g = 0; g < kMost; g++) {
    judge->step(1);
    hashes.push_back(hash_of(*judge));
  }
  return hashes;
}

// One generation; a part, all and more of a launch; several whole launches; several and a part.
std::set<std::int64_t> step_counts(std::int64_t launch) {
  std::set<std::int64_t> counts;
  for (const std::int64_t g : {std::int64_t{0}, std::int64_t{1}, launch / 2, launch - 1, launch,
                               launch + 1, 2 * launch, 2 * launch + 1, 3 * launch - 1}) {
    counts.insert(std::clamp<std::int64_t>(g, 0, kMost));
  }
  return counts;
}

void check_launches(const BackendSpec& spec) {
  const BitGrid start = make_soup(Soup::of(0.4, 17), spec.width, spec.height);
  const std::vector<std::uint64_t> hashes = reference_hashes(spec, start);
  for (const Kernel& kernel : kernels_here()) {
    INFO(kernel.name());
    for (const int length : launch_lengths(kernel)) {
      CAPTURE(length);
      if (!supports(kernel, spec)) continue;
      Tuning tuning;
      tuning.generations = length;
      std::unique_ptr<StepBackend> backend;
      try {
        backend = kernel.create(spec, tuning);
      } catch (const InputError& error) {  // too many for so narrow a grid
        REQUIRE(length != 0);
        skipped(kernel, error.what());
        continue;
      }
      const int launch = std::max(1, backend->info().tuning.generations);
      if (length != 0) CHECK(launch == length);
      for (const std::int64_t generations : step_counts(launch)) {
        CAPTURE(generations);
        backend->upload(start);
        backend->step(generations);
        CHECK(hash_text(hash_of(*backend)) ==
              hash_text(hashes[static_cast<std::size_t>(generations)]));
      }
      // Several calls in a row, each leaving a launch half done.
      backend->upload(start);
      std::int64_t generation = 0;
      for (const std::int64_t generations : {launch + 1, 1, launch - 1, 3}) {
        generation += generations;
        backend->step(generations);
      }
      backend->synchronize();
      if (generation <= kMost) {
        CHECK(hash_text(hash_of(*backend)) ==
              hash_text(hashes[static_cast<std::size_t>(generation)]));
      }
      ran(kernel);
    }
  }
}

void check_launches(const std::string& rule) {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {
      {1, 1},   {2, 1},   {1, 7},   {3, 3},    {8, 8},    {30, 65}, {64, 64},
      {65, 63}, {127, 5}, {5, 129}, {240, 50}, {300, 31}, {513, 9}};
  for (const auto& size : sizes) {
    const auto width = size.first;
    const auto height = size.second;
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      CAPTURE(width);
      CAPTURE(height);
      const bool torus = boundary == Boundary::torus;
      CAPTURE(torus);
      BackendSpec spec;
      spec.width = width;
      spec.height = height;
      spec.boundary = boundary;
      spec.rule = parse_rule(rule);
      check_launches(spec);
    }
  }
}

}  // namespace

// One case per rule, because each has its own kernels to compile.
TEST_CASE("every number of generations of Life is done, whatever a launch does") {
  check_launches("Life");
}

TEST_CASE("every number of generations of Day & Night is done, whatever a launch does") {
  check_launches("Day & Night");
}

TEST_CASE("every number of generations of a rule with B0 is done, whatever a launch does") {
  check_launches("B0246/S1357");
}
