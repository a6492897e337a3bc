#include "backends/cuda/plain_stepper.h"

#include <algorithm>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"

namespace tessera::cuda {

namespace {

constexpr PlainKernel kKernels[] = {
    {"warp",
     "a block of 32x32 or 64x64 cells in a warp's registers, SINGLE- or DOUBLE-WORD: Fujita et al. "
     "2015",
     "warp.cu", 64, true, false, false, true, nullptr},
    {"shared", "the same blocks in shared memory: Fujita et al. 2015", "shared.cu", 64, true, false,
     false, true, nullptr},
    {"shared-rows",
     "many generations in shared memory, row sums shared by a group of rows: Boris the Brave",
     "shared_rows.cu", 32, false, false, true, true, nullptr},
    {"double-word",
     "DOUBLE-WORD of Fujita et al. 2015: two 64-bit words per thread, one generation per launch",
     "word.cu", 64, true, false, false, false, "-DTESSERA_PAIR=1"},
    {"word",
     "SINGLE-WORD of Fujita et al. 2015: one 64-bit word per thread, one generation per launch",
     "word.cu", 64, true, false, false, false, "-DTESSERA_PAIR=0"},
    {"mask", "one byte of eight cells per thread, masks and popcount: Habr", "mask.cu", 8, false,
     false, false, false, nullptr},
    {"patch",
     "4x4 cells in 16 bits, 6x6 in a 64-bit word, a table of 65,536 entries: the CUDA report",
     "patch.cu", 0, false, true, false, false, nullptr},
    {"lut", "one byte per cell, four cells per thread by the table: the CUDA report", "lut.cu", 1,
     false, true, false, false, nullptr},
    {"byte-shared", "one byte per cell, 32x32 cells and a halo in shared memory: the CUDA report",
     "byte_shared.cu", 1, false, false, false, false, nullptr},
    {"byte-branch", "one byte per cell, if and else: the CUDA report", "byte.cu", 1, false, false,
     false, false, "-DTESSERA_BRANCH=1"},
    {"byte", "one byte per cell, a Boolean expression: the CUDA report", "byte.cu", 1, false, false,
     false, false, "-DTESSERA_BRANCH=0"},
};

bool is(const PlainKernel& kernel, const char* name) { return std::string(kernel.name) == name; }
bool in_blocks(const PlainKernel& kernel) { return is(kernel, "warp") || is(kernel, "shared"); }

}  // namespace

std::span<const PlainKernel> plain_kernels() { return kKernels; }

KernelInfo plain_kernel_info(const PlainKernel& kernel) {
  KernelInfo info{kernel.name, kernel.summary, {}};
  const TuningParameter generations{
      &Tuning::generations, "generations", "generations per launch", {2, 4, 8, 16}};
  if (in_blocks(kernel))
    info.parameters = {generations,
                       {&Tuning::rows, "side", "cells along the side of a block", {32, 64}},
                       {&Tuning::words, "words", "1: SINGLE-WORD, 2: DOUBLE-WORD", {1, 2}}};
  if (is(kernel, "shared-rows"))
    info.parameters = {
        generations,
        {&Tuning::rows, "rows", "eighths of the rows of a block, halos included", {8, 16}}};
  if (is(kernel, "lut"))
    info.parameters = {{&Tuning::threads, "threads", "threads per block", {256, 1024}}};
  return info;
}

PlainStepper::PlainStepper(const PlainKernel& kernel, const BackendSpec& spec, const Tuning& tuning)
    : kernel_(kernel), spec_(spec) {
  choose(tuning);
  const std::int64_t w = spec.width, h = spec.height, cells = cells_;
  grid_.width = w;
  grid_.height = h;
  grid_.words = ceil_div(w, 64);
  if (cells == 0) {
    grid_.units = ceil_div(w, 4);
    grid_.stride = grid_.units + 2;
    grid_.storage = grid_.stride * (ceil_div(h, 4) + 2) * 2;
    units_ = grid_.units * ceil_div(h, 4);
    units_a_line_ = grid_.units;
    return;
  }
  grid_.units = ceil_div(w, cells);
  grid_.left = 1;
  grid_.above = std::max(1, tuning_.generations);
  const std::int64_t across = grid_.units + 2 * grid_.left, down = h + 2 * grid_.above;
  grid_.stride = kernel.by_columns ? down : across;
  grid_.storage = across * down * std::max<std::int64_t>(cells / 8, 1);
  units_ = grid_.units * h;
  units_a_line_ = kernel.by_columns ? h : grid_.units;
  if (is(kernel, "byte-shared")) {
    units_ = ceil_div(w, 32) * ceil_div(h, 32);
    threads_a_unit_ = threads_;
  }
  if (is(kernel, "lut")) {
    const std::int64_t side = threads_ == 1024 ? 64 : 32;
    units_ = ceil_div(w, side) * ceil_div(h, side);
    threads_a_unit_ = threads_;
  }
  if (is(kernel, "double-word")) {
    units_a_line_ = ceil_div(h, 2);
    units_ = grid_.units * units_a_line_;
  }
  if (in_blocks(kernel)) {
    const std::int64_t kept = cells - 2 * tuning_.generations;
    const std::int64_t piece = kept % 32 == 0                  ? 32
                               : kept % 16 == 0 || cells == 64 ? 16
                                                               : 8;  // as block.cuh has it
    units_ = ceil_div(w, kept / piece * piece) * ceil_div(h, kept);
    threads_a_unit_ = 32;
  }
  if (is(kernel, "shared-rows")) {
    units_ = ceil_div(grid_.units, 30) * ceil_div(h, 8 * tuning_.rows - 2 * tuning_.generations);
    threads_a_unit_ = threads_;
  }
}

void PlainStepper::choose(const Tuning& tuning) {
  const auto or_else = [](int value, int otherwise) { return value != 0 ? value : otherwise; };
  cells_ = kernel_.cells;
  tuning_.generations = 1;
  if (in_blocks(kernel_)) {
    cells_ = or_else(tuning.rows, 64);
    tuning_ = {or_else(tuning.generations, cells_ == 64 ? 8 : 4), cells_,
               or_else(tuning.words, cells_ == 64 ? 2 : 1), 0, 0};
    const bool pair_of_one = cells_ == 32 && tuning_.words == 2,
               no_inside = cells_ == 32 && tuning_.generations == 16;
    if (pair_of_one || no_inside) {
      throw UnsupportedError("kernel " + std::string(kernel_.name) +
                             ": a block of 32x32 cells takes words 1 and generations 2, "
                             "4 or 8");
    }
    threads_ = is(kernel_, "shared") ? 32 : 256;
  } else if (is(kernel_, "shared-rows")) {
    tuning_ = {or_else(tuning.generations, 8), or_else(tuning.rows, 16), 0, 0, 0};
    if (8 * tuning_.rows <= 2 * tuning_.generations) {
      throw UnsupportedError("kernel shared-rows: 64 rows per block leave nothing inside after " +
                             std::to_string(tuning_.generations) + " generations");
    }
  } else if (is(kernel_, "lut")) {
    tuning_.threads = or_else(tuning.threads, 256);
    threads_ = static_cast<unsigned>(tuning_.threads);
  } else if (is(kernel_, "byte-shared")) {
    threads_ = 1024;
  }
}

std::vector<std::string> PlainStepper::layout_options() const {
  if (cells_ == 0) return {};
  return {"-DTESSERA_CELLS=" + std::to_string(cells_),
          std::string("-DTESSERA_BY_COLUMNS=") + (kernel_.by_columns ? "1" : "0")};
}

KernelSource PlainStepper::services() const {
  const char* layout =
      cells_ == 0 ? "#include \"layout_patches.cuh\"\n" : "#include \"layout_packed.cuh\"\n";
  return {"services.cu", {{"layout.cuh", layout}}, layout_options()};
}

KernelSource PlainStepper::source() const {
  KernelSource source{kernel_.file, {}, layout_options()};
  if (kernel_.circuit) source.headers.push_back({"rule.cuh", rule_header(spec_.rule)});
  source.options.push_back(birth_option(spec_.rule));
  source.options.push_back(survival_option(spec_.rule));
  source.options.push_back(std::string("-DTESSERA_TORUS=") +
                           (spec_.boundary == Boundary::torus ? "1" : "0"));
  source.options.push_back("-DTESSERA_THREADS=" + std::to_string(threads_));
  if (kernel_.deep) {
    source.options.push_back("-DTESSERA_T=" + std::to_string(tuning_.generations));
    source.options.push_back("-DTESSERA_ROWS=" + std::to_string(tuning_.rows));
    source.options.push_back(std::string("-DTESSERA_PAIR=") + (tuning_.words == 2 ? "1" : "0"));
  }
  if (kernel_.macro) source.options.push_back(kernel_.macro);
  return source;
}

void PlainStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_margins_ = module_->function("fill_margins");
  if (kernel_.table) {
    table_ = DeviceMemory(device_, stream, 65536, "the table of 4x4 cells");
    launch(module_->function("make_table"), {256, 256}, stream, "make_table", table_.at());
  }
}

double PlainStepper::seconds(std::int64_t generations) const {
  // The slowest of these kernels steps more than one cell per cycle and multiprocessor; half of
  // that leaves room for older devices.
  const DeviceFacts& facts = device_->facts();
  const double rate = 0.5 * facts.multiprocessors * 1e3 * std::max(facts.clock_khz, 1);
  return static_cast<double>(grid_.width) * static_cast<double>(grid_.height) *
         static_cast<double>(generations) / rate;
}

void PlainStepper::queue_launch(Cells& cells, std::int64_t generations,
                                const Stream& stream) const {
  const std::int64_t margin =
      2 * grid_.above * (grid_.units + 2 * grid_.left) + 3 * grid_.height + 12;
  launch(fill_margins_, {blocks_for(*device_, margin, 128), 128}, stream, "fill_margins", grid_,
         cells.front.at());
  const std::int64_t parts = static_cast<std::int64_t>(seconds(generations) / longest_launch_) + 1;
  const std::int64_t size = ceil_div(units_, std::min(parts, units_));
  for (std::int64_t first = 0; first < units_; first += size) {
    const std::int64_t end = std::min(first + size, units_);
    const LaunchShape shape{blocks_for(*device_, (end - first) * threads_a_unit_, threads_),
                            threads_};
    const std::int64_t stride = shape.blocks * threads_;
    const Part part{first, end, units_a_line_, stride / units_a_line_, stride % units_a_line_};
    if (kernel_.table) {
      launch(step_, shape, stream, kernel_.name, grid_, cells.front.at(), cells.back.at(),
             table_.at(), part);
    } else if (kernel_.deep) {
      launch(step_, shape, stream, kernel_.name, grid_, cells.front.at(), cells.back.at(),
             static_cast<int>(generations), part);
    } else {
      launch(step_, shape, stream, kernel_.name, grid_, cells.front.at(), cells.back.at(), part);
    }
  }
  cells.front.swap(cells.back);
}

void PlainStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  const std::int64_t depth = tuning_.generations;
  constexpr std::int64_t kLaunches =
      32;  // in a graph; an even number ends in the buffer where it began
  const bool graph = seconds(kLaunches * depth) < longest_launch_;
  if (graph && generations >= kLaunches * depth && recorded_ != cells.front.at()) {
    recorded_ = 0;
    launches_.record(stream, [&] {
      for (std::int64_t i = 0; i < kLaunches; i++) queue_launch(cells, depth, stream);
    });
    recorded_ = cells.front.at();
  }
  for (; graph && generations >= kLaunches * depth; generations -= kLaunches * depth)
    launches_.launch(stream);
  for (; generations > 0; generations -= std::min(generations, depth)) {
    queue_launch(cells, std::min(generations, depth), stream);
  }
}

}  // namespace tessera::cuda
