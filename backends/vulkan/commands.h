#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/device.h"

namespace tessera::vulkan {

/// What fills the guards of a trial.
constexpr std::uint32_t kCanary = 0xA5A5A5A5;

/// Records work and submits it to the device in order, a few submissions ahead.
///
/// Everything runs on one queue. Work that must see earlier writes needs one of the barriers, which
/// also cover earlier submissions.
class Commands {
 public:
  explicit Commands(std::shared_ptr<Device> device);
  /// Waits for what was submitted; a device that was lost is not waited for.
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// Later kernels see what earlier kernels and fills have written, and may overwrite what those
  /// have read.
  void barrier();
  /// The host sees what earlier kernels have written, once it has waited.
  void barrier_to_host();
  /// As barrier(), and dispatches whose size is in a buffer see it, too.
  void barrier_to_sizes();
  /// Whatever comes later, copies and what the host reads once it has waited included, sees all
  /// that was written earlier.
  void barrier_to_all();
  /// Another API sees what earlier kernels have written to a part of a shared buffer, once the host
  /// has waited.
  void release(const Buffer& buffer, std::int64_t offset, std::int64_t bytes);
  void fill_zero(const Buffer& buffer);
  /// Fills bytes from `first` on with zeros; multiples of 4.
  void fill_zero(const Buffer& buffer, std::int64_t first, std::int64_t bytes);
  /// Copies bytes between places of two buffers; multiples of 4.
  void copy(const Buffer& from, std::int64_t first, const Buffer& to, std::int64_t to_first,
            std::int64_t bytes);
  /// Puts words into a buffer, from byte `first` on; they may go afterwards.
  void write(const Buffer& buffer, std::int64_t first, std::span<const std::uint32_t> words);
  /// Fills what a trial put around a buffer with canaries.
  void fill_guards(const Buffer& buffer, std::uint32_t word = kCanary);
  /// Waits; false where a canary is destroyed. `seen` receives one guard at a time and is large
  /// enough.
  bool guards_untouched(const Buffer& buffer, const Buffer& seen);
  /// Runs a kernel over `groups` workgroups; `params` is one of the structs of shaders/params.inl.
  template <class Params>
  void dispatch(vk::Pipeline pipeline, vk::DescriptorSet set, const Params& params,
                std::int64_t groups) {
    static_assert(sizeof(Params) <= Pipelines::kPushBytes);
    bind(pipeline, set, &params, sizeof params);
    dispatch_groups(groups);
  }
  /// Runs a kernel over the workgroups in x, y and z that three words of `sizes` from byte `first`
  /// on say when it begins.
  template <class Params>
  void dispatch_sized(vk::Pipeline pipeline, vk::DescriptorSet set, const Params& params,
                      const Buffer& sizes, std::int64_t first) {
    static_assert(sizeof(Params) <= Pipelines::kPushBytes);
    bind(pipeline, set, &params, sizeof params);
    open().dispatchIndirect(*sizes.handle, static_cast<vk::DeviceSize>(first));
  }

  /// Begins a timed stretch of work: its device time counts in seconds(), and `work` in
  /// work_rate(). Ends with submit.
  void begin_timed(double work);
  /// Adds to the work of the timed stretch.
  void add_work(double work) { open_work_ += work; }
  bool recording() const { return recording_; }
  /// Submits what was recorded, if anything. Blocks while too many submissions are under way.
  void submit();
  /// Submits and waits until everything is done.
  void wait();

  /// Waits until a submission is done; they are counted as submissions() does.
  void wait_for(std::int64_t submission);

  /// Device seconds of timed work; call after wait. Zero where the device has no clock.
  double seconds() const { return seconds_; }
  /// Submissions so far.
  std::int64_t submissions() const { return submissions_; }
  /// Work per second of the last timed submission that is known to be done; 0 before.
  double work_rate() const { return work_rate_; }

 private:
  struct Slot {
    vk::raii::CommandBuffer commands = nullptr;
    vk::raii::Fence fence = nullptr;
    bool pending = false;
    bool timed = false;
    double work = 0;
    std::int64_t number = 0;  // of its submission
  };

  vk::raii::CommandBuffer& open();
  void bind(vk::Pipeline pipeline, vk::DescriptorSet set, const void* params, std::uint32_t bytes);
  void dispatch_groups(std::int64_t groups);
  void finish(std::size_t index);
  void collect();

  std::shared_ptr<Device> device_;
  vk::raii::CommandPool pool_;
  vk::raii::QueryPool queries_ = nullptr;
  std::vector<Slot> slots_;
  std::size_t current_ = 0;
  bool recording_ = false;
  bool open_timed_ = false;
  double open_work_ = 0;
  double seconds_ = 0;
  std::int64_t submissions_ = 0;
  double work_rate_ = 0;
  vk::Pipeline bound_;
  vk::DescriptorSet bound_set_;
  std::vector<std::uint8_t> pushed_;  // current constants: launches that repeat them send none
};

}  // namespace tessera::vulkan
