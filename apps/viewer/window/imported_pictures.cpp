#include "apps/viewer/window/imported_pictures.h"

#define GL_GLEXT_PROTOTYPES
#include <SDL.h>
#include <SDL_opengl.h>
#include <unistd.h>

namespace tessera {
namespace {

// Not every OpenGL library exports them, so they are looked up by name.
struct Functions {
  PFNGLGETUNSIGNEDBYTEVEXTPROC get_bytes =
      load<PFNGLGETUNSIGNEDBYTEVEXTPROC>("glGetUnsignedBytevEXT");
  PFNGLGETUNSIGNEDBYTEI_VEXTPROC get_bytes_of =
      load<PFNGLGETUNSIGNEDBYTEI_VEXTPROC>("glGetUnsignedBytei_vEXT");
  PFNGLCREATEMEMORYOBJECTSEXTPROC create =
      load<PFNGLCREATEMEMORYOBJECTSEXTPROC>("glCreateMemoryObjectsEXT");
  PFNGLDELETEMEMORYOBJECTSEXTPROC destroy =
      load<PFNGLDELETEMEMORYOBJECTSEXTPROC>("glDeleteMemoryObjectsEXT");
  PFNGLMEMORYOBJECTPARAMETERIVEXTPROC set =
      load<PFNGLMEMORYOBJECTPARAMETERIVEXTPROC>("glMemoryObjectParameterivEXT");
  PFNGLIMPORTMEMORYFDEXTPROC import = load<PFNGLIMPORTMEMORYFDEXTPROC>("glImportMemoryFdEXT");
  PFNGLBUFFERSTORAGEMEMEXTPROC storage =
      load<PFNGLBUFFERSTORAGEMEMEXTPROC>("glBufferStorageMemEXT");

  bool all() const {
    return get_bytes && get_bytes_of && create && destroy && set && import && storage;
  }

  template <class Function>
  static Function load(const char* name) {
    return reinterpret_cast<Function>(SDL_GL_GetProcAddress(name));
  }
};

const Functions& gl() {
  static const Functions kFunctions;
  return kFunctions;
}

void clear_errors() {
  while (glGetError() != GL_NO_ERROR) {
  }
}

}  // namespace

ImportedPictures::ImportedPictures() {
  if (!SDL_GL_ExtensionSupported("GL_EXT_memory_object") ||
      !SDL_GL_ExtensionSupported("GL_EXT_memory_object_fd") || !gl().all())
    return;
  clear_errors();
  int devices = 0;
  glGetIntegerv(GL_NUM_DEVICE_UUIDS_EXT, &devices);
  if (devices != 1) return;  // several devices draw together: none has all the memory
  DeviceIdentity identity;
  gl().get_bytes(GL_DRIVER_UUID_EXT, identity.driver.data());
  gl().get_bytes_of(GL_DEVICE_UUID_EXT, 0, identity.device.data());
  if (glGetError() == GL_NO_ERROR) device_ = identity;
}

ImportedPictures::~ImportedPictures() {
  for (const auto& [fence, picture] : read_) glDeleteSync(static_cast<GLsync>(fence));
  forget();
}

void ImportedPictures::forget() {
  if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
  if (object_ != 0) gl().destroy(1, &object_);
  buffer_ = object_ = 0;
  memory_.reset();
}

bool ImportedPictures::import(const SharedMemory& memory) {
  const int descriptor = memory.duplicate();
  if (descriptor < 0) return false;
  clear_errors();
  gl().create(1, &object_);
  const GLint dedicated = memory.dedicated();
  gl().set(object_, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  gl().import(object_, static_cast<GLuint64>(memory.bytes()), GL_HANDLE_TYPE_OPAQUE_FD_EXT,
              descriptor);
  if (glGetError() != GL_NO_ERROR) {
    ::close(descriptor);  // an import that succeeds takes it
    return false;
  }
  glGenBuffers(1, &buffer_);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
  gl().storage(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(memory.used()), object_, 0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  return glGetError() == GL_NO_ERROR;
}

bool ImportedPictures::take(const SharedPicture& picture) {
  if (!device_) return false;
  if (memory_.lock() == picture.memory) return true;
  forget();
  if (import(*picture.memory)) {
    memory_ = picture.memory;
    return true;
  }
  forget();
  device_.reset();
  return false;
}

void ImportedPictures::bind() const { glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_); }

void ImportedPictures::keep(std::shared_ptr<const SharedPicture> picture) {
  read_.emplace_back(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0), std::move(picture));
}

void ImportedPictures::collect() {
  std::erase_if(read_, [](const auto& each) {
    const auto fence = static_cast<GLsync>(each.first);
    const GLenum state = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    if (state == GL_TIMEOUT_EXPIRED) return false;
    glDeleteSync(fence);
    return true;
  });
  if (buffer_ != 0 && memory_.expired()) forget();
}

}  // namespace tessera
