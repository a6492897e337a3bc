#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/checkpoint.h"
#include "core/files/checkpoint_header.h"
#include "core/files/checkpoint_output.h"

namespace tessera {

void write_checkpoint(const std::string& path, const CheckpointInfo& info, PieceSource& cells) {
  std::optional<Piece> piece = cells.next();
  const CheckpointHeader header{info, cells.extent(),
                                piece ? piece->cells.planes() : info.rule.rule.planes()};
  check_extent(path, header.extent);
  CheckpointOutput out(path, to_string(header), header.extent, header.planes);
  for (; piece; piece = cells.next()) out.add(*piece);
  out.end(OldFile::keep_previous);
  remove_unused_shards(path);
}

}  // namespace tessera
