#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/cells/cell_grid.h"
#include "core/files/piece_source.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// What a checkpoint says besides its cells.
struct CheckpointInfo {
  RuleSpec rule;
  std::int64_t generation = 0;
  Cell origin;  ///< absolute position of the grid's top-left cell
  /// Where the cells came from, for reports: a path or a soup's description.
  std::string source;
  /// Generation at which the simulation began, 0 .. generation; runs count and sample from it.
  std::int64_t start_generation = 0;
  /// Box around the live cells at that generation, so that a window chosen by it can be chosen
  /// again.
  std::optional<Bounds> start_bounds;

  bool operator==(const CheckpointInfo&) const = default;
};

/// Everything needed to continue, held in memory.
struct Checkpoint : CheckpointInfo {
  CellGrid cells{1, 1};
};

/// Writes a checkpoint of the grid `cells.extent()`, which also says where it lies, whatever
/// `info.origin` is. The pieces must be the Bands of that rectangle, with one bit plane. They are
/// asked for one by one, so that a grid need not be held twice. A usable file exists at every
/// instant, whatever kills the process (AtomicFile), and a replaced file stays as `path`.prev.
/// Throws FileError, and InputError for other pieces, and leaves the old file untouched.
///
/// The format, version 1, integers little-endian:
///
///     8 bytes   89 'T' 'S' 'R' 0D 0A 1A 0A; like PNG's signature, it reveals transfers that
///               change line endings or drop the high bit
///     u32       version, 1
///     u32       bytes of the header, at most 65536
///     header    JSON: rule, generation, width, height, x, y (of the top-left cell), source,
///               start_generation, start_bounds ([xmin, ymin, xmax, ymax] or null)
///     u64       checksum
///
/// Then for every block of the canonical grid's words, in order:
///
///     u32       bytes of its Zstandard frame
///     frame     the words, little-endian
///     u64       checksum
///
/// A block is as many whole rows as fit 2^18 words, or 2^18 words of a longer row. A checksum is
/// XXH3-64 of all bytes of the file before it, so that the last one covers everything; the file
/// ends behind it.
void write_checkpoint(const std::string& path, const CheckpointInfo& info, PieceSource& cells);
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads a checkpoint piece by piece; memory stays within a few pieces of 2 MiB.
class CheckpointReader : public PieceSource {
 public:
  /// Reads the header. Throws InputError when the file cannot be opened or its grid takes more than
  /// `max_memory` bytes (0: no limit), FileError when reading fails later, and ParseError
  /// ("file:byte N: ...") for anything but a checkpoint.
  explicit CheckpointReader(const std::string& path, std::int64_t max_memory = 0);
  ~CheckpointReader() override;
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const CheckpointInfo& info() const { return info_; }
  /// The grid, in absolute coordinates.
  Rect extent() const override { return {info_.origin.x, info_.origin.y, width_, height_}; }
  /// The next band, or nothing after the last one. The whole file is known to be good only then.
  /// Throws like the constructor.
  std::optional<Piece> next() override;

 private:
  class Input;
  void parse_header(const std::string& text, std::int64_t max_memory);

  std::unique_ptr<Input> input_;
  CheckpointInfo info_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t band_ = 0;
};

/// Reads a whole checkpoint; throws like CheckpointReader.
Checkpoint read_checkpoint(const std::string& path, std::int64_t max_memory = 0);

/// True when the file can be read and begins as checkpoints do.
bool is_checkpoint(const std::string& path);

}  // namespace tessera
