#include "backends/cpu/transposed_backend.h"

#include <utility>

#include "backends/cpu/bit_transpose.h"

namespace tessera {

TransposedBackend::TransposedBackend(const BackendSpec& spec, std::unique_ptr<StepBackend> turned)
    : StepBackend(spec, turned->info()), turned_(std::move(turned)) {}

BackendSpec TransposedBackend::turned(BackendSpec spec) {
  std::swap(spec.width, spec.height);
  spec.halo_rows = spec.halo_above = 0;  // they are columns now
  return spec;
}

void TransposedBackend::do_upload(const CellGrid& cells) {
  turned_->upload(transposed(cells.plane(0)));
}

CellGrid TransposedBackend::do_download(const Rect& rect) {
  return transposed(turned_->download({rect.y, rect.x, rect.height, rect.width}).plane(0));
}

void TransposedBackend::do_edit(const Cell& at, const CellGrid& cells) {
  turned_->edit({at.y, at.x}, transposed(cells.plane(0)));
}

void TransposedBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  count_cells(do_download(rect).plane(0), {0, 0, rect.width, rect.height}, scale, counts);
}

Survey TransposedBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                    std::int64_t row0) {
  if (parts.hash) {
    // The hash is made of words of rows: whole ones, so that none is cut.
    const std::int64_t left = rect.x / 64 * 64;
    const Rect words{left, rect.y, rect.x + rect.width - left, rect.height};
    const CellGrid cells = do_download(words);
    Survey found = survey_cells(cells.plane(0), {rect.x - left, 0, rect.width, rect.height}, parts,
                                column0 + left / 64, row0 + rect.y);
    if (found.bounds) found.bounds = found.bounds->shifted(left, rect.y);
    return found;
  }
  Survey found = turned_->survey({rect.y, rect.x, rect.height, rect.width}, parts);
  if (std::optional<Bounds>& box = found.bounds) {
    *box = {box->ymin, box->xmin, box->ymax, box->xmax};
  }
  return found;
}

}  // namespace tessera
