#pragma once

#include <optional>
#include <string>

#include "backends/cuda/graph.h"
#include "backends/cuda/relay_plan.h"
#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// The kernel for large grids, kernels/march.cu: segments, memory and launches. Where
/// kernels/relay.cu can, it takes all passes of full depth.
class MarchStepper final : public Stepper {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen for the rule and the device. Throws
  /// UnsupportedError for a grid whose rows are too long.
  MarchStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();
  /// Whether it is the fastest kernel for a grid on that device, as far as has been measured.
  static bool suits(const BackendSpec& spec, const DeviceFacts& facts);
  /// The shape that is chosen without a tuning on devices that it suits.
  static Tuning tuned_shape(const BackendSpec& spec);

  /// A launch of the kernel but for its buffers, and its shape.
  MarchRun pass(std::int64_t generations) const;
  LaunchShape shape() const;
  /// What must be filled before each pass, on a torus: the columns beside its edges where they are
  /// not whole bytes; the rows below its last where it is very low.
  bool fills_sides() const { return fills_; }
  bool fills_below() const;
  /// Whether rows below the last must be filled after cells were changed.
  bool has_rows_below() const;
  /// Rows that a pass writes.
  u32 rows_made() const { return static_cast<u32>(ceil_div(grid_.height, 4) * 4); }

  /// How full passes are taken in one launch; nothing where each is a launch.
  const std::optional<RelayPlan>& relay() const { return relay_; }
  KernelSource relay_source() const;
  /// Such a launch but for its memory, its shape, and the rows that it leaves in memory of its own.
  /// In a ring it is the first of those that take so many passes.
  RelayRun relay_run(std::int64_t passes) const;
  LaunchShape relay_shape() const;
  std::int64_t left_bytes() const;
  /// Takes the plan for rings from now on, where there is one: relay() then steps the band's own
  /// rows alone.
  bool enter_ring();
  /// Seconds that so many generations take from one exchange to the next, by estimate; nothing
  /// where relay takes none of them.
  std::optional<double> relay_seconds(std::int64_t generations) const;

  KernelSource services() const override;
  std::int64_t own_row_words() const override { return grid_.stride; }
  std::string row_layout() const override { return "march " + std::to_string(grid_.width); }
  KernelSource source() const override;
  std::int64_t extra_bytes() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void cells_changed() override { stale_rows_ = true; }
  void halos_renewed(bool) override { stale_rows_ = true; }
  void make_band(const Band& band) override { band_ = band; }
  std::optional<RingMemory> open_ring(const Stream& stream) override;
  void join_ring(const RelayRing& ring, std::int64_t passes) override;
  void leave_ring() override;
  std::int64_t uses_up() const override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;

 private:
  /// `long_text`: TESSERA_LONG, which kernels/march_stages.cuh explains.
  KernelSource source_of(const char* file, int long_text) const;
  void prepare_relay(const Stream& stream);
  double pass_seconds(const RelayPlan& plan) const;
  std::int64_t passes_at_once(const RelayPlan& plan) const;  // that a launch of relay takes at most
  std::int64_t left_of_segment() const;                      // bytes
  void queue_relay(Cells& cells, RelayRun run, const Stream& stream);
  void step_ring(Cells& cells, std::int64_t generations, const Stream& stream);
  void queue_pass(Cells& cells, std::int64_t generations, const Stream& stream);
  void queue_fill_below(const Cells& cells, const Stream& stream);

  BackendSpec spec_;
  MarchRun run_{};
  std::int64_t rows_ = 0;  // of the longest segment
  bool fills_ = false;
  bool stale_rows_ = true;
  double generation_seconds_ = 0;                           // roughly
  double row_seconds_ = 0;                                  // of a row of a warp in a pass by relay
  std::optional<RelayPlan> relay_, own_relay_, ring_plan_;  // in force; for this grid; for rings
  Band band_;
  bool in_ring_ = false;
  RelayRing ring_{};  // all zero until it is joined
  std::int64_t ring_passes_ = 0;
  std::unique_ptr<Module> relay_module_;
  CUfunction relay_kernel_ = nullptr;
  DeviceMemory left_, arrivals_, told_;
  std::int64_t relays_ = 0;  // launches so far
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, fill_sides_ = nullptr, fill_below_ = nullptr;
  // Passes of full depth, an even number, so that the host pays for a launch only once.
  Graph passes_;
  CUdeviceptr recorded_ = 0;  // the front buffer that the graph starts from
};

}  // namespace tessera::cuda
