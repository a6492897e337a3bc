// Part of tile_kernel.cpp, compiled for each instruction set: the generations of a step.

// A step of fewer generations is not worth a look at what moves.
constexpr int kWorthBand = 4;

template <bool kLife>
TESSERA_INLINE void step_window(Window& w, int generations, const RuleFunctions& rule) {
  const Outside<Vec> outside = unknown_outside();
  int done = 0;
  if (generations >= kWorthBand) {
    Changes changes;
    generation<kLife>(w, outside, rule, changes);
    const Groups groups = moving(changes);
    if (groups.last < groups.first) return;  // and so it stays
    // Other rules have so much code that one size of bands is enough.
    if constexpr (kLife) {
      if (step_band<true, Narrow, kNarrowParts>(w, groups, generations, rule)) return;
    }
    if (step_band<kLife, Vec, kParts>(w, groups, generations, rule)) return;
    done = 1;
  }
  for (; done < generations; done++) generation<kLife>(w, outside, rule);
}

// The same at the edge of a bounded plane: what is born beyond it dies at once.
template <bool kLife>
HWY_NOINLINE void step_masked(Window& w, int generations, const RuleFunctions& rule,
                              const WindowMask& mask) {
  for (int g = 0; g < generations; g++) {
    generation<kLife>(w, unknown_outside(), rule);
    for (int j = 0; j < 8; j++) {
      for (int p = 0; p < kParts; p++) {
        w.v[j][p] = hn::And(w.v[j][p], hn::Load(Tag(), mask.rows + 8 * j + p * kLanes));
      }
    }
  }
}

struct WholeWindow : WindowMask {
  constexpr WholeWindow() : WindowMask() {
    for (std::uint64_t& row : rows) row = ~std::uint64_t{0};
  }
};
constexpr WholeWindow kWholeWindow;

// Steps a tile's window.
template <bool kLife>
TESSERA_INLINE void step_tile(Window& w, const TileVisit& v, const Tile& tile,
                              const RuleFunctions& rule) {
  if (tile.frame) {
    Window cut = w;  // a copy in memory, so that others need none
    step_masked<kLife>(cut, v.generations, rule, v.masks[tile.frame]);
    w = cut;
  } else {
    step_window<kLife>(w, v.generations, rule);
  }
}
