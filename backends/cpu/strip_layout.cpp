#include "backends/cpu/strip_layout.h"

#include <algorithm>

#include "backends/cpu/bit_transpose.h"

namespace tessera {

StripLayout StripLayout::of(const BackendSpec& spec, int lanes, int segments, int generations) {
  StripLayout layout;
  layout.width = spec.width;
  layout.height = spec.height;
  layout.boundary = spec.boundary;
  layout.lanes = lanes;
  layout.segments = std::min(segments, lanes);
  layout.bands = lanes / layout.segments;
  layout.words = ceil_div(spec.width, 64 * layout.segments);
  layout.band_rows = ceil_div(spec.height, layout.bands);
  // A stride that is a multiple of four vectors would put the rows of a group into few sets of the
  // L1 cache.
  layout.stride = layout.words + 2;
  if (layout.stride % 4 == 0) layout.stride++;
  layout.margin_top = generations;
  layout.margin_bottom = generations + kRowStep;
  return layout;
}

RowSeams::RowSeams(const StripLayout& layout) {
  const bool torus = layout.boundary == Boundary::torus;
  const std::int64_t strips = 64 * layout.segments;
  const std::int64_t last_strip = (layout.width - 1) / layout.words;
  const std::int64_t padding_strip = layout.width / layout.words;
  last_word = (layout.width - 1) % layout.words;
  last_bit = static_cast<int>(last_strip % 64);
  has_padding = layout.width < strips * layout.words;
  padding_word = has_padding ? layout.width % layout.words : 0;
  padding_bit = static_cast<int>(padding_strip % 64);
  const int segments = layout.segments;
  for (int lane = 0; lane < layout.lanes; lane++) {
    const int band = lane / segments, s = lane % segments;
    previous[lane] = band * segments + (s + segments - 1) % segments;
    following[lane] = band * segments + (s + 1) % segments;
    last_column[lane] = band * segments + static_cast<int>(last_strip / 64);
    first_column[lane] = band * segments;
    // Without padding the last strip meets the first one; with padding, column `width` is in the
    // row itself, and column width-1 is left of the first strip.
    const bool joined = torus && !has_padding;
    inner_left[lane] = s > 0 || joined ? 1 : 0;
    inner_right[lane] = s + 1 < segments || joined ? 1 : 0;
    padding[lane] = has_padding && s == padding_strip / 64 ? std::uint64_t{1} << padding_bit : 0;
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
  // What is there already stays: rows of the grid in other bands, and lanes placed before.
  const bool keeps = begun || (to >= 0 && to < layout.band_rows);
  row.from = keeps ? to : from;
  row.other = from;
  for (int lane = 0; lane < layout.lanes; lane++) row.lane[lane] = lane;
  row.live.fill(~std::uint64_t{0});
  return rows.emplace_back(row);
}

// Adds to `rows` that vector row `to` holds in band `band` what belongs there.
void add_margin(const StripLayout& layout, int depth, std::int64_t to, int band,
                std::vector<MarginRow>& rows) {
  const std::int64_t row = band * layout.band_rows + to;
  const bool dead = layout.boundary == Boundary::plane && (row < 0 || row >= layout.height);
  const std::int64_t source = floor_mod(row, layout.height);
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
  for (std::int64_t j = 0; j < layout.words; j++) {
    // Strips that have a cell in this word.
    const std::int64_t strips = j < layout.width ? ceil_div(layout.width - j, layout.words) : 0;
    for (int lane = 0; lane < layout.lanes; lane++) {
      const std::int64_t used =
          std::clamp<std::int64_t>(strips - 64 * (lane % layout.segments), 0, 64);
      masks_[j * layout.lanes + lane] = used == 0 ? 0 : ~std::uint64_t{0} >> (64 - used);
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
        const std::int64_t column = (64 * s + b) * words + j0;
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
  const std::int64_t words = layout_.words, canonical = ceil_div(layout_.width, 64);
  const std::int64_t band = y / layout_.band_rows;
  std::uint64_t* base = buffer + layout_.at(y % layout_.band_rows, 0) + band * layout_.segments;
  for (int s = 0; s < layout_.segments; s++) {
    for (std::int64_t j0 = 0; j0 < words; j0 += 64) {
      const int count = static_cast<int>(std::min<std::int64_t>(64, words - j0));
      BitBlock block{};
      for (int b = 0; b < 64; b++) {
        const std::int64_t column = (64 * s + b) * words + j0;
        if (column >= layout_.width) break;
        const std::int64_t i = column / 64;
        const int shift = static_cast<int>(column % 64);
        block[b] = row[i] >> shift;
        if (shift != 0 && i + 1 < canonical) block[b] |= row[i + 1] << (64 - shift);
      }
      transpose(block);
      for (int j = 0; j < count; j++) base[(j0 + j) * layout_.lanes + s] = block[j];
    }
  }
}

}  // namespace tessera
