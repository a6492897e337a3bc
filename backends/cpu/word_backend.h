#pragma once

#include <cstdint>

#include "core/stepping/step_backend.h"

namespace tessera {

/// The paper's bit-per-cell kernels, one generation per pass over 64-bit words: SINGLE-WORD (34
/// operations per word) and DOUBLE-WORD (59 operations for two). Fujita et al. 2015, sections IV-B
/// and V-A. Rules other than Life use the same sums and choose by counts.
///
/// The cells lie in a canonical grid that is two cells wider and higher. The surroundings of the
/// grid are written into this ring before each generation, so that the kernel knows no universe.
class WordBackend final : public StepBackend {
 public:
  WordBackend(const BackendSpec& spec, BackendInfo info, bool two_rows);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_upload(const CellGrid& cells) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  void write_ring();
  void clear_ring();

  bool two_rows_;
  BitGrid front_;
  BitGrid back_;
};

}  // namespace tessera
