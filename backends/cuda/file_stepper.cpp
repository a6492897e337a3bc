#include "backends/cuda/file_stepper.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/rules/state_program.h"

namespace tessera::cuda {

namespace {

constexpr unsigned kTableThreads = 128;
constexpr i64 kUnknownBytes = static_cast<i64>(TableDevice::kMostUnknown * sizeof(TableCell));
static_assert(sizeof(TableCell) == sizeof(UnknownCell));

}  // namespace

// What TableSteps drives, for a call of step().
class FileStepper::OnDevice final : public TableDevice {
 public:
  OnDevice(FileStepper& stepper, Cells& cells, const Stream& stream)
      : stepper_(stepper), cells_(cells), stream_(stream) {}

  std::int64_t words() const override { return grid().units * grid().height; }

  void make_room(int rule, std::int64_t entries) override {
    DeviceMemory& memory = side(rule).entries;
    stream_.synchronize("stepping with kernel table");
    memory = {};  // before there is another
    memory = DeviceMemory(stepper_.device_, stream_, 4 * entries, "the graph of the rule");
  }

  void send(int rule, const TransitionGraph::Piece& piece) override {
    // From memory of the program: copied before the call returns.
    TESSERA_CUDA("copying a rule's graph", cuMemcpyHtoDAsync,
                 side(rule).entries.at() + 4 * CUdeviceptr{piece.first}, piece.entries.data(),
                 4 * piece.entries.size(), stream_.get());
  }

  void begin_steps() override {
    TESSERA_CUDA("clearing notes", cuMemsetD8Async, notes(), static_cast<unsigned char>(0xff),
                 sizeof(TableNotes::stopped), stream_.get());
    TESSERA_CUDA("clearing notes", cuMemsetD8Async, notes() + offsetof(TableNotes, count),
                 static_cast<unsigned char>(0), sizeof(TableNotes::count), stream_.get());
  }

  void queue(int rule, std::uint32_t generation, std::int64_t first, std::int64_t end) override {
    const Side& of = side(rule);
    TableRun run{};
    run.entries = of.entries.as<const u32>();
    run.notes = reinterpret_cast<TableNotes*>(notes());
    run.unknown = reinterpret_cast<TableCell*>(notes() + sizeof(TableNotes));
    run.root = of.root;
    run.generation = generation;
    run.most = static_cast<u32>(kMostUnknown);
    const DeviceMemory& from = generation % 2 == 0 ? cells_.front : cells_.back;
    const DeviceMemory& to = generation % 2 == 0 ? cells_.back : cells_.front;
    // A cell takes some hundred instructions, and waits for memory.
    const DeviceFacts& facts = stepper_.device_->facts();
    const double rate = 0.25 * facts.multiprocessors * 1e3 * std::max(facts.clock_khz, 1);
    const auto most =
        std::max<i64>(kTableThreads, static_cast<i64>(stepper_.longest_launch_ * rate / 32));
    for (run.first = first; run.first < end; run.first = run.end) {
      run.end = std::min<i64>(run.first + most, end);
      launch(of.step,
             {std::min<i64>(ceil_div(run.end - run.first, kTableThreads), i64{1} << 30),
              kTableThreads},
             stream_, "table", grid(), from.at(), to.at(), run);
    }
  }

  Stop stopped() override {
    TableNotes seen{};
    read(&seen, notes(), sizeof seen);
    Stop stop;
    stop.generation = seen.stopped;
    if (stop.generation == Stop::kNone) return stop;
    stop.cells.resize(std::min<std::size_t>(seen.count, kMostUnknown));
    read(stop.cells.data(), notes() + sizeof(TableNotes), stop.cells.size() * sizeof(UnknownCell));
    return stop;
  }

  void put(const std::vector<UnknownCell>& cells) override {
    const CUdeviceptr list = notes() + sizeof(TableNotes);
    TESSERA_CUDA("copying states", cuMemcpyHtoDAsync, list, cells.data(),
                 cells.size() * sizeof(UnknownCell), stream_.get());
    const auto count = static_cast<u32>(cells.size());
    launch(stepper_.put_,
           {blocks_for(*stepper_.device_, static_cast<i64>(cells.size()), kTableThreads),
            kTableThreads},
           stream_, "put", grid(), cells_.back.at(), list, count);
  }

  void advance(std::int64_t generations) override {
    if (generations % 2 != 0) cells_.front.swap(cells_.back);
  }

 private:
  const Grid& grid() const { return stepper_.grid_; }
  Side& side(int rule) { return stepper_.sides_[static_cast<std::size_t>(rule)]; }
  CUdeviceptr notes() const { return stepper_.notes_.at(); }

  void read(void* to, CUdeviceptr from, std::size_t bytes) const {
    TESSERA_CUDA("reading notes", cuMemcpyDtoHAsync, to, from, bytes, stream_.get());
    stream_.synchronize("stepping with kernel table");
  }

  FileStepper& stepper_;
  Cells& cells_;
  const Stream& stream_;
};

FileStepper::FileStepper(const BackendSpec& spec) : spec_(spec) {
  // Unknown cells have 32 bits for their column.
  constexpr std::int64_t kMostColumns = std::int64_t{1} << 32;
  if (spec.width > kMostColumns) {
    throw UnsupportedError("kernel table: a grid of " + std::to_string(spec.width) +
                           " columns; up to " + std::to_string(kMostColumns) + " are supported");
  }
  grid_.width = spec.width;
  grid_.height = spec.height;
  grid_.words = ceil_div(spec.width, 64);
  grid_.units = grid_.stride = ceil_div(spec.width, 32);
  grid_.storage = 4 * planes() * grid_.stride * spec.height;
}

std::vector<std::uint16_t> FileStepper::codes() const { return state_codes(spec_.rule); }

std::vector<std::string> FileStepper::layout_options() const {
  return {"-DTESSERA_CELLS=32", "-DTESSERA_BY_COLUMNS=0",
          "-DTESSERA_PLANES=" + std::to_string(planes())};
}

KernelSource FileStepper::services() const {
  return {"services.cu", {{"layout.cuh", "#include \"layout_packed.cuh\"\n"}}, layout_options()};
}

KernelSource FileStepper::source_of(const Rule& rule, const TransitionGraph& graph) const {
  std::vector<std::string> options = layout_options();
  options.push_back(std::string("-DTESSERA_TORUS=") +
                    (spec_.boundary == Boundary::torus ? "1" : "0"));
  return {"table.cu", {{"rule.cuh", table_header(graph, !rule.has_b0())}}, options};
}

KernelSource FileStepper::source() const {
  return source_of(spec_.rule, *TransitionGraph::of(*spec_.rule.file));
}

std::int64_t FileStepper::extra_bytes() const {
  return static_cast<i64>(sizeof(TableNotes)) + kUnknownBytes;
}

void FileStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  steps_ = std::make_unique<TableSteps>(spec_);
  for (int rule = 0; rule < steps_->rules(); rule++) {
    Side& side = sides_[static_cast<std::size_t>(rule)];
    side.module = std::make_unique<Module>(
        device_, source_of(rule == 0 ? spec_.rule : *spec_.odd_rule, steps_->graph(rule)));
    side.step = side.module->function("step");
    side.root = steps_->graph(rule).root();
  }
  put_ = sides_[0].module->function("put");
  notes_ = DeviceMemory(device_, stream, extra_bytes(), "unknown cells");
}

void FileStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  OnDevice device(*this, cells, stream);
  steps_->step(device, generations, odd_);
}

void FileStepper::check_guards(const Stream& stream) const {
  notes_.check_guards(stream);
  for (const Side& side : sides_) {
    if (side.entries.bytes() > 0) side.entries.check_guards(stream);
  }
}

}  // namespace tessera::cuda
