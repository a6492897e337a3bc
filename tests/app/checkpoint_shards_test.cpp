// Checkpoints whose cells lie in several files.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/files/checkpoint_shards.h"
#include "core/rules/rule_spec.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/saved.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// A soup of 100x90 cells in three bands of 30 rows.
Saved soup_of(std::uint64_t seed) {
  Saved saved;
  saved.info.rule = parse_rule_spec("B3/S23:T100,90");
  saved.info.generation = static_cast<std::int64_t>(seed);
  saved.info.source = "a soup";
  saved.extent = {-50, -45, 100, 90};
  const CellGrid cells(make_soup(Soup::of(0.4, seed), 100, 90));
  for (std::int64_t y = 0; y < 90; y += 30)
    saved.pieces.push_back({{-50, y - 45}, cells.window({0, y, 100, 30})});
  return saved;
}

// Written as by three processes.
std::vector<Shard> write_in_three(const std::string& path, const Saved& saved) {
  const ShardOrder order = order_shards(path, saved.info, saved.extent, 1);
  std::vector<Shard> shards;
  for (int i = 0; i < 3; i++) {
    const std::vector<Piece> own{saved.pieces[static_cast<std::size_t>(i)]};
    PieceList pieces(own.front().rect(), own);
    shards.push_back(write_shard(order, i, pieces));
  }
  write_manifest(order, shards);
  return shards;
}

std::string message_of(const std::string& path) {
  try {
    read_saved(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::size_t files_in(const ScratchFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    count++;
  return count;
}

}  // namespace

TEST_CASE("files are read in turns for those who share cells out") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  Saved saved = soup_of(4);
  std::vector<Piece>& pieces = saved.pieces;
  const std::vector<Piece> bands = std::exchange(pieces, {});
  const ShardOrder order = order_shards(path, saved.info, saved.extent, 1);
  std::vector<Shard> shards;
  // Three files of 3, 2 and 1 pieces.
  std::vector<std::vector<Piece>> files(3);
  for (std::size_t i = 0; i < 3; i++) {
    for (std::size_t n = 0; n < 3 - i; n++) {
      files[i].push_back({{-50, bands[i].at.y + static_cast<std::int64_t>(10 * n)},
                          bands[i].cells.window({0, static_cast<std::int64_t>(10 * n), 100, 10})});
    }
    PieceList own(saved.extent, files[i]);
    shards.push_back(write_shard(order, static_cast<int>(i), own));
  }
  write_manifest(order, shards);
  for (const auto& [file, n] : {std::pair{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}})
    pieces.push_back(files[static_cast<std::size_t>(file)][static_cast<std::size_t>(n)]);
  CheckpointReader reader(path);
  reader.take_turns();
  Saved found{reader.info(), reader.extent(), {}};
  while (std::optional<Piece> piece = reader.next()) found.pieces.push_back(*std::move(piece));
  CHECK(found == saved);
  // A file that is another one is found out in turns, too.
  std::filesystem::copy_file(folder.file(shards[0].file), folder.file(shards[2].file),
                             std::filesystem::copy_options::overwrite_existing);
  CheckpointReader again(path);
  again.take_turns();
  CHECK_THROWS_AS(while (again.next()){}, ParseError);
}

TEST_CASE("a checkpoint in several files is read as one in one file is") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const Saved saved = soup_of(1);
  const std::vector<Shard> shards = write_in_three(path, saved);
  CHECK(is_checkpoint(path));
  CHECK(read_saved(path) == saved);
  // Through a link from elsewhere, too.
  ScratchFolder other;
  std::filesystem::create_symlink(path, other.file("link.tsr"));
  CHECK(read_saved(other.file("link.tsr")) == saved);
  for (const Shard& shard : shards) {
    const std::string message = message_of(folder.file(shard.file));
    CHECK(message.find("one of several files of a checkpoint") != std::string::npos);
  }
}

TEST_CASE("files of a replaced checkpoint stay as long as anything names them") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr"), kept = folder.file("kept.tsr");
  write_in_three(path, soup_of(1));
  std::filesystem::copy_file(path, kept);
  for (std::uint64_t seed = 2; seed <= 5; seed++) {
    // Killed before the last file is named: what there was stays.
    const Saved next = soup_of(seed);
    const ShardOrder order = order_shards(path, next.info, next.extent, 1);
    PieceList pieces(next.extent, next.pieces);
    write_shard(order, 7, pieces);
    CHECK(read_saved(path) == soup_of(seed - 1));
    write_in_three(path, next);
    CHECK(read_saved(path) == next);
    CHECK(read_saved(path + ".prev") == soup_of(seed - 1));
    CHECK(read_saved(kept) == soup_of(1));
  }
  // Three checkpoints with three files each.
  CHECK(files_in(folder) == 12);
  std::filesystem::remove(kept);
  write_saved(path, soup_of(6));
  CHECK(read_saved(path + ".prev") == soup_of(5));
  CHECK(files_in(folder) == 5);
  write_saved(path, soup_of(7));
  CHECK(files_in(folder) == 2);
}

TEST_CASE("a checkpoint that is named like a file of another one keeps its files") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr.shard-0-0");
  for (const std::uint64_t seed : {1, 2}) {
    write_in_three(path, soup_of(seed));
    CHECK(read_saved(path) == soup_of(seed));
  }
  CHECK(read_saved(path + ".prev") == soup_of(1));
}

TEST_CASE("files that are missing, damaged or others are refused by name") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const auto names = [&](const std::string& message, const std::string& file) {
    CAPTURE(message);
    return message.starts_with(folder.file(file) + ":") && message.find('\n') == std::string::npos;
  };
  const std::vector<Shard> shards = write_in_three(path, soup_of(1));
  const std::string second = folder.file(shards[1].file), good = bytes_of(second);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 4);
  write_bytes(second, bad);
  CHECK(names(message_of(path), shards[1].file));
  // Of another checkpoint, and of the same one at another place.
  const std::string other = folder.file("d.tsr");
  const std::vector<Shard> others = write_in_three(other, soup_of(2));
  write_bytes(second, bytes_of(folder.file(others[1].file)));
  CHECK(message_of(path).find("does not belong") != std::string::npos);
  write_bytes(second, bytes_of(folder.file(shards[0].file)));
  CHECK(message_of(path).find("its last checksum differs") != std::string::npos);
  // A checkpoint by itself.
  write_saved(folder.file("e.tsr"), soup_of(1));
  write_bytes(second, bytes_of(folder.file("e.tsr")));
  CHECK(message_of(path).find("does not belong") != std::string::npos);
  std::filesystem::remove(second);
  CHECK(names(message_of(path), shards[1].file));
  CHECK_THROWS_AS(write_manifest(order_shards(path, soup_of(1).info, soup_of(1).extent, 1),
                                 {{"c.tsr.shard-9-0", 0}}),
                  FileError);
  CHECK(read_saved(other) == soup_of(2));
}

TEST_CASE("forged lists of files are refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const Saved saved = soup_of(1);
  const ShardOrder order = order_shards(path, saved.info, saved.extent, 1);
  std::filesystem::create_directory(folder.file("sub"));
  write_bytes(folder.file("sub/x"), "");
  for (const std::string file : {"sub/x", "", "sub/../sub/x"}) {
    write_manifest(order, {{file, 1}});
    CHECK(message_of(path).find("no name without a folder") != std::string::npos);
  }
  write_manifest(order, {});
  CHECK(message_of(path).find("not a list of files") != std::string::npos);
  // A list that names itself: no shard, and never followed.
  write_bytes(folder.file("c.tsr"), "");
  write_manifest(order, {{"c.tsr", 1}});
  CHECK(message_of(path).find("does not belong") != std::string::npos);
}
