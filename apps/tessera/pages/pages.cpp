#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/console.h"
#include "apps/tessera/command.h"
#include "apps/tessera/pages/completion.h"
#include "apps/tessera/pages/manual.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

std::string manual_of(const CLI::App& program, const CLI::App& command) {
  return manual_page(outline_of(command), outline_of(program), outlines_of(program),
                     TESSERA_VERSION);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    throw FileError(path.parent_path().string() + ": cannot make this folder: " + error.message());
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

// As they lie under share/ of an installation.
void write_pages(const CLI::App& app, const std::filesystem::path& share) {
  write(share / "man/man1/tessera.1", manual_of(app, app));
  for (const CLI::App* each : visible_subcommands(app)) {
    write(share / "man/man1" / ("tessera-" + each->get_name() + ".1"), manual_of(app, *each));
  }
  const auto script = [&](const char* shell) {
    return completion_script(shell, app.get_name(), outlines_of(app));
  };
  write(share / "bash-completion/completions/tessera", script("bash"));
  write(share / "zsh/site-functions/_tessera", script("zsh"));
  write(share / "fish/vendor_completions.d/tessera.fish", script("fish"));
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
            print(completion_script(*shell, app.get_name(), outlines_of(app)));
            return 0;
          }};
}

Command add_manual(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("man", "Print the manual page of a subcommand, as roff");
  sub->group("");
  const auto name = std::make_shared<std::string>();
  sub->add_option("SUBCOMMAND", *name, "Name of the subcommand; without one, the program's page");
  return {sub, [&app, name] {
            print(manual_of(app, name->empty() ? app : find_subcommand(app, *name)));
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
            write_pages(app, *folder);
            return 0;
          }};
}

}  // namespace tessera
