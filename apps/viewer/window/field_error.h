#pragma once

#include <string>

#include "core/base/error.h"

namespace tessera {

/// What was wrong with what was entered in a field, for a person who sees no file: an error of a
/// rule without its place in the text. It begins as a sentence does, unless that could be the name
/// of a file.
std::string field_error(const Error& error);

}  // namespace tessera
