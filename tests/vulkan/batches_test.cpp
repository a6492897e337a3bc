// Batches of universes in the registers of subgroups and workgroups, and in the bits of words:
// beside the reference, cut into several buffers, and at the limits of devices.

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/vulkan_batch.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"
#include "tests/support/allocations.h"
#include "tests/support/batch_trial.h"
#include "tests/vulkan/first_gpu.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

BatchTrial trial_of(const std::string& rule, std::int64_t universes) {
  return {{universes, backend_spec(parse_rule_spec(rule))}, Soup::of(0.4, 11), {1, 37}};
}

std::unique_ptr<VulkanBatch> make(const BatchSpec& spec, const BatchPlan& plan) {
  REQUIRE_MESSAGE(plan.problem.empty(), plan.problem);
  BatchInfo info;
  info.by.kernel = plan.kernel();
  info.packing = plan.packing();
  return std::make_unique<VulkanBatch>(Device::get(0), spec, info, plan);
}

// What `gpu` would be with subgroups of that size.
Gpu with_subgroups(Gpu gpu, std::uint32_t size) {
  gpu.subgroup_size = gpu.min_subgroup_size = gpu.max_subgroup_size = size;
  gpu.max_subgroups = gpu.max_group_size / size;
  return gpu;
}

}  // namespace

TEST_CASE("universes in registers step as the reference does") {
  // Strips of one to all bits of a word, lanes left over, and universes of several subgroups.
  for (const char* rule :
       {"B3/S23:T16,16", "B36/S125:P16,16", "B3/S23:T64,64", "B0/S7:P64,64", "B1357/S1357:T30,8",
        "B3/S23:P32,3", "B36/S125:T96,5", "B3/S23:P7,12", "B3/S23:T256,256", "B36/S125:P256,64"}) {
    for (const std::int64_t universes : {1, 70}) {
      const BatchTrial trial = trial_of(rule, universes);
      if (trial.spec.each.width == 256 && universes > 1) continue;  // the reference would take long
      INFO(trial.text());
      const AllocationScope guarded(4096);
      const BatchPlan plan =
          plan_batch(first_gpu(), trial.spec, "whole", {}, largest_chunk(first_gpu()));
      const auto batch = make(trial.spec, plan);
      CHECK(batch->info().by.kernel == "whole");
      CHECK(plan.parts.size() == 1);
      check_batch(trial, *batch);
      CHECK_NOTHROW(batch->check_guards());
    }
  }
}

TEST_CASE("every fit that may be asked for steps as the reference does") {
  const BatchTrial trial = trial_of("B36/S125:P16,32", 37);
  int fits = 0;
  for (int rows = 1; rows <= 32; rows *= 2) {
    for (int group = 1; group <= 4; group++) {
      Tuning tuning;
      tuning.rows = rows;
      tuning.group = group;
      const BatchPlan plan =
          plan_batch(first_gpu(), trial.spec, "whole", tuning, largest_chunk(first_gpu()));
      if (!plan.problem.empty()) continue;
      CHECK(plan.parts.front().fit.rows == rows);
      CHECK(plan.parts.front().fit.group == group);
      check_batch(trial, *make(trial.spec, plan));
      fits++;
    }
  }
  CHECK(fits >= 2);
}

TEST_CASE("a universe in every bit steps as the reference does") {
  for (const char* rule :
       {"B3/S23:T16,16", "B36/S125:P37,41", "B0/S7:T1,7", "B3/S23:P1,1", "B1357/S1357:T100,3"}) {
    for (const std::int64_t universes : {1, 33, 1100}) {
      const BatchTrial trial = trial_of(rule, universes);
      const AllocationScope guarded(4096);
      const auto batch = make(trial.spec, plan_batch(first_gpu(), trial.spec, "sliced", {},
                                                     largest_chunk(first_gpu())));
      CHECK(batch->info().by.kernel == "sliced");
      check_batch(trial, *batch);
      CHECK_NOTHROW(batch->check_guards());
    }
  }
}

TEST_CASE("batches cut into several buffers step like whole ones") {
  for (const char* kernel : {"whole", "sliced"}) {
    const BatchTrial trial = trial_of("B3/S23:T30,8", 4000);
    const AllocationScope guarded(4096);
    const BatchPlan plan = plan_batch(first_gpu(), trial.spec, kernel, {}, 20'000);
    REQUIRE(plan.parts.size() > 2);
    CHECK(plan.transfer < 64 * plan.parts.front().universes);  // several slices
    const auto batch = make(trial.spec, plan);
    check_batch(trial, *batch);
    const auto soup = [](std::int64_t u) {
      return CellGrid(make_soup(Soup::of(0.3, static_cast<std::uint64_t>(u)), 30, 8));
    };
    batch->load(soup);
    for (const std::int64_t u : {0, 311, 312, 313, 511, 512, 513, 3999})
      CHECK(batch->download(u) == soup(u));
    CHECK_NOTHROW(batch->check_guards());
  }
}

TEST_CASE("many generations are several dispatches and submissions") {
  BatchTrial trial = trial_of("B3/S23:T16,16", 3);
  trial.steps = {2500, 2501};
  const auto whole = make(
      trial.spec, plan_batch(first_gpu(), trial.spec, "whole", {}, largest_chunk(first_gpu())));
  check_batch(trial, *whole);
  const auto sliced = make(
      trial.spec, plan_batch(first_gpu(), trial.spec, "sliced", {}, largest_chunk(first_gpu())));
  const std::int64_t before = sliced->submissions();
  check_batch(trial, *sliced);
  CHECK(sliced->submissions() > before + 5);
}

TEST_CASE("plans of batches respect the limits of devices of every subgroup size") {
  Gpu real = first_gpu();
  for (const auto type : {vk::PhysicalDeviceType::eCpu, vk::PhysicalDeviceType::eDiscreteGpu}) {
    real.type = type;
    for (const std::uint32_t size : {4u, 8u, 16u, 32u, 64u}) {
      CAPTURE(size);
      const Gpu gpu = with_subgroups(real, size);
      for (const std::int64_t side : {16, 64, 100, 128, 256, 1000, 1024}) {
        CAPTURE(side);
        BatchTrial trial = trial_of("B3/S23:T16,16", 5000);
        trial.spec.each.width = trial.spec.each.height = side;
        const std::int64_t largest = std::int64_t{1} << 27;
        const BatchPlan plan = plan_batch(gpu, trial.spec, "auto", {}, largest);
        REQUIRE(plan.problem.empty());
        CHECK(plan.whole == (plan_batch(gpu, trial.spec, "whole", {}, largest).problem.empty()));
        if (type == vk::PhysicalDeviceType::eDiscreteGpu && size == 32)
          CHECK(plan.whole == (side != 1000));
        std::int64_t next = 0, bytes = plan.transfer;
        for (const BatchPart& part : plan.parts) {
          CHECK(part.first == next);
          CHECK(part.bytes <= largest);
          CHECK(part.fit.tiles * part.fit.per_word * part.fit.sets / part.fit.group >=
                part.universes);
          next += part.universes;
          bytes += part.bytes * (plan.whole ? 1 : 2);
        }
        CHECK(next == 5000);
        CHECK(bytes == plan.bytes);
        CHECK(plan.transfer <= largest);
        if (!plan.whole) continue;
        const gpu::BatchFit& fit = plan.parts.front().fit;
        CHECK(plan.group_tiles * size <= gpu.max_group_size);
        CHECK(gpu::edge_bytes(fit.group, fit.columns) <= gpu.max_group_memory);
        CHECK(fit.lanes * fit.group * fit.rows == side);
        CHECK((32 / fit.per_word) * fit.columns == side);
      }
    }
  }
}

TEST_CASE("what a device cannot is said in plain words") {
  Gpu gpu = first_gpu();
  BatchSpec spec{10, backend_spec(parse_rule_spec("B3/S23:T16,16"))};
  const auto problem = [&](const std::string& kernel, std::int64_t largest) {
    return plan_batch(gpu, spec, kernel, {}, largest).problem;
  };
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(problem("auto", 100'000).empty());
  says(problem("auto", 100), "16x16 cells do not fit the device's buffers of at most 100");
  says(problem("sliced", 1000), "need buffers of 1 KiB with kernel sliced");
  gpu.free_shuffles = false;
  says(problem("whole", 100'000), "needs subgroups with shuffles");
  CHECK(plan_batch(gpu, spec, "auto", {}, 100'000).kernel() == "sliced");
  gpu.free_shuffles = true;
  gpu.subgroup_size = 128;
  says(problem("whole", 100'000), "subgroups of 4 to 64 invocations, not 128");
  spec.each.height = 17 * 17 * 17;
  gpu = first_gpu();
  says(problem("whole", 1'000'000), "a height that is a product of lanes and rows, not 16x4913");
  const auto refused = [&](const std::string& rule, const std::string& kernel) {
    spec.each = backend_spec(parse_rule_spec(rule));
    return vulkan_batch_unsupported(0, spec, kernel).value_or("");
  };
  says(refused("B2-a/S12:T16,16", "auto"), "count all eight neighbours");
  says(refused("345/2/4:T16,16", "auto"), "rules of two states");
  says(refused("B3/S23:K16,16*", "auto"), "tori and bounded planes");
  says(refused("B3/S23:T16,16", "strips"), "the kernel strips of vulkan steps no batches");
  CHECK(refused("B3/S23:T16,16", "auto").empty());
  says(vulkan_batch_unsupported(99, spec, "auto").value_or(""), "no such device");
  spec.each.max_memory = 1000;
  CHECK_THROWS_WITH_AS(make_vulkan_batch(0, spec, "auto", {}), doctest::Contains("is the limit"),
                       UnsupportedError);
  spec.each.max_memory = 0;
  // Every allocation may fail.
  CHECK(failing_allocations([&] { make_vulkan_batch(0, spec, "sliced", {}); }) == 3);
}
