#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/pictures/shared_picture.h"

namespace tessera {

/// Pictures that another API left on the device, as a source of pixels for OpenGL
/// (GL_EXT_memory_object, GL_EXT_memory_object_fd). All calls need the same current context.
class ImportedPictures {
 public:
  ImportedPictures();
  ~ImportedPictures();
  ImportedPictures(const ImportedPictures&) = delete;
  ImportedPictures& operator=(const ImportedPictures&) = delete;

  /// The device that draws, if it can import memory; nothing if it cannot, or once an import
  /// failed.
  const std::optional<DeviceIdentity>& device() const { return device_; }

  /// Imports a picture's memory, unless that was done already. False when the driver refuses it;
  /// then no further one is imported.
  bool take(const SharedPicture& picture);
  /// Binds the memory that was imported last as GL_PIXEL_UNPACK_BUFFER.
  void bind() const;
  /// Keeps a picture until the device has done all commands so far, so that nobody writes to it.
  void keep(std::shared_ptr<const SharedPicture> picture);
  /// Releases pictures that the device has read, and memory that nobody else holds.
  void collect();

 private:
  bool import(const SharedMemory& memory);
  void forget();

  std::optional<DeviceIdentity> device_;
  std::weak_ptr<const SharedMemory> memory_;  // what is imported
  unsigned object_ = 0, buffer_ = 0;
  std::vector<std::pair<void*, std::shared_ptr<const SharedPicture>>> read_;  // behind fences
};

}  // namespace tessera
