#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/state_hash.h"
#include "core/step_backend.h"

namespace tessera::test {

/// A backend that holds a grid, notes every call that reaches it, and moves all cells one column to the right
/// a generation (the leftmost becomes dead), which is enough to see how often it was stepped.
class FakeBackend final : public StepBackend {
 public:
  explicit FakeBackend(const BackendSpec& spec, std::vector<std::string>* calls = nullptr)
      : StepBackend(spec, {"fake", "none", "shift", {}}), calls_(calls), cells_(spec.width, spec.height) {}

 private:
  void note(const std::string& call) {
    if (calls_) calls_->push_back(call);
  }
  void do_upload(const BitGrid& grid) override {
    note("upload");
    cells_ = grid;
  }
  void do_step(std::int64_t generations) override {
    note("step " + std::to_string(generations));
    for (std::int64_t g = 0; g < generations; g++) {
      BitGrid next(cells_.width(), cells_.height());
      if (cells_.width() > 1) next.paste(1, 0, cells_.window({0, 0, cells_.width() - 1, cells_.height()}));
      cells_ = next;
    }
  }
  void do_synchronize() override { note("synchronize"); }
  BitGrid do_download(const Rect& rect) override {
    note("download");
    return cells_.window(rect);
  }
  void do_edit(const Cell& at, const BitGrid& cells) override {
    note("edit");
    cells_.paste(at.x, at.y, cells);
  }
  void do_view(const Rect& rect, std::int64_t scale, DensityImage& image) override {
    note("view");
    reduce_density(cells_, rect, scale, image);
  }
  std::int64_t do_population() override { return cells_.population(); }
  std::optional<Bounds> do_bounds() override { return cells_.bounds(); }
  std::uint64_t do_hash(std::int64_t column0, std::int64_t row0) override {
    return state_hash(cells_, column0, row0);
  }

  std::vector<std::string>* calls_;
  BitGrid cells_;
};

}  // namespace tessera::test
