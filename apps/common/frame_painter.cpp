#include "apps/common/frame_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/pictures/visible_share.h"
#include "core/rules/state_looks.h"
#include "core/universe.h"

namespace tessera {

namespace {

// Greys as bright as the window's colours, so that a single cell is seen.
void brighten(DensityImage& image) {
  std::array<std::uint8_t, 256> bright;
  for (std::size_t grey = 0; grey < bright.size(); grey++) {
    const double share = visible_share(static_cast<std::uint8_t>(grey));
    bright[grey] = static_cast<std::uint8_t>(std::lround(255 * share));
  }
  for (std::int64_t y = 0; y < image.height; y++) {
    std::uint8_t* row = image.row(y);
    for (std::int64_t x = 0; x < image.width; x++) row[x] = bright[row[x]];
  }
}

}  // namespace

Palette FrameLook::palette() const {
  Palette palette =
      shown_by_state(rule) && !ages ? palette_of_states(theme, rule) : palette_of(theme, ages);
  if (grid_lines) {
    palette[FramePainter::kGrid] = colours_of(theme).grid;
    palette[FramePainter::kGridTen] = colours_of(theme).grid_ten;
  }
  return palette;
}

bool parse_colours(const std::string& option, const std::string& text) {
  if (text == "cells") return false;
  if (text == "age") return true;
  throw InputError(fmt::format("{}: '{}'; cells and age are accepted", option, printable(text)));
}

void check_grid_lines(const std::string& option, const Scale& scale, const FrameLook& look) {
  if (!look.ages && look.rule.states() > FramePainter::kGrid) {
    throw InputError(fmt::format("{}: lines between cells of {} states; up to {} are accepted",
                                 option, look.rule.states(), FramePainter::kGrid));
  }
  if (scale.pixels >= kGridPixels) return;
  throw InputError(
      fmt::format("{}: cells must be at least {} pixels wide for lines between them; a scale of "
                  "1/{} or larger cells are accepted",
                  option, kGridPixels, kGridPixels));
}

FramePainter::FramePainter(const FrameView& view, const std::optional<FrameLook>& look, AgeMap ages)
    : view_(view), look_(look), ages_(std::move(ages)) {}

// Ages need live cells alone.
void FramePainter::see(Universe& universe) {
  const View view{view_.cells, view_.scale.cells, view_.wrapped};
  if (shown_by_state(universe.spec().rule) && !has_ages()) {
    universe.look_states(view, cells_);
  } else {
    universe.look(view, cells_);
  }
}

void FramePainter::watch(Universe& universe) {
  if (!has_ages()) return;
  see(universe);
  ages_.add(cells_, view_.cells, view_.scale.cells, 1);
  watched_ = true;
}

const DensityImage& FramePainter::draw(Universe& universe) {
  if (!std::exchange(watched_, false)) {
    see(universe);
    if (has_ages()) ages_.add(cells_, view_.cells, view_.scale.cells, 0);
  }
  if (!look_ && view_.scale.cells > 1) brighten(cells_);
  const DensityImage& bytes = has_ages() ? ages_.image() : cells_;
  if (view_.scale.pixels == 1) return bytes;
  enlarge(bytes);
  if (look_ && look_->grid_lines) draw_grid();
  return frame_;
}

void FramePainter::enlarge(const DensityImage& from) {
  const std::int64_t zoom = view_.scale.pixels;
  frame_.reshape(from.width * zoom, from.height * zoom);
  for (std::int64_t y = 0; y < frame_.height; y++) {
    const std::uint8_t* row = from.row(y / zoom);
    std::uint8_t* to = frame_.row(y);
    for (std::int64_t x = 0; x < from.width; x++) to = std::fill_n(to, zoom, row[x]);
  }
}

// Every tenth line, counted from cell 0, lies over the others.
void FramePainter::draw_grid() {
  const std::int64_t zoom = view_.scale.pixels;
  const auto line = [](std::int64_t cell) { return floor_mod(cell, 10) == 0 ? kGridTen : kGrid; };
  const auto columns = [&](std::int64_t y, std::uint8_t kind) {
    std::uint8_t* row = frame_.row(y);
    for (std::int64_t x = 0; x < frame_.width; x += zoom) {
      if (line(view_.cells.x + x / zoom) == kind) row[x] = kind;
    }
  };
  const auto across = [&](std::int64_t y, std::uint8_t kind) {
    if (y % zoom == 0 && line(view_.cells.y + y / zoom) == kind)
      std::fill_n(frame_.row(y), frame_.width, kind);
  };
  for (std::int64_t y = 0; y < frame_.height; y++) {
    columns(y, kGrid);
    across(y, kGrid);
    columns(y, kGridTen);
    across(y, kGridTen);
  }
}

}  // namespace tessera
