#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "backends/cuda/device_memory.h"
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
};

/// Rows on their way between the grids of two CUDA devices, or of one: packed on the device that
/// holds them, and unpacked by the other device, which reads the memory of the first.
class RowMail final : public RowPort {
 public:
  /// The moves queue into `stream`, which outlives this object.
  RowMail(std::shared_ptr<const CudaDevice> device, const Stream& stream, RowMoves moves);
  ~RowMail() override;
  RowMail(const RowMail&) = delete;
  RowMail& operator=(const RowMail&) = delete;

  std::optional<std::string> join(RowPort& from, RowSide side) override;
  void post(RowSide side, std::int64_t y, std::int64_t rows) override;
  void take(RowPort& from, RowSide side, std::int64_t y) override;

 private:
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
  RowMoves moves_;
  std::array<Box, 2> out_;
  std::array<CUevent, 2> taken_{};  // this port's own, by the side of the one who posted
};

}  // namespace tessera::cuda
