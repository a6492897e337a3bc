#pragma once

namespace tessera {

/// Exit codes of the programs; 0 is done.
constexpr int kFailed = 1;    ///< a failure while running: device, memory, disk
constexpr int kBadInput = 2;  ///< bad usage or bad input
constexpr int kDiffers = 3;   ///< a comparison that differs, or a wrong result

/// Stopped by a signal after everything asked for was written: 130 for SIGINT, 143 for SIGTERM,
/// 129 for SIGHUP. Shells tell of a program that a signal killed by the same numbers.
constexpr int stopped_by(int signal) { return 128 + signal; }

}  // namespace tessera
