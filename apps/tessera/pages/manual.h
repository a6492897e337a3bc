#pragma once

#include <string>

#include "apps/tessera/pages/command_outline.h"

namespace tessera {

/// The manual page of a subcommand of `program`, or of the program itself where `command` has its
/// name, as roff for man(7). `others` are the names of all subcommands, which the page refers to.
std::string manual_page(const CommandOutline& command, const CommandOutline& program,
                        const std::vector<CommandOutline>& others, const std::string& version);

}  // namespace tessera
