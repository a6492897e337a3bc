#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/cells/bit_grid.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Most 64-bit lanes that any vector has here (512 bits).
inline constexpr int kMaxLanes = 8;

/// Rows that a pass computes at once; it may read up to this many rows below those that it needs.
inline constexpr int kRowStep = 4;

/// Whose cells a buffer of strips holds: one universe's; those of one universe in every lane, so
/// that a row is one segment and every band a universe; or those of one in every bit of a vector,
/// so that a word has one column of 64 universes and nothing is one bit away.
enum class StripTenants { one, lanes, bits };

/// How the `simd` kernel lays a grid of any size out in vectors of `lanes` 64-bit lanes.
///
/// A row is cut into `segments` x 64 strips of `words` columns each, or of one fewer: the first
/// `long_strips` of them are the longer ones. Bit b of word j in segment s is column j of strip 64s
/// + b: the left and right neighbours of word j are words j-1 and j+1, with no shift. A shorter
/// strip has no column in the last word, whose bit instead holds the cell right of the strip. A
/// vector holds word j of every segment of `bands` rows: lane v * segments + s belongs to row v *
/// band_rows + y, so that "vector row" y holds `bands` rows which lie band_rows apart.
///
/// A torus with fewer columns than strips is laid out several times side by side, which makes a
/// wider torus of equal parts. On such a plane strips beyond the last column are dead.
///
/// Each vector row has a ghost vector on either side: the neighbours left of word 0 and right of
/// the last word. Vector rows above 0 and from band_rows on are the margin, written before each
/// pass.
///
/// With several tenants, row y of the universe in band v is row v * band_rows + y of the layout;
/// the universe of bit b of lane v is number 64v + b, and has row y of that band.
struct StripLayout {
  std::int64_t width = 0, height = 0;  ///< cells of the grid; with several tenants, of all bands
  Boundary boundary = Boundary::torus;
  StripTenants tenants = StripTenants::one;
  int lanes = 1;                   ///< 64-bit lanes of a vector
  int segments = 1;                ///< of a row; divides lanes
  int bands = 1;                   ///< lanes / segments
  std::int64_t columns = 0;        ///< of a row as it is laid out: `width`, or a multiple
  std::int64_t words = 1;          ///< W: vectors per vector row, without ghosts
  std::int64_t long_strips = 64;   ///< strips of W columns, from 1; all others have W - 1
  std::int64_t band_rows = 1;      ///< vector rows
  std::int64_t stride = 3;         ///< vectors from a vector row to the next
  std::int64_t margin_top = 0;     ///< vector rows allocated above row 0
  std::int64_t margin_bottom = 0;  ///< and below row band_rows - 1

  /// The layout for a grid with `segments` (at most `lanes`) to a row, or for several universes of
  /// the spec's size. The margins serve passes of up to `generations` generations.
  static StripLayout of(const BackendSpec& spec, int lanes, int segments, int generations,
                        StripTenants tenants = StripTenants::one);
  /// Universes that a layout for `tenants` holds.
  static std::int64_t universes(int lanes, StripTenants tenants) {
    return tenants == StripTenants::one     ? 1
           : tenants == StripTenants::lanes ? lanes
                                            : std::int64_t{64} * lanes;
  }

  /// 64-bit words of one buffer.
  std::int64_t buffer_words() const {
    return (margin_top + band_rows + margin_bottom) * stride * lanes;
  }
  /// Index of the first 64-bit word of vector `j` (from -1 to words) of vector row `y`.
  std::int64_t at(std::int64_t y, std::int64_t j) const {
    return ((y + margin_top) * stride + j + 1) * lanes;
  }
  /// Strips of a row.
  std::int64_t strips() const { return std::int64_t{64} * segments; }
  /// The first column of a strip.
  std::int64_t first_column(std::int64_t strip) const {
    return strip * (words - 1) + (strip < long_strips ? strip : long_strips);
  }
  /// True when some lane of vector row y holds no row of the grid.
  bool partly_outside(std::int64_t y) const {
    return y < 0 || (bands - 1) * band_rows + y >= height;
  }
};

/// What the first and the last strip of a row meet: each other on a torus, nothing on a plane,
/// strips in other lanes where a row has several segments. Where each bit is a universe of its own,
/// the word itself at the row's other end, or nothing.
enum class RowEnds : std::uint8_t { torus, plane, lanes, own_torus, own_plane };

/// How the rows of a layout are closed at their ends; see RowSeams.
struct RowClosing {
  RowEnds ends = RowEnds::torus;
  bool unequal = false;  ///< strips differ in length, and the longer ones have a column before
  int segments = 1;      ///< of a row
  bool joined = true;    ///< the first segment of a row follows the last

  static RowClosing of(const StripLayout& layout);
  bool operator==(const RowClosing&) const = default;
};

/// Constants that close a vector row at its ends: the sources of its ghosts and of the last words
/// of its shorter strips. One entry per lane.
struct RowSeams {
  explicit RowSeams(const StripLayout& layout);

  std::array<std::int64_t, kMaxLanes> previous{};      ///< lane of the segment to the left, cyclic
  std::array<std::int64_t, kMaxLanes> following{};     ///< lane of the segment to the right, cyclic
  std::array<std::uint64_t, kMaxLanes> inner_left{};   ///< 1 where `previous` is the left neighbour
  std::array<std::uint64_t, kMaxLanes> inner_right{};  ///< 1 where `following` is the right one
  std::array<std::uint64_t, kMaxLanes> long_strips{};  ///< the bits of strips of W columns
};

/// How a vector row of the margin is made before a pass: from one or two vector rows.
struct MarginRow {
  int depth = 1;           ///< generations from which on a pass needs it
  std::int64_t to = 0;     ///< vector row of the margin
  std::int64_t from = 0;   ///< vector row that most lanes come from; may be `to`
  std::int64_t other = 0;  ///< and the rest; `from` when there is no rest
  std::array<std::int64_t, kMaxLanes> lane{};   ///< where each lane comes from in its row
  std::array<std::uint64_t, kMaxLanes> rest{};  ///< 1 for the lanes that come from `other`
  std::array<std::uint64_t, kMaxLanes> live{};  ///< all ones; zero for lanes that are dead
};

/// The surroundings of each band, `generations` rows deep: rows of the neighbouring bands, and at
/// the grid's own edge its other side or nothing. Each list is ordered by depth. Bands that hold no
/// row of the grid are left as they are.
struct Margins {
  Margins(const StripLayout& layout, int generations);
  std::vector<MarginRow> inside;  ///< vector rows which the last band does not fill
  std::vector<MarginRow> above;   ///< vector row -1 and on, upwards
  std::vector<MarginRow> below;   ///< vector row band_rows and on
};

/// Moves rows between the canonical form and the layout. `buffer` is a whole buffer of the layout.
class StripRows {
 public:
  explicit StripRows(const StripLayout& layout);
  /// Row y (0 .. height-1) as ceil(width/64) canonical words, padding zero.
  void read(const std::uint64_t* buffer, std::int64_t y, std::uint64_t* row) const;
  /// Replaces row y; padding bits of `row` must be zero. The row is not closed at its ends.
  void write(std::uint64_t* buffer, std::int64_t y, const std::uint64_t* row) const;
  /// Bits of the words of vector row `y` that are cells: entry j * lanes + lane.
  const std::vector<std::uint64_t>& cell_masks() const { return masks_; }

 private:
  void write_columns(std::uint64_t* buffer, std::int64_t y, const std::uint64_t* columns) const;

  StripLayout layout_;
  std::vector<std::uint64_t> masks_;
};

}  // namespace tessera
