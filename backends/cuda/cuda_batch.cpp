#include "backends/cuda/cuda_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "backends/gpu/batch_fit.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera::cuda {
namespace {

// Generations of a launch, so that none takes long.
constexpr std::int64_t kMostGenerations = 2048;

BatchInfo info_of(BackendInfo info, const BatchShape& shape) {
  info.kernel = shape.kernel();
  info.tuning = shape.tuning;
  return {std::move(info), shape.packing()};
}

}  // namespace

std::int64_t CudaBatch::bytes_needed(const BatchSpec& spec, const BatchShape& shape) {
  return shape.storage() * (shape.whole ? 1 : 2) + batch_bytes(spec) +
         spec.universes * static_cast<std::int64_t>(sizeof(BatchFinding));
}

CudaBatch::CudaBatch(const BatchSpec& spec, BackendInfo info,
                     std::shared_ptr<const CudaDevice> device, const BatchShape& shape)
    : Batch(spec, info_of(std::move(info), shape)),
      device_(std::move(device)),
      stream_(device_),
      shape_(shape) {
  const Current current(*device_);
  const std::int64_t needed = bytes_needed(spec, shape), free = device_->memory().free;
  if (needed > free) {
    throw UnsupportedError(fmt::format(
        "{} universes of {}x{} cells need {}; {} are free on {}", spec.universes, spec.each.width,
        spec.each.height, memory_text(needed), memory_text(free), device_->facts().name));
  }
  front_ = DeviceMemory(device_, stream_, shape.storage(), "the universes");
  if (!shape.whole) back_ = DeviceMemory(device_, stream_, shape.storage(), "the next generation");
  staged_ = DeviceMemory(device_, stream_, batch_bytes(spec), "transfers");
  findings_ =
      DeviceMemory(device_, stream_,
                   spec.universes * static_cast<std::int64_t>(sizeof(BatchFinding)), "results");
  kernel_ = std::make_unique<Module>(device_, batch_source(shape, spec.each));
  services_ = std::make_unique<Module>(device_, KernelSource{"batch_services.cu", {}, {}});
  step_ = kernel_->function("step");
  stream_.synchronize("clearing the universes");
}

// Members free what they hold, so everything that is still running is waited for first.
CudaBatch::~CudaBatch() { stream_.drain(); }

void CudaBatch::pack() {
  const std::int64_t words = shape_.storage() / std::int64_t{sizeof(u32)};
  launch(services_->function("pack"),
         {blocks_for(*device_, words, kServiceThreads), kServiceThreads}, stream_, "pack",
         shape_.grid, staged_.at(), front_.at());
}

// The canonical words of some universes, from the beginning of the staging memory on.
void CudaBatch::unpack(std::int64_t first, std::int64_t universes) {
  const BatchGrid& grid = shape_.grid;
  const std::int64_t words = universes * grid.height * grid.words;
  launch(services_->function("unpack"),
         {blocks_for(*device_, words, kServiceThreads), kServiceThreads}, stream_, "unpack", grid,
         front_.at(), staged_.at(), static_cast<i64>(first), static_cast<i64>(universes));
}

void CudaBatch::do_load(const CellsOf& cells) {
  const Current current(*device_);
  const BatchGrid& grid = shape_.grid;
  const std::int64_t one = grid.height * grid.words;
  // Some megabytes at a time.
  const std::int64_t some = std::clamp<std::int64_t>((std::int64_t{1} << 20) / one, 1, universes());
  std::vector<std::uint64_t> words;
  for (std::int64_t first = 0; first < universes(); first += some) {
    words.clear();
    for (std::int64_t u = first; u < std::min(universes(), first + some); u++) {
      const CellGrid own = checked(cells, u);
      words.insert(words.end(), own.plane(0).words().begin(), own.plane(0).words().end());
    }
    const std::string doing = "copying universes to the device";
    TESSERA_CUDA(doing, cuMemcpyHtoDAsync, staged_.at() + static_cast<CUdeviceptr>(8 * first * one),
                 words.data(), 8 * words.size(), stream_.get());
    stream_.synchronize(doing);
  }
  pack();
}

void CudaBatch::do_fill(const Soup& first) {
  const Current current(*device_);
  const BatchGrid& grid = shape_.grid;
  const std::int64_t words = universes() * grid.height * grid.words;
  launch(services_->function("make_soups"),
         {blocks_for(*device_, words, kServiceThreads), kServiceThreads}, stream_, "make_soups",
         grid, staged_.at(), static_cast<u64>(first.seed), static_cast<u32>(first.density));
  pack();
}

void CudaBatch::launch_steps(std::int64_t generations) {
  const BatchGrid& grid = shape_.grid;
  const unsigned threads = 32 * shape_.block;
  if (shape_.whole) {
    const std::int64_t blocks = ceil_div(grid.tiles, std::int64_t{shape_.block});
    for (; generations > 0; generations -= kMostGenerations) {
      launch(step_, {blocks, threads}, stream_, "whole", grid, front_.at(),
             static_cast<u32>(std::min(generations, kMostGenerations)));
    }
    return;
  }
  constexpr std::int64_t kMostBlocks = std::int64_t{1} << 20;  // each takes several parts then
  const std::int64_t parts =
      grid.tiles * grid.width * ceil_div(grid.height, std::int64_t{kSlicedRows});
  const std::int64_t blocks = std::min(kMostBlocks, ceil_div(parts, std::int64_t{shape_.block}));
  for (; generations > 0; generations--) {
    launch(step_, {blocks, threads}, stream_, "sliced", grid, front_.at(), back_.at());
    front_.swap(back_);
  }
}

void CudaBatch::do_step(std::int64_t generations, bool) {
  const Current current(*device_);
  clock_.time([&] { launch_steps(generations); });
}

void CudaBatch::do_synchronize() {
  const Current current(*device_);
  stream_.synchronize("stepping universes");
}

std::optional<double> CudaBatch::do_device_seconds() {
  const Current current(*device_);
  return clock_.seconds();
}

CellGrid CudaBatch::do_download(std::int64_t universe) {
  const Current current(*device_);
  unpack(universe, 1);
  BitGrid out(spec().each.width, spec().each.height);
  const std::string doing = "copying a universe from the device";
  TESSERA_CUDA(doing, cuMemcpyDtoHAsync, out.words().data(), staged_.at(), out.words().size_bytes(),
               stream_.get());
  stream_.synchronize(doing);
  return out;
}

std::vector<Survey> CudaBatch::do_survey(SurveyParts parts) {
  const Current current(*device_);
  unpack(0, universes());
  const std::int64_t threads = 32 * universes();
  launch(services_->function("survey"),
         {blocks_for(*device_, threads, kServiceThreads), kServiceThreads}, stream_, "survey",
         shape_.grid, staged_.at(), findings_.at());
  std::vector<BatchFinding> found(static_cast<std::size_t>(universes()));
  const std::string doing = "copying surveys from the device";
  TESSERA_CUDA(doing, cuMemcpyDtoHAsync, found.data(), findings_.at(),
               found.size() * sizeof(BatchFinding), stream_.get());
  stream_.synchronize(doing);
  std::vector<Survey> out(found.size());
  for (std::size_t i = 0; i < found.size(); i++) {
    const BatchFinding& each = found[i];
    if (parts.population) out[i].population = each.population;
    if (parts.hash) out[i].hash = each.hash;
    if (parts.bounds && each.xmin <= each.xmax)
      out[i].bounds = Bounds{each.xmin, each.ymin, each.xmax, each.ymax};
  }
  return out;
}

}  // namespace tessera::cuda

namespace tessera {
namespace {

using namespace cuda;

// Nothing where the kernel takes no such batch.
std::optional<BatchShape> shape_for(const BatchSpec& spec, const std::string& kernel,
                                    const Tuning& tuning, const DeviceFacts& facts) {
  if (kernel != "sliced") {
    if (const auto shape = whole_shape(spec, tuning, facts)) return shape;
  }
  if (kernel == "whole") return std::nullopt;
  return sliced_shape(spec);
}

}  // namespace

std::optional<std::string> cuda_batch_unsupported(int device, const BatchSpec& spec,
                                                  const std::string& kernel) {
  const BackendSpec& each = spec.each;
  if (auto why = gpu::batch_refused("cuda", each, kernel)) return why;
  if (const std::string why = why_no_cuda(); !why.empty()) return why;
  constexpr std::int64_t kMostSide = std::int64_t{1} << 30;
  if (each.width > kMostSide || each.height > kMostSide)
    return "batches of cuda have sides of up to " + std::to_string(kMostSide);
  try {
    const DeviceFacts facts = device_facts(device);
    const auto shape = shape_for(spec, kernel, {}, facts);
    if (!shape) return gpu::no_whole("cuda", each);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return std::nullopt;
}

std::unique_ptr<Batch> make_cuda_batch(int device, const BatchSpec& spec, const std::string& kernel,
                                       const Tuning& tuning) {
  if (const auto why = cuda_batch_unsupported(device, spec, kernel)) throw UnsupportedError(*why);
  const DeviceFacts facts = device_facts(device);
  auto shape = shape_for(spec, kernel, tuning, facts);
  if (!shape)
    throw UnsupportedError("the kernel whole of cuda has no shape as the tuning asks for");
  const std::int64_t needed = CudaBatch::bytes_needed(spec, *shape);
  const std::int64_t limit =
      spec.each.max_memory > 0 ? std::min(spec.each.max_memory, facts.memory) : facts.memory;
  if (needed > limit) {
    throw UnsupportedError(
        fmt::format("{} universes of {}x{} cells need {} with kernel {} of cuda; {} is the limit",
                    spec.universes, spec.each.width, spec.each.height, memory_text(needed),
                    shape->kernel(), memory_text(limit)));
  }
  return std::make_unique<CudaBatch>(spec, BackendInfo{"cuda", facts.name, "", {}},
                                     open_device(device), *shape);
}

}  // namespace tessera
