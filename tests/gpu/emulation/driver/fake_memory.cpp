// Memory of the device, which is memory of the host, and of other processes' devices.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

// Memory that was given out.
struct Piece {
  std::size_t bytes;
  int file;  // where it is shared; or -1
};
std::mutex pieces_mutex;
std::map<void*, Piece> pieces;

// What stands for a piece in other processes.
struct Handle {
  pid_t process;
  int file;
  std::size_t bytes;
};

// Of a file, or nobody else's; in place of what is at `at`. Null where there is none.
void* map_memory(void* at, std::size_t bytes, int file) {
  const int how = (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | (at ? MAP_FIXED : 0);
  void* const memory =
      ::mmap(at, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE, how, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return *free = *total = std::size_t{8} << 30, CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* at, std::size_t bytes) {
  void* const memory = map_memory(nullptr, bytes, -1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xDD, bytes);  // nothing may count on zeros
  const std::lock_guard lock(pieces_mutex);
  pieces[memory] = {bytes, -1};
  *at = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr at) {
  const std::lock_guard lock(pieces_mutex);
  const auto found = pieces.find(reinterpret_cast<void*>(at));
  if (found == pieces.end()) std::abort();
  ::munmap(found->first, std::max<std::size_t>(found->second.bytes, 1));
  if (found->second.file >= 0) ::close(found->second.file);
  pieces.erase(found);
  return CUDA_SUCCESS;
}
// The piece moves into a file without a name, which others find among this process's open files.
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr at) {
  const std::lock_guard lock(pieces_mutex);
  Piece& piece = pieces.at(reinterpret_cast<void*>(at));
  if (piece.file < 0) {
    piece.file = ::memfd_create("fake CUDA memory", 0);
    const auto* const from = reinterpret_cast<const char*>(at);
    const std::string old(from, piece.bytes);
    if (::ftruncate(piece.file, static_cast<off_t>(piece.bytes)) != 0 ||
        !map_memory(reinterpret_cast<void*>(at), piece.bytes, piece.file))
      return CUDA_ERROR_OUT_OF_MEMORY;
    std::memcpy(reinterpret_cast<void*>(at), old.data(), old.size());
  }
  const Handle out{::getpid(), piece.file, piece.bytes};
  return std::memcpy(handle, &out, sizeof out), CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* at, CUipcMemHandle handle, unsigned int) {
  Handle from{};
  std::memcpy(&from, &handle, sizeof from);
  const std::string path =
      "/proc/" + std::to_string(from.process) + "/fd/" + std::to_string(from.file);
  const int file = ::open(path.c_str(), O_RDWR);
  void* const memory = file < 0 ? nullptr : map_memory(nullptr, from.bytes, file);
  if (!memory) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(pieces_mutex);
  pieces[memory] = {from.bytes, file};
  *at = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr at) { return cuMemFree(at); }
CUresult cuMemAllocHost(void** at, std::size_t bytes) {
  return *at = std::malloc(bytes), CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* at) { return std::free(at), CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes),
         CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  return std::memset(reinterpret_cast<void*>(to), value, bytes), CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, std::size_t count, CUstream) {
  return std::fill_n(reinterpret_cast<unsigned int*>(to), count, value), CUDA_SUCCESS;
}

}  // extern "C"
