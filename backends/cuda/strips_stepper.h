#pragma once

#include <optional>

#include "backends/cuda/graph.h"
#include "backends/cuda/program_search.h"
#include "backends/cuda/stepper.h"
#include "backends/cuda/strip_plan.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// Rows that a pass steps.
struct RowWindow {
  std::int64_t first = 0, end = 0;
  std::int64_t rows() const { return end - first; }
};

/// The default kernel, kernels/strips.cu: shapes, memory and launches.
class StripsStepper final : public Stepper {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen for the grid and the device. Throws
  /// UnsupportedError for values that exclude each other or need a wider grid.
  StripsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();

  /// A launch of the kernel but for its buffers, and its shape.
  StripRun pass(std::int64_t generations) const;
  LaunchShape shape() const;

  int planes() const override { return planes_; }
  std::vector<std::uint16_t> codes() const override;
  KernelSource services() const override;
  std::int64_t own_row_words() const override { return grid_.units * tuning_.words; }
  std::string row_layout() const override;
  KernelSource source() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void cells_changed() override { stale_margins_ = true; }
  void make_band(const Band& band) override;
  /// Where copies are whole vectors of rows: a launch then stores no row that neighbours store.
  bool meets_neighbours() const override;
  void join_neighbours(const BandNeighbours& neighbours) override { neighbours_ = neighbours; }
  void send_rows() override { sends_ = true; }
  void halos_renewed(bool arriving) override;
  /// The next pass of a band, which it leaves to others to queue: of so many generations, between
  /// buffers of which it writes the second (1) or the first (0). With `leaves` its rows go to the
  /// neighbours.
  struct BandPass {
    bool edges = false;  ///< by the kernel that meets the neighbours
    Grid grid;
    StripRun run;
    StripEdges neighbours;
    LaunchShape shape;
  };
  BandPass band_pass(std::int64_t generations, bool leaves, u32 buffer);
  /// The kernel for passes of a band that meet the neighbours.
  KernelSource edge_source() const;
  void begin(bool odd) override { odd_ = odd && spec_.odd_rule; }
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;

 private:
  void load();
  std::int64_t plane_bytes() const { return grid_.units * tuning_.words * grid_.stride * 4; }
  void queue_pass(Cells& cells, std::int64_t generations, const Stream& stream);
  void passed(Cells& cells, std::int64_t generations);
  void step_band(Cells& cells, std::int64_t generations, const Stream& stream);
  std::int64_t depth() const;
  StripRun run_of(const StripPlan& plan, std::int64_t generations) const;
  LaunchShape shape_of(const StripPlan& plan) const;
  RowWindow window(std::int64_t generations) const;
  KernelSource source_of(bool edges, bool shares) const;
  void meet_neighbours(BandPass& pass, const StripPlan& plan, const RowWindow& rows, bool leaves,
                       u32 buffer);

  BackendSpec spec_;
  DeviceFacts facts_;
  std::optional<Band> band_;
  std::int64_t wrong_ = 0;       // rows of a band's copies, from the grid's edge on
  bool sends_ = false;           // the next step ends with rows for the neighbours
  bool arriving_ = false;        // the next pass waits for theirs
  u32 exchange_ = 0;             // rows that the neighbours were sent so far
  std::array<u32, 2> stored_{};  // edge tiles of all passes so far that send
  BandNeighbours neighbours_;
  bool edges_share_ = false;     // passes that meet neighbours may have tiles that share
  bool windows_differ_ = false;  // of those that meet none, some have and some have not
  int planes_ = 1;               // of a cell's state
  int blocks_ = 1;               // that should fit a multiprocessor
  StripPlan plan_;
  bool last_read_ = false;
  double generation_seconds_ = 0;  // roughly
  ProgramSearch search_;
  bool stale_margins_ = true;
  std::unique_ptr<Module> module_, edge_module_, other_module_;
  CUfunction step_ = nullptr, fill_margins_ = nullptr, step_edges_ = nullptr,
             step_other_ = nullptr;  // the last: for bands, with tiles that share, or without
  std::shared_ptr<const CudaDevice> device_;
  // Two passes of full depth, forth and back, repeated, so that the host pays for a launch only
  // once.
  Graph there_and_back_;
  CUdeviceptr recorded_ = 0;  // the front buffer that the graph starts from
  bool recorded_odd_ = false;
  bool odd_ = false;  // it is the second rule's turn, where two take turns
};

}  // namespace tessera::cuda
