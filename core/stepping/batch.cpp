#include "core/stepping/batch.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;

}  // namespace

std::int64_t batch_bytes(const BatchSpec& spec) {
  if (spec.universes < 1 || spec.universes > kMostUniverses) {
    throw InputError(fmt::format("a batch of {} universes: from 1 to {} are accepted",
                                 spec.universes, kMostUniverses));
  }
  const std::optional<std::int64_t> one = BitGrid::bytes(spec.each.width, spec.each.height);
  const std::int64_t planes = spec.each.rule.planes();
  if (!one || *one > kMostBytes / planes / spec.universes) {
    throw InputError(fmt::format(
        "a batch of {} universes of {}x{} cells is too large: up to 2^46 bytes are accepted",
        spec.universes, spec.each.width, spec.each.height));
  }
  return *one * planes * spec.universes;
}

Batch::Batch(BatchSpec spec, BatchInfo info) : spec_(std::move(spec)), info_(std::move(info)) {
  batch_bytes(spec_);
}

CellGrid Batch::checked(const CellsOf& cells, std::int64_t universe) const {
  CellGrid out = cells(universe);
  const BackendSpec& each = spec_.each;
  if (out.width() != each.width || out.height() != each.height ||
      out.planes() != each.rule.planes()) {
    throw InputError(fmt::format(
        "universe {}: {}x{} cells in {} planes were given, {}x{} cells in {} planes are needed",
        universe, out.width(), out.height(), out.planes(), each.width, each.height,
        each.rule.planes()));
  }
  const int states = each.rule.states();
  if (const int highest = out.highest_state(states); highest != 0) {
    throw InputError(fmt::format("universe {}: a cell has state {}, the rule has {} states",
                                 universe, highest, states));
  }
  return out;
}

void Batch::load(const CellsOf& cells) { do_load(cells); }

void Batch::fill(const Soup& first) {
  if (first.states > spec_.each.rule.states()) {
    throw InputError(fmt::format("a soup of {} states: the rule has {}", first.states,
                                 spec_.each.rule.states()));
  }
  do_fill(first);
}

void Batch::do_fill(const Soup& first) {
  do_load([&](std::int64_t universe) {
    Soup soup = first;
    soup.seed += static_cast<std::uint64_t>(universe);
    const BackendSpec& each = spec_.each;
    return make_soup_cells(soup, each.width, each.height, each.rule.planes());
  });
}

void Batch::step(std::int64_t generations, bool odd) {
  if (generations < 0)
    throw InputError(fmt::format("{} generations: 0 or more are accepted", generations));
  if (generations > 0) do_step(generations, odd);
}

CellGrid Batch::download(std::int64_t universe) {
  if (universe < 0 || universe >= spec_.universes) {
    throw InputError(
        fmt::format("universe {}: 0 to {} are accepted", universe, spec_.universes - 1));
  }
  return do_download(universe);
}

std::vector<Survey> Batch::survey(SurveyParts parts) { return do_survey(parts); }

}  // namespace tessera
