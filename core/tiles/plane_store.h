#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tiles/state_planes.h"
#include "core/tiles/state_store.h"

namespace tessera {

/// States of tiles whose cells have several bit planes, those of their states.
class PlaneStore final : public TileStore {
 public:
  /// `planes`: 2 .. kMostTilePlanes.
  explicit PlaneStore(int planes);

  int planes() const override { return planes_; }
  TileState put(const TileRows& rows) override;
  TileState put_planes(std::span<const TileRows> planes) override;
  void get(TileState state, TileRows& rows) const override { live_.get(state, rows); }
  void get_planes(TileState state, std::span<TileRows> planes) const override;
  void get_rows(TileState state, int first, int end, TileRows& rows) const override {
    live_.get_rows(state, first, end, rows);
  }
  int population(TileState state) const override { return live_.population(state); }
  void hold(TileState state) override { live_.hold(state); }
  void release(TileState state) override { live_.release(state); }
  std::int64_t bytes_per_state() const override { return (1 + planes_) * kTileSide * 8; }
  std::int64_t bytes() const override { return live_.bytes() + cells_.bytes(); }

 private:
  int planes_;
  StateStore live_;  // cells of any state but 0
  StatePlanes cells_;
};

}  // namespace tessera
