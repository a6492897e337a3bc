#include "backends/cuda/pixel_view.h"

#include <algorithm>
#include <cstring>

namespace tessera::cuda {

namespace {

static_assert(kMostAge == AgeMap::kMost && kTrailAge == AgeMap::kTrail &&
              sizeof(PixelSpan) == sizeof(Span));

gpu::PictureSize room_for(const PixelSpans& pixels) {
  return gpu::PictureSize::of(pixels).with_spare();
}

std::int64_t span_bytes(const gpu::PictureSize& size) {
  return size.spans() * static_cast<std::int64_t>(sizeof(Span));
}

}  // namespace

std::int64_t PixelView::bytes_needed(const PixelSpans& pixels) {
  const gpu::PictureSize room = room_for(pixels);
  return span_bytes(room) + 3 * room.pixels() + static_cast<std::int64_t>(AgeMap::colours().size());
}

PixelView::PixelView(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                     const Module& services, const Grid& grid, const Cells& cells,
                     const PixelSpans& pixels)
    : device_(std::move(device)),
      stream_(stream),
      grid_(grid),
      cells_(cells),
      copies_(device_),
      shade_(services.function("shade_spans")),
      age_(services.function("age_pixels")),
      colour_(services.function("colour_ages")) {
  const Current current(*device_);
  const gpu::PictureSize room = room_for(pixels);
  const auto& colours = AgeMap::colours();
  spans_ = DeviceMemory(device_, stream_, span_bytes(room), "the spans of pixels");
  ages_ = DeviceMemory(device_, stream_, 2 * room.pixels(), "the ages of pixels");
  colours_ = DeviceMemory(device_, stream_, static_cast<std::int64_t>(colours.size()),
                          "the colours of ages");
  bytes_ = DeviceMemory(device_, stream_, room.pixels(), "a picture");
  TESSERA_CUDA("copying the colours of ages", cuMemcpyHtoDAsync, colours_.at(), colours.data(),
               colours.size(), stream_.get());
  TESSERA_CUDA("making an event", cuEventCreate, &done_,
               static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  const CUresult status =
      cuda_library().cuMemAllocHost(&host_, static_cast<std::size_t>(room.pixels()));
  if (status != CUDA_SUCCESS) cuda_library().cuEventDestroy(done_);
  check_cuda(status, "cuMemAllocHost", "allocating a picture");
}

// Waits for whatever still writes the picture.
PixelView::~PixelView() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuStreamSynchronize(stream_.get());
  cuda_library().cuStreamSynchronize(copies_.get());
  cuda_library().cuEventDestroy(done_);
  cuda_library().cuMemFreeHost(host_);
  cuda_library().cuCtxPopCurrent(&context);
}

bool PixelView::holds(const PixelSpans& pixels) const {
  const auto size = gpu::PictureSize::of(pixels);
  return size.pixels() <= bytes_.bytes() && span_bytes(size) <= spans_.bytes();
}

void PixelView::aim(const PixelSpans& pixels) {
  if (pixels == pixels_) return;
  const Current current(*device_);
  pixels_ = pixels;
  size_ = gpu::PictureSize::of(pixels);
  std::vector<PixelSpan> spans = pixels.columns;
  spans.insert(spans.end(), pixels.rows.begin(), pixels.rows.end());
  TESSERA_CUDA("copying the spans of pixels", cuMemcpyHtoDAsync, spans_.at(), spans.data(),
               spans.size() * sizeof(Span), stream_.get());
  // The sent data may be freed now.
  stream_.synchronize("copying the spans of pixels");
}

void PixelView::put_ages(const std::vector<std::int16_t>& ages) {
  const Current current(*device_);
  TESSERA_CUDA("copying ages to the device", cuMemcpyHtoDAsync, ages_.at(), ages.data(),
               2 * ages.size(), stream_.get());
  stream_.synchronize("copying ages to the device");
}

void PixelView::take_ages(std::vector<std::int16_t>& ages) {
  const Current current(*device_);
  TESSERA_CUDA("copying ages from the device", cuMemcpyDtoHAsync, ages.data(), ages_.at(),
               2 * ages.size(), stream_.get());
  stream_.synchronize("copying ages from the device");
}

void PixelView::add_ages(int generations) {
  const Current current(*device_);
  launch(age_, {blocks_for(*device_, size_.pixels(), kServiceThreads), kServiceThreads}, stream_,
         "age_pixels", grid_, cells_.front.at(), spans_.at(), size_.columns, size_.rows,
         static_cast<i64>(generations), ages_.at());
}

// Pictures go through the host: nobody draws with this interface.
void PixelView::begin_greys(const std::optional<DeviceIdentity>&) {
  const Current current(*device_);
  wait_for_copy();
  launch(shade_, {blocks_for(*device_, size_.pixels(), kServiceThreads), kServiceThreads}, stream_,
         "shade_spans", grid_, cells_.front.at(), spans_.at(), size_.columns, size_.rows,
         bytes_.at());
  begin_copy();
}

void PixelView::begin_ages(const std::optional<DeviceIdentity>&) {
  const Current current(*device_);
  wait_for_copy();
  launch(colour_, {blocks_for(*device_, size_.pixels(), kServiceThreads), kServiceThreads}, stream_,
         "colour_ages", ages_.at(), size_.pixels(), colours_.at(), bytes_.at());
  begin_copy();
}

// The last picture may still be under way.
void PixelView::wait_for_copy() {
  TESSERA_CUDA("copying a picture", cuStreamWaitEvent, stream_.get(), done_, 0u);
}

void PixelView::begin_copy() {
  TESSERA_CUDA("copying a picture", cuEventRecord, done_, stream_.get());
  TESSERA_CUDA("copying a picture", cuStreamWaitEvent, copies_.get(), done_, 0u);
  TESSERA_CUDA("copying a picture", cuMemcpyDtoHAsync, host_, bytes_.at(),
               static_cast<std::size_t>(size_.pixels()), copies_.get());
  TESSERA_CUDA("copying a picture", cuEventRecord, done_, copies_.get());
}

std::shared_ptr<const SharedPicture> PixelView::end(DensityImage& image) {
  const Current current(*device_);
  TESSERA_CUDA("copying a picture", cuEventSynchronize, done_);
  std::memcpy(image.pixels.data(), host_, image.pixels.size());
  return nullptr;
}

void PixelView::check_guards() const {
  for (const DeviceMemory* memory : {&spans_, &ages_, &colours_, &bytes_})
    memory->check_guards(stream_);
}

}  // namespace tessera::cuda
