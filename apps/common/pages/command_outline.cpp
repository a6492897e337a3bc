#include "apps/common/pages/command_outline.h"

#include <CLI/CLI.hpp>

#include "apps/common/command_line.h"

namespace tessera {

CommandOutline outline_of(const CLI::App& command) {
  CommandOutline out{
      command.get_name(), command.get_description(), command.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    OptionOutline each;
    each.help = option->get_description();
    each.group = option->get_group();
    each.required = option->get_required();
    each.repeated = option->get_expected_max() > 1;
    if (option->get_positional()) {
      each.value = option->get_name(true);
      out.arguments.push_back(std::move(each));
      continue;
    }
    for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    if (option->get_type_size() != 0) each.value = option->get_type_name();
    out.options.push_back(std::move(each));
  }
  for (const CLI::App* each : visible_subcommands(command)) {
    out.subcommands.push_back(outline_of(*each));
  }
  return out;
}

}  // namespace tessera
