#include "backends/distributed/mpi_module.h"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

namespace {

struct Request {
  MPI_Request request = MPI_REQUEST_NULL;
};

std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name{};
MPI_Comm ours = MPI_COMM_NULL;
int level = MPI_THREAD_SINGLE;
// Who lives is told beside everything else.
MPI_Comm beats = MPI_COMM_NULL;
MPI_Request told = MPI_REQUEST_NULL;
char tells = 0;
constexpr int kBeat = 0, kHush = 1;  // tags

int start() {
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return 1;
  if (level < MPI_THREAD_SERIALIZED) return 1;
  if (MPI_Comm_dup(MPI_COMM_WORLD, &ours) != MPI_SUCCESS) return 1;
  if (MPI_Comm_dup(MPI_COMM_WORLD, &beats) != MPI_SUCCESS) return 1;
  // A connection that fails is told to the program, which says what is lost.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(beats, MPI_ERRORS_RETURN);
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  if (char* end = std::strpbrk(name.data(), ",\n")) *end = '\0';
  for (char& c : name) {
    if (c == '\t') c = ' ';
  }
  return 0;
}

int rank() {
  int value = 0;
  MPI_Comm_rank(ours, &value);
  return value;
}

int size() {
  int value = 0;
  MPI_Comm_size(ours, &value);
  return value;
}

int threads() { return level == MPI_THREAD_MULTIPLE ? 1 : 0; }

const char* library() { return name.data(); }

// A request that `call` begins.
template <class Call>
void* begun(const Call& call) {
  auto* const request = new (std::nothrow) Request;
  if (request && call(&request->request) == MPI_SUCCESS) return request;
  delete request;
  return nullptr;
}

void* send(const void* bytes, std::size_t count, int to, int tag) {
  return begun([&](MPI_Request* request) {
    return MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, tag, ours, request);
  });
}

void* receive(void* bytes, std::size_t count, int from, int tag) {
  return begun([&](MPI_Request* request) {
    return MPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, tag, ours, request);
  });
}

void* broadcast(void* bytes, std::size_t count) {
  return begun([&](MPI_Request* request) {
    return MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, 0, ours, request);
  });
}

void* reduce(std::uint64_t* numbers, std::size_t count, int how) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  return begun([&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, numbers, static_cast<int>(count), MPI_UINT64_T, ops[how],
                          ours, request);
  });
}

void* barrier() {
  return begun([&](MPI_Request* request) { return MPI_Ibarrier(ours, request); });
}

int test(void* pointer) {
  auto* const request = static_cast<Request*>(pointer);
  int done = 0;
  const int status = MPI_Test(&request->request, &done, MPI_STATUS_IGNORE);
  if (status == MPI_SUCCESS && !done) return 0;
  delete request;
  return status == MPI_SUCCESS ? 1 : -1;
}

int beat(int to, int last) {
  int done = 0;
  if (MPI_Test(&told, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
  if (!done) return 0;
  tells = static_cast<char>(last);
  return MPI_Isend(&tells, 1, MPI_CHAR, to, kBeat, beats, &told) == MPI_SUCCESS ? 1 : -1;
}

int heard(int from) {
  int last = -1, there = 0;
  while (MPI_Iprobe(from, kBeat, beats, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there) {
    char value = 0;
    if (MPI_Recv(&value, 1, MPI_CHAR, from, kBeat, beats, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    last = value;
  }
  return last;
}

void hush(int to) {
  static const char any = 0;
  constexpr int kTries = 100;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(&any, 1, MPI_CHAR, to, kHush, beats, &request) != MPI_SUCCESS) return;
  for (int i = 0, done = 0; i < kTries && !done; i++) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int hushed() {
  int there = 0;
  const int status = MPI_Iprobe(MPI_ANY_SOURCE, kHush, beats, &there, MPI_STATUS_IGNORE);
  return status == MPI_SUCCESS && there ? 1 : 0;
}

void finish() {
  int done = 0;
  MPI_Test(&told, &done, MPI_STATUS_IGNORE);
  if (!done) MPI_Request_free(&told);
  MPI_Comm_free(&beats);
  MPI_Comm_free(&ours);
  MPI_Finalize();
}

void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

constexpr TesseraMpiModule kModule{kTesseraMpiVersion,
                                   start,
                                   rank,
                                   size,
                                   threads,
                                   library,
                                   send,
                                   receive,
                                   broadcast,
                                   reduce,
                                   barrier,
                                   test,
                                   beat,
                                   heard,
                                   hush,
                                   hushed,
                                   finish,
                                   abort_all};

}  // namespace

const TesseraMpiModule* tessera_mpi_module(void) { return &kModule; }
