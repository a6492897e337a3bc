#include "backends/distributed/halo_parcel.h"

namespace tessera {

HaloParcel::HaloParcel(const Rect& cells, int planes, bool alike, std::int64_t row_words) {
  if (alike) {
    rows_.resize(static_cast<std::size_t>(cells.height * row_words));
  } else {
    cells_.emplace(cells.width, cells.height, planes);
  }
}

void HaloParcel::pack(StepBackend& backend, const Cell& from) {
  if (cells_) {
    cells_ = backend.download({from.x, from.y, cells_->width(), cells_->height()});
  } else {
    backend.row_form()->read(from.y, rows_);
  }
}

void HaloParcel::unpack(StepBackend& backend, const Cell& to, const Turn& turn) const {
  if (cells_) {
    backend.edit(to, turned(*cells_, turn));
  } else {
    backend.row_form()->write(to.y, rows_);
  }
}

std::vector<std::span<std::byte>> HaloParcel::pieces() {
  if (!cells_) return {std::as_writable_bytes(std::span(rows_))};
  std::vector<std::span<std::byte>> planes;
  for (int p = 0; p < cells_->planes(); p++)
    planes.push_back(std::as_writable_bytes(cells_->plane(p).words()));
  return planes;
}

}  // namespace tessera
