#include "backends/cuda/cuda_backend.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera::cuda {

namespace {

constexpr std::int64_t kMostStaging = std::int64_t{32} << 20;
constexpr std::int64_t kLeastStaging = std::int64_t{64} << 10;
constexpr std::int64_t kBytesAPixel = 9;  // a count and a grey
constexpr std::size_t kPendingTimes = 256;
constexpr unsigned kThreads = 256;

// Bytes for lines of cells, as many of them as fit.
std::int64_t lines_bytes(std::int64_t line, std::int64_t lines) {
  line = std::min(line, kMostStaging);
  return line * std::min(lines, kMostStaging / line + 1);
}

// Room for the grid's words, and for a picture of it in one piece.
std::int64_t staging_bytes(const Grid& grid) {
  const std::int64_t words = lines_bytes(8 * grid.words, grid.height);
  const std::int64_t pixels = lines_bytes(kBytesAPixel * grid.width, grid.height);
  return std::clamp(std::max(words, pixels), kLeastStaging, kMostStaging);
}

}  // namespace

std::int64_t CudaBackend::bytes_needed(const Stepper& stepper) {
  return 2 * stepper.grid().storage + stepper.extra_bytes() + staging_bytes(stepper.grid()) +
         static_cast<std::int64_t>(sizeof(Survey));
}

CudaBackend::CudaBackend(const BackendSpec& spec, BackendInfo info,
                         std::shared_ptr<const CudaDevice> device, std::shared_ptr<Stepper> stepper)
    : StepBackend(spec, std::move(info)),
      device_(std::move(device)),
      stream_(device_),
      stepper_(std::move(stepper)) {
  const Current current(*device_);
  const Grid& grid = stepper_->grid();
  const std::int64_t needed = bytes_needed(*stepper_), free = device_->memory().free;
  if (needed > free) {
    throw UnsupportedError("a grid of " + std::to_string(spec.width) + "x" +
                           std::to_string(spec.height) + " cells needs " + memory_text(needed) +
                           " with kernel " + this->info().kernel + "; " + memory_text(free) +
                           " are free on " + device_->facts().name);
  }
  cells_.front = DeviceMemory(device_, stream_, grid.storage, "the cells");
  cells_.back = DeviceMemory(device_, stream_, grid.storage, "the next generation");
  staging_ = DeviceMemory(device_, stream_, staging_bytes(grid), "transfers");
  survey_ = DeviceMemory(device_, stream_, sizeof(Survey), "results");
  services_ = std::make_unique<Module>(device_, stepper_->services());
  make_soup_ = services_->function("make_soup");
  paste_ = services_->function("paste");
  cut_out_ = services_->function("cut_out");
  survey_kernel_ = services_->function("survey");
  count_pixels_ = services_->function("count_pixels");
  shade_pixels_ = services_->function("shade_pixels");
  stepper_->prepare(device_, stream_);
  stepper_->cells_changed();
  stream_.synchronize("clearing the grid");
}

// Members free what they hold; what is still running is waited for so that nothing is pulled from
// under it.
CudaBackend::~CudaBackend() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuStreamSynchronize(stream_.get());
  for (const auto& [begin, end] : steps_) {
    cuda_library().cuEventDestroy(begin);
    cuda_library().cuEventDestroy(end);
  }
  cuda_library().cuCtxPopCurrent(&context);
}

void CudaBackend::each_piece(const Rect& rect,
                             const std::function<void(const Box&, std::int64_t)>& visit) const {
  const std::int64_t row_words = ceil_div(rect.width, 64), room = staging_.bytes() / 8;
  const std::int64_t words = std::min(row_words, room), rows = words < row_words ? 1 : room / words;
  for (std::int64_t y = 0; y < rect.height; y += rows) {
    for (std::int64_t i = 0; i < row_words; i += words) {
      const Box piece{rect.x + 64 * i, rect.y + y, std::min(64 * words, rect.width - 64 * i),
                      std::min(rows, rect.height - y)};
      visit(piece, y * row_words + i);
    }
  }
}

void CudaBackend::paste(const Box& piece) {
  launch(paste_,
         {blocks_for(*device_, ceil_div(piece.width, 8) * piece.height, kThreads), kThreads},
         stream_, "paste", stepper_->grid(), cells_.front.at(), piece, staging_.at(),
         static_cast<i64>(ceil_div(piece.width, 64)));
}

void CudaBackend::do_upload(const BitGrid& grid) { do_edit({0, 0}, grid); }

void CudaBackend::do_edit(const Cell& at, const BitGrid& cells) {
  const Current current(*device_);
  each_piece({at.x, at.y, cells.width(), cells.height()}, [&](const Box& piece,
                                                              std::int64_t first) {
    const std::int64_t words = ceil_div(piece.width, 64) * piece.height;
    TESSERA_CUDA("copying cells to the device", cuMemcpyHtoDAsync, staging_.at(),
                 cells.words().data() + first, static_cast<std::size_t>(words * 8), stream_.get());
    paste(piece);
  });
  stepper_->cells_changed();
  // The caller may free or change its grid now.
  stream_.synchronize("copying cells to the device");
}

void CudaBackend::do_fill(const Soup& soup) {
  const Current current(*device_);
  each_piece({0, 0, spec().width, spec().height}, [&](const Box& piece, std::int64_t first) {
    const i64 words = ceil_div(piece.width, 64) * piece.height;
    launch(make_soup_, {blocks_for(*device_, words, kThreads), kThreads}, stream_, "make_soup",
           staging_.at(), static_cast<u64>(first), words, static_cast<u64>(soup.seed),
           static_cast<u32>(soup.density));
    paste(piece);
  });
  stepper_->cells_changed();
}

BitGrid CudaBackend::do_download(const Rect& rect) {
  const Current current(*device_);
  BitGrid out(rect.width, rect.height);
  each_piece(rect, [&](const Box& piece, std::int64_t first) {
    const i64 row = ceil_div(piece.width, 64), words = row * piece.height;
    launch(cut_out_, {blocks_for(*device_, words, kThreads), kThreads}, stream_, "cut_out",
           stepper_->grid(), cells_.front.at(), piece, staging_.at(), row);
    TESSERA_CUDA("copying cells from the device", cuMemcpyDtoHAsync, out.words().data() + first,
                 staging_.at(), static_cast<std::size_t>(words * 8), stream_.get());
    stream_.synchronize("copying cells from the device");
  });
  return out;
}

void CudaBackend::do_step(std::int64_t generations) {
  const Current current(*device_);
  Event begin = nullptr, end = nullptr;
  TESSERA_CUDA("making an event", cuEventCreate, &begin, 0u);
  const CUresult made = cuda_library().cuEventCreate(&end, 0u);
  if (made != CUDA_SUCCESS) cuda_library().cuEventDestroy(begin);
  check_cuda(made, "cuEventCreate", "making an event");
  steps_.emplace_back(begin, end);
  TESSERA_CUDA("starting a step", cuEventRecord, begin, stream_.get());
  stepper_->step(cells_, generations, stream_);
  TESSERA_CUDA("ending a step", cuEventRecord, end, stream_.get());
  if (steps_.size() >= kPendingTimes) collect_times(kPendingTimes / 2);
}

void CudaBackend::do_synchronize() {
  const Current current(*device_);
  stream_.synchronize("stepping with kernel " + info().kernel);
}

void CudaBackend::collect_times(std::size_t keep) {
  const std::size_t count = steps_.size() > keep ? steps_.size() - keep : 0;
  for (std::size_t i = 0; i < count; i++) {
    const auto [begin, end] = steps_[i];
    float ms = 0;
    TESSERA_CUDA("timing a step", cuEventSynchronize, end);
    TESSERA_CUDA("timing a step", cuEventElapsedTime, &ms, begin, end);
    seconds_ += ms * 1e-3;
    cuda_library().cuEventDestroy(begin);
    cuda_library().cuEventDestroy(end);
    steps_[i] = {nullptr, nullptr};
  }
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<double> CudaBackend::do_device_seconds() {
  const Current current(*device_);
  collect_times(0);
  return seconds_;
}

Survey CudaBackend::look(std::int64_t column0, std::int64_t row0) {
  const Current current(*device_);
  constexpr i64 kFar = std::numeric_limits<i64>::max();
  Survey found{0, 0, kFar, kFar, -1, -1};
  TESSERA_CUDA("preparing results", cuMemcpyHtoDAsync, survey_.at(), &found, sizeof found,
               stream_.get());
  const Grid& grid = stepper_->grid();
  launch(survey_kernel_, {blocks_for(*device_, grid.words * grid.height, kThreads), kThreads},
         stream_, "survey", grid, cells_.front.at(), static_cast<i64>(column0),
         static_cast<i64>(row0), survey_.at());
  TESSERA_CUDA("reading results", cuMemcpyDtoHAsync, &found, survey_.at(), sizeof found,
               stream_.get());
  stream_.synchronize("counting live cells");
  return found;
}

std::optional<Bounds> CudaBackend::do_bounds() {
  const Survey found = look(0, 0);
  if (found.population == 0) return std::nullopt;
  return Bounds{found.xmin, found.ymin, found.xmax, found.ymax};
}

void CudaBackend::do_view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  const Current current(*device_);
  // No pixel covers more than the rectangle, however large the scale.
  const i64 side = std::min<i64>(scale, std::max(rect.width, rect.height));
  const i64 room = staging_.bytes() / kBytesAPixel;
  const i64 columns = std::min<i64>(image.width, room),
            rows = columns < image.width ? 1 : room / columns;
  for (i64 py = 0; py < image.height; py += rows) {
    for (i64 px = 0; px < image.width; px += columns) {
      const i64 w = std::min(columns, image.width - px), h = std::min(rows, image.height - py);
      const Box box{rect.x + px * side, rect.y + py * side,
                    std::min(w * side, rect.width - px * side),
                    std::min(h * side, rect.height - py * side)};
      const CUdeviceptr counts = staging_.at(),
                        pixels = staging_.at() + static_cast<CUdeviceptr>(w * h * 8);
      TESSERA_CUDA("clearing a picture", cuMemsetD8Async, counts, static_cast<unsigned char>(0),
                   static_cast<std::size_t>(w * h * 8), stream_.get());
      const i64 items = ceil_div(box.width, 64) * ceil_div(box.height, std::min<i64>(side, 32));
      launch(count_pixels_, {blocks_for(*device_, items, kThreads), kThreads}, stream_,
             "count_pixels", stepper_->grid(), cells_.front.at(), box, side, w, counts);
      launch(shade_pixels_, {blocks_for(*device_, w * h, kThreads), kThreads}, stream_,
             "shade_pixels", box, side, w, h, counts, pixels);
      TESSERA_CUDA("copying a picture", cuMemcpyDtoHAsync,
                   image.pixels.data() + py * image.width + px, pixels,
                   static_cast<std::size_t>(w * h), stream_.get());
      stream_.synchronize("copying a picture");
    }
  }
}

// False when the device has none.
bool CudaBackend::make_room(std::unique_ptr<PixelView>& view, const PixelSpans& pixels) {
  if (!view || !view->holds(pixels)) {
    view.reset();
    if (PixelView::bytes_needed(pixels) > device_->memory().free) return false;
    view = std::make_unique<PixelView>(device_, stream_, *services_, pixels);
  }
  view->aim(pixels);
  return true;
}

bool CudaBackend::do_begin_view(const PixelSpans& pixels) {
  const Current current(*device_);
  if (!make_room(greys_, pixels)) return false;
  greys_->begin_greys(stepper_->grid(), cells_.front);
  looked_ = greys_.get();
  return true;
}

bool CudaBackend::do_keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages) {
  const Current current(*device_);
  if (!make_room(ages_, pixels)) return false;
  ages_->put_ages(ages);
  return true;
}

void CudaBackend::do_add_ages(int generations) {
  const Current current(*device_);
  ages_->add_ages(stepper_->grid(), cells_.front, generations);
}

void CudaBackend::do_begin_view_ages() {
  const Current current(*device_);
  ages_->begin_ages();
  looked_ = ages_.get();
}

void CudaBackend::do_end_view(DensityImage& image) {
  const Current current(*device_);
  looked_->end(image);
}

void CudaBackend::do_ages(std::vector<std::int16_t>& ages) {
  const Current current(*device_);
  ages_->take_ages(ages);
}

void CudaBackend::check_guards() {
  const Current current(*device_);
  if (greys_) greys_->check_guards();
  if (ages_) ages_->check_guards();
  for (const DeviceMemory* memory : {&cells_.front, &cells_.back, &staging_, &survey_})
    memory->check_guards(stream_);
  stepper_->check_guards(stream_);
}

}  // namespace tessera::cuda
