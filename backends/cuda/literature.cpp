#include "backends/cuda/literature.h"

#include "backends/cuda/plain_stepper.h"
#include "backends/cuda/rule_source.h"
#include "core/base/error.h"

namespace tessera::cuda {

namespace {

int or_else(int value, int otherwise) { return value != 0 ? value : otherwise; }

std::string define(const char* name, int value) {
  return "-D" + std::string(name) + "=" + std::to_string(value);
}

// Several generations per launch.
class DeepStepper : public PlainStepper {
 protected:
  DeepStepper(const char* name, const char* file, const BackendSpec& spec, const Tuning& in_force)
      : PlainStepper(name, spec), file_(file) {
    tuning_ = in_force;
  }

  static TuningParameter generations() {
    return {&Tuning::generations, "generations", "generations per launch", {2, 4, 8, 16}};
  }

  KernelSource own_source() const override {
    return {file_,
            {},
            {define("TESSERA_T", tuning_.generations), define("TESSERA_ROWS", tuning_.rows),
             define("TESSERA_PAIR", tuning_.words == 2)}};
  }

 private:
  void queue_part(const LaunchShape& shape, const Stream& stream, const Cells& cells,
                  std::int64_t generations, const Part& part) const override {
    launch(step_, shape, stream, name_, grid_, cells.front.at(), cells.back.at(),
           static_cast<int>(generations), part);
  }

  const char* const file_;
};

// A warp steps a block of 32x32 or 64x64 cells (kernels/block.cuh).
class BlockStepper : public DeepStepper {
 protected:
  BlockStepper(const char* name, const char* file, unsigned threads, const BackendSpec& spec,
               const Tuning& tuning)
      : DeepStepper(name, file, spec, chosen(tuning)) {
    const int side = tuning_.rows;
    if (side == 32 && (tuning_.words == 2 || tuning_.generations == 16)) {
      throw UnsupportedError("kernel " + std::string(name) +
                             ": a block of 32x32 cells takes words 1 and generations 2, 4 or 8");
    }
    pack(side, Order::columns);
    const std::int64_t kept = side - 2 * tuning_.generations;
    const std::int64_t piece = kept % 32 == 0                 ? 32
                               : kept % 16 == 0 || side == 64 ? 16
                                                              : 8;  // as block.cuh has it
    work_.units = ceil_div(spec.width, kept / piece * piece) * ceil_div(spec.height, kept);
    work_.threads_a_unit = 32;
    work_.threads = threads;
  }

  static std::vector<TuningParameter> parameters() {
    return {generations(),
            {&Tuning::rows, "side", "cells along the side of a block", {32, 64}},
            {&Tuning::words, "words", "1 is SINGLE-WORD, 2 is DOUBLE-WORD", {1, 2}}};
  }

 private:
  static Tuning chosen(const Tuning& tuning) {
    const int side = or_else(tuning.rows, 64);
    return {or_else(tuning.generations, side == 64 ? 8 : 4), side,
            or_else(tuning.words, side == 64 ? 2 : 1), 0, 0};
  }
};

struct WarpStepper final : BlockStepper {
  WarpStepper(const BackendSpec& spec, const Tuning& tuning)
      : BlockStepper("warp", "warp.cu", 256, spec, tuning) {}
  static KernelInfo info() {
    return {"warp",
            "a block of 32x32 or 64x64 cells in a warp's registers, SINGLE- or DOUBLE-WORD: Fujita "
            "et al. 2015",
            parameters()};
  }
};

struct SharedStepper final : BlockStepper {
  SharedStepper(const BackendSpec& spec, const Tuning& tuning)
      : BlockStepper("shared", "shared.cu", 32, spec, tuning) {}
  static KernelInfo info() {
    return {"shared", "the same blocks in shared memory: Fujita et al. 2015", parameters()};
  }
};

struct SharedRowsStepper final : DeepStepper {
  SharedRowsStepper(const BackendSpec& spec, const Tuning& tuning)
      : DeepStepper("shared-rows", "shared_rows.cu", spec,
                    {or_else(tuning.generations, 8), or_else(tuning.rows, 16), 0, 0, 0}) {
    const int kept = 8 * tuning_.rows - 2 * tuning_.generations;
    if (kept <= 0) {
      throw UnsupportedError("kernel shared-rows: 64 rows per block leave nothing inside after " +
                             std::to_string(tuning_.generations) + " generations");
    }
    pack(32, Order::rows);
    work_.units = ceil_div(grid_.units, 30) * ceil_div(spec.height, kept);
    work_.threads_a_unit = work_.threads;
  }
  KernelSource own_source() const override {
    KernelSource source = DeepStepper::own_source();
    source.headers = {{"rule.cuh", rule_header(spec_.rule)}};
    return source;
  }
  static KernelInfo info() {
    return {
        "shared-rows",
        "many generations in shared memory, row sums shared by a group of rows: Boris the Brave",
        {generations(), {&Tuning::rows, "rows", "rows per thread", {8, 16}}}};
  }
};

// One generation per launch, a 64-bit word or two of them per thread.
class WordStepper : public PlainStepper {
 protected:
  WordStepper(const char* name, int words, const BackendSpec& spec)
      : PlainStepper(name, spec), words_(words) {
    pack(64, Order::columns);
    work_.units_a_line = ceil_div(spec.height, words);
    work_.units = grid_.units * work_.units_a_line;
  }

 private:
  KernelSource own_source() const override {
    return {"word.cu", {}, {define("TESSERA_PAIR", words_ == 2)}};
  }

  const int words_;  // per thread
};

struct DoubleWordStepper final : WordStepper {
  DoubleWordStepper(const BackendSpec& spec, const Tuning&) : WordStepper("double-word", 2, spec) {}
  static KernelInfo info() {
    return {
        "double-word",
        "DOUBLE-WORD of Fujita et al. 2015: two 64-bit words per thread, one generation per launch",
        {}};
  }
};

struct SingleWordStepper final : WordStepper {
  SingleWordStepper(const BackendSpec& spec, const Tuning&) : WordStepper("word", 1, spec) {}
  static KernelInfo info() {
    return {
        "word",
        "SINGLE-WORD of Fujita et al. 2015: one 64-bit word per thread, one generation per launch",
        {}};
  }
};

struct MaskStepper final : PlainStepper {
  MaskStepper(const BackendSpec& spec, const Tuning&) : PlainStepper("mask", spec) {
    pack(8, Order::rows);
  }
  static KernelInfo info() {
    return {"mask", "one byte of eight cells per thread, masks and popcount: Habr", {}};
  }
  KernelSource own_source() const override { return {"mask.cu", {}, {}}; }
};

// By a table of what becomes of 4x4 cells.
class TableStepper : public PlainStepper {
 public:
  std::int64_t extra_bytes() const override { return kTableBytes; }
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override {
    PlainStepper::prepare(std::move(device), stream);
    table_ = DeviceMemory(device_, stream, kTableBytes, "the table of 4x4 cells");
    launch(module_->function("make_table"), {256, 256}, stream, "make_table", table_.at());
  }
  void check_guards(const Stream& stream) const override { table_.check_guards(stream); }

 protected:
  TableStepper(const char* name, const char* file, const BackendSpec& spec)
      : PlainStepper(name, spec), file_(file) {}

 private:
  static constexpr std::int64_t kTableBytes = 65536;

  KernelSource own_source() const override { return {file_, {}, {}}; }
  void queue_part(const LaunchShape& shape, const Stream& stream, const Cells& cells,
                  std::int64_t /*generations*/, const Part& part) const override {
    launch(step_, shape, stream, name_, grid_, cells.front.at(), cells.back.at(), table_.at(),
           part);
  }

  const char* const file_;
  DeviceMemory table_;
};

struct PatchStepper final : TableStepper {
  PatchStepper(const BackendSpec& spec, const Tuning&) : TableStepper("patch", "patch.cu", spec) {
    layout_ = "layout_patches.cuh";
    grid_.width = spec.width;
    grid_.height = spec.height;
    grid_.words = ceil_div(spec.width, 64);
    grid_.units = ceil_div(spec.width, 4);
    grid_.stride = grid_.units + 2;
    const std::int64_t down = ceil_div(spec.height, 4);
    grid_.storage = grid_.stride * (down + 2) * 2;
    work_.units = grid_.units * down;
    work_.units_a_line = grid_.units;
  }
  static KernelInfo info() {
    return {
        "patch",
        "4x4 cells in 16 bits, 6x6 in a 64-bit word, a table of 65,536 entries: the CUDA report",
        {}};
  }
};

struct LutStepper final : TableStepper {
  LutStepper(const BackendSpec& spec, const Tuning& tuning) : TableStepper("lut", "lut.cu", spec) {
    pack(1, Order::rows);
    tuning_.threads = or_else(tuning.threads, 256);
    const std::int64_t side = tuning_.threads == 1024 ? 64 : 32;
    work_.units = ceil_div(spec.width, side) * ceil_div(spec.height, side);
    work_.threads = work_.threads_a_unit = static_cast<unsigned>(tuning_.threads);
  }
  static KernelInfo info() {
    return {"lut",
            "one byte per cell, four cells per thread by the table: the CUDA report",
            {{&Tuning::threads, "threads", "threads per block", {256, 1024}}}};
  }
};

struct ByteSharedStepper final : PlainStepper {
  ByteSharedStepper(const BackendSpec& spec, const Tuning&) : PlainStepper("byte-shared", spec) {
    pack(1, Order::rows);
    work_.units = ceil_div(spec.width, 32) * ceil_div(spec.height, 32);
    work_.threads = work_.threads_a_unit = 1024;
  }
  static KernelInfo info() {
    return {"byte-shared",
            "one byte per cell, 32x32 cells and a halo in shared memory: the CUDA report",
            {}};
  }
  KernelSource own_source() const override { return {"byte_shared.cu", {}, {}}; }
};

// A byte per cell; a thread steps one at a time.
class ByteStepper : public PlainStepper {
 protected:
  enum class By { expression, branches };
  ByteStepper(const char* name, By by, const BackendSpec& spec)
      : PlainStepper(name, spec), by_(by) {
    pack(1, Order::rows);
  }

 private:
  KernelSource own_source() const override {
    return {"byte.cu", {}, {define("TESSERA_BRANCH", by_ == By::branches)}};
  }

  const By by_;
};

struct BranchStepper final : ByteStepper {
  BranchStepper(const BackendSpec& spec, const Tuning&)
      : ByteStepper("byte-branch", By::branches, spec) {}
  static KernelInfo info() {
    return {"byte-branch", "one byte per cell, if and else: the CUDA report", {}};
  }
};

struct ExpressionStepper final : ByteStepper {
  ExpressionStepper(const BackendSpec& spec, const Tuning&)
      : ByteStepper("byte", By::expression, spec) {}
  static KernelInfo info() {
    return {"byte", "one byte per cell, a Boolean expression: the CUDA report", {}};
  }
};

template <class Kind>
LiteratureKernel kernel() {
  return {Kind::info(), [](const BackendSpec& spec, const Tuning& tuning) {
            return std::unique_ptr<Stepper>(std::make_unique<Kind>(spec, tuning));
          }};
}

}  // namespace

const std::vector<LiteratureKernel>& literature_kernels() {
  static const std::vector<LiteratureKernel> kAll = {
      kernel<WarpStepper>(),       kernel<SharedStepper>(),     kernel<SharedRowsStepper>(),
      kernel<DoubleWordStepper>(), kernel<SingleWordStepper>(), kernel<MaskStepper>(),
      kernel<PatchStepper>(),      kernel<LutStepper>(),        kernel<ByteSharedStepper>(),
      kernel<BranchStepper>(),     kernel<ExpressionStepper>()};
  return kAll;
}

}  // namespace tessera::cuda
