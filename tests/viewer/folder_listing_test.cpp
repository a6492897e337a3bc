#include "apps/viewer/window/folder_listing.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

using Entries = std::vector<std::string>;

// A folder that is removed with all that is in it.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tessera-listing-" + std::to_string(getpid()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
  void add(const std::string& name) const { std::ofstream(path / name) << name; }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("a folder's folders come first, then its files, each in order, hidden ones left out") {
  const Folder folder;
  for (const char* name : {"b.rle", "a.rle", ".hidden"}) folder.add(name);
  fs::create_directory(folder / "patterns");
  FolderListing listing;
  listing.show(folder / "");
  CHECK(listing.entries() == Entries{"../", "patterns/", "a.rle", "b.rle"});
  CHECK(listing.path_of("a.rle") == folder / "a.rle");
  CHECK(listing.path_of("patterns/") == folder / "patterns/");
  CHECK(fs::path(listing.path_of("../")) == folder.path.parent_path() / "");
}

TEST_CASE("a path that is typed shows the folder it lies in") {
  const Folder folder;
  folder.add("a.rle");
  fs::create_directory(folder / "patterns");
  FolderListing listing;
  listing.show(folder / "a.rle");
  CHECK(listing.folder() == folder.path.string());
  CHECK(listing.entries() == Entries{"../", "patterns/", "a.rle"});
  listing.show(folder / "pat");
  CHECK(listing.folder() == folder.path.string());
  listing.show(folder / "patterns");
  CHECK(listing.entries() == Entries{"../"});
  listing.show("pattern.rle");
  CHECK(listing.folder() == ".");
}

TEST_CASE("a folder is read when it becomes the shown one and when that is asked for, only then") {
  const Folder folder;
  folder.add("a.rle");
  fs::create_directory(folder / "patterns");
  FolderListing listing;
  listing.show(folder / "a.rle");
  folder.add("b.rle");
  listing.show(folder / "a.rle");
  listing.show(folder / "b.rle");
  CHECK(listing.entries() == Entries{"../", "patterns/", "a.rle"});
  listing.refresh();
  CHECK(listing.entries() == Entries{"../", "patterns/", "a.rle", "b.rle"});
  folder.add("c.rle");
  listing.show(folder / "patterns");
  listing.show(folder / "c.rle");
  CHECK(listing.entries().size() == 5);
}

TEST_CASE("a folder that cannot be read has nothing but the way up") {
  const Folder folder;
  FolderListing listing;
  listing.show(folder / "missing/a.rle");
  CHECK(listing.entries() == Entries{"../"});
}

TEST_CASE("a large folder is cut") {
  const Folder folder;
  for (std::size_t i = 0; i < FolderListing::kMostEntries + 10; i++) folder.add(std::to_string(i));
  FolderListing listing;
  listing.show(folder.path.string());
  CHECK(listing.entries().size() == FolderListing::kMostEntries);
}
