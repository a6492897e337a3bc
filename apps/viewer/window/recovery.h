#pragma once

#include <optional>
#include <string>

namespace tessera {

// Checkpoints of unsaved work that a signal has ended, $XDG_STATE_HOME/tessera/recovery-PID.tsr, or
// under ~/.local/state.

/// Where this process keeps its unsaved work; makes the folder. Throws FileError when none can be
/// made.
std::string recovery_path();
/// The newest one that waits, or nothing.
std::optional<std::string> newest_recovery();
/// It is open again, and is no longer offered: renamed to recovered.tsr beside it, in the place of
/// the one before.
void set_aside(const std::string& path);

}  // namespace tessera
