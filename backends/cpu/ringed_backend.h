#pragma once

#include <cstdint>

#include "core/stepping/step_backend.h"

namespace tessera {

/// What kernels share that keep the cells in a canonical grid two cells wider and higher. The
/// surroundings of the grid are written into this ring (write_ring) before each generation, so that
/// the kernel knows no universe.
class RingedBackend : public StepBackend {
 public:
  static std::int64_t bytes_needed(const BackendSpec& spec);

 protected:
  RingedBackend(const BackendSpec& spec, BackendInfo info);

  BitGrid front_;
  BitGrid back_;

 private:
  void do_upload(const CellGrid& cells) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;
};

/// Writes what surrounds a grid into the ring of its array: the other edges of a torus, or dead
/// cells.
void write_ring(BitGrid& array, const BackendSpec& spec);

}  // namespace tessera
