#include <CLI/CLI.hpp>
#include <optional>

#include "apps/common/command_line.h"
#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/stop_signal.h"
#include "apps/tessera/command.h"
#include "backends/drivers.h"

namespace {

using namespace tessera;

// A subcommand that a signal stopped has written everything by now; that shells see why it ended
// early keeps their loops from going on.
int run(const Command& command) {
  const int code = command.run();
  return code == 0 && stop_signal() != 0 ? stopped_by(stop_signal()) : code;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Steps cellular automata of the Life family on GPUs and CPUs, with the same bits everywhere.",
      "tessera");
  set_up(app, TESSERA_VERSION);
  app.require_subcommand(1);
  const Command commands[] = {
      add_run(app),         add_compare(app), add_bench(app),   add_tune(app), add_verify(app),
      add_devices(app),     add_rules(app),   add_convert(app), add_info(app), add_help(app),
      add_completions(app), add_manual(app),  add_pages(app)};
  app.footer(
      "See 'tessera help SUBCOMMAND'.\n"
      "Exit codes: 0 done, 1 a failure while running (device, memory, disk), 2 bad usage or bad "
      "input,\n"
      "3 a comparison that differs; 130, 143 or 129 after SIGINT (Ctrl-C), SIGTERM or SIGHUP, "
      "everything\n"
      "asked for written.");
  if (const std::optional<int> code = parse(app, argc, argv)) return *code;
  for (const Command& command : commands) {
    if (command.options->parsed()) return run(command);
  }
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] { return run_on_ranks(argc, argv, [&] { return run(argc, argv); }); });
}
