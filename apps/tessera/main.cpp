#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "apps/tessera/command.h"
#include "apps/tessera/console.h"
#include "core/error.h"

namespace {

using namespace tessera;

// Exit codes; 3, a comparison that differs, is returned by the subcommands that compare.
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

int refuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string subcommand, names;
  for (const CLI::App* each : app.get_subcommands()) subcommand = each->get_name();
  for (const CLI::App* each : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + each->get_name();
  if (subcommand.empty()) {
    const bool nothing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    print_error(fmt::format("{}; a subcommand is expected: {} ('tessera --help' tells more)",
                            nothing ? "nothing to do" : error.what(), names));
  } else {
    print_error(fmt::format("{}: {} ('tessera {} --help' tells what is accepted)", subcommand,
                            error.what(), subcommand));
  }
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Steps two-state cellular automata of the Life family on GPUs and CPUs, bit for bit the same "
      "everywhere.",
      "tessera");
  app.set_version_flag("--version", "tessera " TESSERA_VERSION, "Print the version and exit");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  app.get_formatter()->label("REQUIRED", "");
  app.footer(
      "Exit codes: 0 done, 1 a failure while running (device, memory, disk), 2 bad usage or bad "
      "input,\n"
      "3 a comparison that differs. Each subcommand has its own --help.");
  const Command commands[] = {add_run(app), add_verify(app), add_devices(app), add_convert(app),
                              add_info(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(app.version() + '\n');
    return 0;
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  }
  for (const Command& command : commands) {
    if (command.options->parsed()) return command.run();
  }
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_console();
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    print_error(
        "out of memory: this machine has less than was asked for; a smaller universe is needed");
    return kFailed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kFailed;
  }
}
