#include "core/shared_picture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"

namespace tessera {

SharedMemory::SharedMemory(int descriptor, std::int64_t bytes, std::int64_t used, bool dedicated)
    : descriptor_(descriptor), bytes_(bytes), used_(used), dedicated_(dedicated) {}

SharedMemory::~SharedMemory() { ::close(descriptor_); }

int SharedMemory::duplicate() const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    throw DeviceError(std::string("no descriptor for a picture's memory: ") + std::strerror(errno));
  return copy;
}

}  // namespace tessera
