#include "core/tiles/state_store.h"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/base/large_pages.h"

namespace tessera {

void StateStore::Free::operator()(std::uint64_t* at) const { ::operator delete[](at, alignment); }

StateStore::StateStore(Count count) : count_(count) {
  make();  // state 0: empty, never given away
  std::fill_n(words(0), kWords, 0);
  written(0, 0);
}

// Memory for the next chunk: alone at first; later for many, in a large page where the system has
// them, because states that are far apart are read one after the other.
void StateStore::add_page() {
  const std::size_t chunks = chunks_.size() < kPerPage ? 1 : kPerPage;
  const std::size_t bytes = chunks == 1 ? kChunkWords * sizeof(std::uint64_t) : kLargePage;
  const std::align_val_t alignment{chunks == 1 ? 64 : kLargePage};
  pages_.reserve(pages_.size() + 1);
  rest_ = static_cast<std::uint64_t*>(::operator new[](bytes, alignment));
  pages_.push_back({rest_, Free{alignment}});
  if (chunks > 1) want_large_pages(rest_, bytes);
  chunks_left_ = chunks;
}

void StateStore::add_chunk() {
  const std::size_t first = chunks_.size() * kPerChunk;
  if (first + kPerChunk > 0xFFFFFFFFu) throw std::length_error("more than 2^32 states of tiles");
  if (chunks_left_ == 0) add_page();
  std::uint64_t* chunk = rest_;
  std::fill_n(chunk, kPad, 0);
  std::fill_n(chunk + kChunkWords - kPad, kPad, 0);
  // Nobody else holds a number twice, so that release() never needs memory.
  if (free_.capacity() < first + kPerChunk) {
    free_.reserve(std::max(first + kPerChunk, free_.capacity() + free_.capacity() / 2));
  }
  users_.resize(first + kPerChunk, 0);
  populations_.resize(first + kPerChunk, kUnknown);
  seen_by_.resize(first + kPerChunk, kAll);
  chunks_.push_back(chunk);
  rest_ += kChunkWords;
  chunks_left_--;
  for (std::size_t i = kPerChunk; i-- > 0;) free_.push_back(static_cast<TileState>(first + i));
}

void StateStore::reserve(std::size_t states, std::size_t lanes) {
  while (!has(states, lanes)) add_chunk();
}

void StateStore::give_back(Lane& lane) {
  const std::lock_guard<std::mutex> guard(lock_);
  free_.insert(free_.end(), lane.free.end() - kHandful, lane.free.end());
  lane.free.resize(lane.free.size() - kHandful);
}

TileState StateStore::make(Lane& lane) {
  if (lane.free.empty()) {
    const std::lock_guard<std::mutex> guard(lock_);
    lane.free.assign(free_.end() - kHandful, free_.end());
    free_.resize(free_.size() - kHandful);
  }
  const TileState state = lane.free.back();
  lane.free.pop_back();
  users_[state] = 1;
  populations_[state] = kUnknown;
  seen_by_[state] = kAll;
  return state;
}

TileState StateStore::put(const TileRows& rows) {
  std::uint64_t any = 0;
  for (const std::uint64_t row : rows) any |= row;
  if (!any) return 0;
  const TileState state = make();
  std::uint64_t* to = words(state);
  for (std::size_t r = 0; r < kTileSide; r++) to[word_of(r)] = rows[r] << kTileMargin;
  return state;
}

void StateStore::get_rows(TileState state, int first, int end, TileRows& rows) const {
  const std::uint64_t* from = words(state);
  for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(end); r++)
    rows[r] = from[word_of(r)] >> kTileMargin;
}

int StateStore::count_cells(const std::uint64_t* words) {
  int cells = 0;
  for (int i = 0; i < kWords; i++) cells += std::popcount(words[i]);
  return cells;
}

int StateStore::population(TileState state) const {
  std::uint16_t& known = populations_[state];
  if (known == kUnknown) {
    known = static_cast<std::uint16_t>(count_(words(state)));
  }
  return known;
}

std::int64_t StateStore::bytes() const {
  return static_cast<std::int64_t>((chunks_.size() + chunks_left_) * kPerChunk *
                                       (kWords * 8 + 4 + 2 + 1) +
                                   free_.capacity() * sizeof(TileState));
}

}  // namespace tessera
