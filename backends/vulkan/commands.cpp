#include "backends/vulkan/commands.h"

#include <algorithm>
#include <array>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kSlots = 4;

constexpr auto kCompute = vk::PipelineStageFlagBits::eComputeShader;
constexpr auto kTransfer = vk::PipelineStageFlagBits::eTransfer;

}  // namespace

Commands::Commands(std::shared_ptr<Device> device)
    : device_(std::move(device)), pool_(device_->guarded("make a command pool", [&] {
        return vk::raii::CommandPool(
            device_->handle(),
            vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eResetCommandBuffer,
                                      device_->gpu().queue_family));
      })) {
  device_->guarded("make command buffers", [&] {
    const vk::CommandBufferAllocateInfo info(*pool_, vk::CommandBufferLevel::ePrimary, kSlots);
    for (vk::raii::CommandBuffer& commands : vk::raii::CommandBuffers(device_->handle(), info)) {
      Slot slot;
      slot.commands = std::move(commands);
      slot.fence = vk::raii::Fence(device_->handle(), vk::FenceCreateInfo());
      slots_.push_back(std::move(slot));
    }
    if (device_->gpu().timestamp_bits == 0) return;
    queries_ = vk::raii::QueryPool(
        device_->handle(), vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, 2 * kSlots));
  });
}

Commands::~Commands() {
  try {
    for (Slot& slot : slots_) {
      if (slot.pending) device_->wait(*slot.fence);
    }
  } catch (const DeviceError&) {
    // Whoever waited has been told what failed; only the pieces are cleaned up here.
  }
}

vk::raii::CommandBuffer& Commands::open() {
  vk::raii::CommandBuffer& commands = slots_[current_].commands;
  if (recording_) return commands;
  if (slots_[current_].pending) finish(current_);
  device_->guarded("record commands", [&] {
    commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
  });
  recording_ = true;
  bound_ = nullptr;
  bound_set_ = nullptr;
  pushed_.clear();
  return commands;
}

void Commands::barrier() {
  const vk::MemoryBarrier memory(
      vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite,
      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite);
  open().pipelineBarrier(kCompute | kTransfer, kCompute, {}, memory, {}, {});
}

void Commands::barrier_to_sizes() {
  constexpr auto kSizes = vk::PipelineStageFlagBits::eDrawIndirect;
  const vk::MemoryBarrier memory(
      vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite,
      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite |
          vk::AccessFlagBits::eIndirectCommandRead);
  open().pipelineBarrier(kCompute | kTransfer, kCompute | kSizes, {}, memory, {}, {});
}

void Commands::barrier_to_all() {
  using Access = vk::AccessFlagBits;
  using Stage = vk::PipelineStageFlagBits;
  const vk::MemoryBarrier memory(Access::eShaderWrite | Access::eTransferWrite,
                                 Access::eShaderRead | Access::eShaderWrite |
                                     Access::eTransferRead | Access::eTransferWrite |
                                     Access::eIndirectCommandRead | Access::eHostRead);
  open().pipelineBarrier(kCompute | kTransfer | Stage::eDrawIndirect,
                         kCompute | kTransfer | Stage::eDrawIndirect | Stage::eHost, {}, memory, {},
                         {});
}

void Commands::barrier_to_host() {
  const vk::MemoryBarrier memory(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eHostRead);
  open().pipelineBarrier(kCompute, vk::PipelineStageFlagBits::eHost, {}, memory, {}, {});
}

// The part is not returned, because what it held is not read again.
void Commands::release(const Buffer& buffer, std::int64_t offset, std::int64_t bytes) {
  const vk::BufferMemoryBarrier part(
      vk::AccessFlagBits::eShaderWrite, {}, device_->gpu().queue_family, VK_QUEUE_FAMILY_EXTERNAL,
      *buffer.handle, static_cast<vk::DeviceSize>(offset), static_cast<vk::DeviceSize>(bytes));
  open().pipelineBarrier(kCompute, vk::PipelineStageFlagBits::eBottomOfPipe, {}, {}, part, {});
}

void Commands::fill_zero(const Buffer& buffer) {
  open().fillBuffer(*buffer.handle, 0, VK_WHOLE_SIZE, 0);
}

void Commands::fill_zero(const Buffer& buffer, std::int64_t first, std::int64_t bytes) {
  if (bytes == 0) return;
  open().fillBuffer(*buffer.handle, static_cast<vk::DeviceSize>(first),
                    static_cast<vk::DeviceSize>(bytes), 0);
}

void Commands::copy(const Buffer& from, std::int64_t first, const Buffer& to, std::int64_t to_first,
                    std::int64_t bytes) {
  if (bytes == 0) return;
  open().copyBuffer(
      *from.handle, *to.handle,
      vk::BufferCopy(static_cast<vk::DeviceSize>(first), static_cast<vk::DeviceSize>(to_first),
                     static_cast<vk::DeviceSize>(bytes)));
}

void Commands::write(const Buffer& buffer, std::int64_t first,
                     std::span<const std::uint32_t> words) {
  // Each piece stands in the command buffer, which should not grow without bounds.
  constexpr std::size_t kPiece = 16384, kPieces = 256;
  for (std::size_t at = 0, n = 0; at < words.size(); at += kPiece) {
    const std::span<const std::uint32_t> piece =
        words.subspan(at, std::min(kPiece, words.size() - at));
    open().updateBuffer<std::uint32_t>(
        *buffer.handle, static_cast<vk::DeviceSize>(first) + at * sizeof(std::uint32_t), piece);
    if (++n % kPieces == 0) submit();
  }
}

void Commands::fill_guards(const Buffer& buffer, std::uint32_t word) {
  for (const Buffer::Guard& guard : buffer.guards) {
    open().fillBuffer(*guard.handle, static_cast<vk::DeviceSize>(guard.first),
                      static_cast<vk::DeviceSize>(guard.bytes), word);
  }
}

bool Commands::guards_untouched(const Buffer& buffer, const Buffer& seen) {
  for (const Buffer::Guard& guard : buffer.guards) {
    wait();  // `seen` is free again
    const vk::MemoryBarrier before(
        vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite,
        vk::AccessFlagBits::eTransferRead | vk::AccessFlagBits::eTransferWrite);
    open().pipelineBarrier(kCompute | kTransfer, kTransfer, {}, before, {}, {});
    const vk::BufferCopy copy(static_cast<vk::DeviceSize>(guard.first), 0,
                              static_cast<vk::DeviceSize>(guard.bytes));
    open().copyBuffer(*guard.handle, *seen.handle, copy);
    const vk::MemoryBarrier after(vk::AccessFlagBits::eTransferWrite,
                                  vk::AccessFlagBits::eHostRead);
    open().pipelineBarrier(kTransfer, vk::PipelineStageFlagBits::eHost, {}, after, {}, {});
    wait();
    const auto* words = static_cast<const std::uint32_t*>(seen.mapped);
    if (std::any_of(words, words + guard.bytes / 4, [](std::uint32_t w) { return w != kCanary; })) {
      return false;
    }
  }
  return true;
}

void Commands::bind(vk::Pipeline pipeline, vk::DescriptorSet set, const void* params,
                    std::uint32_t bytes) {
  vk::raii::CommandBuffer& commands = open();
  const vk::PipelineLayout layout = device_->pipelines().layout();
  if (pipeline != bound_) commands.bindPipeline(vk::PipelineBindPoint::eCompute, pipeline);
  if (set != bound_set_)
    commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, layout, 0, set, {});
  bound_ = pipeline;
  bound_set_ = set;
  const auto* first = static_cast<const std::uint8_t*>(params);
  if (!std::equal(first, first + bytes, pushed_.begin(), pushed_.end())) {
    pushed_.assign(first, first + bytes);
    commands.pushConstants<std::uint8_t>(layout, vk::ShaderStageFlagBits::eCompute, 0, pushed_);
  }
}

void Commands::dispatch_groups(std::int64_t groups) {
  // Shaders flatten the two dimensions and ignore what lies beyond the end.
  const std::int64_t most = device_->gpu().max_groups;
  const std::int64_t rows = ceil_div(groups, most), columns = ceil_div(groups, rows);
  if (rows > most)
    throw DeviceError("vulkan: a dispatch of " + std::to_string(groups) +
                      " workgroups is too large");
  open().dispatch(static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), 1);
}

void Commands::begin_timed(double work) {
  open_work_ = work;
  if (open_timed_) return;
  vk::raii::CommandBuffer& commands = open();
  open_timed_ = true;
  if (!*queries_) return;
  const auto first = static_cast<std::uint32_t>(2 * current_);
  commands.resetQueryPool(*queries_, first, 2);
  // Bottom of pipe: written when all earlier work is done, so that stretches never overlap.
  commands.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_, first);
}

void Commands::submit() {
  if (!recording_) return;
  Slot& slot = slots_[current_];
  if (open_timed_ && *queries_) {
    slot.commands.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_,
                                 static_cast<std::uint32_t>(2 * current_ + 1));
  }
  recording_ = false;
  slot.timed = open_timed_;
  slot.work = open_work_;
  open_timed_ = false;
  device_->guarded("record commands", [&] { slot.commands.end(); });
  device_->submit(*slot.commands, *slot.fence);
  slot.number = ++submissions_;
  slot.pending = true;
  current_ = (current_ + 1) % slots_.size();
  collect();
}

void Commands::wait() {
  submit();
  // From the oldest on, so that the newest rate remains.
  for (std::size_t i = 0; i < slots_.size(); i++) {
    const std::size_t index = (current_ + i) % slots_.size();
    if (slots_[index].pending) finish(index);
  }
}

void Commands::wait_for(std::int64_t submission) {
  for (std::size_t i = 0; i < slots_.size(); i++) {
    const std::size_t index = (current_ + i) % slots_.size();
    if (slots_[index].pending && slots_[index].number <= submission) finish(index);
  }
}

// Reads the clocks of finished submissions, without waiting.
void Commands::collect() {
  for (std::size_t i = 0; i < slots_.size(); i++) {
    const std::size_t index = (current_ + i) % slots_.size();
    if (!slots_[index].pending) continue;
    if (slots_[index].fence.getStatus() != vk::Result::eSuccess) return;
    finish(index);
  }
}

void Commands::finish(std::size_t index) {
  Slot& slot = slots_[index];
  device_->wait(*slot.fence);
  device_->guarded("read the device's clock", [&] {
    device_->handle().resetFences(*slot.fence);
    slot.pending = false;
    if (!slot.timed || !*queries_) return;
    const auto [status, ticks] = queries_.getResults<std::uint64_t>(
        static_cast<std::uint32_t>(2 * index), 2, 2 * sizeof(std::uint64_t), sizeof(std::uint64_t),
        vk::QueryResultFlagBits::e64);
    if (status != vk::Result::eSuccess)
      throw vk::SystemError(vk::make_error_code(status), "vkGetQueryPoolResults");
    const std::uint32_t bits = device_->gpu().timestamp_bits;
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const double seconds =
        static_cast<double>((ticks[1] - ticks[0]) & mask) * device_->gpu().timestamp_seconds;
    seconds_ += seconds;
    if (seconds > 0) work_rate_ = slot.work / seconds;
  });
}

}  // namespace tessera::vulkan
