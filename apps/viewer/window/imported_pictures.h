#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/pictures/shared_picture.h"

namespace tessera {

/// Pictures that another API left on the device, as a source of pixels for OpenGL, by way of
/// GL_EXT_memory_object and GL_EXT_memory_object_fd. All calls need a current context, always the
/// same.
class ImportedPictures {
 public:
  ImportedPictures();
  ~ImportedPictures();
  ImportedPictures(const ImportedPictures&) = delete;
  ImportedPictures& operator=(const ImportedPictures&) = delete;

  /// Who draws, where it can import memory; nothing where it cannot, and once it has failed to.
  const std::optional<DeviceIdentity>& device() const { return device_; }

  /// Imports a picture's memory, if that was not done yet. False when the driver does not take it:
  /// then none is taken any more.
  bool take(const SharedPicture& picture);
  /// Binds the memory that was taken last as GL_PIXEL_UNPACK_BUFFER.
  void bind() const;
  /// Keeps a picture until the device has done all commands so far, so that nobody writes to it.
  void keep(std::shared_ptr<const SharedPicture> picture);
  /// Lets go of pictures that the device has read, and of memory that nobody else holds.
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
