#pragma once

#include <optional>
#include <string>

#include "core/files/checkpoint.h"

namespace tessera {

class Universe;

/// The kind of file that a path's suffix asks for.
enum class OutputKind {
  pattern,     ///< .rle, .mc, .cells, .lif, .life, .l, each also .gz; "-" is RLE on standard output
  picture,     ///< .png
  checkpoint,  ///< .tsr
};

/// What a path's suffix asks for, or nothing where it names no format.
std::optional<OutputKind> kind_of(const std::string& path);

/// Why no file of this name can be made, as a clause, "the folder a does not exist"; empty where
/// one can. Whether a file is there already does not matter.
std::string why_not_writable(const std::string& path);

/// Throws InputError, naming `option`, for any other suffix, and for a folder that does not exist
/// or cannot be written, so that this is known before a long run.
OutputKind check_output(const std::string& option, const std::string& path);

/// Throws InputError, naming `option`, for a pattern's format that has no more than two states.
void check_output_states(const std::string& option, const std::string& path);

/// Throws InputError, naming `option`, where why_not_writable() has a reason.
void check_writable(const std::string& option, const std::string& path);

/// Throws InputError, naming the path, when a picture of so many cells is larger than a PNG or 2^36
/// pixels: on the infinite plane, live cells may lie far apart.
void check_picture(const std::string& path, const Rect& cells);

/// Writes one pixel per cell: black on white, or states in the colours of the light theme.
void write_picture(const std::string& path, const CellGrid& cells, const Rule& rule);

/// Writes the universe as the suffix asks: all live cells as a pattern; a picture of a bounded
/// universe, or on the infinite plane of the live cells' box; or a checkpoint, for which `from`
/// says where the simulation began. Throws FileError, what check_output throws, and
/// InputError for a picture that is too large.
void write_output(const std::string& option, const std::string& path, Universe& universe,
                  const CheckpointInfo& from);

/// Writes a checkpoint; rule and generation come from the universe, the rest from `from`.
void write_checkpoint_of(Universe& universe, const CheckpointInfo& from, const std::string& path);

/// Puts a checkpoint's cells and generation into a universe of its rule, and returns the other
/// contents. Throws what CheckpointReader throws, and InputError for cells of other states than the
/// rule's.
CheckpointInfo load_checkpoint(CheckpointReader& reader, Universe& universe);

}  // namespace tessera
