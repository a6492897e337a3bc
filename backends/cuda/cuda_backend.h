#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/pixel_view.h"
#include "backends/cuda/row_mail.h"
#include "backends/cuda/step_clock.h"
#include "backends/cuda/stepper.h"
#include "backends/gpu/pieces.h"

namespace tessera::cuda {

/// Steps a grid on a GPU with any of the kernels; everything except reading files happens on the
/// device.
class CudaBackend final : public StepBackend {
 public:
  /// Checks that the device has the memory before allocating any; throws UnsupportedError with
  /// needed and free bytes.
  CudaBackend(const BackendSpec& spec, BackendInfo info, std::shared_ptr<const CudaDevice> device,
              std::shared_ptr<Stepper> stepper);
  ~CudaBackend() override;

  /// Total device memory of a stepper's grid, bytes.
  static std::int64_t bytes_needed(const Stepper& stepper);
  /// Throws DeviceError when any buffer was overrun; see gpu::AllocationTrial.
  void check_guards();
  std::unique_ptr<TileDevice> tile_device() override;
  const CudaDevice& device() const { return *device_; }
  /// Rows whose canonical words it has room for beside the cells; 0: not for one.
  std::int64_t rows_at_a_time() const;
  /// Those of some rows, on the device, until anything else is asked for. Of two states. Waits.
  CUdeviceptr rows_as_words(std::int64_t y, std::int64_t rows);

 private:
  Look* look() override { return &look_; }
  // Rows of several planes travel as states.
  RowPort* row_port() override { return stepper_->planes() == 1 ? &mail_ : nullptr; }
  void do_upload(const CellGrid& cells) override;
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  CellGrid do_download(const Rect& rect) override;
  std::vector<CellGrid> do_downloads(std::span<const Rect> rects) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  std::optional<double> do_device_seconds() override;

  void make_tables();
  void recode(CUdeviceptr staged, std::int64_t words, int from, int to, const DeviceMemory& values);
  std::int64_t staged_words() const;
  CUdeviceptr plane_at(int plane) const;
  CUdeviceptr staged_at(std::int64_t words, int plane) const;
  void paste(const Box& piece, CUdeviceptr words, CUdeviceptr plane);
  void paste_staged(const gpu::WordPiece& piece);
  void stage(const gpu::WordPiece& piece, CUdeviceptr to);
  void hash_states(const Rect& rect, std::int64_t column0, std::int64_t row0);
  RowMoves row_moves();

  std::shared_ptr<const CudaDevice> device_;
  Stream stream_;
  std::shared_ptr<Stepper> stepper_;
  Cells cells_;
  DeviceMemory staging_, survey_;
  DeviceMemory codes_, states_;  // of states, and of codes; where there are several planes
  std::unique_ptr<Module> services_;
  CUfunction make_soup_ = nullptr, paste_ = nullptr, cut_out_ = nullptr, survey_kernel_ = nullptr,
             count_pixels_ = nullptr, meet_ = nullptr, pack_rows_ = nullptr, unpack_rows_ = nullptr,
             trade_rows_ = nullptr, soup_states_ = nullptr, recode_ = nullptr,
             hash_planes_ = nullptr;
  StepClock clock_{stream_};
  Look look_;
  RowMail mail_;
};

}  // namespace tessera::cuda
