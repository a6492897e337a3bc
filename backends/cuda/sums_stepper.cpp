#include "backends/cuda/sums_stepper.h"

#include <algorithm>
#include <limits>

#include "backends/cuda/rule_source.h"
#include "backends/gpu/cell_lines.h"
#include "backends/gpu/counting_work.h"
#include "core/rules/range_gates.h"

namespace tessera::cuda {

namespace {

constexpr unsigned kSumsThreads = 128;
// Threads a multiprocessor that keep it busy: where the first row of a thread costs the time of
// many, it waits for memory there, and longer parts of rows pay. Measured on an H100. Threads that
// hold lines are as many as there are registers for.
constexpr std::int64_t kBusyThreads = 768, kBusyWithLongStart = 256;
constexpr double kLongStart = 4;  // rows
constexpr std::int64_t kLeastRows = 8;
// Of the threads that a multiprocessor has at once, up to which a last turn of few counts.
constexpr std::int64_t kFewTurns = 8;
// Instructions of a thread, so that a launch of few threads is short, too.
constexpr double kMostWork = 2e7;
constexpr std::int64_t kMostBlocks = std::numeric_limits<int>::max();

std::int64_t size_of(const std::vector<CellOffset>& cells) {
  return static_cast<std::int64_t>(cells.size());
}

}  // namespace

KernelInfo SumsStepper::kernel_info() {
  KernelInfo info{
      "sums",
      "rules of longer range: counts that run down columns of strips, bit-sliced",
      {{&Tuning::group, "lanes", "words side by side that a row begins with", {1, 2, 4, 8, 16, 32}},
       {&Tuning::rows, "rows", "rows that a thread walks down", {}, 1, 1 << 20}}};
  info.ranges = true;
  info.near = false;
  return info;
}

SumsStepper::SumsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts)
    : spec_(spec),
      right_(*spec.rule.range, CountEdges::Step::right),
      down_(*spec.rule.range, CountEdges::Step::down),
      cells_(counted_cells(*spec.rule.range)) {
  const int bits = count_bits(*spec.rule.range);
  planes_ = state_program(spec.rule, {}).planes;
  // Counts of all columns stay in registers.
  const bool runs = runs_along(down_), lines = has_lines(down_);
  columns_ = runs && !lines && bits <= 9 && !takes_table(*spec.rule.range) ? 8 : 4;
  const std::int64_t cells = size_of(down_.cells.plus), line = cells + columns_ - 1;
  const bool ahead = cells <= std::int64_t{gpu::kMostAhead};
  const std::int64_t held = columns_ * bits + (ahead ? 4 : 2) * line;
  blocks_ = lines ? held <= 96 ? 4 : held <= 136 ? 3 : 2 : bits > 14 ? 3 : 4;

  const double columns = static_cast<double>(columns_),
               edges = gpu::counting_work(2 * down_.cells.plus.size(), bits);
  const double gates = takes_table(*spec.rule.range)
                           ? 64.0 * bits
                           : static_cast<double>(range_gates(*spec.rule.range).gates.size());
  const double each = gates + 8 + 4.0 * static_cast<double>(planes_) + 2.0 * bits;
  row_work_ =
      lines ? 4.0 * static_cast<double>(cells) + columns * (each + 4 + bits)
      : runs
          ? edges + columns * (each + static_cast<double>(down_.corners.plus.size()) * (4 + bits))
          : columns * (each + edges);
  first_work_ = gpu::counting_work(cells_.size(), bits) +
                (columns - 1) * gpu::counting_work(2 * right_.cells.plus.size(), bits);
  speed_ = 32.0 * facts.multiprocessors * 1e3 * (facts.clock_khz > 0 ? facts.clock_khz : 1e6);

  choose_lanes(tuning);
  lay_out();
  choose_rows(tuning, facts);
}

// Many words side by side are read together, and few need little margin.
void SumsStepper::choose_lanes(const Tuning& tuning) {
  const auto columns_of = [&](std::int64_t lanes) {
    return ceil_div(ceil_div(spec_.width, 32 * lanes), columns_) * columns_;
  };
  const auto side = static_cast<double>(2 * spec_.rule.range->radius + 1);
  // Measured on an H100: Bosco's rule at 8192^2 makes 3.81e12 cells/s with 16 words side by side
  // and 2.97e12 with 8, but a square of 21 cells a side at 16384^2 2.10e12 and 2.36e12.
  const bool near = has_lines(down_) && side <= 17;
  double least = std::numeric_limits<double>::infinity();
  for (int lanes = 32; lanes >= 1; lanes /= 2) {
    const auto words = static_cast<double>(columns_of(lanes) * lanes);
    const bool whole = columns_of(lanes) * 32 * lanes == spec_.width;
    const double margin = (whole ? 22 : 60) * side * lanes;
    const double apart = (near ? 4 : 2.5) * (32.0 / lanes - 1);
    const double cost = margin + words * (row_work_ / static_cast<double>(columns_) + apart);
    if (cost >= least) continue;
    least = cost;
    tuning_.group = lanes;
  }
  if (tuning.group) tuning_.group = tuning.group;
}

void SumsStepper::lay_out() {
  const std::int64_t radius = spec_.rule.range->radius;
  grid_.width = spec_.width;
  grid_.height = spec_.height;
  grid_.words = ceil_div(spec_.width, 64);
  grid_.units = ceil_div(ceil_div(spec_.width, 32 * lanes()), columns_) * columns_;
  grid_.last = spec_.width % grid_.units;
  grid_.left = grid_.above = radius + 1;
  grid_.stride = ceil_div((grid_.units + 2 * radius + 1) * lanes(), 32) * 32;
  grid_.storage = 4 * planes_ * grid_.stride * (spec_.height + 2 * radius + 1);
}

std::int64_t SumsStepper::threads() const {
  return lanes() * run_.groups * ceil_div(spec_.height, run_.rows);
}

// Parts of rows so long that their first row pays, and so short that all multiprocessors have some.
void SumsStepper::choose_rows(const Tuning& tuning, const DeviceFacts& facts) {
  run_.groups = grid_.units / columns_;
  const std::int64_t processors = std::max(1, facts.multiprocessors);
  const auto most =
      std::max<std::int64_t>(1, static_cast<std::int64_t>((kMostWork - first_work_) / row_work_));
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = std::min(spec_.height, most);
  const bool long_start = first_work_ > kLongStart * row_work_;
  const bool lines = has_lines(down_);
  const std::int64_t at_once = kSumsThreads * blocks_;
  const std::int64_t enough = lines ? at_once : long_start ? kBusyWithLongStart : kBusyThreads;
  const std::int64_t most_parts = ceil_div(spec_.height, std::min(kLeastRows, most));
  for (std::int64_t parts = 1; parts <= most_parts; parts += 1 + parts / (lines ? 64 : 8)) {
    run_.rows = ceil_div(spec_.height, parts);
    if (run_.rows > most) continue;
    const std::int64_t each = ceil_div(threads(), processors);
    const std::int64_t busy = lines && each <= kFewTurns * at_once
                                  ? ceil_div(each, at_once) * at_once
                                  : std::max(each, enough);
    const double cost =
        static_cast<double>(busy) * (first_work_ + row_work_ * static_cast<double>(run_.rows));
    if (cost >= least) continue;
    least = cost;
    best = run_.rows;
  }
  run_.rows = std::min<std::int64_t>(tuning.rows ? tuning.rows : best, 1 << 20);
  tuning_.rows = static_cast<int>(run_.rows);
}

std::vector<std::uint16_t> SumsStepper::codes() const { return state_codes(spec_.rule); }

KernelSource SumsStepper::services() const {
  return {"services.cu",
          {{"layout.cuh", "#include \"layout_sums.cuh\"\n"}},
          {"-DTESSERA_LANES=" + std::to_string(lanes()),
           "-DTESSERA_PLANES=" + std::to_string(planes_)}};
}

KernelSource SumsStepper::source() const {
  return {
      "sums.cu",
      {{"rule.cuh", range_header(spec_.rule, right_, down_)}},
      {"-DTESSERA_LANES=" + std::to_string(lanes()), "-DTESSERA_PLANES=" + std::to_string(planes_),
       "-DTESSERA_COLUMNS=" + std::to_string(columns_),
       "-DTESSERA_BLOCKS=" + std::to_string(blocks_),
       std::string("-DTESSERA_TORUS=") + (spec_.boundary == Boundary::torus ? "1" : "0")}};
}

std::int64_t SumsStepper::extra_bytes() const {
  return 8 * (size_of(cells_) + 2 * size_of(right_.cells.plus) + 2 * size_of(down_.cells.plus)) +
         4 * count_table_words(*spec_.rule.range);
}

std::vector<i64> SumsStepper::offsets() const {
  std::vector<i64> out;
  for (const auto* cells :
       {&cells_, &right_.cells.plus, &right_.cells.minus, &down_.cells.plus, &down_.cells.minus}) {
    for (const CellOffset& each : *cells) out.push_back(each.dy * grid_.stride + each.dx * lanes());
  }
  return out;
}

void SumsStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_margins_ = module_->function("fill_margins");
  const auto keep = [&](const auto& values, const char* what) {
    return table_on_device(device_, stream, values.data(),
                           static_cast<std::int64_t>(values.size() * sizeof values[0]), what);
  };
  offsets_ = keep(offsets(), "the places of neighbours");
  run_.offsets = offsets_.as<const i64>();
  if (takes_table(*spec_.rule.range)) {
    table_ = keep(count_table(*spec_.rule.range), "the table of counts");
    run_.table = table_.as<const u32>();
  }
  run_.cells = static_cast<u32>(cells_.size());
  run_.right = static_cast<u32>(right_.cells.plus.size());
  run_.down = static_cast<u32>(down_.cells.plus.size());
}

void SumsStepper::check_guards(const Stream& stream) const {
  offsets_.check_guards(stream);
  table_.check_guards(stream);
}

double SumsStepper::seconds() const {
  // Twice the time of full multiprocessors.
  return 2 * static_cast<double>(threads()) *
         (first_work_ + row_work_ * static_cast<double>(run_.rows)) / speed_;
}

void SumsStepper::queue_generation(Cells& cells, const Stream& stream) const {
  const std::int64_t all = spec_.height + 2 * grid_.above - 1, strips = spec_.width / grid_.units;
  const std::int64_t padded = strips == 32 * lanes() ? 0 : std::min(grid_.left, grid_.units);
  // Four words a thread where fill_sides of sums.cu takes them, else a row a block.
  const bool sides =
      spec_.boundary == Boundary::torus && strips == 32 * lanes() && grid_.left <= grid_.units;
  const std::int64_t blocks =
      sides ? std::max(ceil_div(ceil_div(spec_.height, 4) * (2 * grid_.left - 1) * lanes(),
                                std::int64_t{kSumsThreads}),
                       2 * grid_.left)
            : all;
  launch_overlapping(fill_margins_, {std::min(blocks, std::int64_t{1} << 16), kSumsThreads}, stream,
                     "fill_margins of sums", grid_, cells.front.at(), static_cast<i64>(padded),
                     static_cast<int>(strips));
  SumsRun run = run_;
  const std::int64_t parts = static_cast<std::int64_t>(seconds() / longest_launch_) + 1;
  const std::int64_t size =
      std::min(ceil_div(ceil_div(threads(), parts), kSumsThreads), kMostBlocks) * kSumsThreads;
  for (run.first = 0; run.first < threads(); run.first = run.end) {
    run.end = std::min<i64>(run.first + size, threads());
    launch_overlapping(step_, {ceil_div(run.end - run.first, kSumsThreads), kSumsThreads}, stream,
                       "sums", grid_, cells.front.at(), cells.back.at(), run);
  }
  cells.front.swap(cells.back);
}

void SumsStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  constexpr std::int64_t kRecorded = 32;  // even: it ends in the buffer where it began
  const bool graph = static_cast<double>(kRecorded) * seconds() < longest_launch_;
  if (graph && generations >= kRecorded && recorded_ != cells.front.at()) {
    recorded_ = 0;
    generations_.record(stream, [&] {
      for (std::int64_t i = 0; i < kRecorded; i++) queue_generation(cells, stream);
    });
    recorded_ = cells.front.at();
  }
  for (; graph && generations >= kRecorded; generations -= kRecorded) generations_.launch(stream);
  for (; generations > 0; generations--) queue_generation(cells, stream);
}

}  // namespace tessera::cuda
