#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cpu/stretches.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_layout.h"
#include "backends/cpu/strip_planes.h"
#include "core/rules/rule.h"

namespace tessera {

/// One pass over a stretch of vector rows: `generations` generations from `front` into its rows of
/// `back`.
struct StripPass {
  const StripLayout* layout = nullptr;
  const RowSeams* seams = nullptr;
  Rule rule;
  /// What steps in place of `rule` in the pass's first, third, ... and in its other generations,
  /// and the memory that both use, StripCode::frame_words() words.
  std::array<const StripCode*, 2> code{};
  std::uint64_t* frame = nullptr;
  StripPlanes planes{};  ///< beside plane 0, which is `front` and `back`
  const std::uint64_t* front =
      nullptr;                       ///< whole buffer; its margin is written, its ghosts are right
  std::uint64_t* back = nullptr;     ///< whole buffer; the stretch's rows are written, ghosts too
  std::uint64_t* scratch = nullptr;  ///< strip_scratch_words() words, aligned to a vector
  Stretch* stretch = nullptr;        ///< started
  /// Called before rows of the margin below are read, in one stretch of those of a pass.
  std::function<void()> before_below{};
  int generations = 1;
  int rows = 8;  ///< R: vector rows per group; a multiple of 4
};

/// 64-bit words of scratch memory that one pass of up to `generations` generations needs.
std::int64_t strip_scratch_words(const StripLayout& layout, int generations, int rows);

/// Rows of a generation that a stretch hands on: two, and one of each plane from 1 on.
inline int strip_handed_rows(int planes) { return 1 + planes; }
/// 64-bit words of each of them, and of memory for all that a stretch hands on.
std::int64_t strip_handed_row_words(const StripLayout& layout);
std::int64_t strip_handed_words(const StripLayout& layout, int planes, int generations);

/// 64-bit lanes of the widest vectors this processor has.
int strip_lanes();

/// Name of the instruction set chosen at run time, for example "AVX3" (AVX-512).
const char* strip_target();

/// Runs a pass.
///
/// Rows are processed downwards in groups of R. All generations of a group follow each other, each
/// one row behind the last, so that a group's rows stay in the L1 cache. The next group needs the
/// row codes of this group's last two rows, which are kept per generation. A generation costs eight
/// gates per word. At its end a stretch takes the rows that the one below left at its beginning
/// (HandedRows), so that nothing is computed twice; this is how Bandishti, Pananilath and
/// Bondhugula (SC 2012) start tiles of a stencil at once. Only above the first and below the last
/// stretch there are triangles of rows besides.
void strip_pass(const StripPass& pass);

/// Closes vector rows [first, last) of a buffer at their ends, see RowSeams.
void strip_close_rows(const StripLayout& layout, const RowSeams& seams, std::uint64_t* buffer,
                      std::int64_t first, std::int64_t last);

/// Writes those of `margins` (a list of Margins of the layout) that a pass of `generations`
/// generations needs, including ghosts.
void strip_write_margins(const StripLayout& layout, const std::vector<MarginRow>& margins,
                         int generations, std::uint64_t* buffer);

/// Cell updates per second that this core would reach if it did nothing but Life's eight gates per
/// word on register operands: the ceiling for benchmarks. Runs for about `seconds`.
double strip_ceiling(double seconds);

}  // namespace tessera
