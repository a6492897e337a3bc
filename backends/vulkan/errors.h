#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"
#include "vulkan/vulkan_raii.hpp"

namespace tessera::vulkan {

/// The device was lost or stopped answering; nothing on it can be used any more.
class DeviceLostError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Runs `body` and converts Vulkan's exceptions to this library's, naming `action` ("allocate 12
/// MiB") and the device.
template <class Body>
auto checked(const std::string& device, const std::string& action, Body&& body) {
  const std::string text = "vulkan: " + device + ": cannot " + action + ": ";
  try {
    return std::forward<Body>(body)();
  } catch (const vk::DeviceLostError& error) {
    throw DeviceLostError(text + error.what() + "; the device was lost, and the cells with it");
  } catch (const vk::OutOfDeviceMemoryError& error) {
    throw DeviceMemoryError(text + error.what() + "; use a smaller grid or --max-memory");
  } catch (const vk::OutOfHostMemoryError& error) {
    throw DeviceMemoryError(text + error.what());
  } catch (const vk::SystemError& error) {
    throw DeviceError(text + error.what());
  }
}

}  // namespace tessera::vulkan
