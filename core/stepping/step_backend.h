#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/files/shard.h"
#include "core/pictures/cell_counts.h"
#include "core/rules/rule.h"
#include "core/rules/seam.h"
#include "core/stepping/look.h"
#include "core/stepping/survey.h"
#include "core/stepping/tuning.h"

namespace tessera {

class HostCrew;
class RowForm;
class RowPort;
class TileDevice;
class TilePool;

/// The surroundings of a backend's grid; Universe builds the infinite plane from `plane`. All but
/// the first two are what Surroundings makes of them.
enum class Boundary { torus, plane, shifted_torus, klein_bottle, cross_surface, sphere };

/// The grid that a backend steps.
struct BackendSpec {
  std::int64_t width = 0;   ///< cells, from 1
  std::int64_t height = 0;  ///< cells, from 1
  Boundary boundary = Boundary::torus;
  Rule rule;
  /// Limit of device memory in bytes (host memory for the CPU); 0: what the device has free.
  std::int64_t max_memory = 0;
  /// Only StepBackend::tiles() or tile_device() is wanted, whatever the size: kernels without tiles
  /// refuse, and all other calls may fail.
  bool tiles = false;
  /// As `tiles`, and so many of them that a device which must be opened first pays.
  bool many_tiles = false;
  /// Rows at both ends together that repeat those of other backends' grids, where this one is a
  /// band of a larger grid: they are counted in `height`.
  std::int64_t halo_rows = 0;
  std::int64_t halo_above = 0;  ///< those of them at the top
  /// Of a band of a torus: as far as is known, devices of their own step the bands above and below,
  /// by the same kernel, and reach this one's memory, as it does theirs.
  bool peer_bands = false;
  /// The processes that step this grid together, where they do: kernels of KernelInfo::crews alone.
  HostCrew* crew = nullptr;
  /// Of a shifted torus or a Klein bottle.
  Seam seam{};
  /// What steps from odd generations in place of `rule`, where two rules take turns.
  std::optional<Rule> odd_rule{};

  /// Whether no edge is shifted or twisted: what every kernel steps.
  bool plain_edges() const { return boundary == Boundary::torus || boundary == Boundary::plane; }
  /// Cells of the grid, however many.
  double cells() const { return static_cast<double>(width) * static_cast<double>(height); }
  /// Whether a rule of the two, or the only one, is of longer range.
  bool ranged() const { return rule.ranged() || (odd_rule && odd_rule->ranged()); }
  /// How far cells see: nothing moves faster, in cells per generation.
  int reach() const { return odd_rule ? std::max(rule.reach(), odd_rule->reach()) : rule.reach(); }
};

/// What steps, for reports.
struct BackendInfo {
  std::string backend;  ///< "cpu", "cuda", "vulkan", or all of several as in "cuda:0+cuda:1"
  std::string device;   ///< as the vendor names it
  std::string kernel;   ///< the kernel's name, never "auto"
  Tuning tuning;        ///< the values in force; of the first part where there are several
  int parts = 1;        ///< bands that the grid is cut into
  /// Generations between two exchanges of halos, and how these travel: "peer", "host", or both with
  /// "+" between. 0 and empty where there is none.
  std::int64_t halo = 0;
  std::string link{};
  int processes = 1;  ///< that hold the cells and write them (StepBackend::write_shards)
};

/// Steps one grid of fixed size, boundary and rule. One interface for every device; all
/// implementations give the same bits.
///
/// The public calls check their arguments once and then call a private virtual. Coordinates are the
/// grid's own: (0, 0) is its top-left cell. After a DeviceError the object can only be destroyed.
/// Not thread-safe: one thread at a time.
class StepBackend {
 public:
  virtual ~StepBackend() = default;
  StepBackend(const StepBackend&) = delete;
  StepBackend& operator=(const StepBackend&) = delete;

  const BackendSpec& spec() const { return spec_; }
  const BackendInfo& info() const { return info_; }

  /// Replaces all cells. Throws InputError when the size differs from the spec's, or the number of
  /// planes from the rule's, or when a cell has a state that the rule has not, as edit() does.
  void upload(const CellGrid& cells);
  /// Replaces all cells by a soup, made on the device where the backend can.
  void fill(const Soup& soup);
  /// Replaces `rows` rows from row `y` on, at least one and all inside the grid, by the soup's
  /// words from word `index` on, so that each part of a larger grid makes its own part of a soup.
  void fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index);
  /// Queues `generations` >= 0 generations; may return before they are done. `odd`: whether the
  /// cells are those of an odd generation, from which BackendSpec::odd_rule steps where there is
  /// one.
  void step(std::int64_t generations, bool odd = false);
  /// Returns when everything queued is done; throws DeviceError when it failed.
  void synchronize();
  /// All cells.
  CellGrid download();
  /// The cells of `rect`, which must lie inside the grid and not be empty.
  CellGrid download(const Rect& rect);
  /// The cells of several such rectangles, with a single wait for them where the backend can.
  std::vector<CellGrid> download(std::span<const Rect> rects);
  /// Replaces the cells of a rectangle of the size of `cells` whose top-left cell is `at`.
  void edit(const Cell& at, const CellGrid& cells);
  /// Makes the grid one of `height` rows whose first is row `first` of this one, which may be
  /// negative: rows of both stay, others are unspecified until they are replaced. Rows move so
  /// between bands of a larger grid. False where there is no room; then nothing has changed.
  bool slide(std::int64_t first, std::int64_t height);
  /// Rows above and below those that it was made with which slide() may take; 0 where it cannot
  /// slide, or where stepping is not done when step() returns.
  virtual std::int64_t room() const { return 0; }
  /// Finds `parts` of a survey of `rect` (inside the grid, not empty) in one pass; parts not asked
  /// for are as in an empty Survey. Bounds are in the grid's coordinates. The hash takes the grid's
  /// first word as word column `column0` and its first row as row `row0`, and only the cells inside
  /// `rect` of words that it cuts: hashes of rectangles that meet at multiples of 64 columns add
  /// up.
  Survey survey(const Rect& rect, SurveyParts parts, std::int64_t column0 = 0,
                std::int64_t row0 = 0);
  /// The same for the whole grid.
  Survey survey(SurveyParts parts);
  /// Counts the live cells of `rect` (inside the grid, not empty) under ceil(width/scale) x
  /// ceil(height/scale) pixels of scale x scale cells (fewer at the right and bottom edge).
  void view(const Rect& rect, std::int64_t scale, CellCounts& counts);
  /// The same as a picture, see shade(); the counts take at most a few megabytes.
  void view(const Rect& rect, std::int64_t scale, DensityImage& image);
  /// Pictures that the device makes while it continues stepping; null where the backend or the
  /// device cannot do that. Lives as long as this object.
  virtual Look* look() { return nullptr; }
  /// Passes rows to other backends' devices without the host; null where the backend cannot do
  /// that. Lives as long as this object.
  virtual RowPort* row_port() { return nullptr; }
  /// Rows as the backend holds them; null where no other backend could use them. Lives as long as
  /// this object.
  virtual RowForm* row_form() { return nullptr; }
  /// A pool for tiles under the spec's rule, which may outlive this object; null where the kernel
  /// steps none in the host's memory.
  virtual std::unique_ptr<TilePool> tiles();
  /// Likewise for tiles in a device's memory. A kernel with tiles (KernelInfo::tiles) offers one of
  /// the two.
  virtual std::unique_ptr<TileDevice> tile_device();
  /// Where the cells lie in several processes: each of them writes those that it holds of the
  /// order's extent as a shard (core/files/checkpoint_shards.h), the grid's top-left cell being
  /// `at`. Returns the shards; none where all cells lie in this process. Throws what write_shard
  /// throws.
  virtual std::vector<Shard> write_shards(const ShardOrder& order, const Cell& at);
  /// Seconds of device time spent in `step` since creation, by the device's own clock; nothing
  /// where it has none (then measure wall time around step and synchronize). Synchronizes.
  std::optional<double> device_seconds();

 protected:
  StepBackend(BackendSpec spec, BackendInfo info);

  /// The rule of the generation, from 0 on, of those that do_step is asked for.
  const Rule& rule_of(std::int64_t g) const {
    return spec_.odd_rule && (g + odd_) % 2 == 1 ? *spec_.odd_rule : spec_.rule;
  }
  /// Whether do_step begins at an odd generation.
  bool begins_odd() const { return odd_; }

  /// Default: one after the other.
  virtual std::vector<CellGrid> do_downloads(std::span<const Rect> rects);

 private:
  virtual void do_upload(const CellGrid& cells) = 0;
  /// The words of `rows` rows from row `y` on, from word `index` of the soup on; default:
  /// make_soup_cells, then do_edit.
  virtual void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index);
  virtual void do_step(std::int64_t generations) = 0;
  virtual void do_synchronize() = 0;
  virtual CellGrid do_download(const Rect& rect) = 0;
  virtual void do_edit(const Cell& at, const CellGrid& cells) = 0;
  virtual Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                           std::int64_t row0) = 0;
  /// `counts` has its size, its values are unspecified. No pixel is larger than `rect`.
  virtual void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) = 0;
  virtual std::optional<double> do_device_seconds();  ///< default: nothing
  virtual bool do_slide(std::int64_t, std::int64_t) { return false; }

  void check_rect(const Rect& rect, const char* what) const;
  void check_view(const Rect& rect, std::int64_t& scale) const;

  BackendSpec spec_;
  bool odd_ = false;
  BackendInfo info_;
};

}  // namespace tessera
