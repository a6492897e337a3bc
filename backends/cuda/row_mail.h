#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "backends/cuda/nccl_group.h"
#include "backends/cuda/stepper.h"
#include "core/stepping/row_port.h"

namespace tessera::cuda {

/// The form that rows have on their way.
struct RowForm {
  bool own = false;        ///< the layout's own words, not canonical ones
  std::int64_t bytes = 0;  ///< of a row
};

/// What RowMail asks of the backend that owns it.
struct RowMoves {
  RowForm canonical, own;  ///< `own.bytes` is 0 where the layout has no form of its own
  std::string layout;      ///< equal where the own form of both grids is the same
  /// Queue a kernel that copies `rows` rows from row `y` of the grid to `packed`, or back, in a
  /// form.
  std::function<void(const RowForm&, std::int64_t y, std::int64_t rows, CUdeviceptr packed)> pack,
      unpack;
  /// Queues the kernel that does so on both sides at once, in the own form.
  std::function<void(const RowTrade&)> trade;
  /// Queues the kernel that meets the neighbours: the words that they wait for, those that it waits
  /// for, and the number of the meeting.
  std::function<void(const std::array<CUdeviceptr, 2>& theirs,
                     const std::array<CUdeviceptr, 2>& own, u32 meeting)>
      meet;
  const Cells& cells;
};

/// Rows on their way between the grids of two CUDA devices, or of one: packed on the device that
/// holds them, and unpacked by the other device, which reads the memory of the first.
///
/// Where each band has a device of its own, bands trade, also those of several processes: each
/// packs rows into mailboxes in its neighbours' memory and sets words there that they wait for.
/// Mailboxes are used by turns: a band that has its neighbour's rows of one exchange knows that the
/// neighbour has read those that it was sent for the exchange before. Where the kernel that steps
/// can (Stepper::meets_neighbours), its last pass before an exchange stores the rows where they are
/// wanted, and the first one after it waits for those that arrive: nothing is packed. Where kernels
/// can step all bands of a torus together (Stepper::open_ring), they do. A neighbour that never
/// comes is an error after ten seconds.
class RowMail final : public RowPort {
 public:
  /// The moves queue into `stream`, which outlives this object.
  RowMail(std::shared_ptr<const CudaDevice> device, const Stream& stream,
          std::shared_ptr<Stepper> stepper, RowMoves moves);
  ~RowMail() override;
  RowMail(const RowMail&) = delete;
  RowMail& operator=(const RowMail&) = delete;

  std::optional<std::string> join(RowPort& from, RowSide side) override;
  void post(RowSide side, std::int64_t y, std::int64_t rows) override;
  void take(RowPort& from, RowSide side, std::int64_t y) override;
  void set_halos(std::int64_t above, std::int64_t below) override;
  void halos_replaced() override { stepper_->halos_renewed(false); }
  std::string trade_address(std::int64_t rows, bool elsewhere) override;
  std::optional<std::string> join_trades(std::span<const std::string> bands,
                                         std::size_t own) override;
  void leave_trades() override;
  std::int64_t uses_up() const override { return stepper_->uses_up(); }
  void send_rows() override;
  void trade(bool sent) override;
  std::string device_id() override;
  std::string row_layout() override { return moves_.layout; }
  std::string new_group() override { return NcclGroup::new_group(); }
  void join_group(const RowGroup& group) override;
  void abandon() override {
    if (group_) group_->abandon();
  }

 private:
  struct Trades;
  std::optional<std::string> reach(CUcontext context, int index, const std::string& name);
  void move_rows(const RowForm& form, std::int64_t rows, const std::array<CUdeviceptr, 2>& packed,
                 bool out);

  // What goes out on one side.
  struct Box {
    RowForm form;
    DeviceMemory packed;
    std::int64_t rows = 0;
    CUevent posted = nullptr;
    CUevent taken = nullptr;  // of the one who took it; null before
  };

  std::shared_ptr<const CudaDevice> device_;
  const Stream& stream_;
  std::shared_ptr<Stepper> stepper_;
  RowMoves moves_;
  Band band_;
  std::unique_ptr<Trades> trades_;
  std::unique_ptr<NcclGroup> group_;
  std::int64_t group_rows_ = 0;
  RowForm group_form_;
  std::array<Box, 2> out_;
  std::array<CUevent, 2> taken_{};  // this port's own, by the side of the one who posted
};

}  // namespace tessera::cuda
