#include "backends/vulkan/vulkan_ceiling.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/descriptor_sets.h"

namespace tessera::vulkan {

namespace {

constexpr int kRepeats = 5;
constexpr double kSeconds = 0.02;  // approximate length of a run
constexpr double kBits = 32;
// Enough threads to fill the largest devices.
constexpr std::int64_t kGroups = 4096;
constexpr std::int64_t kSoftwareGroups = 64;
// Beyond the caches of most devices; emulations share the processor's memory with everything else.
constexpr std::int64_t kCopied = std::int64_t{1} << 28;
constexpr std::int64_t kSoftwareCopied = std::int64_t{1} << 26;
constexpr std::int64_t kItemBytes = 16;

class Measuring {
 public:
  explicit Measuring(const std::shared_ptr<Device>& device) : device_(device), commands_(device) {
    const Gpu& gpu = device->gpu();
    groups_ = std::min<std::int64_t>(gpu.software() ? kSoftwareGroups : kGroups, gpu.max_groups);
    group_size_ = std::min(128u, gpu.max_group_size);
    const std::int64_t wanted =
        std::min({gpu.software() ? kSoftwareCopied : kCopied, gpu.max_buffer_range,
                  gpu.max_allocation, gpu.free_memory() / 4});
    bytes_ = std::max(wanted / kItemBytes, groups_ * group_size_) * kItemBytes;
    from_ = device->make_cells(bytes_);
    to_ = device->make_cells(bytes_);
    commands_.fill_zero(from_);
    commands_.submit();
    make_set();
    Specialization values{};
    values[TESSERA_SPEC_GROUP_SIZE] = group_size_;
    pipeline_ = device->guarded("make the pipeline that measures",
                                [&] { return device->pipelines().get("ceiling", values); });
  }

  Ceiling run() {
    // As many rounds as take the wanted time; few at first, for the slowest devices.
    std::uint32_t rounds = 16;
    double seconds = once(rounds);
    while (seconds < kSeconds / 2 && rounds < (1u << 20)) {
      rounds *= 2;
      seconds = once(rounds);
    }
    Ceiling out;
    out.gates = static_cast<double>(groups_) * group_size_ * rounds * TESSERA_CEILING_GATES *
                kBits / best(rounds);
    out.bytes = 2 * static_cast<double>(bytes_) / best(0);
    return out;
  }

 private:
  double best(std::uint32_t rounds) {
    double least = once(rounds);
    for (int i = 1; i < kRepeats; i++) least = std::min(least, once(rounds));
    return std::max(least, 1e-9);
  }

  // Seconds of a dispatch; 0 rounds copy.
  double once(std::uint32_t rounds) {
    const double before = commands_.seconds();
    const auto start = std::chrono::steady_clock::now();
    commands_.begin_timed(1);
    commands_.barrier();
    commands_.dispatch(pipeline_, set_,
                       CeilingParams{rounds, static_cast<std::uint32_t>(bytes_ / kItemBytes)},
                       groups_);
    commands_.wait();
    const double counted = commands_.seconds() - before;
    if (counted > 0) return counted;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void make_set() {
    device_->guarded("make descriptors", [&] {
      sets_ = DescriptorSets(*device_, 1);
      Bound bound;
      bound.fill(from_byte(*from_.handle));
      bound[TESSERA_BIND_OUT] = from_byte(*to_.handle);
      set_ = sets_.add(bound);
    });
  }

  std::shared_ptr<Device> device_;
  std::int64_t groups_ = 0, bytes_ = 0;
  std::uint32_t group_size_ = 0;
  Buffer from_, to_;
  DescriptorSets sets_;
  vk::DescriptorSet set_;
  vk::Pipeline pipeline_;
  Commands commands_;  // its destructor waits, so it is destroyed before what it uses
};

}  // namespace

Ceiling measure_ceiling(const std::shared_ptr<Device>& device) { return Measuring(device).run(); }

}  // namespace tessera::vulkan
