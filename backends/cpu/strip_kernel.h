#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_layout.h"
#include "backends/cpu/strip_planes.h"
#include "core/rules/rule.h"

namespace tessera {

/// One pass over a band of vector rows: `generations` generations from `front` into rows [first,
/// last) of `back`.
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
  std::uint64_t* back = nullptr;     ///< whole buffer; rows [first, last) are written, ghosts too
  std::uint64_t* scratch = nullptr;  ///< strip_scratch_words() words, aligned to a vector
  std::int64_t first = 0;
  std::int64_t last = 0;
  int generations = 1;
  int rows = 8;  ///< R: vector rows per group; a multiple of 4
};

/// 64-bit words of scratch memory that one pass of up to `generations` generations needs.
std::int64_t strip_scratch_words(const StripLayout& layout, int generations, int rows);

/// 64-bit lanes of the widest vectors this processor has.
int strip_lanes();

/// Name of the instruction set chosen at run time, for example "AVX3" (AVX-512).
const char* strip_target();

/// Runs a pass.
///
/// Rows are processed downwards in groups of R. All generations of a group follow each other, each
/// one row behind the last, so that a group's rows stay in the L1 cache. The next group needs the
/// row codes of this group's last two rows, which are kept per generation. A generation costs eight
/// gates per word, and nothing is computed twice except the triangles of rows above and below the
/// band, which its neighbours compute too.
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
