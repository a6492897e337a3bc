#include "apps/common/pages/pages.h"

#include "apps/common/pages/manual.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    throw FileError(path.parent_path().string() + ": cannot make this folder: " + error.message());
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

}  // namespace

void write_pages(const CommandOutline& program, const ValueWords& words,
                 const std::vector<std::string>& see_also, const std::string& version,
                 const std::filesystem::path& share) {
  const std::string& name = program.name;
  const std::filesystem::path manuals = share / "man/man1";
  write(manuals / (name + ".1"), manual_page(program, program, see_also, version));
  for (const CommandOutline& each : program.subcommands) {
    write(manuals / (name + "-" + each.name + ".1"), manual_page(each, program, see_also, version));
  }
  write(share / "bash-completion/completions" / name, completion_script("bash", program, words));
  write(share / "zsh/site-functions" / ("_" + name), completion_script("zsh", program, words));
  write(share / "fish/vendor_completions.d" / (name + ".fish"),
        completion_script("fish", program, words));
}

}  // namespace tessera
