#pragma once

#include <fcntl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/stepping/step_backend.h"
#include "tests/support/host_look.h"

namespace tessera {

/// What is wrong with a backend.
struct Faults {
  std::int64_t wrong_from =
      0;  // calls of step with this many generations or more flip a cell; 0: none
  std::int64_t population = 0;  // is added
  std::uint64_t hash = 0;       // is added
  bool bounds = false;
  bool view = false;
  bool hides = false;  // pictures stay, where possible, in memory that nobody can import
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
  void do_upload(const CellGrid& cells) override { good_->upload(cells); }
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
      good_->step(until, begins_odd());
      flip({spec().width / 3, spec().height / 2});
      good_->step(generations - until, (until + begins_odd()) % 2 != 0);
      return;
    }
    good_->step(generations, begins_odd());
    if (faults_.wrong_from > 0 && generations >= faults_.wrong_from) {
      flip({spec().width - 1, spec().height - 1});
    }
  }
  void flip(const Cell& at) {
    BitGrid cell = good_->download({at.x, at.y, 1, 1}).plane(0);
    cell.set(0, 0, !cell.get(0, 0));
    good_->edit(at, cell);
  }
  void do_synchronize() override { good_->synchronize(); }
  CellGrid do_download(const Rect& rect) override {
    CellGrid cells = good_->download(rect);
    if (faults_.part && rect != Rect{0, 0, spec().width, spec().height})
      cells.plane(0).set(0, 0, !cells.plane(0).get(0, 0));
    return cells;
  }
  void do_edit(const Cell& at, const CellGrid& cells) override { good_->edit(at, cells); }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    good_->view(rect, scale, counts);
    if (faults_.view) counts.pixels.back() = counts.pixels.back() == 0 ? 1 : 0;
  }
  Look* look() override { return faults_.hides ? &hiding_ : nullptr; }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    Survey found = good_->survey(rect, parts, column0, row0);
    if (parts.population) found.population += faults_.population;
    if (parts.hash) found.hash += faults_.hash;
    if (found.bounds && faults_.bounds) found.bounds->xmax++;
    return found;
  }

  // Pictures that are to be shared are where nobody can import them.
  class HiddenPictures final : public test::HostLook {
   public:
    using HostLook::HostLook;
    void begin_greys(const std::optional<DeviceIdentity>& sharing) override {
      hidden_ = sharing.has_value();
      HostLook::begin_greys(sharing);
    }
    void begin_ages(const std::optional<DeviceIdentity>& sharing) override {
      hidden_ = sharing.has_value();
      HostLook::begin_ages(sharing);
    }
    std::shared_ptr<const SharedPicture> end(DensityImage& image) override {
      if (!hidden_) return HostLook::end(image);
      const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      constexpr std::int64_t kBytes = 1 << 24;
      return std::make_shared<const SharedPicture>(SharedPicture{
          std::make_shared<const SharedMemory>(nothing, 2 * kBytes, kBytes, false), 0});
    }

   private:
    bool hidden_ = false;  // the picture under way
  };

  std::unique_ptr<StepBackend> good_;
  Faults faults_;
  std::int64_t generation_ = 0;
  Look hiding_{spec().width, spec().height,
               [this](const PixelSpans&) { return std::make_unique<HiddenPictures>(*good_); }};
};

}  // namespace tessera
