#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/stepping/step_backend.h"

namespace tessera::test {

/// A backend that holds a canonical grid, records every call, and moves all cells by (dx, dy) per
/// generation, as fast as anything can move in a cellular automaton. What leaves the grid is lost,
/// which reveals a universe that grows too late.
class FakeBackend final : public StepBackend {
 public:
  explicit FakeBackend(const BackendSpec& spec, Cell speed = {1, 0},
                       std::vector<std::string>* calls = nullptr)
      : StepBackend(spec, {"fake", "none", "shift", {}}),
        speed_(speed),
        calls_(calls),
        cells_(spec.width, spec.height) {}

 private:
  void note(const std::string& call) {
    if (calls_) calls_->push_back(call);
  }

  void do_upload(const CellGrid& cells) override {
    note("upload");
    cells_ = cells.plane(0);
  }

  void do_step(std::int64_t generations) override {
    note("step " + std::to_string(generations));
    const std::int64_t dx = speed_.x * generations, dy = speed_.y * generations;
    const std::int64_t width = spec().width - std::abs(dx), height = spec().height - std::abs(dy);
    BitGrid next(spec().width, spec().height);
    if (width > 0 && height > 0) {
      const Rect from{dx < 0 ? -dx : 0, dy < 0 ? -dy : 0, width, height};
      next.paste(dx > 0 ? dx : 0, dy > 0 ? dy : 0, cells_.window(from));
    }
    cells_ = std::move(next);
  }

  void do_synchronize() override { note("synchronize"); }

  CellGrid do_download(const Rect& rect) override {
    note("download");
    return cells_.window(rect);
  }

  void do_edit(const Cell& at, const CellGrid& cells) override {
    note("edit");
    cells_.paste(at.x, at.y, cells.plane(0));
  }

  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    note("view");
    count_cells(cells_, rect, scale, counts);
  }

  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return survey_cells(cells_, rect, parts, column0, row0);
  }

  Cell speed_;
  std::vector<std::string>* calls_;
  BitGrid cells_;
};

}  // namespace tessera::test
