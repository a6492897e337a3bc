#include "core/files/atomic_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "core/base/error.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

void put(const std::string& path, const std::string& bytes, OldFile old_file = OldFile::replace) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit(old_file);
}

std::size_t files_in(const ScratchFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status;
}

}  // namespace

TEST_CASE("a file appears whole at commit and not before") {
  ScratchFolder folder;
  const std::string path = folder.file("a");
  {
    AtomicFile file(path);
    file.write("hello ");
    file.write("world");
    CHECK_FALSE(std::filesystem::exists(path));
    file.commit();
    CHECK(bytes_of(path) == "hello world");
  }
  CHECK(bytes_of(path) == "hello world");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("without a commit everything stays as it was") {
  ScratchFolder folder;
  const std::string path = folder.file("a");
  {
    AtomicFile file(path);
    file.write(std::string(1 << 20, 'x'));
  }
  CHECK(files_in(folder) == 0);
  write_bytes(path, "old");
  {
    AtomicFile file(path);
    file.write(std::string(1 << 20, 'x'));
  }
  CHECK(bytes_of(path) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("writes of all sizes come out in order") {
  ScratchFolder folder;
  const std::string path = folder.file("a");
  std::string expected;
  AtomicFile file(path);
  for (std::size_t i = 0; i < 60; i++) {
    const std::string piece(i * i * i * 5, static_cast<char>('a' + i % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  CHECK(bytes_of(path) == expected);
}

TEST_CASE("a replaced file keeps its permissions, a new one gets those of the umask") {
  ScratchFolder folder;
  const std::string path = folder.file("a");
  const mode_t old_mask = umask(027);
  put(path, "one");
  umask(old_mask);
  CHECK((status_of(path).st_mode & 07777) == 0640);
  REQUIRE(chmod(path.c_str(), 0604) == 0);
  put(path, "two");
  CHECK((status_of(path).st_mode & 07777) == 0604);
  CHECK(bytes_of(path) == "two");
}

TEST_CASE("the old file is kept as a hard link") {
  ScratchFolder folder;
  const std::string path = folder.file("a");
  put(path, "one", OldFile::keep_previous);
  CHECK(files_in(folder) == 1);
  const ino_t first = status_of(path).st_ino;
  put(path, "two", OldFile::keep_previous);
  CHECK(bytes_of(path) == "two");
  CHECK(bytes_of(path + ".prev") == "one");
  CHECK(status_of(path + ".prev").st_ino == first);
  put(path, "three", OldFile::keep_previous);
  CHECK(bytes_of(path) == "three");
  CHECK(bytes_of(path + ".prev") == "two");
  CHECK(files_in(folder) == 2);
  // As left by a process that is killed between the link and the rename.
  std::filesystem::remove(path + ".prev");
  std::filesystem::create_hard_link(path, path + ".prev");
  put(path, "four", OldFile::keep_previous);
  CHECK(bytes_of(path + ".prev") == "three");
  CHECK(files_in(folder) == 2);
}

TEST_CASE("a symbolic link is followed") {
  ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "sub");
  write_bytes(folder.file("sub/real"), "old");
  std::filesystem::create_symlink("sub/real", folder.path() / "link");
  put(folder.file("link"), "new", OldFile::keep_previous);
  CHECK(std::filesystem::is_symlink(folder.path() / "link"));
  CHECK(bytes_of(folder.file("sub/real")) == "new");
  CHECK(bytes_of(folder.file("sub/real.prev")) == "old");
}

TEST_CASE("devices, pipes and open files are written in place") {
  ScratchFolder folder;
  put("/dev/null", "x");
  CHECK(S_ISCHR(status_of("/dev/null").st_mode));
  CHECK(message_of<FileError>([] { put("/dev/full", "x"); }) ==
        "/dev/full: cannot write: No space left on device");
  const std::string path = folder.file("open");
  write_bytes(path, "first ");
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND);
  const ino_t inode = status_of(path).st_ino;
  put("/dev/fd/" + std::to_string(descriptor), "second");
  close(descriptor);
  CHECK(status_of(path).st_ino == inode);
  CHECK(bytes_of(path) == "first second");
}

TEST_CASE("what cannot be written is told, and nothing is left behind") {
  ScratchFolder folder;
  const std::string missing = folder.file("missing/a");
  CHECK(message_of<FileError>([&] { put(missing, "x"); }) ==
        missing + ": cannot create a file in its folder: No such file or directory");
  const std::string path = folder.path().string();
  CHECK(message_of<FileError>([&] { put(path, "x"); }) == path + ": cannot write: Is a directory");
  CHECK(message_of<FileError>([&] { put(folder.file("no\nsuch/a"), "x"); }).find("no?such/a: ") !=
        std::string::npos);

  // A disk that is full after 100,000 bytes.
  const std::string full = folder.file("full");
  write_bytes(full, "old");
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlimit small{100000, limit.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string large = message_of<FileError>([&] { put(full, std::string(1 << 20, 'x')); });
  const std::string buffered = message_of<FileError>([&] { put(full, std::string(150000, 'x')); });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(large == full + ": cannot write: File too large");
  CHECK(buffered == full + ": cannot write: File too large");
  CHECK(bytes_of(full) == "old");
  CHECK(files_in(folder) == 1);
}
