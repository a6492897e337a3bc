#pragma once

#include <string>
#include <vector>

#include "apps/common/pages/command_outline.h"

namespace tessera {

/// The manual page of a subcommand of `program`, or of the program itself where `command` has its
/// name, as roff for man(7). It refers to the program's other pages and to `see_also`, names of
/// other programs.
std::string manual_page(const CommandOutline& command, const CommandOutline& program,
                        const std::vector<std::string>& see_also, const std::string& version);

}  // namespace tessera
