#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/files/checkpoint.h"

namespace tessera::test {

/// A whole checkpoint, held in memory.
struct Saved {
  CheckpointInfo info;
  Rect extent;
  std::vector<Piece> pieces;
};

inline bool operator==(const Saved& a, const Saved& b) {
  const auto same = [](const Piece& p, const Piece& q) {
    return p.at == q.at && p.cells == q.cells;
  };
  return a.info == b.info && a.extent == b.extent &&
         std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(), same);
}

inline Saved read_saved(const std::string& path, std::int64_t max_memory = 0) {
  CheckpointReader reader(path, max_memory);
  Saved out{reader.info(), reader.extent(), {}};
  while (std::optional<Piece> piece = reader.next()) out.pieces.push_back(*std::move(piece));
  return out;
}

inline void write_saved(const std::string& path, const Saved& saved) {
  PieceList pieces(saved.extent, saved.pieces);
  write_checkpoint(path, saved.info, pieces);
}

}  // namespace tessera::test
