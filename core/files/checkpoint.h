#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/files/piece_source.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// What a checkpoint says besides its cells.
struct CheckpointInfo {
  RuleSpec rule;
  std::int64_t generation = 0;
  /// Where the cells came from, for reports: a path or a soup's description.
  std::string source;
  /// Generation at which the simulation began, 0 .. generation; runs count and sample from it.
  std::int64_t start_generation = 0;
  /// Box around the live cells at that generation, so that a window chosen by it can be chosen
  /// again.
  std::optional<Bounds> start_bounds;

  bool operator==(const CheckpointInfo&) const = default;
};

/// Writes a checkpoint of `cells`: pieces of any size in any order, all with the same number of bit
/// planes. They are asked for one by one, so that nothing is held twice. A usable file exists at
/// every instant, whatever kills the process (AtomicFile), and a replaced file stays as
/// `path`.prev. Throws FileError, InputError for pieces that do not lie in their extent or an
/// extent beyond 2^62, and what the source throws, and leaves the old file untouched.
///
/// The format, version 2, integers little-endian:
///
///     8 bytes   89 'T' 'S' 'R' 0D 0A 1A 0A; like PNG's signature, it reveals transfers that
///               change line endings or drop the high bit
///     u32       version, 2
///     u32       bytes of the header, at most 65536
///     header    JSON: rule, generation, source, start_generation, start_bounds ([xmin, ymin, xmax,
///               ymax] or null), planes (bit planes of a cell's state, 1 .. 8), and the rectangle
///               x, y (of the top-left cell), width, height that holds all pieces: the whole of a
///               bounded universe; on the infinite plane all coordinates are within 2^62
///     u64       checksum
///
/// Then sections until one of the type "END.", behind which the file ends:
///
///     4 bytes   type
///     u32       bytes of the payload
///     payload
///     u64       checksum
///
/// A checksum is XXH3-64 of all bytes of the file before it, so that the last one covers
/// everything. The types and their payloads:
///
///     "PLNE"    u32 number of a bit plane; u32 bytes that the frame unpacks to, at most 2^21 + 24;
///               a Zstandard frame of pieces: for each i64 x, i64 y, u32 width, u32 height, and the
///               words of its canonical grid, padding zero. Sections of the same pieces follow each
///               other, one for each plane from 0 on. A cell that no piece covers is in state 0
///     "SHRD"    JSON: [{"file": name, "checksum": 16 hexadecimal digits}, ...], at most 2^24
///     bytes:
///               further files in the same folder, each with its last checksum. They are written by
///               several processes (checkpoint_shards.h), have the same format and header, with one
///               field more, shard: a number of the file, and are not read by themselves. Comes
///               once at most, before any PLNE
///     "END."    u64 number of pieces
///
/// A reader refuses types that it does not know.
void write_checkpoint(const std::string& path, const CheckpointInfo& info, PieceSource& cells);

class CheckpointInput;

/// Reads a checkpoint of version 1 or 2 piece by piece; memory stays within a few times 2 MiB per
/// bit plane.
class CheckpointReader : public PieceSource {
 public:
  /// Reads the header. Throws InputError when the file cannot be opened or the grid of its bounded
  /// universe takes more than `max_memory` bytes (0: no limit), FileError when reading fails later,
  /// and ParseError ("file:byte N: ...") for anything but a checkpoint.
  explicit CheckpointReader(const std::string& path, std::int64_t max_memory = 0);
  ~CheckpointReader() override;
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const CheckpointInfo& info() const { return info_; }
  /// Bit planes of all pieces, 1 .. 8; whether the rule has as many is for the caller to check.
  int planes() const { return planes_; }
  Rect extent() const override { return extent_; }
  /// Pieces of several files come in turns from now on, so that whoever shares them out has some
  /// from everywhere at any time; otherwise file by file. Before the first.
  void take_turns();
  /// The next piece, which lies in the extent, or nothing after the last one. The whole file is
  /// known to be good only then. Pieces of a forged file may overlap. Throws like the constructor.
  std::optional<Piece> next() override { return pieces_->next(); }

 private:
  CheckpointInfo info_;
  Rect extent_;
  int planes_ = 1;
  std::unique_ptr<CheckpointInput> input_;
  std::unique_ptr<PieceSource> pieces_;
};

/// True when the file can be read and begins as checkpoints do.
bool is_checkpoint(const std::string& path);

}  // namespace tessera
