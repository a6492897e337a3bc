#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/common/pages/completion.h"

namespace tessera {

/// Writes the manual pages of a program and of its subcommands, and its completions, as they lie
/// under share/ of an installation; folders are made. `see_also` names other programs, `words` is
/// for completion_script. Throws FileError.
void write_pages(const CommandOutline& program, const ValueWords& words,
                 const std::vector<std::string>& see_also, const std::string& version,
                 const std::filesystem::path& share);

}  // namespace tessera
