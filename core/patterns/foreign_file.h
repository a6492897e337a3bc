#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// What a file is that holds no pattern this program reads: "a zip archive", "a rule table", "a PNG
/// picture". By its first bytes, or by its name where text has no mark, such as a script's. Empty
/// when it is none of the kinds known.
std::string foreign_file(std::string_view head, const std::string& name);

}  // namespace tessera
