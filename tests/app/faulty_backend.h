#pragma once

#include <fcntl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What is wrong with a backend.
struct Faults {
  std::int64_t wrong_from =
      0;  // calls of step with this many generations or more flip a cell; 0: none
  std::int64_t population = 0;  // is added
  std::uint64_t hash = 0;       // is added
  bool bounds = false;
  bool view = false;
  bool hides = false;  // pictures stay, where they may, in memory that nobody can import
  bool part = false;   // downloads of less than the grid are wrong
  bool throws = false;
  std::int64_t dies_at = 0;  // throws from the backend's generation of this number on; 0: never
  bool idle = false;         // steps nothing, in no time
  std::int64_t flip_at =
      0;  // a cell is wrong from the backend's generation of this number on; 0: none
  bool* flips_left =
      nullptr;  // flips only while this is true, where it is given, and makes it false
};

/// Another backend with faults.
class FaultyBackend final : public StepBackend {
 public:
  FaultyBackend(const BackendSpec& spec, std::unique_ptr<StepBackend> good, const Faults& faults)
      : StepBackend(spec, good->info()), good_(std::move(good)), faults_(faults) {}

 private:
  void do_upload(const BitGrid& grid) override { good_->upload(grid); }
  void do_step(std::int64_t generations) override {
    if (faults_.throws) throw DeviceError("the device is on fire");
    if (faults_.dies_at > 0 && generation_ + generations > faults_.dies_at)
      throw DeviceError("the device is worn out");
    if (faults_.idle) return;
    const std::int64_t until = faults_.flip_at - generation_;
    generation_ += generations;
    if (faults_.flip_at > 0 && until > 0 && until <= generations &&
        (!faults_.flips_left || *faults_.flips_left)) {
      if (faults_.flips_left) *faults_.flips_left = false;
      good_->step(until);
      flip({spec().width / 3, spec().height / 2});
      good_->step(generations - until);
      return;
    }
    good_->step(generations);
    if (faults_.wrong_from > 0 && generations >= faults_.wrong_from) {
      flip({spec().width - 1, spec().height - 1});
    }
  }
  void flip(const Cell& at) {
    BitGrid cell = good_->download({at.x, at.y, 1, 1});
    cell.set(0, 0, !cell.get(0, 0));
    good_->edit(at, cell);
  }
  void do_synchronize() override { good_->synchronize(); }
  BitGrid do_download(const Rect& rect) override {
    BitGrid cells = good_->download(rect);
    if (faults_.part && rect != Rect{0, 0, spec().width, spec().height})
      cells.set(0, 0, !cells.get(0, 0));
    return cells;
  }
  void do_edit(const Cell& at, const BitGrid& cells) override { good_->edit(at, cells); }
  void do_view(const Rect& rect, std::int64_t scale, DensityImage& image) override {
    good_->view(rect, scale, image);
    if (faults_.view) image.pixels.back() = static_cast<std::uint8_t>(image.pixels.back() + 1);
  }
  void do_share(const std::optional<DeviceIdentity>& sharing) override {
    hidden_ = faults_.hides && sharing;
  }
  bool do_begin_view(const PixelSpans&) override { return hidden_; }
  std::shared_ptr<const SharedPicture> do_end_shared_view() override {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    constexpr std::int64_t kBytes = 1 << 24;
    return std::make_shared<const SharedPicture>(
        SharedPicture{std::make_shared<const SharedMemory>(nothing, 2 * kBytes, kBytes, false), 0});
  }
  std::int64_t do_population() override { return good_->population() + faults_.population; }
  std::optional<Bounds> do_bounds() override {
    std::optional<Bounds> box = good_->bounds();
    if (box && faults_.bounds) box->xmax++;
    return box;
  }
  std::uint64_t do_hash(std::int64_t column0, std::int64_t row0) override {
    return good_->hash(column0, row0) + faults_.hash;
  }

  std::unique_ptr<StepBackend> good_;
  Faults faults_;
  std::int64_t generation_ = 0;
  bool hidden_ = false;  // the picture under way
};

}  // namespace tessera
