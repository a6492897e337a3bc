#include "core/rules/rule_folders.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_word.h"
#include "core/base/paths.h"
#include "core/rules/constructor_rule.h"
#include "core/rules/file_rule.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 250;
constexpr std::size_t kMostRecent = 64;
constexpr std::size_t kMostListed = 10'000;  // entries of a folder

thread_local std::string beside;  // NOLINT: what RulesBeside sets

// Folders where rule files were found that no variable names, the last one first.
struct Recent {
  std::mutex mutex;
  std::vector<std::string> folders;
};

Recent& recent() {
  static Recent all;
  return all;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string read_text(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  // One byte more than is accepted tells that there are too many.
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, kMostRuleFileBytes + 1)),
                   '\0');
  if (error || !file) throw FileError(printable(path) + ": the rule file cannot be read");
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The file of a rule in a folder, of the first ending that is there; empty where there is none.
std::string rule_file_in(const std::string& folder, std::string_view name) {
  const std::string path = folder + "/" + std::string(name);
  if (!rule_file_ending(name).empty()) return is_file(path) ? path : "";
  for (const std::string_view ending : kRuleFileEndings) {
    if (std::string with = path + std::string(ending); is_file(with)) return with;
  }
  return "";
}

Rule rule_of(const std::string& path) {
  const std::string colours = colours_path(path);
  return kept_file_rule(parse_rule_file(read_text(path), printable(path),
                                        is_file(colours) ? read_text(colours) : ""));
}

// The rule of a file in a folder that no variable names.
Rule rule_of_new_folder(const std::string& path) {
  Recent& known = recent();
  {
    const std::lock_guard lock(known.mutex);
    const std::string folder = folder_of(path);
    std::erase(known.folders, folder);
    known.folders.insert(known.folders.begin(), folder);
    if (known.folders.size() > kMostRecent) known.folders.pop_back();
  }
  return rule_of(path);
}

bool may_be_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestName || text.front() == '.') return false;
  return std::ranges::none_of(text, [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

// Where a name is looked for, but for the folder of a file that is read: also in this one if it has
// an ending.
std::vector<std::string> folders_of_names(bool ending) {
  Recent& known = recent();
  std::vector<std::string> folders;
  {
    const std::lock_guard lock(known.mutex);
    folders = known.folders;
  }
  if (ending) folders.emplace_back(".");
  for (const std::string& folder : rule_folders()) folders.push_back(folder);
  return folders;
}

// Rule files of a folder, with their endings. Messages may name them as they are.
std::vector<std::string> rule_files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && i < kMostListed && entry != fs::directory_iterator(); i++) {
    std::string name = entry->path().filename().string();
    if (!rule_file_ending(name).empty() && may_be_name(name) && printable(name) == name)
      names.push_back(std::move(name));
    entry.increment(error);
  }
  // A folder has no order; of equally near ones the same is to be named again.
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> rule_files_in_folders(bool ending) {
  std::vector<std::string> names;
  if (!beside.empty()) names = rule_files_in(beside);
  for (const std::string& folder : folders_of_names(ending)) {
    const std::vector<std::string> more = rule_files_in(folder);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::string_view without_ending(std::string_view name) {
  return name.substr(0, name.size() - rule_file_ending(name).size());
}

}  // namespace

RulesBeside::RulesBeside(const std::string& file) : before_(std::move(beside)) {
  beside = file == "-" || names_open_descriptor(file) ? "" : folder_of(file);
}

RulesBeside::~RulesBeside() { beside = std::move(before_); }

std::vector<std::string> rule_folders() {
  std::vector<std::string> folders;
  if (const char* named = std::getenv("TESSERA_RULES")) {
    const std::string_view all = named;
    for (std::size_t at = 0; at <= all.size();) {
      const std::size_t colon = std::min(all.find(':', at), all.size());
      if (colon > at) folders.emplace_back(all.substr(at, colon - at));
      at = colon + 1;
    }
  }
  if (const char* home = std::getenv("HOME"); home && *home)
    folders.push_back(std::string(home) + "/.golly/Rules");
  folders.insert(folders.end(), {"/usr/local/share/golly/Rules", "/usr/share/golly/Rules"});
  return folders;
}

std::optional<Rule> find_rule_file(std::string_view text) {
  const bool ending = !rule_file_ending(text).empty();
  if (ending && text.find('/') != std::string_view::npos) {
    const std::string path(text);
    if (!is_file(path)) return std::nullopt;
    return rule_of_new_folder(path);
  }
  if (!may_be_name(text)) return std::nullopt;
  if (!beside.empty()) {
    if (const std::string path = rule_file_in(beside, text); !path.empty())
      return rule_of_new_folder(path);
  }
  for (const std::string& folder : folders_of_names(ending)) {
    if (const std::string path = rule_file_in(folder, text); !path.empty()) return rule_of(path);
  }
  if (const auto last = last_file_rule(text)) return last;
  return constructor_rule(text);
}

std::string missing_rule_file(std::string_view text) {
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
    return "there is no rule file " + printable(text, 200) +
           did_you_mean(text.substr(slash + 1), rule_files_in(folder_of(std::string(text))));
  }
  std::string message =
      "there is no rule file " + printable(text, 80) + " beside the pattern, in this folder, ";
  const std::vector<std::string> folders = rule_folders();
  for (std::size_t i = 0; i < folders.size(); i++)
    message += (i == 0 ? "" : i + 1 == folders.size() ? " or " : ", ") + printable(folders[i]);
  const std::string file = did_you_mean(text, rule_files_in_folders(true));
  return message + (file.empty() ? did_you_mean(without_ending(text), constructor_names()) : file);
}

std::vector<std::string> rule_file_names() {
  std::vector<std::string> names = constructor_names();
  for (const std::string& file : rule_files_in_folders(false))
    names.emplace_back(without_ending(file));
  return names;
}

}  // namespace tessera
