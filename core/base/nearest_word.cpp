#include "core/base/nearest_word.h"
#include "core/base/letters.h"

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

// Longer words are not typed by hand.
constexpr std::size_t kLongest = 64;

bool same(char a, char b) { return lower(a) == lower(b); }

// Changes that lead from `a` to `b`, by the table of Wagner and Fischer, of which three rows are
// kept: a swap looks back two.
std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

bool begins(std::string_view word, std::string_view with) {
  return word.size() > with.size() && std::equal(with.begin(), with.end(), word.begin(), same);
}

bool begins_alike(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && same(a.front(), b.front());
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> words) {
  if (typed.empty() || typed.size() > kLongest) return "";
  std::string nearest;
  std::size_t fewest = kLongest;
  for (const std::string& word : words) {
    const std::size_t most = std::max(typed.size(), word.size()) / 3;
    std::size_t needed = changes(typed, word);
    // What was begun and not finished counts as one change.
    if (typed.size() >= 2 && begins(word, typed)) needed = std::min<std::size_t>(needed, 1);
    // Of equals, the one that begins alike is likelier.
    const bool better = needed < fewest || (needed == fewest && begins_alike(word, typed) &&
                                            !begins_alike(nearest, typed));
    if (better && needed <= std::max<std::size_t>(most, 1) && word.size() > 1) {
      nearest = word;
      fewest = needed;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string nearest = nearest_word(typed, words);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::string meant_or_accepted(std::string_view typed, std::span<const std::string> words) {
  const std::string meant = did_you_mean(typed, words);
  return meant.empty() ? "; accepted are " : meant + " Accepted are ";
}

}  // namespace tessera
