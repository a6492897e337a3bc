#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/compiler.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/kernel_params.h"
#include "backends/cuda/module.h"
#include "core/stepping/row_port.h"
#include "core/stepping/step_backend.h"

namespace tessera::cuda {

/// The two copies of a grid between which a kernel steps.
struct Cells {
  DeviceMemory front;  ///< the state
  DeviceMemory back;
};

/// A grid that is a band of a larger one. Its first and last rows repeat rows of other devices,
/// from which they are renewed now and then; between that, what is wrong beyond the grid's edge
/// comes nearer by a row per generation.
struct Band {
  std::int64_t above = 0, below = 0;  ///< rows that are copies; 0 where the grid really ends
};

/// What a band's kernel needs to exchange rows with the bands above and below by itself: the words
/// and buffers of StripSide, without the rows and the counts of a launch.
struct BandNeighbours {
  std::array<StripSide, 2> sides{};
  CUdeviceptr buffer = 0;  ///< the first of its own two buffers, as the neighbours count them
};

/// What the devices of the bands above and below must reach of a band's own so that kernels go on
/// together; see RelayRing.
struct RingMemory {
  const DeviceMemory* left = nullptr;  ///< rows that segments leave, first those of the band below
  const DeviceMemory* told = nullptr;  ///< a counter for the band above, and one for that below
  std::int64_t passes = 0;             ///< that a launch may take
};

/// How one kernel stores and steps one grid. Made without touching the device, so that its needs
/// can be asked; `prepare` compiles and allocates.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Size, strides and bytes of one buffer.
  const Grid& grid() const { return grid_; }
  /// The values in force.
  const Tuning& tuning() const { return tuning_; }
  /// The planes of a cell's state in one buffer, equally long and behind each other; no state but 0
  /// has none of their bits.
  virtual int planes() const { return 1; }
  /// Their bits for each state.
  virtual std::vector<std::uint16_t> codes() const { return {0, 1}; }
  /// services.cu for this layout.
  virtual KernelSource services() const = 0;
  /// 32-bit words that a row takes in this layout, and a name of the layout that two grids have in
  /// common when such rows of the one are rows of the other; 0 and empty where rows travel as
  /// canonical words.
  virtual std::int64_t own_row_words() const { return 0; }
  virtual std::string row_layout() const { return {}; }
  /// The kernel itself.
  virtual KernelSource source() const = 0;
  /// Bytes of device memory besides the two buffers.
  virtual std::int64_t extra_bytes() const { return 0; }
  /// The device's context must be current, here and below.
  virtual void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) = 0;
  /// To be called when cells were changed from outside, so that margins are out of date.
  virtual void cells_changed() {}
  /// Whether the next step begins at an odd generation; called before each step where two rules
  /// take turns (BackendSpec::odd_rule).
  virtual void begin(bool /*odd*/) {}
  /// Queues generations; afterwards cells.front is the state.
  virtual void step(Cells& cells, std::int64_t generations, const Stream& stream) = 0;
  /// Throws DeviceError when a buffer of its own was overrun (see gpu::AllocationTrial).
  virtual void check_guards(const Stream&) const {}

  /// Steps the grid as a band from now on. A stepper that steps all rows all the time has nothing
  /// to change.
  virtual void make_band(const Band&) {}
  /// Whether it can exchange rows with neighbours of the same layout by itself; and prepares that.
  virtual bool meets_neighbours() const { return false; }
  virtual void join_neighbours(const BandNeighbours&) {}
  /// Whether its kernel can step the band together with those above and below, which then need no
  /// more rows of each other in a step than move into the grid from above; and makes the memory
  /// that these reach.
  virtual std::optional<RingMemory> open_ring(const Stream&) { return std::nullopt; }
  /// Does so from now on, until it leaves the ring, with launches of so many passes at most.
  /// `ring`: its pointers to the neighbours' memory. All bands of a torus join, or none.
  virtual void join_ring(const RelayRing& /*ring*/, std::int64_t /*passes*/) {}
  virtual void leave_ring() {}
  /// Generations of a step from which on it uses halos up; see RowPort::uses_up.
  virtual std::int64_t uses_up() const { return RowPort::kNever; }
  /// The next step ends with rows that go to the neighbours, for which all bands must call this.
  virtual void send_rows() {}
  /// The copies are new; or, with `arriving`, those that all bands sent in their last step: the
  /// next pass waits for them where it needs them.
  virtual void halos_renewed(bool /*arriving*/) {}

  /// Seconds that a launch, or a graph of launches, may take, by estimate. Before the first step;
  /// tests cut short ones, too.
  void limit_launches(double seconds) { longest_launch_ = seconds; }

 protected:
  Grid grid_{};
  Tuning tuning_;
  double longest_launch_ = 0.1;  // a desktop on the same device stays alive
};

}  // namespace tessera::cuda
