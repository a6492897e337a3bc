#pragma once

#include <cstdint>
#include <string>

#include "core/files/checkpoint.h"
#include "core/files/checkpoint_input.h"

namespace tessera {

/// What the JSON header of a checkpoint says.
struct CheckpointHeader {
  CheckpointInfo info;
  Rect extent;
  int planes = 1;
};

/// The text of a header of today's version. Bytes of the source that are no UTF-8 are replaced.
std::string to_string(const CheckpointHeader& header);

/// Reads the text of a header of either version; nothing in it is trusted, for a header with a good
/// checksum can still be forged. Throws ParseError at the place where `input` is.
CheckpointHeader parse_checkpoint_header(const std::string& text, std::uint32_t version,
                                         const CheckpointInput& input);

}  // namespace tessera
