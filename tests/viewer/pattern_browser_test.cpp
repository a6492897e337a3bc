#include "apps/viewer/window/pattern_browser.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

using Files = std::vector<std::string>;

// A folder of patterns that is removed with all that is in it.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tessera-browser-" + std::to_string(getpid()));
  Folder() {
    fs::create_directories(path / "ships" / "slow");
    add("wrong.rle", "x = 1, y = 1\n2q!\n");
    add("zebra.rle", "#N Stripes\nx = 4, y = 1\nobo!\n");
    add("ships/glider.rle", "#O Richard Guy\n#C Small.\nx = 3, y = 3\nbo$2bo$3o!\n");
    add("ships/slow/loafer.cells", ".O\nO.\n");
    add("notes.txt", "none");
  }
  ~Folder() { fs::remove_all(path); }
  void add(const std::string& name, const char* text) const { std::ofstream(path / name) << text; }
};

void read_all(PatternBrowser& browser, const Files& wanted = {}, const std::string& inside = "") {
  for (int i = 0; i < 10000; i++) {
    browser.update(wanted, inside);
    if (!browser.busy()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL("the browser never rests");
}

}  // namespace

TEST_CASE("a folder's own files come first, and refused ones last once they are read") {
  const Folder folder;
  PatternBrowser browser;
  const std::uint64_t at_first = browser.revision();
  browser.show_folder(folder.path.string());
  read_all(browser);
  CHECK(browser.folders() == Files{"ships", "ships/slow"});
  // Who keeps what files() has is told when to ask again, and not before.
  const std::uint64_t read = browser.revision();
  CHECK(read >= at_first + 3);  // another folder, its files, their cards
  read_all(browser);
  CHECK(browser.revision() == read);
  CHECK(browser.files("", "") ==
        Files{"zebra.rle", "ships/glider.rle", "ships/slow/loafer.cells", "wrong.rle"});
  CHECK(browser.files("ships", "") == Files{"ships/glider.rle", "ships/slow/loafer.cells"});
  CHECK(browser.files("ship", "").empty());
  CHECK(browser.files("", "STRIPES") == Files{"zebra.rle"});
  CHECK(browser.files("", "oaf") == Files{"ships/slow/loafer.cells"});
  REQUIRE(browser.card("wrong.rle"));
  CHECK(browser.card("wrong.rle")->refused);
  CHECK(browser.card("wrong.rle")->title.starts_with("wrong.rle:2:"));
}

TEST_CASE("a card has the pattern's cells, name, discoverer and comments") {
  const Folder folder;
  const PatternCard card = PatternBrowser::read((folder.path / "ships/glider.rle").string());
  CHECK(card.name == "glider");
  CHECK(card.title == "glider: 3 x 3, 5 live");
  CHECK(card.comments == std::vector<std::string>{"Richard Guy", "Small."});
  CHECK_FALSE(card.refused);
  CHECK(card.thumbnail.pixels == std::vector<std::uint8_t>{0, 255, 0, 0, 0, 255, 255, 255, 255});
}

TEST_CASE("what is seen is read first, and another folder only when it is asked for") {
  const Folder folder;
  PatternBrowser browser;
  browser.show_folder(folder.path.string());
  read_all(browser, {"ships/glider.rle"}, "ships/slow");
  CHECK(browser.card("ships/glider.rle"));
  CHECK(browser.card("ships/slow/loafer.cells"));
  CHECK_FALSE(browser.card("zebra.rle"));
  browser.show_folder((folder.path / "ships").string());
  read_all(browser);
  CHECK(browser.files("", "") == Files{"glider.rle", "slow/loafer.cells"});
  CHECK_FALSE(browser.card("ships/glider.rle"));
}

TEST_CASE("a file that is new is listed when the folder is shown again, and cards stay") {
  const Folder folder;
  PatternBrowser browser;
  browser.show_folder(folder.path.string());
  read_all(browser);
  const PatternCard* const card = browser.card("zebra.rle");
  folder.add("another.rle", "x = 1, y = 1\no!\n");
  browser.show_folder(folder.path.string());
  read_all(browser);
  CHECK(browser.files("", "").front() == "another.rle");
  CHECK(browser.card("zebra.rle") == card);
}

TEST_CASE("a folder that does not exist has no patterns") {
  PatternBrowser browser;
  browser.show_folder("/nowhere/at/all");
  read_all(browser);
  CHECK(browser.files("", "").empty());
}

TEST_CASE("Golly's patterns are found where programs keep shared data, the user's own first") {
  const Folder folder;
  const auto golly = [] {
    std::string found;
    for (const PatternRoot& root : PatternBrowser::roots()) {
      if (root.title == "Golly") found = root.path;
    }
    return found;
  };
  const fs::path own = folder.path / "own", system = folder.path / "system";
  fs::create_directories(own / "golly");
  fs::create_directories(system / "golly" / "Patterns");
  setenv("XDG_DATA_HOME", own.c_str(), 1);
  setenv("XDG_DATA_DIRS", ("relative:" + (folder.path / "none").string()).c_str(), 1);
  CHECK(golly() == "");
  setenv("XDG_DATA_DIRS", ((folder.path / "none").string() + ":" + system.string()).c_str(), 1);
  CHECK(golly() == (system / "golly" / "Patterns").string());
  fs::create_directory(own / "golly" / "Patterns");
  CHECK(golly() == (own / "golly" / "Patterns").string());
  unsetenv("XDG_DATA_HOME");
  unsetenv("XDG_DATA_DIRS");
}
