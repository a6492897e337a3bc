#pragma once

namespace tessera {

/// From now on the first SIGINT, SIGTERM or SIGHUP only requests a stop, and the next one kills as
/// usual, except SIGTERM where mpirun or srun started several processes. Signals that the process
/// was started to ignore (nohup, background jobs) stay ignored.
void catch_stop_signals();

/// The signal that requested the stop, or 0.
int stop_signal();

/// "SIGINT" and the like.
const char* stop_signal_name(int signal);

}  // namespace tessera
