#include "backends/distributed/halo_parcel.h"

namespace tessera {

std::string form_of(StepBackend& backend) {
  const RowForm* const form = backend.row_form();
  return form ? form->name() : "";
}

HaloParcel::HaloParcel(const Rect& cells, const Turn& turn, StepBackend& end,
                       const std::string& from, const std::string& to)
    : size_(cells), planes_(end.spec().rule.planes()) {
  const bool whole = turn.none() && cells.width == end.spec().width;
  if (whole && !from.empty() && from == to) row_words_ = end.row_form()->words();
}

void HaloParcel::make() {
  if (alike()) {
    rows_.resize(static_cast<std::size_t>(size_.height * row_words_));
  } else if (!cells_) {
    cells_.emplace(size_.width, size_.height, planes_);
  }
}

void HaloParcel::pack(StepBackend& backend, const Cell& from) {
  if (alike()) {
    make();
    backend.row_form()->read(from.y, rows_);
  } else {
    cells_ = backend.download({from.x, from.y, size_.width, size_.height});
  }
}

void HaloParcel::unpack(StepBackend& backend, const Cell& to, const Turn& turn) const {
  if (alike()) {
    backend.row_form()->write(to.y, rows_);
  } else {
    backend.edit(to, turned(*cells_, turn));
  }
}

std::vector<std::span<std::byte>> HaloParcel::pieces() {
  make();  // of a band that failed, too, which goes on sending
  if (alike()) return {std::as_writable_bytes(std::span(rows_))};
  std::vector<std::span<std::byte>> planes;
  for (int p = 0; p < planes_; p++)
    planes.push_back(std::as_writable_bytes(cells_->plane(p).words()));
  return planes;
}

}  // namespace tessera
