#pragma once

#include <string>
#include <string_view>

#include "core/patterns/pattern.h"
#include "core/patterns/pattern_format.h"

namespace tessera {

/// Reads a pattern from a file, plain or gzip-compressed, or from standard input for "-". The
/// format is recognised by content first (a "#Life 1.05" line, "[M2]", an "x = ..., y = ..."
/// header,
/// '!' comments), then by suffix. Throws InputError when the file cannot be opened, FileError when
/// reading fails later, ParseError ("file:line:column: ...") when it is not a pattern, and
/// ParseError ("file:byte N: ...") for compressed data that are damaged or unpack to more than 200
/// times their size and more than 64 MiB, or for macrocells that could take more than 8 GiB.
Pattern read_pattern(const std::string& path);

/// Reads a file as read_pattern does and says what is in it. The cells of a macrocell file are not
/// made for that, so that it may have any number of them up to 2^63-1. `format`, where it is given,
/// is set to the format found.
PatternSummary read_summary(const std::string& path, PatternFormat* format = nullptr);

/// The same from memory; `name` stands for the file in messages and its suffix is the fallback
/// hint.
Pattern parse_pattern(std::string_view bytes, const std::string& name);

/// The format that a path's suffix asks for: .rle, .mc (macrocell), .cells, .lif and .life
/// (Life 1.06), .l (Life 1.05), each also with .gz; RLE for "-". Throws InputError, listing what is
/// accepted, for any other suffix.
PatternFormat pattern_format_of(const std::string& path);

/// Writes to a file through a temporary beside it and a rename, gzip-compressed for ".gz", or RLE
/// to standard output for "-". Position, generation, rule, name, author and comments are kept as
/// far as the format can express them; the headers in core/patterns/ tell what each cannot. Throws
/// InputError when the format would need more than 4 GiB, and FileError; no half-written file is
/// left.
void write_pattern(const std::string& path, const Pattern& pattern);

/// The text of a pattern in a format. Throws InputError as write_pattern does.
std::string format_pattern(const Pattern& pattern, PatternFormat format);

}  // namespace tessera
