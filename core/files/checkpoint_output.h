#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/checkpoint_format.h"
#include "core/files/checkpoint_shards.h"
#include "core/files/piece_source.h"

namespace tessera {

/// A file of a checkpoint on its way out, section by section. Throws FileError; without `end` the
/// old file stays as it was.
class CheckpointOutput {
 public:
  /// Writes the header, a JSON text. All pieces lie in `extent` and have so many bit planes.
  CheckpointOutput(const std::string& path, const std::string& header, const Rect& extent,
                   int planes);

  /// Adds a piece; dead ones are left out, because what no piece covers is dead. Throws InputError
  /// for one that does not lie in the extent, or of other planes.
  void add(const Piece& piece);
  /// Names the files that hold further pieces; before any piece, and once at most.
  void add(const std::vector<Shard>& shards);
  /// Writes what ends the file, puts it in its place, and returns its last checksum.
  std::uint64_t end(OldFile old_file);

 private:
  void write(const void* data, std::size_t bytes);
  template <class Unsigned>
  void write_number(Unsigned value);
  void begin_section(std::string_view type, std::size_t bytes);
  std::uint64_t write_checksum();
  void add_band(const Rect& band, const CellGrid& cells);
  void flush();
  void write_plane(std::size_t plane);

  AtomicFile file_;
  std::string name_;
  Rect extent_;
  Checksum checksum_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<std::vector<std::uint64_t>> words_;  // of each plane, until they fill a section
  std::vector<char> frame_;
  std::uint64_t pieces_ = 0;
};

}  // namespace tessera
