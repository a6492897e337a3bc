#include "backends/cpu/transposed_backend.h"

#include <utility>

#include "backends/cpu/bit_transpose.h"
#include "core/cells/state_hash.h"
#include "core/pictures/density_image.h"

namespace tessera {

TransposedBackend::TransposedBackend(const BackendSpec& spec, std::unique_ptr<StepBackend> turned)
    : StepBackend(spec, turned->info()), turned_(std::move(turned)) {}

BackendSpec TransposedBackend::turned(BackendSpec spec) {
  std::swap(spec.width, spec.height);
  return spec;
}

void TransposedBackend::do_upload(const BitGrid& grid) { turned_->upload(transposed(grid)); }

BitGrid TransposedBackend::do_download(const Rect& rect) {
  return transposed(turned_->download({rect.y, rect.x, rect.height, rect.width}));
}

void TransposedBackend::do_edit(const Cell& at, const BitGrid& cells) {
  turned_->edit({at.y, at.x}, transposed(cells));
}

void TransposedBackend::do_view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  reduce_density(do_download(rect), {0, 0, rect.width, rect.height}, scale, image);
}

std::optional<Bounds> TransposedBackend::do_bounds() {
  std::optional<Bounds> box = turned_->bounds();
  if (box) *box = {box->ymin, box->xmin, box->ymax, box->xmax};
  return box;
}

std::uint64_t TransposedBackend::do_hash(std::int64_t column0, std::int64_t row0) {
  return state_hash(do_download({0, 0, spec().width, spec().height}), column0, row0);
}

}  // namespace tessera
