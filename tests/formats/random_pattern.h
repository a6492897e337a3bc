#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "core/patterns/pattern.h"

namespace tessera::test {

/// Patterns of all kinds for tests: empty, dense, sparse, with and without everything that files
/// can say.
class RandomPatterns {
 public:
  explicit RandomPatterns(std::uint64_t seed) : random_(seed) {}

  Pattern next() {
    Pattern p;
    const std::int64_t width = below(8) == 0 ? below(300) : below(40);
    const std::int64_t height = below(30);
    const std::int64_t change = below(5) == 0 ? 30 : 1 + below(4);
    for (std::int64_t y = 0; y < height; y++) {
      bool alive = below(2);
      for (std::int64_t x = 0; x < width; x++) {
        if (below(change) == 0) alive = !alive;
        if (alive && below(20) != 0) p.cells.append(x, y, 1);
      }
    }
    if (below(2)) {
      p.width = width + below(5);
      p.height = height + below(5);
    }
    fit_box(p);
    if (below(2)) p.position = Cell{far(), far()};
    if (below(2)) p.generation = far() & INT64_MAX;
    if (below(3)) p.rule = rule();
    if (below(2)) p.name = title();
    if (below(2)) p.author = title();
    for (std::int64_t i = below(2) ? below(5) : 0; i > 0; i--) p.comments.push_back(comment());
    return p;
  }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

 private:
  // Near and far from 0, within the limits of positions.
  std::int64_t far() {
    const auto value = static_cast<std::int64_t>(random_() >> (3 + below(60)));
    return below(2) ? value : -value;
  }

  RuleSpec rule() {
    RuleSpec spec;
    spec.topology = static_cast<Topology>(below(7));
    spec.rule.birth = static_cast<std::uint16_t>(below(512));
    spec.rule.survival = static_cast<std::uint16_t>(below(512));
    if (below(4) == 0) {
      constexpr const char* kOther[] = {
          "B2-a/S12", "B3/S2-i34q", "B2/S34H", "B13/S13V", "W110", "MAPHmlphg",
          // Life
          ("MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGi"
           "A6ICAAIAAaIDogIAAgACAAIAAAAAAAA")};
      spec.rule = parse_rule(kOther[below(std::ssize(kOther))]);
    }
    if (spec.has_edges()) {
      spec.width = 1 + below(spec.rule.has_b0() ? 3 : kMaxSide);
      spec.height = 1 + below(1000);
      add_edges(spec);
      const bool plain = spec.topology == Topology::torus || spec.topology == Topology::plane;
      if (plain && !spec.rule.has_b0() && below(6) == 0)
        (below(2) == 0 ? spec.width : spec.height) = 0;
    } else if (below(3) == 0) {
      spec.rule = kLife;
    }
    return spec;
  }

  // What belongs to shifted and twisted edges.
  void add_edges(RuleSpec& spec) {
    if (spec.topology == Topology::sphere) spec.width = spec.height;
    const bool shifted = spec.topology == Topology::shifted_torus;
    if (!shifted && spec.topology != Topology::klein_bottle) return;
    spec.seam.vertical = below(2) == 0;
    const std::int64_t side = spec.seam.vertical ? spec.height : spec.width;
    spec.seam.shift = shifted ? below(side) : side % 2 == 0 ? below(2) : 0;
    if (!shifted) return;
    if (below(2) == 0) spec.seam.shift = -spec.seam.shift;
    if (spec.seam.shift == 0) spec = {spec.rule, Topology::torus, spec.width, spec.height};
  }

  std::string characters(std::string_view from) {
    std::string text;
    for (std::int64_t i = below(12); i > 0; i--) {
      text += from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
    }
    return text;
  }

  // No spaces at either end.
  std::string title() {
    std::string text(1, 'A');
    text += characters("abc #!:$.*\xc3\xa9\t,=0");
    text += '.';
    return text;
  }

  // What could be taken for something else among them.
  std::string comment() {
    static constexpr std::string_view kStarts[] = {"",
                                                   " ",
                                                   "Name:",
                                                   "Name: x",
                                                   "Author: y",
                                                   "Generation: 5",
                                                   "Rule: B3/S23",
                                                   "Position: 1 2",
                                                   "#",
                                                   "!",
                                                   "C",
                                                   "N x",
                                                   "XRLE Pos=1,2",
                                                   "x = 3, y = 3"};
    return std::string(kStarts[below(std::ssize(kStarts))]) +
           characters(" ab#!CDNOPRr:.*o$\t\x01\x1b=0123");
  }

  std::mt19937_64 random_;
};

}  // namespace tessera::test
