#pragma once

#include <string>

namespace tessera {

// Where the user's own files are, as opposed to those that the system or a program brought along.

/// The folder that a file lies in, "." for a name alone.
std::string folder_of(const std::string& path);
/// True for a folder that can be written and is none of the system's, such as /usr, whoever asks.
bool is_own_folder(const std::string& folder);
/// Where to offer to save: `last` where that is the user's own, or else the home folder, or else
/// the current one.
std::string own_folder(const std::string& last);
/// The path with a "~/" at its beginning replaced by the home folder.
std::string expanded(const std::string& path);

/// Throws InputError unless a file of this name can be made: its folder exists and can be written,
/// and the name is not that of a folder. Whether a file is there already does not matter.
void check_can_be_made(const std::string& path);

}  // namespace tessera
