#include "apps/measure/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "apps/measure/state_text.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "core/pictures/cell_counts.h"
#include "core/spaces/space_choice.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"

namespace tessera {
namespace {

std::string text_of(const std::optional<Bounds>& box) {
  return box ? fmt::format("[{}, {}, {}, {}]", box->xmin, box->ymin, box->xmax, box->ymax) : "none";
}

// A window somewhere inside `all`, another for every generation.
Rect sample_rect(const Rect& all, std::uint64_t seed) {
  const auto pick = [&](std::uint64_t salt, std::int64_t n) {
    return static_cast<std::int64_t>(mix64(seed * 4 + salt) % static_cast<std::uint64_t>(n));
  };
  const std::int64_t x = pick(0, all.width), y = pick(1, all.height);
  return {all.x + x, all.y + y, 1 + pick(2, all.width - x), 1 + pick(3, all.height - y)};
}

// Compares a universe with one state; the first difference, or nothing.
class Comparison {
 public:
  Comparison(Universe& universe, const VerifyState& state) : universe_(universe), state_(state) {}

  std::optional<std::string> first_difference(std::uint64_t seed) {
    const Rect all{state_.origin.x, state_.origin.y, state_.cells.width(), state_.cells.height()};
    if (const auto message = compare_cells(all, state_.cells)) return message;
    if (const auto message = compare_survey()) return message;
    const Rect part = sample_rect(all, seed);
    const Rect inside{part.x - all.x, part.y - all.y, part.width, part.height};
    if (const auto message = compare_cells(part, state_.cells.window(inside))) return message;
    return compare_view(all, seed);
  }

 private:
  std::optional<std::string> compare_survey() {
    const Survey got = universe_.survey();
    Survey wanted = expected();
    if (wanted.bounds) wanted.bounds = wanted.bounds->shifted(state_.origin.x, state_.origin.y);
    if (got.population != wanted.population) {
      return fmt::format("the population is {}, the reference says {}", got.population,
                         wanted.population);
    }
    if (got.bounds != wanted.bounds) {
      return fmt::format("the bounds are {}, the reference says {}", text_of(got.bounds),
                         text_of(wanted.bounds));
    }
    if (got.hash == wanted.hash) return std::nullopt;
    return fmt::format("the hash is {}, the reference says {}", hash_text(got.hash),
                       hash_text(wanted.hash));
  }

  std::optional<std::string> compare_cells(const Rect& rect, const CellGrid& wanted) {
    const CellGrid got = universe_.window(rect);
    if (got == wanted) return std::nullopt;
    for (std::int64_t y = 0; y < rect.height; y++) {
      for (std::int64_t x = 0; x < rect.width; x++) {
        if (got.state(x, y) == wanted.state(x, y)) continue;
        return fmt::format("cell ({}, {}) is {}, the reference says {}", rect.x + x, rect.y + y,
                           shown(got.state(x, y)), shown(wanted.state(x, y)));
      }
    }
    return fmt::format("the window {}x{} at ({}, {}) has bits beyond its width", rect.width,
                       rect.height, rect.x, rect.y);
  }

  // Words begin at multiples of 64 from the universe's corner or cell (0, 0), the reference's grid
  // wherever the case lies.
  Survey expected() const {
    const CellGrid& cells = state_.cells;
    const Cell corner = universe_.spec().origin();
    const std::int64_t x = state_.origin.x - corner.x, y = state_.origin.y - corner.y;
    const std::int64_t shift = floor_mod(x, 64);
    CellGrid aligned(cells.width() + shift, cells.height(), cells.planes());
    aligned.paste(shift, 0, cells);
    Survey found{cells.population(), cells.bounds(), 0};
    for (int p = 0; p < cells.planes(); p++) {
      found.hash += state_hash(aligned.plane(p), floor_div(x, 64), y, p);
    }
    return found;
  }

  std::string shown(int state) const { return state_text(state, universe_.spec().rule.states()); }

  std::optional<std::string> compare_view(const Rect& all, std::uint64_t seed) {
    const Rect rect = sample_rect(all, seed + 1);
    const std::int64_t scale = 1 + static_cast<std::int64_t>(mix64(seed) % 70);
    DensityImage got, wanted;
    universe_.look({rect, scale}, got);
    reduce_density(state_.cells.live(), {rect.x - all.x, rect.y - all.y, rect.width, rect.height},
                   scale, wanted);
    if (got == wanted) return std::nullopt;
    const auto differs = std::mismatch(got.pixels.begin(), got.pixels.end(), wanted.pixels.begin(),
                                       wanted.pixels.end());
    const std::int64_t index = differs.first - got.pixels.begin();
    return fmt::format("the view of {}x{} cells at ({}, {}) by {} differs at pixel ({}, {})",
                       rect.width, rect.height, rect.x, rect.y, scale, index % wanted.width,
                       index / wanted.width);
  }

  Universe& universe_;
  const VerifyState& state_;
};

// The soup of an edit, as both sides draw it.
CellGrid edit_cells(const VerifyEdit& edit, const Rule& rule) {
  return make_soup_cells(edit.soup, edit.rect.width, edit.rect.height, rule.planes());
}

Universe start(const VerifyCase& trial, const BackendFactory& factory, SpaceChoice space) {
  Universe universe(trial.rule, factory, 0, space);
  if (trial.rule.bounded()) {
    universe.fill(trial.soup);
  } else {
    universe.load(make_soup_cells(trial.soup, trial.patch.width, trial.patch.height,
                                  trial.rule.rule.planes()),
                  {trial.patch.x, trial.patch.y});
  }
  return universe;
}

// The case with the cells held in one way.
VerifyResult run_in(const VerifyCase& trial, const std::vector<VerifyState>& expected,
                    const BackendFactory& factory, SpaceChoice space) {
  using Kind = VerifyResult::Kind;
  std::int64_t generation = 0;
  bool tiles = false;
  const auto failed = [&](const std::string& why) {
    return VerifyResult{Kind::failed, fmt::format("generation {}: {}{}", generation, why,
                                                  tiles ? ", in tiles" : "")};
  };
  try {
    Universe universe = start(trial, factory, space);
    tiles = universe.space() == std::string_view("tiles");
    for (std::size_t call = 0;; call++) {
      const std::uint64_t seed = mix64(trial.seed + call);
      if (const auto message = Comparison(universe, expected.at(call)).first_difference(seed)) {
        return failed(*message);
      }
      if (call == trial.steps.size()) return {};
      universe.step(trial.steps[call]);
      generation += trial.steps[call];
      if (call == 0 && trial.edit) {
        const Rect& rect = trial.edit->rect;
        universe.edit({rect.x, rect.y}, edit_cells(*trial.edit, trial.rule.rule));
      }
    }
  } catch (const UnsupportedError& error) {
    return {Kind::skipped, error.what()};
  } catch (const MemoryLimitError& error) {
    return {Kind::skipped, error.what()};
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace

std::vector<VerifyState> expected_states(const VerifyCase& trial, const BackendFactory& reference) {
  const Rect soup = trial.soup_rect();
  const Cell margin = trial.margin();
  const Cell origin{soup.x - margin.x, soup.y - margin.y};
  const std::unique_ptr<StepBackend> judge =
      reference(backend_spec(trial.rule, soup.width + 2 * margin.x, soup.height + 2 * margin.y));
  judge->edit(margin,
              make_soup_cells(trial.soup, soup.width, soup.height, trial.rule.rule.planes()));

  std::vector<VerifyState> states;
  states.push_back({0, origin, judge->download()});
  std::int64_t generation = 0;
  for (std::size_t call = 0; call < trial.steps.size(); call++) {
    judge->step(trial.steps[call], generation % 2 != 0);
    generation += trial.steps[call];
    if (call == 0 && trial.edit) {
      judge->edit({trial.edit->rect.x - origin.x, trial.edit->rect.y - origin.y},
                  edit_cells(*trial.edit, trial.rule.rule));
    }
    states.push_back({generation, origin, judge->download()});
  }
  return states;
}

VerifyResult run_case(const VerifyCase& trial, const std::vector<VerifyState>& expected,
                      const BackendFactory& factory) {
  const VerifyResult result = run_in(trial, expected, factory, SpaceChoice::automatic);
  if (result.kind != VerifyResult::Kind::passed || !has_tiles(trial.rule, factory, 0))
    return result;
  const bool bounded = trial.rule.bounded();
  return run_in(trial, expected, factory, bounded ? SpaceChoice::tiles : SpaceChoice::grid);
}

std::string without_numbers(const std::string& reason) {
  std::string out;
  for (const char c : reason) {
    if (c < '0' || c > '9') {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

}  // namespace tessera
