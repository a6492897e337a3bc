#include "apps/viewer/window/pattern_browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/paths.h"
#include "core/base/text_search.h"
#include "core/cells/rasterize.h"
#include "core/files/checkpoint.h"
#include "core/pattern_io.h"
#include "core/pictures/cell_counts.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::int64_t kMostSide = 1 << 14;
// Cards are taken over about so often, so that they appear one after another.
constexpr auto kBatch = std::chrono::milliseconds(60);
// Files of a batch.
constexpr std::size_t kMostReadAtOnce = 64;

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

bool lies_in(const std::string& file, const std::string& folder) {
  return folder.empty() ||
         (file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/');
}

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// Where programs keep what they share with others, by the XDG Base Directory Specification.
std::vector<fs::path> data_folders() {
  std::vector<fs::path> out = {variable("XDG_DATA_HOME", variable("HOME", "") + "/.local/share")};
  std::istringstream all(variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
  for (std::string each; std::getline(all, each, ':');) out.emplace_back(each);
  std::erase_if(out, [](const fs::path& each) { return !each.is_absolute(); });
  return out;
}

std::pair<std::string, std::vector<std::string>> list_of(const std::string& folder) {
  return {folder, PatternBrowser::list(folder)};
}

}  // namespace

std::string PatternBrowser::gallery_folder() {
  std::error_code failed;
  fs::path above = fs::read_symlink("/proc/self/exe", failed).parent_path();
  while (!failed && above.has_relative_path()) {
    above = above.parent_path();
    const fs::path folder = above / "share" / "tessera" / "patterns";
    if (fs::is_directory(folder, failed)) return folder.string();
    failed.clear();
  }
  return "";
}

std::vector<PatternRoot> PatternBrowser::roots() {
  std::vector<PatternRoot> out;
  if (const std::string gallery = gallery_folder(); !gallery.empty())
    out.push_back({"Gallery", gallery});
  for (const fs::path& data : data_folders()) {
    std::error_code unknown;
    if (const fs::path golly = data / "golly" / "Patterns"; fs::is_directory(golly, unknown)) {
      out.push_back({"Golly", golly.string()});
      break;
    }
  }
  return out;
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
  // Those of the folder itself first, then folder by folder.
  std::ranges::sort(files, {}, [](const std::string& file) {
    const fs::path path(file);
    return std::pair{path.parent_path().string(), path.filename().string()};
  });
  return files;
}

PatternCard PatternBrowser::read(const std::string& path) {
  PatternCard card;
  card.path = path;
  card.name = printable(fs::path(path).stem().string(), 100);
  try {
    std::error_code unknown;
    if (fs::file_size(path, unknown) > kMostBytes && !unknown) {
      card.title = "Too large for a preview, but it can be opened";
      return card;
    }
    if (is_checkpoint(path)) {
      card.title = card.name + ": a checkpoint";
      return card;
    }
    const PatternSummary summary = read_summary(path);
    const Pattern& pattern = summary.pattern;
    if (!pattern.name.empty()) card.name = printable(pattern.name, 100);
    card.title = fmt::format("{}: {} x {}, {} live", card.name, pattern.width, pattern.height,
                             summary.population);
    if (pattern.rule) card.title += ", " + to_string(*pattern.rule);
    if (!pattern.author.empty()) card.comments.push_back(printable(pattern.author, 300));
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
    card.refused = true;
  } catch (const std::exception& error) {
    // The folder is known.
    const std::string folder = fs::path(path).parent_path().string() + "/";
    const std::string why = error.what();
    card.title = printable(why.starts_with(folder) ? why.substr(folder.size()) : why, 300);
    card.refused = true;
  }
  return card;
}

// What is read at the end is not waited for longer than one file takes.
PatternBrowser::~PatternBrowser() { ended_ = true; }

void PatternBrowser::show_folder(const std::string& folder) {
  if (folder != folder_) {
    revision_++;
    folder_ = folder;
    files_.clear();
    folders_.clear();
    cards_.clear();
    chosen_.clear();
  }
  if (!listing_.valid()) listing_ = std::async(std::launch::async, list_of, folder);
}

void PatternBrowser::take_listing() {
  std::pair<std::string, std::vector<std::string>> listed;
  if (!take(listing_, listed)) return;
  if (listed.first != folder_) {  // another one was asked for meanwhile
    listing_ = std::async(std::launch::async, list_of, folder_);
    return;
  }
  revision_++;
  files_ = std::move(listed.second);
  std::set<std::string> folders;
  for (const std::string& file : files_) {
    if (const std::string inside = fs::path(file).parent_path().string(); !inside.empty())
      folders.insert(inside);
  }
  folders_.assign(folders.begin(), folders.end());
}

void PatternBrowser::take_cards() {
  std::map<std::string, PatternCard> read;
  if (!take(reading_, read) || reading_folder_ != folder_) return;
  revision_++;
  if (cards_.size() > kMostCards) cards_.clear();  // those that are seen are read again
  cards_.merge(read);
}

void PatternBrowser::update(const std::vector<std::string>& wanted, const std::string& inside) {
  take_listing();
  take_cards();
  if (reading_.valid() || files_.empty()) return;
  std::vector<std::string> unread;
  const auto add = [&](const std::string& file) {
    if (unread.size() < kMostReadAtOnce && !cards_.contains(file)) unread.push_back(file);
  };
  std::ranges::for_each(wanted, add);
  // What lies in the folder is needed to tell what is refused from the rest.
  if (unread.empty() && cards_.size() < kMostCards) {
    for (const std::string& file : files_) {
      if (unread.size() == kMostReadAtOnce) break;
      if (lies_in(file, inside)) add(file);
    }
  }
  if (unread.empty()) return;
  reading_folder_ = folder_;
  reading_ = std::async(std::launch::async,
                        [folder = fs::path(folder_), unread = std::move(unread), this] {
                          std::map<std::string, PatternCard> out;
                          const auto end = std::chrono::steady_clock::now() + kBatch;
                          for (const std::string& file : unread) {
                            out.emplace(file, read((folder / file).string()));
                            if (ended_ || std::chrono::steady_clock::now() > end) break;
                          }
                          return out;
                        });
}

std::vector<std::string> PatternBrowser::files(const std::string& inside,
                                               const std::string& filter) const {
  std::vector<std::string> out, refused;
  for (const std::string& file : files_) {
    const PatternCard* known = card(file);
    if (!lies_in(file, inside) ||
        !(contains_any_case(file, filter) || (known && contains_any_case(known->name, filter))))
      continue;
    (known && known->refused ? refused : out).push_back(file);
  }
  out.insert(out.end(), refused.begin(), refused.end());
  return out;
}

const PatternCard* PatternBrowser::card(const std::string& file) const {
  const auto found = cards_.find(file);
  return found == cards_.end() ? nullptr : &found->second;
}

std::string PatternBrowser::chosen_path() const {
  return chosen_.empty() ? "" : (fs::path(folder_) / chosen_).string();
}

}  // namespace tessera
