#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tessera {

/// A subcommand: its declared options, and what it does once the command line has been read. `run`
/// returns the exit code and throws errors; only `main` turns those into messages.
struct Command {
  CLI::App* options = nullptr;
  std::function<int()> run;
};

/// Each declares a subcommand in `app`; one file each.
Command add_run(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_tune(CLI::App& app);
Command add_verify(CLI::App& app);
Command add_devices(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_info(CLI::App& app);
Command add_rules(CLI::App& app);
Command add_help(CLI::App& app);
Command add_completions(CLI::App& app);
/// These two are for packages and not listed by --help.
Command add_manual(CLI::App& app);
Command add_pages(CLI::App& app);

}  // namespace tessera
