#pragma once

#include <cstddef>
#include <cstdint>

// What libtessera_mpi.so offers: MPI behind a plain table, so that the program needs no MPI to
// start and each MPI can have a module of its own. One thread at a time calls; where `threads` says
// so, another one may meanwhile call those from `beat` to `hushed`.

extern "C" {

struct TesseraMpiModule {
  /// kTesseraMpiVersion of the header that it was compiled with.
  int version;
  /// Initialises MPI; 0 when it did.
  int (*start)(void);
  int (*rank)(void);
  int (*size)(void);
  /// 1 where two threads may call at a time, 0 where this MPI allows one alone.
  int (*threads)(void);
  /// The MPI's own name and version, one line.
  const char* (*library)(void);
  /// Begin what `test` completes, and return its request, or null when MPI refused. The memory
  /// stays the caller's and untouched until then. At most 2^30 bytes or numbers a call.
  void* (*send)(const void* bytes, std::size_t count, int to, int tag);
  void* (*receive)(void* bytes, std::size_t count, int from, int tag);
  void* (*broadcast)(void* bytes, std::size_t count);  ///< those of rank 0
  /// In place, for all ranks. `how`: 0 sum, 1 least, 2 most.
  void* (*reduce)(std::uint64_t* numbers, std::size_t count, int how);
  void* (*barrier)(void);
  /// 1: done, 0: not yet, -1: failed. What is done or failed is freed.
  int (*test)(void* request);
  /// Tells another rank that this one lives (0), or that it will tell no more (1), unless what was
  /// told before is still on its way. 1: told, 0: not yet, -1: failed.
  int (*beat)(int to, int last);
  /// What another rank has told: -1 nothing new, else 0 or 1 as above.
  int (*heard)(int from);
  /// Tells another rank that everybody has been told why the run ends; waits a moment at most.
  void (*hush)(int to);
  /// 1 when any rank has told that.
  int (*hushed)(void);
  /// Ends MPI, when all ranks do so.
  void (*finish)(void);
  /// Ends the processes of all ranks on all hosts; from any thread.
  void (*abort)(int code);
};

constexpr int kTesseraMpiVersion = 3;

/// The one function of the module.
const TesseraMpiModule* tessera_mpi_module(void);
}
