#pragma once

#include <string>

namespace tessera {

// Where the user's own files are, as opposed to those that the system or a program brought along.

/// The folder that a file lies in, "." for a name alone.
std::string folder_of(const std::string& path);
/// True for a folder that can be written and is none of the system's, such as /usr, whoever asks.
bool is_own_folder(const std::string& folder);
/// Where to save, or to offer that: `last` where that is the user's own, or else the home folder,
/// or else the current one, or else that of temporary files. Never one of the system's.
std::string own_folder(const std::string& last);
/// A file there that does not exist: "tessera.png", "tessera-2.png", ... with the suffix ".png".
std::string unused_file(const std::string& last, const std::string& suffix);
/// The path with a "~/" at its beginning replaced by the home folder.
std::string expanded(const std::string& path);

/// Throws InputError, with the reason as a sentence, unless a file of this name can be made.
void check_can_be_made(const std::string& path);

}  // namespace tessera
