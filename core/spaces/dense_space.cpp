#include "core/spaces/dense_space.h"

#include <algorithm>
#include <utility>

#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

constexpr std::int64_t kMostSide = std::int64_t{1} << 31;  // of a grid that is looked at by spans

}  // namespace

DenseSpace::DenseSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory)
    : Space(spec), factory_(std::move(factory)), max_memory_(max_memory) {
  place_.torus = spec.topology == Topology::torus && spec.bounded();
}

std::unique_ptr<StepBackend> DenseSpace::made(const Rect& grid) const {
  return factory_(backend_spec(spec(), grid.width, grid.height, max_memory_));
}

void DenseSpace::make(const Rect& grid) {
  backend_ = made(grid);
  place_.cells = grid;
}

void DenseSpace::drop() {
  watch_.save();
  backend_.reset();
}

double DenseSpace::cells_per_generation() const {
  return static_cast<double>(grid().width) * static_cast<double>(grid().height);
}

std::int64_t DenseSpace::memory() const {
  return spec().rule.planes() * BitGrid::bytes(grid().width, grid().height).value_or(kMaxSide);
}

void DenseSpace::use(BackendFactory factory) {
  const CellGrid cells = backend_->download();
  std::swap(factory_, factory);
  std::unique_ptr<StepBackend> next;
  try {
    next = made(grid());
    next->upload(cells);
  } catch (...) {
    std::swap(factory_, factory);
    throw;
  }
  watch_.save();
  backend_ = std::move(next);
}

std::vector<Shard> DenseSpace::write_shards(const ShardOrder& order) {
  return backend_->write_shards(order, {grid().x, grid().y});
}

void DenseSpace::step_grid(std::int64_t generations) {
  backend_->step(generations, generation() % 2 != 0);
  passed(generations, cells_per_generation());
}

void DenseSpace::put(const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  const Rect part = rect.common(grid());
  if (part.empty()) return;
  const Cell own{part.x - grid().x, part.y - grid().y};
  if (part == rect) {
    backend_->edit(own, cells);
  } else {
    backend_->edit(own, cells.window({part.x - at.x, part.y - at.y, part.width, part.height}));
  }
}

Survey DenseSpace::do_survey(const SurveyParts& parts) {
  // The hash counts from the corner of the universe, on the plane from cell (0, 0). Without end
  // words begin at multiples of 64, and so do grids.
  const Cell corner = spec().origin();
  Survey found = spec().bounded()
                     ? backend_->survey(parts)
                     : backend_->survey({0, 0, grid().width, grid().height}, parts,
                                        floor_div(grid().x - corner.x, 64), grid().y - corner.y);
  if (found.bounds) found.bounds = found.bounds->shifted(grid().x, grid().y);
  return found;
}

CellGrid DenseSpace::do_read(const Rect& rect) {
  const Rect part = rect.common(grid());
  if (!rect.empty() && part == rect) {
    return backend_->download({rect.x - grid().x, rect.y - grid().y, rect.width, rect.height});
  }
  CellGrid out(rect.width, rect.height, spec().rule.planes());
  if (!part.empty()) {
    out.paste(part.x - rect.x, part.y - rect.y,
              backend_->download({part.x - grid().x, part.y - grid().y, part.width, part.height}));
  }
  return out;
}

std::vector<CellGrid> DenseSpace::do_reads(std::span<const Rect> rects) {
  std::vector<Rect> own;
  for (const Rect& rect : rects) {
    if (rect.empty() || rect.common(grid()) != rect) return Space::do_reads(rects);
    own.push_back({rect.x - grid().x, rect.y - grid().y, rect.width, rect.height});
  }
  return backend_->download(own);
}

void DenseSpace::do_look(const View& view, DensityImage& image) {
  view_grid(*backend_, place_, view, image);
}

// The backend's looks, where it has them for this view: null where it has not.
Look* DenseSpace::GridWatch::look_for(const View& view) const {
  const Rect& grid = space_.grid();
  const bool takes =
      view.scale <= Look::kMostSpan && std::max(grid.width, grid.height) <= kMostSide;
  return takes ? space_.backend().look() : nullptr;
}

bool DenseSpace::GridWatch::begin_greys(const View& view,
                                        const std::optional<DeviceIdentity>& sharing) {
  saved_ = false;
  Look* const look = look_for(view);
  begun_ = look && look->begin_greys(spans_of(space_.place_, view), sharing);
  return begun_;
}

// On the infinite plane the grid comes and goes, and the ages with it.
bool DenseSpace::GridWatch::keep_ages(const View& view, const AgeMap& ages) {
  Look* const look = space_.spec().bounded() ? look_for(view) : nullptr;
  return look && look->keep_ages(spans_of(space_.place_, view), ages.ages());
}

void DenseSpace::GridWatch::add_ages(std::int64_t generations) {
  space_.backend().look()->add_ages(generations);
}

void DenseSpace::GridWatch::begin_ages(const std::optional<DeviceIdentity>& sharing) {
  saved_ = false;
  space_.backend().look()->begin_ages(sharing);
  begun_ = true;
}

std::vector<std::int16_t> DenseSpace::GridWatch::ages() { return space_.backend().look()->ages(); }

void DenseSpace::GridWatch::save() {
  if (!begun_) return;
  shared_ = end(image_);
  saved_ = true;
}

std::shared_ptr<const SharedPicture> DenseSpace::GridWatch::end(DensityImage& image) {
  if (std::exchange(saved_, false)) {
    std::swap(image, image_);
    return std::exchange(shared_, nullptr);
  }
  begun_ = false;
  return space_.backend().look()->end(image);
}

}  // namespace tessera
