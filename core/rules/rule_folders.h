#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// While it lives, rule files are looked for in the folder of `file` first, on this thread: what
/// the readers of patterns and checkpoints set, because such files travel with their rules.
class RulesBeside {
 public:
  explicit RulesBeside(const std::string& file);
  ~RulesBeside();
  RulesBeside(const RulesBeside&) = delete;
  RulesBeside& operator=(const RulesBeside&) = delete;

 private:
  std::string before_;
};

/// The rule of the file that `text` means. What has one of kRuleFileEndings and a slash is a path.
/// Else `text`, with any of these behind it where it has none, is looked for beside the file that
/// is read (RulesBeside), in the folders of rule files that were found in such a way or by their
/// path, the last one first, and in rule_folders(); and then among the rules that were read, and
/// those that need no file (constructor_rule). Nothing where there is no such file, or where the
/// text cannot be a name. Colours of an old rule file are read, too (colours_path). Throws
/// ParseError with the place in a file that has an error, and FileError where one cannot be read.
std::optional<Rule> find_rule_file(std::string_view text);

/// Why find_rule_file found nothing, where it looked, and which file there has the nearest name.
std::string missing_rule_file(std::string_view text);

/// Names that find_rule_file finds, without endings: of the files in the folders where it looks,
/// and of rules that need no file.
std::vector<std::string> rule_file_names();

/// Folders of the user's and of Golly's rule files: those of TESSERA_RULES, which colons separate,
/// ~/.golly/Rules, and the Rules folder of Golly where packages put it.
std::vector<std::string> rule_folders();

}  // namespace tessera
