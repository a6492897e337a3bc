#include "backends/cpu/strip_layout.h"

#include <algorithm>

#include "backends/cpu/bit_transpose.h"

namespace tessera {

StripLayout StripLayout::of(const BackendSpec& spec, int lanes, int segments, int generations,
                            StripTenants tenants) {
  StripLayout layout;
  layout.tenants = tenants;
  layout.width = spec.width;
  layout.height = spec.height;
  layout.boundary = spec.boundary;
  layout.lanes = lanes;
  layout.segments = tenants == StripTenants::one ? std::min(segments, lanes) : 1;
  layout.bands = lanes / layout.segments;
  layout.columns = spec.width;
  if (spec.boundary == Boundary::torus && spec.width < layout.strips()) {
    layout.columns = spec.width * ceil_div(layout.strips(), spec.width);
  }
  layout.words = ceil_div(layout.columns, layout.strips());
  layout.long_strips = layout.columns - layout.strips() * (layout.words - 1);
  layout.band_rows = ceil_div(spec.height, layout.bands);
  if (tenants != StripTenants::one) {
    layout.band_rows = spec.height;
    layout.height = spec.height * layout.bands;
  }
  if (tenants == StripTenants::bits) {
    layout.columns = layout.words = spec.width;
    layout.long_strips = layout.strips();
  }
  // A stride that is a multiple of four vectors would map the rows of a group to few sets of the L1
  // cache.
  layout.stride = layout.words + 2;
  if (layout.stride % 4 == 0) layout.stride++;
  // Groups step whole steps of rows, some of which nobody needs.
  layout.margin_top = layout.margin_bottom = generations + kRowStep;
  return layout;
}

RowClosing RowClosing::of(const StripLayout& layout) {
  const bool torus = layout.boundary == Boundary::torus;
  const bool unequal = layout.words > 1 && layout.long_strips < layout.strips();
  const auto with = [&](RowEnds kind) -> RowClosing {
    return {kind, unequal, layout.segments, torus};
  };
  if (layout.tenants == StripTenants::bits)
    return with(torus ? RowEnds::own_torus : RowEnds::own_plane);
  if (layout.segments > 1) return with(RowEnds::lanes);
  return with(torus ? RowEnds::torus : RowEnds::plane);
}

RowSeams::RowSeams(const StripLayout& layout) {
  const bool joined = layout.boundary == Boundary::torus;
  const int segments = layout.segments;
  for (int lane = 0; lane < layout.lanes; lane++) {
    const int band = lane / segments, s = lane % segments;
    previous[lane] = band * segments + (s + segments - 1) % segments;
    following[lane] = band * segments + (s + 1) % segments;
    inner_left[lane] = s > 0 || joined ? 1 : 0;
    inner_right[lane] = s + 1 < segments || joined ? 1 : 0;
    const auto bits = std::clamp<std::int64_t>(layout.long_strips - std::int64_t{64} * s, 0, 64);
    long_strips[lane] = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
  }
}

namespace {

// The row of `rows` at whose end `to` is made in which lanes of vector row `from` can be placed.
MarginRow& margin_row(const StripLayout& layout, int depth, std::int64_t to, std::int64_t from,
                      std::vector<MarginRow>& rows) {
  const bool begun = !rows.empty() && rows.back().to == to;
  if (begun) {
    MarginRow& last = rows.back();
    if (last.from == from || last.other == from) return last;
    if (last.other == last.from) {
      last.other = from;
      return last;
    }
  }
  MarginRow row;
  row.depth = depth, row.to = to;
  // Lanes that are already placed stay: rows of the grid in other bands, and earlier ones.
  const bool keeps = begun || (to >= 0 && to < layout.band_rows);
  row.from = keeps ? to : from;
  row.other = from;
  for (int lane = 0; lane < layout.lanes; lane++) row.lane[lane] = lane;
  row.live.fill(~std::uint64_t{0});
  return rows.emplace_back(row);
}

// Adds to `rows` what vector row `to` must hold in band `band`.
void add_margin(const StripLayout& layout, int depth, std::int64_t to, int band,
                std::vector<MarginRow>& rows) {
  // The rows that surround the band: all of the grid's, or the universe's own.
  const bool own = layout.tenants != StripTenants::one;
  const std::int64_t begin = own ? band * layout.band_rows : 0;
  const std::int64_t height = own ? layout.band_rows : layout.height;
  const std::int64_t row = band * layout.band_rows + to - begin;
  const bool dead = layout.boundary == Boundary::plane && (row < 0 || row >= height);
  const std::int64_t source = begin + floor_mod(row, height);
  const std::int64_t from = source % layout.band_rows;
  MarginRow& margin = margin_row(layout, depth, to, from, rows);
  for (int s = 0; s < layout.segments; s++) {
    const int lane = band * layout.segments + s;
    margin.lane[lane] = source / layout.band_rows * layout.segments + s;
    margin.rest[lane] = margin.from == from ? 0 : 1;
    margin.live[lane] = dead ? 0 : ~std::uint64_t{0};
  }
}

}  // namespace

Margins::Margins(const StripLayout& layout, int generations) {
  const int used = static_cast<int>(ceil_div(layout.height, layout.band_rows));
  const std::int64_t own = layout.height - (used - 1) * layout.band_rows;  // of the last band
  for (std::int64_t y = own; y < layout.band_rows; y++) add_margin(layout, 1, y, used - 1, inside);
  for (int depth = 1; depth <= generations; depth++) {
    for (int band = 0; band < used; band++) {
      add_margin(layout, depth, -depth, band, above);
      add_margin(layout, depth, layout.band_rows + depth - 1, band, below);
    }
  }
}

StripRows::StripRows(const StripLayout& layout)
    : layout_(layout), masks_(static_cast<std::size_t>(layout.words * layout.lanes)) {
  for (int lane = 0; lane < layout.lanes; lane++) {
    for (int b = 0; b < 64; b++) {
      const std::int64_t strip = std::int64_t{64} * (lane % layout.segments) + b;
      const std::int64_t first = layout.first_column(strip);
      // Where a row is laid out several times, the first copy is the grid's.
      const std::int64_t columns = std::min(layout.first_column(strip + 1), layout.width) - first;
      for (std::int64_t j = 0; j < columns; j++) {
        masks_[j * layout.lanes + lane] |= std::uint64_t{1} << b;
      }
    }
  }
}

void StripRows::read(const std::uint64_t* buffer, std::int64_t y, std::uint64_t* row) const {
  const std::int64_t words = layout_.words, canonical = ceil_div(layout_.width, 64);
  const std::int64_t band = y / layout_.band_rows;
  const std::uint64_t* base =
      buffer + layout_.at(y % layout_.band_rows, 0) + band * layout_.segments;
  std::fill_n(row, canonical, 0);
  for (int s = 0; s < layout_.segments; s++) {
    for (std::int64_t j0 = 0; j0 < words; j0 += 64) {
      const int count = static_cast<int>(std::min<std::int64_t>(64, words - j0));
      BitBlock block{};
      for (int j = 0; j < count; j++) {
        const std::int64_t at = (j0 + j) * layout_.lanes;
        block[j] = base[at + s] & masks_[at + band * layout_.segments + s];
      }
      transpose(block);
      for (int b = 0; b < 64; b++) {
        const std::int64_t column = layout_.first_column(std::int64_t{64} * s + b) + j0;
        if (column >= layout_.width) break;
        const int shift = static_cast<int>(column % 64);
        row[column / 64] |= block[b] << shift;
        const std::uint64_t high = shift == 0 ? 0 : block[b] >> (64 - shift);
        if (high != 0) row[column / 64 + 1] |= high;
      }
    }
  }
}

void StripRows::write(std::uint64_t* buffer, std::int64_t y, const std::uint64_t* row) const {
  if (layout_.columns == layout_.width) {
    write_columns(buffer, y, row);
    return;
  }
  std::vector<std::uint64_t> copies(static_cast<std::size_t>(ceil_div(layout_.columns, 64)));
  for (std::int64_t column = 0; column < layout_.columns; column++) {
    const std::int64_t from = column % layout_.width;
    copies[column / 64] |= (row[from / 64] >> from % 64 & 1) << column % 64;
  }
  write_columns(buffer, y, copies.data());
}

void StripRows::write_columns(std::uint64_t* buffer, std::int64_t y,
                              const std::uint64_t* columns) const {
  const std::int64_t words = layout_.words, canonical = ceil_div(layout_.columns, 64);
  const std::int64_t band = y / layout_.band_rows;
  std::uint64_t* base = buffer + layout_.at(y % layout_.band_rows, 0) + band * layout_.segments;
  for (int s = 0; s < layout_.segments; s++) {
    for (std::int64_t j0 = 0; j0 < words; j0 += 64) {
      const int count = static_cast<int>(std::min<std::int64_t>(64, words - j0));
      BitBlock block{};
      for (int b = 0; b < 64; b++) {
        // A shorter strip takes one column too many, which is where it belongs.
        const std::int64_t column = layout_.first_column(std::int64_t{64} * s + b) + j0;
        if (column >= layout_.columns) break;
        const std::int64_t i = column / 64;
        const int shift = static_cast<int>(column % 64);
        block[b] = columns[i] >> shift;
        if (shift != 0 && i + 1 < canonical) block[b] |= columns[i + 1] << (64 - shift);
      }
      transpose(block);
      for (int j = 0; j < count; j++) base[(j0 + j) * layout_.lanes + s] = block[j];
    }
  }
}

}  // namespace tessera
