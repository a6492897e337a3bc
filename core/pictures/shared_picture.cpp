#include "core/pictures/shared_picture.h"

#include <fcntl.h>
#include <unistd.h>

namespace tessera {

SharedMemory::SharedMemory(int descriptor, std::int64_t bytes, std::int64_t used, bool dedicated)
    : descriptor_(descriptor), bytes_(bytes), used_(used), dedicated_(dedicated) {}

SharedMemory::~SharedMemory() { ::close(descriptor_); }

int SharedMemory::duplicate() const { return ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); }

}  // namespace tessera
