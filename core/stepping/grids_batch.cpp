#include "core/stepping/grids_batch.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera {

GridsBatch::GridsBatch(const BatchSpec& spec, std::unique_ptr<StepBackend> backend)
    : Batch(spec, {backend->info(), kPacking}), backend_(std::move(backend)) {
  const std::int64_t needed = batch_bytes(spec), limit = spec.each.max_memory;
  if (limit > 0 && needed > limit) {
    throw UnsupportedError(fmt::format("{} universes need {}; {} is the limit", spec.universes,
                                       memory_text(needed), memory_text(limit)));
  }
  const BackendSpec& each = spec.each;
  cells_.assign(static_cast<std::size_t>(spec.universes),
                CellGrid(each.width, each.height, each.rule.planes()));
}

void GridsBatch::do_load(const CellsOf& cells) {
  for (std::int64_t u = 0; u < universes(); u++)
    cells_[static_cast<std::size_t>(u)] = checked(cells, u);
}

void GridsBatch::do_step(std::int64_t generations, bool odd) {
  for (CellGrid& cells : cells_) {
    backend_->upload(cells);
    backend_->step(generations, odd);
    cells = backend_->download();
  }
}

CellGrid GridsBatch::do_download(std::int64_t universe) {
  return cells_[static_cast<std::size_t>(universe)];
}

std::vector<Survey> GridsBatch::do_survey(SurveyParts parts) {
  std::vector<Survey> out;
  out.reserve(cells_.size());
  const Rect whole{0, 0, spec().each.width, spec().each.height};
  for (const CellGrid& cells : cells_) out.push_back(survey_cells(cells, whole, parts));
  return out;
}

}  // namespace tessera
