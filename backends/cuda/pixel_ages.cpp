#include "backends/cuda/pixel_ages.h"

#include <algorithm>

namespace tessera::cuda {

namespace {

constexpr unsigned kThreads = 256;
static_assert(kMostAge == AgeMap::kMost && kTrailAge == AgeMap::kTrail && sizeof(PixelSpan) == sizeof(Span));

std::int64_t count(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.columns.size() * pixels.rows.size());
}

std::int64_t span_bytes(const PixelSpans& pixels) {
  return static_cast<std::int64_t>((pixels.columns.size() + pixels.rows.size()) * sizeof(Span));
}

}  // namespace

std::int64_t PixelAges::bytes_needed(const PixelSpans& pixels) {
  return span_bytes(pixels) + 3 * count(pixels) + static_cast<std::int64_t>(AgeMap::colours().size());
}

PixelAges::PixelAges(std::shared_ptr<const CudaDevice> device, const Stream& stream, const Module& services,
                     const PixelSpans& pixels, const std::vector<std::int16_t>& ages)
    : device_(std::move(device)),
      stream_(stream),
      age_(services.function("age_pixels")),
      colour_(services.function("colour_ages")),
      columns_(static_cast<i64>(pixels.columns.size())),
      rows_(static_cast<i64>(pixels.rows.size())) {
  spans_ = DeviceMemory(device_, stream_, span_bytes(pixels), "the spans of pixels");
  ages_ = DeviceMemory(device_, stream_, 2 * count(pixels), "the ages of pixels");
  colours_ = DeviceMemory(device_, stream_, static_cast<std::int64_t>(AgeMap::colours().size()), "the colours of ages");
  bytes_ = DeviceMemory(device_, stream_, count(pixels), "a picture of ages");
  const auto send = [&](CUdeviceptr to, const void* from, std::size_t bytes) {
    TESSERA_CUDA("copying ages to the device", cuMemcpyHtoDAsync, to, from, bytes, stream_.get());
  };
  std::vector<PixelSpan> spans = pixels.columns;
  spans.insert(spans.end(), pixels.rows.begin(), pixels.rows.end());
  send(spans_.at(), spans.data(), spans.size() * sizeof(Span));
  send(ages_.at(), ages.data(), 2 * ages.size());
  send(colours_.at(), AgeMap::colours().data(), AgeMap::colours().size());
  // What was sent may go now.
  stream_.synchronize("copying ages to the device");
}

void PixelAges::add(const Grid& grid, const DeviceMemory& cells, int generations) {
  launch(age_, {blocks_for(*device_, columns_ * rows_, kThreads), kThreads}, stream_, "age_pixels", grid, cells.at(),
         spans_.at(), columns_, rows_, static_cast<i64>(generations), ages_.at());
}

void PixelAges::view(DensityImage& image) {
  launch(colour_, {blocks_for(*device_, columns_ * rows_, kThreads), kThreads}, stream_, "colour_ages", ages_.at(),
         columns_ * rows_, colours_.at(), bytes_.at());
  TESSERA_CUDA("copying a picture of ages", cuMemcpyDtoHAsync, image.pixels.data(), bytes_.at(), image.pixels.size(),
               stream_.get());
  stream_.synchronize("copying a picture of ages");
}

void PixelAges::take(std::vector<std::int16_t>& ages) {
  TESSERA_CUDA("copying ages from the device", cuMemcpyDtoHAsync, ages.data(), ages_.at(), 2 * ages.size(),
               stream_.get());
  stream_.synchronize("copying ages from the device");
}

void PixelAges::check_guards() {
  for (const DeviceMemory* memory : {&spans_, &ages_, &colours_, &bytes_}) memory->check_guards(stream_);
}

}  // namespace tessera::cuda
