#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/tiles/tile_store.h"

namespace tessera {

/// Memory of tiles' states in the order of the window kernel, counted. A state is 48 words: word
/// 6 j + i is row 8 i + j of the tile, its columns in bits 8 .. 55, so that vector j of a window
/// takes its own rows from six words in a row.
class StateStore final : public TileStore {
 public:
  static constexpr int kWords = 48;
  /// Where row r of a tile is among them.
  static constexpr std::size_t word_of(std::size_t r) { return 6 * (r % 8) + r / 8; }

  /// Live cells of the kWords words of a state.
  using Count = int (*)(const std::uint64_t* words);
  static int count_cells(const std::uint64_t* words);

  /// `count`: a faster one with the same results, where there is one.
  explicit StateStore(Count count = count_cells);

  std::uint64_t* words(TileState state) {
    return chunks_[state / kPerChunk] + kPad + (state % kPerChunk) * kWords;
  }
  const std::uint64_t* words(TileState state) const {
    return chunks_[state / kPerChunk] + kPad + (state % kPerChunk) * kWords;
  }

  /// Free states of one thread, so that threads need not wait for each other. Several threads may
  /// make and release states of different tiles at a time, each with a lane of its own.
  struct Lane {
    Lane() { free.reserve(2 * kHandful); }
    std::vector<TileState> free;
  };

  /// Makes sure that `lanes` threads can make `states` states between them without memory; throws
  /// std::bad_alloc and std::length_error, and nothing has changed then. One thread alone.
  void reserve(std::size_t states, std::size_t lanes);
  /// Whether so many can be made without memory.
  bool has(std::size_t states, std::size_t lanes) const {
    return free_.size() >= states + lanes * kHandful;
  }
  /// Numbers of states are below this, those to be made without memory, too.
  std::size_t end() const { return users_.size(); }
  /// A state of undefined cells, held once. Without a lane: one thread alone.
  TileState make(Lane& lane);
  TileState make() {
    reserve(1, 1);
    return make(lane_);
  }
  TileState put(const TileRows& rows) override;
  void get(TileState state, TileRows& rows) const override { get_rows(state, 0, kTileSide, rows); }
  void get_rows(TileState state, int first, int end, TileRows& rows) const override;
  void hold(TileState state) override {
    if (state) users_[state]++;
  }
  void release(TileState state, Lane& lane) {
    if (!state || --users_[state] > 0) return;
    if (lane.free.size() == 2 * kHandful) give_back(lane);
    lane.free.push_back(state);
  }
  void release(TileState state) override { release(state, lane_); }
  /// True when nobody else holds it, so that it may be written anew.
  bool alone(TileState state) const { return users_[state] == 1; }
  /// True when the only one who holds a state may write another one in its place.
  bool rewritable(TileState state) const { return state != 0 && alone(state); }
  /// To be called when the words of a state were written: `seen_by` are the neighbours that see
  /// live cells of it.
  void written(TileState state, std::uint32_t seen_by) {
    // Only where it is not so already: other threads have the same cache lines.
    if (populations_[state] != kUnknown) populations_[state] = kUnknown;
    const auto ways = static_cast<std::uint8_t>(seen_by);
    if (seen_by_[state] != ways) seen_by_[state] = ways;
  }

  int population(TileState state) const override;

  /// The neighbours that may see live cells of a state, bit d for way d: those within kTileMargin
  /// cells of them. All, until somebody says more.
  std::uint32_t seen_by(TileState state) const { return seen_by_[state]; }

  std::int64_t bytes() const override;

 private:
  Count count_;
  // Vectors read up to seven words before and behind a state and drop them.
  static constexpr std::size_t kPad = 8;
  static constexpr std::size_t kPerChunk = 256;
  static constexpr std::uint16_t kUnknown = 0xFFFF;
  static constexpr std::uint8_t kAll = 0xFF;

  static constexpr std::size_t kChunkWords = kPerChunk * kWords + 2 * kPad;
  // As many chunks as fill a large page, which they are put into as soon as there are as many.
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;
  static constexpr std::size_t kPerPage = kLargePage / (kChunkWords * sizeof(std::uint64_t));

  struct Free {
    std::align_val_t alignment;
    void operator()(std::uint64_t* at) const;
  };

  // States that move between a lane and the common ones at a time.
  static constexpr std::size_t kHandful = 64;

  void add_page();
  void add_chunk();
  void give_back(Lane& lane);

  std::vector<std::unique_ptr<std::uint64_t[], Free>> pages_;
  std::uint64_t* rest_ = nullptr;  // what no chunk has taken of the last page
  std::size_t chunks_left_ = 0;    // there
  std::vector<std::uint64_t*> chunks_;
  std::vector<std::uint32_t> users_;
  mutable std::vector<std::uint16_t> populations_;
  std::vector<std::uint8_t> seen_by_;
  std::mutex lock_;  // of free_
  std::vector<TileState> free_;
  Lane lane_;  // of who has none
};

}  // namespace tessera
