#include "apps/common/pages/pages.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/console.h"
#include "apps/common/pages/manual.h"
#include "apps/tessera/bench/bench_suite.h"
#include "apps/tessera/command.h"

namespace tessera {
namespace {

ValueWords value_words() {
  std::vector<std::string> suites{"all"};
  for (const BenchSuite& suite : bench_suites()) suites.emplace_back(suite.name);
  return {{"--suite", suites}, {"--peer", {"bgolly"}}};
}

}  // namespace

Command add_completions(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("completions", "Print the completion script of a shell");
  const auto shell = std::make_shared<std::string>();
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  sub->footer(
      "Packages install these scripts where shells find them.\n\n"
      "Examples:\n"
      "  source <(tessera completions bash)\n"
      "  tessera completions zsh > ~/.zfunc/_tessera\n"
      "  tessera completions fish > ~/.config/fish/completions/tessera.fish");
  return {sub, [&app, shell] {
            print(completion_script(*shell, outline_of(app), value_words()));
            return 0;
          }};
}

Command add_manual(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("man", "Print the manual page of a subcommand, as roff");
  sub->group("");
  const auto name = std::make_shared<std::string>();
  sub->add_option("SUBCOMMAND", *name, "Name of the subcommand; without one, the program's page");
  return {sub, [&app, name] {
            const CLI::App& command = name->empty() ? app : find_subcommand(app, *name);
            print(manual_page(outline_of(command), outline_of(app), {}, TESSERA_VERSION));
            return 0;
          }};
}

Command add_pages(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("pages", "Write manual pages and completions as an installation has them");
  sub->group("");
  const auto folder = std::make_shared<std::string>();
  sub->add_option("DIR", *folder, "Folder, such as PREFIX/share; it is made")->required();
  return {sub, [&app, folder] {
            write_pages(outline_of(app), value_words(), {}, TESSERA_VERSION, *folder);
            return 0;
          }};
}

}  // namespace tessera
