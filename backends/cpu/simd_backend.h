#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/crew.h"
#include "backends/cpu/strip_layout.h"
#include "core/stepping/driver.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// The default CPU kernel: vectors of strips (StripLayout), the 8-gate circuit or a rule's own
/// tail, several generations per pass over memory (strip_pass), bands of rows over threads.
class SimdBackend final : public StepBackend {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen by the model.
  SimdBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning);

  std::unique_ptr<TilePool> tiles() override;

  static KernelInfo kernel_info();
  static const char* target_name();
  /// The time that a model of the machine expects for a generation.
  static double expected_seconds(const BackendSpec& spec, const Tuning& tuning);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  using Buffer = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  void do_upload(const CellGrid& cells) override;
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  template <bool kPopulation, bool kBounds>
  Survey survey_rows(std::int64_t first, std::int64_t end) const;
  std::optional<Bounds> bounds_of(const std::vector<std::uint64_t>& over, std::int64_t ymin,
                                  std::int64_t ymax) const;
  void opened(std::int64_t y, std::int64_t rows);
  void run_pass(int generations, int tasks);

  Tuning tuning_;
  StripLayout layout_;
  RowSeams seams_;
  StripRows rows_;
  Margins margins_;
  Buffer front_;
  Buffer back_;
  int tasks_;                    // of a whole pass
  std::vector<Buffer> scratch_;  // one per task, made when first used
  std::unique_ptr<Crew> crew_;   // made when first used
  // Vector rows of front_ whose ghosts are wrong lie in these ranges, [first, end).
  std::vector<std::pair<std::int64_t, std::int64_t>> open_;
};

}  // namespace tessera
