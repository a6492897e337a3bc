#include "apps/viewer/window/own_folder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

// A home folder that is removed with all that is in it.
struct Home {
  fs::path path = fs::temp_directory_path() / ("tessera-home-" + std::to_string(getpid()));
  std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  Home() {
    fs::create_directory(path);
    setenv("HOME", path.c_str(), 1);
  }
  ~Home() {
    setenv("HOME", before.c_str(), 1);
    fs::remove_all(path);
  }
};

}  // namespace

TEST_CASE("a system's folder is nobody's own, even where it can be written") {
  const Home home;
  CHECK(is_own_folder(home.path));
  for (const char* folder :
       {"", "/usr", "/usr/share", "/usr/../usr/bin", "/etc", "/proc/self", "/nowhere"}) {
    INFO(folder);
    CHECK(!is_own_folder(folder));
  }
  fs::create_symlink("/usr/share", home.path / "link");
  CHECK(!is_own_folder(home.path / "link"));
}

TEST_CASE("saving is offered in the last own folder, or else at home") {
  const Home home;
  fs::create_directory(home.path / "patterns");
  CHECK(own_folder(home.path / "patterns") == home.path / "patterns");
  CHECK(own_folder("/usr/share") == home.path);
  CHECK(own_folder(home.path / "gone") == home.path);
  CHECK(own_folder("") == home.path);
  CHECK(folder_of("a/b.rle") == "a");
  CHECK(folder_of("b.rle") == ".");
  CHECK(expanded("~/b.rle") == (home.path / "b.rle").string());
  CHECK(expanded("/~/b.rle") == "/~/b.rle");
}

TEST_CASE("without a folder of one's own, nothing is saved among the system's") {
  const Home home;
  const fs::path before = fs::current_path();
  setenv("HOME", "/usr/share", 1);
  fs::current_path(home.path);
  CHECK(own_folder("/usr/share") == home.path);
  fs::current_path("/usr/share");
  CHECK(own_folder("/usr/share") == fs::temp_directory_path());
  fs::current_path(before);
}

TEST_CASE("a name that is offered is that of no file") {
  const Home home;
  fs::create_directory(home.path / "own");
  const std::string own = (home.path / "own").string();
  CHECK(unused_file(own, ".png") == own + "/tessera.png");
  std::ofstream(own + "/tessera.png") << "x";
  std::ofstream(own + "/tessera-3.png") << "x";
  CHECK(unused_file(own, ".png") == own + "/tessera-2.png");
  std::ofstream(own + "/tessera-2.png") << "x";
  CHECK(unused_file(own, ".png") == own + "/tessera-4.png");
  CHECK(unused_file(own, ".mp4") == own + "/tessera.mp4");
  CHECK(unused_file("/usr/share", ".png") == (home.path / "tessera.png").string());
}

TEST_CASE("a file that cannot be made is refused with the reason") {
  const Home home;
  const auto why = [](const fs::path& path) -> std::string {
    try {
      check_can_be_made(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(why(home.path / "new.rle") == "");
  CHECK(why("") == "The name of a file is expected");
  CHECK(why(home.path) == "This is a folder; the name of a file is expected");
  CHECK(why(home.path / "gone" / "new.rle") ==
        "The folder " + (home.path / "gone").string() + " does not exist");
}
