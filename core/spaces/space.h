#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/cells/cell_grid.h"
#include "core/cells/cell_runs.h"
#include "core/cells/soup.h"
#include "core/files/piece_source.h"
#include "core/files/shard.h"
#include "core/patterns/pattern.h"
#include "core/pictures/density_image.h"
#include "core/rules/rule_spec.h"
#include "core/spaces/view.h"
#include "core/spaces/watch.h"
#include "core/stepping/driver.h"
#include "core/stepping/survey.h"

namespace tessera {

/// Cells may be put at absolute coordinates up to this; they may get twice as far, to 2^62.
inline constexpr std::int64_t kFarthestCell = std::int64_t{1} << 61;

/// Throws InputError where a pattern's cells have more planes than the states of the rule take.
void check_planes(std::span<const CellRuns> planes, const RuleSpec& spec);

/// How the cells of a universe are held and stepped: as one grid, as a grid that grows, or in
/// whatever way pays. All coordinates are absolute; all spaces give the same cells.
///
/// The public calls check their arguments once and then call a private virtual. Not thread-safe:
/// one thread at a time. After a DeviceError the object can only be destroyed, unless a call says
/// otherwise.
class Space {
 public:
  virtual ~Space() = default;
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  const RuleSpec& spec() const { return spec_; }
  std::int64_t generation() const { return generation_; }
  void set_generation(std::int64_t generation) { generation_ = generation; }

  /// Steps `generations` >= 0; may return before they are done. Throws MemoryLimitError when the
  /// cells need more memory than is allowed or there: the state is then that of generation(), valid
  /// and usable. The same holds after a DeviceError while growing, unless the device cannot make
  /// what there was again either.
  void step(std::int64_t generations);
  /// Waits for the device.
  void synchronize() { do_synchronize(); }

  /// The parts that are asked for, of all cells, in one pass.
  Survey survey(const SurveyParts& parts) { return do_survey(parts); }
  /// The whole of a bounded universe; on the infinite plane the box of the live cells, or the cell
  /// (0, 0) when there are none.
  Rect extent();

  /// The cells of any rectangle that is not empty; outside the universe they are dead.
  CellGrid read(const Rect& rect);
  /// The cells of several, which one device may give all at once.
  std::vector<CellGrid> read(std::span<const Rect> rects) { return do_reads(rects); }
  /// The cells of `rect`, which lies inside the universe, as pieces: its Bands, where the space has
  /// no better ones. They are read while they are asked for, so that nothing may change meanwhile.
  std::unique_ptr<PieceSource> pieces(const Rect& rect);
  /// Where the cells lie in several processes: each writes a shard of the order's extent, which
  /// lies inside the universe. Returns them, or none where all lie in this process.
  virtual std::vector<Shard> write_shards(const ShardOrder& order);
  /// Replaces the cells of a rectangle. Throws InputError when a bounded universe does not contain
  /// it, or when it lies beyond kFarthestCell; on the infinite plane, where there is no memory for
  /// the live ones, what making a backend throws, or MemoryLimitError: nothing has changed then.
  void edit(const Cell& at, const CellGrid& cells);
  /// Gives state 1 to cells that lie within kFarthestCell and, on a bounded universe, inside it;
  /// the others stay. Throws as `edit` does.
  void add(const CellRuns& cells, const Cell& at);
  /// The same with the states of a pattern's live cells; also throws InputError for states that the
  /// rule has not.
  void add(const Pattern& pattern, const Cell& at);
  /// The same of `live` cells whose states `planes` tell, bit by bit; planes beyond them are 0.
  void add(const CellRuns& live, std::span<const CellRuns> planes, const Cell& at);
  /// Replaces everything by the pieces; the generation stays. Throws what `edit` and the source
  /// throw, and InputError for pieces beyond 2^62; the cells are those that were read until then.
  void load(PieceSource& pieces);
  /// Takes cells, generation and counts from another space of the same universe, which stays as it
  /// is. Throws what `load` throws. With `together` the cells come in bands that hold multiples of
  /// so many rows where that many fit (Bands).
  void take(Space& other, std::int64_t together = 1);
  /// Makes room for live cells anywhere in `rect`, which lies in the universe, where a space needs
  /// to; throws as `edit` does.
  void reserve(const Rect& rect) { do_reserve(rect); }
  /// All cells die; the generation stays.
  void clear() { do_clear(); }
  /// Fills a bounded universe; throws InputError on the infinite plane.
  void fill(const Soup& soup);

  /// A picture: greys as density_grey has them. Throws InputError for a view that is empty or whose
  /// scale is out of range.
  void look(const View& view, DensityImage& image);
  /// A picture whose bytes are states (state_pixels). Reads all cells of the view. Throws as `look`
  /// does.
  void look_states(const View& view, DensityImage& image);
  /// Pictures while stepping, or null where there are none.
  virtual Watch* watch() { return nullptr; }

  /// How the cells are held, as --space names it: "grid", "tiles".
  virtual const char* kind() const = 0;
  /// How often that has changed by itself.
  virtual std::int64_t switches() const { return 0; }
  /// Who steps.
  virtual const BackendInfo& info() const = 0;
  /// Cells that stepping one generation visits, as things are now.
  virtual double cells_per_generation() const = 0;
  /// Cell updates so far: those of every generation that was stepped, summed.
  double cells_stepped() const { return cells_stepped_; }
  /// Seconds of device time spent in `step`, by the device's own clock; nothing where it has none.
  virtual std::optional<double> device_seconds() { return std::nullopt; }
  /// Bytes that one copy of the cells takes: pieces of all of them take no more.
  virtual std::int64_t memory() const = 0;
  /// Moves the cells to backends of another kind; same bits. Throws what the factory throws, and
  /// nothing has changed then.
  virtual void use(BackendFactory factory) = 0;

 protected:
  explicit Space(const RuleSpec& spec) : spec_(spec) {}

  /// Accounts for generations that were stepped, at so many cells each.
  void passed(std::int64_t generations, double cells);
  /// The cells of a bounded universe.
  Rect whole() const;
  /// Throws MemoryLimitError for live cells so far out on the infinite plane that they cannot be
  /// stepped: sums of their coordinates and sizes would soon overflow.
  void check_reach(const Rect& cells) const;
  /// Generations for which check_reach will accept the cells whatever they become; 0 where it does
  /// not accept them now.
  std::int64_t free_reach(const Rect& cells) const;

  virtual std::vector<CellGrid> do_reads(std::span<const Rect> rects);  ///< default: in turn

 private:
  virtual void do_step(std::int64_t generations) = 0;
  virtual void do_synchronize() = 0;
  virtual Survey do_survey(const SurveyParts& parts) = 0;
  virtual CellGrid do_read(const Rect& rect) = 0;
  virtual std::unique_ptr<PieceSource> do_pieces(const Rect& rect);  ///< default: Bands, read
  virtual void do_edit(const Cell& at, const CellGrid& cells) = 0;
  virtual void do_add(const CellRuns& cells, const Cell& at);  ///< default: reads and edits the box
  virtual void do_add_states(const CellRuns& live, std::span<const CellRuns> planes,
                             const Cell& at);  ///< likewise
  virtual void do_load(PieceSource& pieces);   ///< default: clears, then edits piece by piece
  virtual void do_reserve(const Rect& /*rect*/) {}
  virtual void do_clear() = 0;
  virtual void do_fill(const Soup& soup);  ///< default: make_soup, then edit
  virtual void do_look(const View& view, DensityImage& image) = 0;

  void check_inside(const Rect& rect) const;  ///< of a bounded universe

  RuleSpec spec_;
  std::int64_t generation_ = 0;
  double cells_stepped_ = 0;
};

}  // namespace tessera
