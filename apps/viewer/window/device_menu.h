#pragma once

#include <future>
#include <string>
#include <vector>

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// The devices that the user can choose from, and their kernels. Drivers may take some time to list
/// them, so they are asked on a separate thread.
class DeviceMenu {
 public:
  struct Line {
    std::string name;   ///< as --backend takes it
    std::string title;  ///< with the vendor's name
    std::vector<std::string> kernels;
  };
  /// As Engine::use_backend takes them.
  struct Choice {
    std::string backend;
    std::string kernel;
  };

  DeviceMenu();

  /// Empty until the drivers have answered.
  const std::vector<Line>& lines();
  /// The device after the one in use; its kernel is "auto". Needs lines.
  Choice next_device(const Status& now) const;
  /// The next kernel of the device in use. After a device that does not support this universe, the
  /// next one follows. Needs lines.
  Choice next_kernel(const Status& now);

 private:
  std::vector<Line>::const_iterator in_use(const Status& now) const;

  std::future<std::vector<Line>> listing_;
  std::vector<Line> lines_;
  std::string tried_from_, tried_;  // kernels of the last change
};

}  // namespace tessera
