#include "tests/support/tiled_kernels.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/pictures/cell_counts.h"
#include "core/spaces/tiled_space.h"

namespace tessera::test {

namespace {

// The grid's universe.
RuleSpec universe_of(const BackendSpec& spec) {
  return {spec.rule, spec.boundary == Boundary::torus ? Topology::torus : Topology::plane,
          spec.width, spec.height};
}

// A grid held as tiles.
class TiledBackend final : public StepBackend {
 public:
  TiledBackend(const BackendSpec& spec, const BackendFactory& factory)
      : StepBackend(spec, {"tiles", "none", "tiles", {}}),
        space_(universe_of(spec), factory, spec.max_memory) {}

 private:
  Rect all() const { return {0, 0, spec().width, spec().height}; }
  // A place of the grid in the universe.
  Cell at(const Cell& cell) const {
    const Cell corner = space_.spec().origin();
    return {corner.x + cell.x, corner.y + cell.y};
  }

  void do_upload(const CellGrid& cells) override {
    space_.clear();
    space_.edit(at({0, 0}), cells);
  }
  void do_step(std::int64_t generations) override { space_.step(generations); }
  void do_synchronize() override { space_.synchronize(); }
  CellGrid do_download(const Rect& rect) override {
    const Cell corner = at({rect.x, rect.y});
    return space_.read({corner.x, corner.y, rect.width, rect.height});
  }
  void do_edit(const Cell& cell, const CellGrid& cells) override { space_.edit(at(cell), cells); }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    if (rect != all() || column0 != 0 || row0 != 0) {
      return survey_cells(do_download(all()), rect, parts, column0, row0);
    }
    // What tiles have summed.
    Survey found = space_.survey(parts);
    const Cell corner = at({0, 0});
    if (found.bounds) found.bounds = found.bounds->shifted(-corner.x, -corner.y);
    return found;
  }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    count_cells(do_download(all()).live(), rect, scale, counts);
  }

  TiledSpace space_;
};

// Offers one kernel of one device, in tiles.
class TilesDriver final : public Driver {
 public:
  explicit TilesDriver(const Kernel& kernel) : kernel_(kernel) {
    info_.name = kernel.info.name + " in tiles";
    info_.summary = kernel.info.summary;
    info_.any_rule = kernel.info.any_rule;
  }

  const char* name() const override { return kernel_.driver->name(); }
  std::string device_name(int) const override { return kernel_.backend(); }
  DeviceList devices() const override { return {{kernel_.device}, ""}; }
  std::vector<KernelInfo> kernels() const override { return {info_}; }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string&, const Tuning&) const override {
    if (spec.rule.has_b0()) throw UnsupportedError("tiles step no rule with B0");
    BackendSpec asked = spec;
    asked.tiles = true;
    if (const auto why = kernel_.unsupported(asked)) throw UnsupportedError(*why);
    return [spec, factory = kernel_.factory()] {
      return std::make_unique<TiledBackend>(spec, factory);
    };
  }

  Kernel kernel_;
  KernelInfo info_;
};

std::vector<Kernel> find_kernels_and_tiles() {
  static std::vector<std::unique_ptr<TilesDriver>> tiled;
  std::vector<Kernel> all = kernels_here();
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel) || kernel.device.software) continue;
    tiled.push_back(std::make_unique<TilesDriver>(kernel));
    all.push_back(
        {tiled.back().get(), kernel.device, tiled.back()->kernels().front(), kernel.preferred});
  }
  return all;
}

}  // namespace

const std::vector<Kernel>& kernels_and_tiles() {
  static const std::vector<Kernel> all = find_kernels_and_tiles();
  return all;
}

}  // namespace tessera::test
