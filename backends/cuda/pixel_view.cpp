#include "backends/cuda/pixel_view.h"

#include <algorithm>
#include <cstring>

namespace tessera::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::int64_t kSpare =
    16;  // columns and rows more than asked for: a view that moves shows now one more, now one less
static_assert(kMostAge == AgeMap::kMost && kTrailAge == AgeMap::kTrail &&
              sizeof(PixelSpan) == sizeof(Span));

std::int64_t columns_of(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.columns.size());
}
std::int64_t rows_of(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.rows.size());
}

std::int64_t room(const PixelSpans& pixels) {
  return (columns_of(pixels) + kSpare) * (rows_of(pixels) + kSpare);
}

std::int64_t span_room(const PixelSpans& pixels) {
  return (columns_of(pixels) + rows_of(pixels) + 2 * kSpare) *
         static_cast<std::int64_t>(sizeof(Span));
}

}  // namespace

std::int64_t PixelView::bytes_needed(const PixelSpans& pixels) {
  return span_room(pixels) + 3 * room(pixels) + static_cast<std::int64_t>(AgeMap::colours().size());
}

PixelView::PixelView(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                     const Module& services, const PixelSpans& pixels)
    : device_(std::move(device)),
      stream_(stream),
      copies_(device_),
      shade_(services.function("shade_spans")),
      age_(services.function("age_pixels")),
      colour_(services.function("colour_ages")) {
  const auto& colours = AgeMap::colours();
  spans_ = DeviceMemory(device_, stream_, span_room(pixels), "the spans of pixels");
  ages_ = DeviceMemory(device_, stream_, 2 * room(pixels), "the ages of pixels");
  colours_ = DeviceMemory(device_, stream_, static_cast<std::int64_t>(colours.size()),
                          "the colours of ages");
  bytes_ = DeviceMemory(device_, stream_, room(pixels), "a picture");
  TESSERA_CUDA("copying the colours of ages", cuMemcpyHtoDAsync, colours_.at(), colours.data(),
               colours.size(), stream_.get());
  TESSERA_CUDA("making an event", cuEventCreate, &done_,
               static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  const CUresult status =
      cuda_library().cuMemAllocHost(&host_, static_cast<std::size_t>(room(pixels)));
  if (status != CUDA_SUCCESS) cuda_library().cuEventDestroy(done_);
  check_cuda(status, "cuMemAllocHost", "allocating a picture");
}

// What still writes the picture is waited for.
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
  return columns_of(pixels) * rows_of(pixels) <= bytes_.bytes() &&
         (columns_of(pixels) + rows_of(pixels)) * static_cast<std::int64_t>(sizeof(Span)) <=
             spans_.bytes();
}

void PixelView::aim(const PixelSpans& pixels) {
  if (pixels == pixels_) return;
  pixels_ = pixels;
  columns_ = columns_of(pixels);
  rows_ = rows_of(pixels);
  std::vector<PixelSpan> spans = pixels.columns;
  spans.insert(spans.end(), pixels.rows.begin(), pixels.rows.end());
  TESSERA_CUDA("copying the spans of pixels", cuMemcpyHtoDAsync, spans_.at(), spans.data(),
               spans.size() * sizeof(Span), stream_.get());
  // What was sent may go now.
  stream_.synchronize("copying the spans of pixels");
}

void PixelView::put_ages(const std::vector<std::int16_t>& ages) {
  TESSERA_CUDA("copying ages to the device", cuMemcpyHtoDAsync, ages_.at(), ages.data(),
               2 * ages.size(), stream_.get());
  stream_.synchronize("copying ages to the device");
}

void PixelView::take_ages(std::vector<std::int16_t>& ages) {
  TESSERA_CUDA("copying ages from the device", cuMemcpyDtoHAsync, ages.data(), ages_.at(),
               2 * ages.size(), stream_.get());
  stream_.synchronize("copying ages from the device");
}

void PixelView::add_ages(const Grid& grid, const DeviceMemory& cells, int generations) {
  launch(age_, {blocks_for(*device_, columns_ * rows_, kThreads), kThreads}, stream_, "age_pixels",
         grid, cells.at(), spans_.at(), columns_, rows_, static_cast<i64>(generations), ages_.at());
}

void PixelView::begin_greys(const Grid& grid, const DeviceMemory& cells) {
  wait_for_copy();
  launch(shade_, {blocks_for(*device_, columns_ * rows_, kThreads), kThreads}, stream_,
         "shade_spans", grid, cells.at(), spans_.at(), columns_, rows_, bytes_.at());
  begin_copy();
}

void PixelView::begin_ages() {
  wait_for_copy();
  launch(colour_, {blocks_for(*device_, columns_ * rows_, kThreads), kThreads}, stream_,
         "colour_ages", ages_.at(), columns_ * rows_, colours_.at(), bytes_.at());
  begin_copy();
}

// The last picture may still be on its way.
void PixelView::wait_for_copy() {
  TESSERA_CUDA("copying a picture", cuStreamWaitEvent, stream_.get(), done_, 0u);
}

void PixelView::begin_copy() {
  TESSERA_CUDA("copying a picture", cuEventRecord, done_, stream_.get());
  TESSERA_CUDA("copying a picture", cuStreamWaitEvent, copies_.get(), done_, 0u);
  TESSERA_CUDA("copying a picture", cuMemcpyDtoHAsync, host_, bytes_.at(),
               static_cast<std::size_t>(columns_ * rows_), copies_.get());
  TESSERA_CUDA("copying a picture", cuEventRecord, done_, copies_.get());
}

void PixelView::end(DensityImage& image) {
  TESSERA_CUDA("copying a picture", cuEventSynchronize, done_);
  std::memcpy(image.pixels.data(), host_, image.pixels.size());
}

void PixelView::check_guards() {
  for (const DeviceMemory* memory : {&spans_, &ages_, &colours_, &bytes_})
    memory->check_guards(stream_);
}

}  // namespace tessera::cuda
