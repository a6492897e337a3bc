#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "backends/drivers.h"
#include "core/cells/cell_grid.h"
#include "core/pattern_io.h"
#include "core/universe.h"
#include "tests/tiles/random_lives.h"

namespace tessera::test {

/// A universe, and the same as one grid.
class UniversePair {
 public:
  explicit UniversePair(Universe subject, const char* kernel = "reference")
      : subject_(std::move(subject)),
        grid_(subject_.spec(), make_factory("cpu", kernel, {}), 0, SpaceChoice::grid) {}

  void place(const char* rle, const Cell& at) { place(parse_pattern(rle, "drawn.rle"), at); }
  void place(Pattern pattern, const Cell& at) {
    pattern.position = at;
    subject_.place(pattern);
    grid_.place(pattern);
  }
  void edit(const Cell& at, const CellGrid& cells) {
    subject_.edit(at, cells);
    grid_.edit(at, cells);
  }
  void fill(const Soup& soup) {
    subject_.fill(soup);
    grid_.fill(soup);
  }
  void set_generation(std::int64_t generation) {
    subject_.set_generation(generation);
    grid_.set_generation(generation);
  }
  void clear() {
    subject_.clear();
    grid_.clear();
  }
  void step(std::int64_t generations) {
    subject_.step(generations);
    grid_.step(generations);
  }
  /// Empty when they are equal in all that can be asked.
  std::string difference() {
    const SurveyParts parts{.population = true, .bounds = true};  // nothing has come home yet
    if (subject_.survey(parts) != grid_.survey(parts)) return "parts of surveys differ";
    const Rect all = grid_.extent();
    if (subject_.window(all) != grid_.window(all)) return "cells differ";
    if (subject_.survey() != grid_.survey()) return "surveys differ";
    if (subject_.generation() != grid_.generation()) return "generations differ";
    return "";
  }
  std::string difference_within(const Rect& rect, std::int64_t scale) {
    if (subject_.window(rect) != grid_.window(rect)) return "windows differ";
    DensityImage a, b;
    for (const bool wrapped : {false, true}) {
      subject_.look({rect, scale, wrapped}, a);
      grid_.look({rect, scale, wrapped}, b);
      if (a != b) return "pictures differ";
    }
    return "";
  }
  Universe& subject() { return subject_; }

 private:
  Universe subject_;
  Universe grid_;
};

/// Every kind of remainder that tiles and words leave.
inline std::int64_t random_side(Random& random) {
  switch (random() % 6) {
    case 0:
      return draw(random, 1, 4);
    case 1:
      return 48 * draw(random, 1, 4) + draw(random, -1, 1);
    case 2:
      return 48 * draw(random, 1, 3) + draw(random, 0, 9);  // a narrow last tile
    case 3:
      return 64 * draw(random, 1, 3) + draw(random, -1, 1);
    default:
      return draw(random, 5, 200);
  }
}

/// A torus or a bounded plane.
inline RuleSpec random_bounded(Random& random, Variety variety) {
  RuleSpec spec;
  spec.rule = random_rule(random, variety);
  spec.topology = random() % 2 ? Topology::torus : Topology::plane;
  spec.width = random_side(random);
  spec.height = random_side(random);
  return spec;
}

/// One random life of `subject` beside a grid, edits in between, most of them within `all`;
/// described for whoever must find out why it differs, or empty.
inline std::string random_life(Random& random, Universe subject, const Rect& all,
                               std::int64_t left) {
  std::string told = to_string(subject.spec());
  UniversePair pair(std::move(subject), random() % 4 == 0 ? "reference" : "word");
  const auto inside = [&](std::int64_t width, std::int64_t height) {
    return Cell{all.x + draw(random, 0, all.width - width),
                all.y + draw(random, 0, all.height - height)};
  };
  const std::int64_t habit = draw(random, 1, 20);
  const bool has_habit = random() % 3 == 0;
  for (int act = static_cast<int>(draw(random, 2, 6)); act > 0 && left > 0; act--) {
    for (std::int64_t n = draw(random, 1, 3); n > 0; n--) {
      BitGrid cells = random_cells(random, 60);
      const std::int64_t width = std::min(cells.width(), all.width);
      const std::int64_t height = std::min(cells.height(), all.height);
      if (random() % 2) {
        pair.edit(inside(width, height), cells.window({0, 0, width, height}));
      } else if (all.width > 20 && all.height > 10) {
        pair.place(kThings[random() % std::size(kThings)], inside(20, 10));
      }
    }
    const std::int64_t most = random() % 3 == 0 ? left / 2 : 30;
    for (int n = has_habit ? 4 : 1; n > 0 && left > 0; n--) {
      const std::int64_t generations =
          std::min(left, has_habit ? habit : draw(random, 1, most + 1));
      pair.step(generations);
      left -= generations;
      told += " +" + std::to_string(generations);
      if (const std::string wrong = pair.difference(); !wrong.empty()) return told + ": " + wrong;
      const Rect window{all.x + draw(random, -150, 100), all.y + draw(random, -150, 100),
                        draw(random, 1, 250), draw(random, 1, 250)};
      const std::string wrong = pair.difference_within(window, draw(random, 1, 60));
      if (!wrong.empty()) return told + ": " + wrong;
    }
  }
  return "";
}

/// The same in a random torus or plane that `make` makes.
template <class Make>
std::string random_bounded_life(std::uint64_t seed, const Make& make,
                                Variety variety = Variety::any) {
  Random random(seed);
  const RuleSpec spec = random_bounded(random, variety);
  const Rect all{spec.origin().x, spec.origin().y, spec.width, spec.height};
  const std::string wrong = random_life(random, make(spec), all, 300);
  return wrong.empty() ? "" : "seed " + std::to_string(seed) + " " + wrong;
}

}  // namespace tessera::test
