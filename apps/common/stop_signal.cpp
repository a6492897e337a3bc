#include "apps/common/stop_signal.h"

#include <csignal>

#include "backends/distributed/launch.h"

namespace tessera {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t received = 0;
bool launched_together = false;  // with other ranks

void on_signal(int signal) {
  received = signal;
  ask_to_end();
  for (const int each : kSignals) {
    // A launcher may send it twice, and kills by another one anyway.
    if (each == SIGTERM && launched_together) continue;
    struct sigaction now {};
    if (::sigaction(each, nullptr, &now) == 0 && now.sa_handler == on_signal)
      std::signal(each, SIG_DFL);
  }
}

}  // namespace

void catch_stop_signals() {
  launched_together = launched().has_value();
  for (const int signal : kSignals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

int stop_signal() { return received; }

const char* stop_signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "a signal";
  }
}

}  // namespace tessera
