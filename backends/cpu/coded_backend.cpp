#include "backends/cpu/coded_backend.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "core/files/piece_source.h"
#include "core/rules/state_recoder.h"

namespace tessera {
namespace {

// Recodes all words of some grids of one size into others.
template <class From, class To>
void recode_all(const From& from, To& to, const std::vector<std::uint16_t>& values) {
  StateRecoder recoder(values);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, out{};
  for (std::size_t i = 0; i < from.front().words().size(); i++) {
    for (std::size_t p = 0; p < from.size(); p++) in[p] = from[p].words()[i];
    out = {};
    recoder.recode(std::span(in).first(from.size()), std::span(out).first(to.size()));
    for (std::size_t p = 0; p < to.size(); p++) to[p].words()[i] = out[p];
  }
}

StateProgram plain_codes(const Rule& rule) {
  StateProgram plain;
  plain.planes = rule.planes();
  plain.codes.resize(static_cast<std::size_t>(rule.states()));
  std::iota(plain.codes.begin(), plain.codes.end(), std::uint16_t{0});
  return plain;
}

}  // namespace

CodedBackend::CodedBackend(const BackendSpec& spec, BackendInfo info)
    : CodedBackend(spec, std::move(info), plain_codes(spec.rule)) {}

CodedBackend::CodedBackend(const BackendSpec& spec, BackendInfo info, const StateProgram& program)
    : StepBackend(spec, std::move(info)),
      codes_(program.codes),
      states_(states_by_code(program)),
      plane_count_(program.planes) {}

CellGrid CodedBackend::do_download(const Rect& rect) {
  std::vector<BitGrid> own,
      canonical(static_cast<std::size_t>(spec().rule.planes()), BitGrid(rect.width, rect.height));
  for (int p = 0; p < plane_count_; p++) own.push_back(cells_of(p, rect));
  recode_all(own, canonical, states_);
  CellGrid out(rect.width, rect.height, spec().rule.planes());
  for (std::size_t p = 0; p < canonical.size(); p++)
    out.plane(static_cast<int>(p)) = std::move(canonical[p]);
  return out;
}

void CodedBackend::do_edit(const Cell& at, const CellGrid& cells) {
  std::vector<BitGrid> canonical,
      own(static_cast<std::size_t>(plane_count_), BitGrid(cells.width(), cells.height()));
  for (int p = 0; p < cells.planes(); p++) canonical.push_back(cells.plane(p));
  // States that the rule has not were refused.
  std::vector<std::uint16_t> codes = codes_;
  codes.resize(std::size_t{1} << cells.planes());
  recode_all(canonical, own, codes);
  for (int p = 0; p < plane_count_; p++) set_cells(p, at, own[static_cast<std::size_t>(p)]);
}

// No state but 0 has the code 0.
BitGrid CodedBackend::live_cells(const Rect& rect) const {
  BitGrid live = cells_of(0, rect);
  for (int p = 1; p < plane_count_; p++) {
    const BitGrid plane = cells_of(p, rect);
    for (std::size_t i = 0; i < live.words().size(); i++) live.words()[i] |= plane.words()[i];
  }
  return live;
}

void CodedBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  for (std::int64_t py = 0; py < counts.height; py++) {
    const std::int64_t top = py * scale, rows = std::min(scale, rect.height - top);
    const BitGrid live = live_cells({rect.x, rect.y + top, rect.width, rows});
    count_pixel_row(live, {0, 0, rect.width, rows}, scale, counts.row(py));
  }
}

Survey CodedBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                               std::int64_t row0) {
  Survey found;
  // From where a word of the hash begins.
  const std::int64_t left = rect.x % 64;
  const Bands bands({rect.x - left, rect.y, rect.width + left, rect.height});
  for (std::int64_t i = 0; i < bands.count(); i++) {
    const Rect band = bands.at(i), part = band.common(rect);
    const Rect within{part.x - band.x, 0, part.width, part.height};
    const std::int64_t column = column0 + band.x / 64, row = row0 + band.y;
    Survey here = parts.hash ? survey_cells(do_download(band), within, parts, column, row)
                             : survey_cells(live_cells(band), within, parts, column, row);
    if (here.bounds) here.bounds = here.bounds->shifted(band.x, band.y);
    found += here;
  }
  return found;
}

}  // namespace tessera
