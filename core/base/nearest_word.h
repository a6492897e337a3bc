#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The word that somebody who typed `typed` is most likely to have meant: the one that the fewest
/// changes of a letter lead to (insertions, deletions, replacements and swaps of neighbours:
/// optimal string alignment), or one that begins with what was typed. Empty when more than a third
/// of the letters would have to change. Upper and lower case are the same; the first of equals
/// wins.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

/// "; did you mean WORD?" with the nearest word, or nothing where none is near: the end of a
/// message about a word that is not known.
std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

/// The same for a message that goes on with what is accepted: "; did you mean WORD? Accepted are "
/// or "; accepted are ".
std::string meant_or_accepted(std::string_view typed, std::span<const std::string> words);

}  // namespace tessera
