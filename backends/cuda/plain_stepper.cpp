#include "backends/cuda/plain_stepper.h"

#include <algorithm>

#include "backends/cuda/rule_source.h"

namespace tessera::cuda {

void PlainStepper::pack(int cells, Order order) {
  const std::int64_t w = spec_.width, h = spec_.height;
  const bool columns = order == Order::columns;
  grid_.width = w;
  grid_.height = h;
  grid_.words = ceil_div(w, 64);
  grid_.units = ceil_div(w, cells);
  grid_.left = 1;
  grid_.above = std::max(1, tuning_.generations);
  const std::int64_t across = grid_.units + 2 * grid_.left, down = h + 2 * grid_.above;
  grid_.stride = columns ? down : across;
  grid_.storage = across * down * std::max(cells / 8, 1);
  layout_options_ = {"-DTESSERA_CELLS=" + std::to_string(cells),
                     std::string("-DTESSERA_BY_COLUMNS=") + (columns ? "1" : "0")};
  work_.units = grid_.units * h;
  work_.units_a_line = columns ? h : grid_.units;
}

KernelSource PlainStepper::services() const {
  return {"services.cu",
          {{"layout.cuh", "#include \"" + std::string(layout_) + "\"\n"}},
          layout_options_};
}

KernelSource PlainStepper::source() const {
  KernelSource source = own_source();
  std::vector<std::string> options = layout_options_;
  options.push_back(birth_option(spec_.rule));
  options.push_back(survival_option(spec_.rule));
  options.push_back(std::string("-DTESSERA_TORUS=") +
                    (spec_.boundary == Boundary::torus ? "1" : "0"));
  options.push_back("-DTESSERA_THREADS=" + std::to_string(work_.threads));
  source.options.insert(source.options.begin(), options.begin(), options.end());
  return source;
}

void PlainStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream&) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_margins_ = module_->function("fill_margins");
}

double PlainStepper::seconds(std::int64_t generations) const {
  // The slowest of these kernels steps more than one cell per cycle and multiprocessor; half of
  // that leaves room for older devices.
  const DeviceFacts& facts = device_->facts();
  const double rate = 0.5 * facts.multiprocessors * 1e3 * std::max(facts.clock_khz, 1);
  return static_cast<double>(grid_.width) * static_cast<double>(grid_.height) *
         static_cast<double>(generations) / rate;
}

void PlainStepper::queue_part(const LaunchShape& shape, const Stream& stream, const Cells& cells,
                              std::int64_t /*generations*/, const Part& part) const {
  launch(step_, shape, stream, name_, grid_, cells.front.at(), cells.back.at(), part);
}

void PlainStepper::queue_launch(Cells& cells, std::int64_t generations,
                                const Stream& stream) const {
  const std::int64_t margin =
      2 * grid_.above * (grid_.units + 2 * grid_.left) + 3 * grid_.height + 12;
  launch(fill_margins_, {blocks_for(*device_, margin, 128), 128}, stream, "fill_margins", grid_,
         cells.front.at());
  const Work& work = work_;
  const std::int64_t parts = static_cast<std::int64_t>(seconds(generations) / longest_launch_) + 1;
  const std::int64_t size = ceil_div(work.units, std::min(parts, work.units));
  for (std::int64_t first = 0; first < work.units; first += size) {
    const std::int64_t end = std::min(first + size, work.units);
    const LaunchShape shape{blocks_for(*device_, (end - first) * work.threads_a_unit, work.threads),
                            work.threads};
    const std::int64_t stride = shape.blocks * work.threads;
    queue_part(
        shape, stream, cells, generations,
        {first, end, work.units_a_line, stride / work.units_a_line, stride % work.units_a_line});
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
