#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/bit_transpose.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/stretches.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_layout.h"
#include "backends/cpu/strip_planes.h"
#include "core/stepping/host_crew.h"
#include "core/stepping/row_form.h"
#include "core/stepping/row_shares.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// How a grid of strips is stepped: by the kernel `simd` under `rule`, or by machine code, that of
/// the first generation and that of the next in turns.
struct StripRules {
  Rule rule;
  std::array<const StripCode*, 2> code{};
  const PlaneMoves* moves = nullptr;  ///< of machine code for several planes
};

/// A grid in strips (StripLayout): its cells, and passes of several generations over it
/// (strip_pass), whose rows threads share (Stretches). Of a band of a larger grid
/// (BackendSpec::halo_rows) passes step ever fewer rows, where vectors hold one row each: those
/// that are still right, until rows are replaced, which all of the halos then are. Arguments are as
/// StepBackend's. With several tenants, rows are those of StripLayout, and under StripTenants::bits
/// only blocks() and step() serve.
///
/// With BackendSpec::crew the rows of a pass are shared by the threads of all processes of the
/// crew, and lie in memory of all.
class StripGrid final : private RowForm {
 public:
  /// `tuning`: with generations, rows, segments (`group`) and threads.
  StripGrid(const BackendSpec& spec, const Tuning& tuning, int planes = 1,
            StripTenants tenants = StripTenants::one);
  static std::int64_t bytes_needed(const BackendSpec& spec, const Tuning& tuning, int planes = 1,
                                   StripTenants tenants = StripTenants::one);

  void fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index);
  void edit(const Cell& at, const BitGrid& cells, int plane = 0);
  BitGrid download(const Rect& rect, int plane = 0) const;
  void view(const Rect& rect, std::int64_t scale, CellCounts& counts) const;
  Survey survey(const Rect& rect, SurveyParts parts, std::int64_t column0, std::int64_t row0) const;

  /// Under StripTenants::bits: canonical word `i` of row y of the 64 universes of a lane.
  BitBlock block(int lane, std::int64_t y, std::int64_t i) const;
  /// Replaces it; padding bits of the words are ignored.
  void set_block(int lane, std::int64_t y, std::int64_t i, BitBlock words);

  /// StepBackend::slide and room. Bands whose vectors hold one row each have room for half their
  /// rows above and below.
  bool slide(std::int64_t first, std::int64_t height);
  std::int64_t room() const { return room_; }

  /// Steps so many generations, or as many as the crew's first process asks for, which are the same
  /// in the end, and returns how many. The code of `rules` must be for rows that are closed as
  /// these are.
  std::int64_t step(std::int64_t generations, StripRules rules);
  RowClosing closing() const { return RowClosing::of(layout_); }
  /// Rows as they lie; null where a vector holds several of them, and where they have more planes
  /// than one.
  RowForm* row_form() {
    return layout_.bands == 1 && front_.size() == 1 && !crew_ ? this : nullptr;
  }

 private:
  using Buffer = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  // The cells of a plane: own memory, or the crew's.
  struct Cells {
    Buffer own{};
    std::uint64_t* words = nullptr;
    std::uint64_t* get() const { return words; }
  };

  // What the processes of a crew tell each other.
  struct Shared {
    std::atomic<int> opened{0};    // rows of the grid were written
    std::int64_t generations = 0;  // of this call of step
  };

  // What a task of a pass writes for itself, made when first used.
  struct TaskMemory {
    Buffer scratch{};
    Buffer window{};
    Buffer frame{};
    std::int64_t frame_words = 0;
  };

  StripGrid(const BackendSpec& spec, const Tuning& tuning, int planes, StripTenants tenants,
            const StripLayout& layout);
  static Buffer allocate(std::int64_t words, std::int64_t unused = 0);
  // Of a crew the first process, which does what comes before the tasks.
  bool leads() const { return !crew_ || crew_->rank() == 0; }
  void join_crew();
  Cells make_cells(std::int64_t words, std::int64_t unused = 0) const;
  void close();
  void close(std::int64_t first, std::int64_t end);
  template <bool kPopulation, bool kBounds>
  Survey survey_rows(std::int64_t first, std::int64_t end) const;
  std::optional<Bounds> bounds_of(const std::vector<std::uint64_t>& over, std::int64_t ymin,
                                  std::int64_t ymax) const;
  void opened(std::int64_t y, std::int64_t rows);
  std::vector<std::int64_t> cuts_of(std::int64_t first, std::int64_t rows, int generations,
                                    int tasks) const;
  void make_handed();
  void make_memory(const StripRules& rules, bool window, TaskMemory& memory) const;
  StripPlanes planes_for(const PlaneMoves& moves, const std::vector<PlaneMemory>& memory,
                         std::uint64_t* window) const;
  void run_pass(const StripRules& rules, int generations, int tasks);
  std::string name() const override;
  std::int64_t words() const override { return layout_.words * layout_.lanes; }
  void read(std::int64_t y, std::span<std::uint64_t> rows) const override;
  void write(std::int64_t y, std::span<const std::uint64_t> rows) override;

  Tuning tuning_;
  std::int64_t room_;  // rows above and below that slide() may take: of the layout's margins
  StripLayout layout_;
  RowSeams seams_;
  StripRows rows_;
  Margins margins_;
  HostCrew* crew_;            // null where this process steps alone
  std::vector<Cells> front_;  // by plane
  std::vector<Cells> back_;
  std::int64_t above_ = 0, below_ = 0;    // rows of halo that need not be stepped
  std::int64_t wrong_ = 0;                // of them, from the grid's edges on
  int threads_;                           // of this process
  int first_ = 0;                         // task of the first of them
  int tasks_;                             // of a whole pass
  Shared* shared_ = nullptr;              // of a crew
  RowShares shares_;                      // of the tasks
  std::unique_ptr<Stretches> stretches_;  // of a pass
  Cells handed_;                          // their memory
  std::vector<double> own_seconds_;
  std::vector<std::int64_t> own_stepped_;
  std::span<double> seconds_;             // that each task took of a pass
  std::span<std::int64_t> stepped_;       // rows that each of them stepped
  std::vector<TaskMemory> tasks_memory_;  // of those of this process
  std::unique_ptr<Crew> helpers_;         // made when first used
  // Vector rows of front_ whose ghosts are wrong lie in these ranges, [first, end).
  std::vector<std::pair<std::int64_t, std::int64_t>> open_;
};

}  // namespace tessera
