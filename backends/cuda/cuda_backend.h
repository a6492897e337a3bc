#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/pixel_view.h"
#include "backends/cuda/stepper.h"

namespace tessera::cuda {

/// Steps a grid on a GPU with any of the kernels; everything but reading files happens on the
/// device.
class CudaBackend final : public StepBackend {
 public:
  /// Checks that the device has the memory before it takes any: throws UnsupportedError with needed
  /// and free bytes.
  CudaBackend(const BackendSpec& spec, BackendInfo info, std::shared_ptr<const CudaDevice> device,
              std::shared_ptr<Stepper> stepper);
  ~CudaBackend() override;

  /// Device memory that a stepper's grid takes in all, bytes.
  static std::int64_t bytes_needed(const Stepper& stepper);
  /// Throws DeviceError when any buffer was overrun; see AllocationTrial.
  void check_guards();

 private:
  void do_upload(const BitGrid& grid) override;
  void do_fill(const Soup& soup) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  BitGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const BitGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, DensityImage& image) override;
  bool do_begin_view(const PixelSpans& pixels) override;
  bool do_keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages) override;
  void do_add_ages(int generations) override;
  void do_begin_view_ages() override;
  void do_end_view(DensityImage& image) override;
  void do_ages(std::vector<std::int16_t>& ages) override;
  bool make_room(std::unique_ptr<PixelView>& view, const PixelSpans& pixels);
  std::int64_t do_population() override { return static_cast<std::int64_t>(look(0, 0).population); }
  std::optional<Bounds> do_bounds() override;
  std::uint64_t do_hash(std::int64_t column0, std::int64_t row0) override {
    return look(column0, row0).hash;
  }
  std::optional<double> do_device_seconds() override;

  Survey look(std::int64_t column0, std::int64_t row0);
  // Calls `visit` for pieces of `rect` whose canonical words fit the staging buffer: the piece, and
  // the index of its first word in a grid of `words_a_row`.
  void each_piece(const Rect& rect,
                  const std::function<void(const Box&, std::int64_t)>& visit) const;
  void paste(const Box& piece);
  void collect_times(std::size_t keep);

  using Event = CUevent;
  std::shared_ptr<const CudaDevice> device_;
  Stream stream_;
  std::shared_ptr<Stepper> stepper_;
  Cells cells_;
  DeviceMemory staging_, survey_;
  std::unique_ptr<Module> services_;
  std::unique_ptr<PixelView> greys_, ages_;
  PixelView* looked_ = nullptr;  // of them: where the look under way is
  CUfunction make_soup_ = nullptr, paste_ = nullptr, cut_out_ = nullptr, survey_kernel_ = nullptr,
             count_pixels_ = nullptr, shade_pixels_ = nullptr;
  std::vector<std::pair<Event, Event>> steps_;  // not yet added up
  double seconds_ = 0;
};

}  // namespace tessera::cuda
