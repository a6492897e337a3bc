#include "core/files/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "\x89TSR\r\n\x1a\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxHeader = 65536;
constexpr std::size_t kMaxSource = 4096;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
// The fastest of Zstandard's levels that still compresses by a model; it keeps up with disks.
constexpr int kCompression = 1;
// Positions are limited so that sums with sizes cannot overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, Close>;

// XXH3-64 of everything added so far.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* data, std::size_t bytes) { XXH3_64bits_update(state_.get(), data, bytes); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

template <class Unsigned>
std::array<unsigned char, sizeof(Unsigned)> little_endian(Unsigned value) {
  std::array<unsigned char, sizeof(Unsigned)> bytes;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  }
  return bytes;
}

// Converts words between this machine's byte order and the file's, in both directions.
void swap_unless_little_endian(std::span<std::uint64_t> words) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : words) word = __builtin_bswap64(word);
  }
}

// Bytes go to the file and into the checksum.
class Output {
 public:
  explicit Output(const std::string& path) : file_(path) {}
  void write(const void* data, std::size_t bytes) {
    file_.write(data, bytes);
    checksum_.add(data, bytes);
  }
  void write_u32(std::uint32_t value) { write(little_endian(value).data(), sizeof value); }
  void write_checksum() {
    const std::uint64_t value = checksum_.value();
    write(little_endian(value).data(), sizeof value);
  }
  void commit() { file_.commit(OldFile::keep_previous); }

 private:
  AtomicFile file_;
  Checksum checksum_;
};

std::string header_text(const CheckpointInfo& info, const Rect& grid) {
  Json header;
  header["rule"] = to_string(info.rule);
  header["generation"] = info.generation;
  header["width"] = grid.width;
  header["height"] = grid.height;
  header["x"] = grid.x;
  header["y"] = grid.y;
  header["source"] = info.source.substr(0, kMaxSource);
  header["start_generation"] = info.start_generation;
  header["start_bounds"] = nullptr;
  if (const std::optional<Bounds>& box = info.start_bounds) {
    header["start_bounds"] = {box->xmin, box->ymin, box->xmax, box->ymax};
  }
  // Paths need not be UTF-8; JSON must be.
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void write_checkpoint(const std::string& path, const CheckpointInfo& info, PieceSource& cells) {
  Output out(path);
  const std::string header = header_text(info, cells.extent());
  out.write(kMagic.data(), kMagic.size());
  out.write_u32(kVersion);
  out.write_u32(static_cast<std::uint32_t>(header.size()));
  out.write(header.data(), header.size());
  out.write_checksum();

  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  const Bands bands(cells.extent());
  std::vector<char> frame;
  for (std::int64_t band = 0; band < bands.count(); band++) {
    std::optional<Piece> piece = cells.next();
    if (!piece || piece->rect() != bands.at(band) || piece->cells.planes() != 1) {
      throw InputError(printable(path) +
                       ": a checkpoint takes the bands of a grid of two states, in order");
    }
    const std::span<std::uint64_t> words = piece->cells.plane(0).words();
    swap_unless_little_endian(words);
    const std::size_t bytes = words.size_bytes();
    frame.resize(ZSTD_compressBound(bytes));
    const std::size_t size = ZSTD_compressCCtx(context.get(), frame.data(), frame.size(),
                                               words.data(), bytes, kCompression);
    if (ZSTD_isError(size)) {
      throw FileError(
          fmt::format("{}: cannot compress: {}", printable(path), ZSTD_getErrorName(size)));
    }
    out.write_u32(static_cast<std::uint32_t>(size));
    out.write(frame.data(), size);
    out.write_checksum();
  }
  out.commit();
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const CellGrid& cells = checkpoint.cells;
  const Cell at = checkpoint.origin;
  BandSource bands({at.x, at.y, cells.width(), cells.height()}, [&](const Rect& band) {
    return cells.window({band.x - at.x, band.y - at.y, band.width, band.height});
  });
  write_checkpoint(path, checkpoint, bands);
}

// Bytes come from the file and go into the checksum.
class CheckpointReader::Input {
 public:
  explicit Input(const std::string& path) : path_(printable(path)) {
    // Opening a named pipe without O_NONBLOCK would wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) file_.reset(::fdopen(descriptor, "rb"));
    if (!file_)
      throw InputError(fmt::format("{}: cannot open: {}", printable(path), std::strerror(errno)));
    struct stat status {};
    if (::fstat(::fileno(file_.get()), &status) != 0) fail("cannot examine");
    if (!S_ISREG(status.st_mode)) {
      throw InputError(printable(path) + ": a checkpoint is expected, which is a regular file");
    }
    size_ = status.st_size;
  }

  void read(void* data, std::size_t bytes) {
    const std::size_t got = std::fread(data, 1, bytes, file_.get());
    checksum_.add(data, got);
    at_ += static_cast<std::int64_t>(got);
    if (got == bytes) return;
    if (std::ferror(file_.get())) fail("cannot read");
    damaged("the checkpoint is cut short here");
  }
  std::uint32_t read_u32() {
    unsigned char b[4];
    read(b, sizeof b);
    return b[0] | b[1] << 8 | b[2] << 16 | static_cast<std::uint32_t>(b[3]) << 24;
  }
  void check_checksum() {
    const auto expected = little_endian(checksum_.value());
    std::array<unsigned char, 8> found;
    read(found.data(), found.size());
    if (found != expected)
      damaged("the checkpoint is damaged: its bytes up to here do not match their checksum");
  }
  void check_end() {
    if (std::fgetc(file_.get()) != EOF) damaged("the checkpoint ends here, but the file goes on");
    if (std::ferror(file_.get())) fail("cannot read");
  }

  std::int64_t left() const { return size_ - at_; }
  [[noreturn]] void damaged(const std::string& message) const {
    throw ParseError(fmt::format("{}:byte {}", path_, at_), message);
  }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw FileError(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
  }

  std::string path_;
  OpenFile file_;
  std::int64_t size_ = 0;
  std::int64_t at_ = 0;
  Checksum checksum_;
};

CheckpointReader::CheckpointReader(const std::string& path, std::int64_t max_memory)
    : input_(std::make_unique<Input>(path)) {
  char magic[8] = {};
  if (input_->left() >= 8) input_->read(magic, sizeof magic);
  if (std::string_view(magic, sizeof magic) != kMagic) {
    throw ParseError(printable(path) + ":byte 0",
                     "this is not a checkpoint of Tessera, which begins with the bytes "
                     "89 54 53 52 0d 0a 1a 0a");
  }
  const std::uint32_t version = input_->read_u32();
  if (version != kVersion) {
    input_->damaged(fmt::format(
        "the checkpoint has version {} of the format; version {} is accepted", version, kVersion));
  }
  const std::uint32_t size = input_->read_u32();
  if (size > kMaxHeader || size > input_->left()) {
    input_->damaged(
        fmt::format("a header of {} bytes; at most {} and no more than the file has are accepted",
                    size, kMaxHeader));
  }
  std::string header(size, '\0');
  input_->read(header.data(), header.size());
  input_->check_checksum();
  parse_header(header, max_memory);
}

CheckpointReader::~CheckpointReader() = default;

// A header with a good checksum can still be forged, so nothing in it is trusted.
void CheckpointReader::parse_header(const std::string& text, std::int64_t max_memory) {
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) input_->damaged("the header is not a JSON object");
  const auto integer = [&](const Json& value, const char* name, std::int64_t low,
                           std::int64_t high) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) ||
        value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
      input_->damaged(
          fmt::format("the header's {} must be a whole number in {} .. {}", name, low, high));
    }
    return value.get<std::int64_t>();
  };
  const auto field = [&](const char* name) -> const Json& {
    const auto found = header.find(name);
    if (found == header.end()) input_->damaged(fmt::format("the header has no {}", name));
    return *found;
  };
  const auto text_field = [&](const char* name) {
    if (!field(name).is_string())
      input_->damaged(fmt::format("the header's {} must be text", name));
    return field(name).get<std::string>();
  };

  info_.rule = parse_rule_spec(text_field("rule"), input_->path() + ":header's rule");
  info_.source = text_field("source");
  info_.generation = integer(field("generation"), "generation", 0, kMost);
  info_.start_generation =
      integer(field("start_generation"), "start_generation", 0, info_.generation);
  info_.origin.x = integer(field("x"), "x", -kFarthest, kFarthest);
  info_.origin.y = integer(field("y"), "y", -kFarthest, kFarthest);
  width_ = integer(field("width"), "width", 1, kFarthest);
  height_ = integer(field("height"), "height", 1, kFarthest);
  if (const Json& box = field("start_bounds"); !box.is_null()) {
    if (!box.is_array() || box.size() != 4) {
      input_->damaged("the header's start_bounds must be [xmin, ymin, xmax, ymax] or null");
    }
    const auto side = [&](int i) { return integer(box[i], "start_bounds", -kFarthest, kFarthest); };
    info_.start_bounds = Bounds{side(0), side(1), side(2), side(3)};
    if (side(0) > side(2) || side(1) > side(3))
      input_->damaged("the header's start_bounds are inside out");
  }

  const RuleSpec& rule = info_.rule;
  if (rule.bounded() &&
      (width_ != rule.width || height_ != rule.height || info_.origin != rule.origin())) {
    input_->damaged(fmt::format("a grid of {}x{} cells at ({}, {}) is not that of the universe {}",
                                width_, height_, info_.origin.x, info_.origin.y, to_string(rule)));
  }
  const std::optional<std::int64_t> bytes = BitGrid::bytes(width_, height_);
  // The smallest block is a count, a frame of one repeated byte, and a checksum.
  constexpr std::int64_t kLeastBlock = 4 + 9 + 8;
  if (!bytes || Bands(extent()).count() > input_->left() / kLeastBlock) {
    input_->damaged(fmt::format("a grid of {}x{} cells cannot be in the {} bytes that follow",
                                width_, height_, input_->left()));
  }
  if (max_memory > 0 && *bytes > max_memory) {
    throw InputError(fmt::format("{}: its grid of {}x{} cells takes {} bytes; the limit is {}",
                                 input_->path(), width_, height_, *bytes, max_memory));
  }
}

std::optional<Piece> CheckpointReader::next() {
  const Bands bands(extent());
  if (band_ == bands.count()) {
    input_->check_end();
    return std::nullopt;
  }
  const Rect at = bands.at(band_++);
  BitGrid cells(at.width, at.height);
  const std::span<std::uint64_t> words = cells.words();
  const std::uint32_t size = input_->read_u32();
  if (size > ZSTD_compressBound(words.size_bytes())) {
    input_->damaged(fmt::format("a block of {} bytes is longer than its cells need", size));
  }
  std::vector<char> frame(size);
  input_->read(frame.data(), frame.size());
  input_->check_checksum();
  const std::size_t got =
      ZSTD_decompress(words.data(), words.size_bytes(), frame.data(), frame.size());
  if (got != words.size_bytes())
    input_->damaged("the block before this does not unpack to its cells");
  swap_unless_little_endian(words);
  const std::uint64_t mask = cells.last_word_mask();
  for (std::int64_t y = 0; y < at.height; y++) {
    if (cells.row(y)[cells.words_per_row() - 1] & ~mask) {
      input_->damaged("the block before this has cells beyond the grid's width");
    }
  }
  return Piece{{at.x, at.y}, std::move(cells)};
}

Checkpoint read_checkpoint(const std::string& path, std::int64_t max_memory) {
  CheckpointReader reader(path, max_memory);
  const Rect grid = reader.extent();
  Checkpoint out{reader.info(), CellGrid(grid.width, grid.height)};
  while (const std::optional<Piece> piece = reader.next()) {
    out.cells.paste(piece->at.x - grid.x, piece->at.y - grid.y, piece->cells);
  }
  return out;
}

bool is_checkpoint(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const OpenFile file(std::fopen(path.c_str(), "rbe"));
  char magic[8] = {};
  return file && std::fread(magic, 1, sizeof magic, file.get()) == sizeof magic &&
         std::string_view(magic, sizeof magic) == kMagic;
}

}  // namespace tessera
