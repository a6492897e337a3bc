#include "apps/viewer/window/pattern_browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>

#include "core/base/paths.h"
#include "core/cells/rasterize.h"
#include "core/pattern_io.h"
#include "core/pictures/cell_counts.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::int64_t kMostSide = 1 << 14;

bool is_pattern(const std::string& path) {
  for (const char* suffix : {".rle", ".mc", ".cells", ".lif", ".life", ".l", ".tsr"}) {
    if (path.ends_with(suffix) || path.ends_with(std::string(suffix) + ".gz")) return true;
  }
  return false;
}

template <class Value>
bool take(std::future<Value>& future, Value& value) {
  if (!future.valid() || future.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return false;
  value = future.get();
  return true;
}

}  // namespace

std::string PatternBrowser::usual_folder() {
  std::error_code failed;
  for (const char* folder : {"/usr/share/golly/Patterns", "/usr/local/share/golly/Patterns"}) {
    if (fs::is_directory(folder, failed)) return folder;
  }
  return fs::current_path(failed).string();
}

std::vector<std::string> PatternBrowser::list(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed),
      end;
  for (; !failed && at != end && files.size() < kMostFiles; at.increment(failed)) {
    std::error_code unknown;
    if (is_pattern(at->path().string()) && at->is_regular_file(unknown)) {
      files.push_back(at->path().lexically_relative(folder).string());
    }
  }
  std::ranges::sort(files);
  return files;
}

PatternCard PatternBrowser::read(const std::string& path) {
  PatternCard card;
  card.path = path;
  try {
    std::error_code unknown;
    if (fs::file_size(path, unknown) > kMostBytes && !unknown) {
      card.title = "Too large for a preview, but it can be opened";
      return card;
    }
    const PatternSummary summary = read_summary(path);
    const Pattern& pattern = summary.pattern;
    const std::string name = pattern.name.empty() ? fs::path(path).stem().string() : pattern.name;
    card.title = fmt::format("{}: {} x {}, {} live", printable(name, 100), pattern.width,
                             pattern.height, summary.population);
    if (pattern.rule) card.title += ", " + to_string(*pattern.rule);
    for (const std::string& line : pattern.comments) card.comments.push_back(printable(line, 300));
    const auto& box = summary.bounds;
    if (!box || box->rect().width > kMostSide || box->rect().height > kMostSide) return card;
    const Rect rect = box->rect();
    BitGrid cells(rect.width, rect.height);
    draw_runs(read_pattern(path).cells, {}, cells, {rect.x, rect.y});
    reduce_density(cells, {0, 0, rect.width, rect.height},
                   ceil_div(std::max(rect.width, rect.height), kThumbnail), card.thumbnail);
  } catch (const std::bad_alloc&) {
    card.title = "Not enough memory to read this file";
  } catch (const std::exception& error) {
    card.title = printable(error.what(), 300);
  }
  return card;
}

void PatternBrowser::show_folder(const std::string& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  files_.clear();
  chosen_.clear();
  card_.reset();
  listing_ = std::async(std::launch::async, list, folder);
}

void PatternBrowser::choose(const std::string& name) {
  if (name == chosen_) return;
  chosen_ = name;
  card_.reset();
  start_reading();
}

// One at a time: the next begins when the last has ended, so that nobody waits.
void PatternBrowser::start_reading() {
  if (reading_.valid() || chosen_.empty()) return;
  reading_ = std::async(std::launch::async, read, (fs::path(folder_) / chosen_).string());
}

const std::vector<std::string>& PatternBrowser::files() {
  take(listing_, files_);
  return files_;
}

const PatternCard* PatternBrowser::card() {
  PatternCard card;
  if (take(reading_, card)) {
    if (card.path == (fs::path(folder_) / chosen_).string()) {
      card_ = std::move(card);
    } else {
      start_reading();
    }
  }
  return card_ ? &*card_ : nullptr;
}

}  // namespace tessera
