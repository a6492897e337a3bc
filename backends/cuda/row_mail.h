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
  /// Queues the kernel that exchanges rows with neighbours, of this shape, into a stream.
  std::function<void(const RowTrade&, const LaunchShape&, const Stream&)> trade;
};

/// Rows on their way between the grids of two CUDA devices, or of one: packed on the device that
/// holds them, and unpacked by the other device, which reads the memory of the first.
///
/// Where each band has a device of its own and the layout has a form of its own, bands trade: one
/// kernel on each device writes into mailboxes in its neighbours' memory, sets flags there, and
/// waits for its own. It runs beside the kernel that steps, which stores the rows that leave first
/// and reads those that arrive last. Mailboxes are used by turns: a band that has its neighbour's
/// rows of one exchange knows that the neighbour has read those that it was sent for the exchange
/// before. A neighbour that never comes is an error after ten seconds.
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
  void halos_replaced() override { stepper_->halos_renewed(std::nullopt); }
  bool join_trades(std::span<RowPort* const> bands, std::size_t own, std::int64_t rows) override;
  void trade() override;
  std::string row_layout() override { return moves_.layout; }
  std::string new_group() override { return NcclGroup::new_group(); }
  void join_group(const RowGroup& group) override;
  void abandon() override {
    if (group_) group_->abandon();
  }

 private:
  // What trades need on this device.
  struct Trades {
    explicit Trades(const std::shared_ptr<const CudaDevice>& device) : stream(device, true) {}
    Stream stream;                         // beside that of the steps
    std::array<RowMail*, 2> neighbours{};  // above and below, or null
    DeviceMemory boxes;  // for either side two, by turns: rows that neighbours write here
    DeviceMemory flags;  // for either side: of each of their warps the last exchange it has written
    std::int64_t rows = 0, columns = 0;
    LaunchShape shape;
    u32 epoch = 0;
    CUevent done = nullptr;  // of the last one beside the steps
    std::int64_t box_words() const { return rows * columns; }
    std::int64_t warps() const { return shape.blocks * shape.threads / 32; }
    CUdeviceptr box(std::size_t side, u32 turn) const {
      return boxes.at() + static_cast<CUdeviceptr>(4 * box_words()) * (2 * side + turn % 2);
    }
    CUdeviceptr flag(std::size_t side) const {
      return flags.at() + static_cast<CUdeviceptr>(4 * warps()) * side;
    }
  };
  Trades& make_trades(std::int64_t rows);
  void trade_with_peers();
  void trade_in_group();

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
  DeviceMemory counters_;  // tickets and done of a band
  std::unique_ptr<Trades> trades_;
  std::unique_ptr<NcclGroup> group_;
  std::int64_t group_rows_ = 0;
  RowForm group_form_;
  std::array<Box, 2> out_;
  std::array<CUevent, 2> taken_{};  // this port's own, by the side of the one who posted
};

}  // namespace tessera::cuda
