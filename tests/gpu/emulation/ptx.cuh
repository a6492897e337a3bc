// CUDA on a CPU, as far as the kernels strips and march need it. Replaces
// backends/cuda/kernels/ptx.cuh. A warp's lanes are coroutines that meet at every shuffle.
#ifndef TESSERA_PTX_CUH
#define TESSERA_PTX_CUH

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#define __device__
#define __forceinline__ inline
#define __global__
#define __host__
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define __CUDA_ARCH__ 900

struct uint2 {
  unsigned int x, y;
};
struct uint4 {
  unsigned int x, y, z, w;
};
struct alignas(16) ulonglong2 {
  std::uint64_t x, y;
};
inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
  return {x, y, z, w};
}

struct Index {
  unsigned int x;
};
// Each thread of the program runs a launch of its own.
inline thread_local Index threadIdx, blockIdx, blockDim{1}, gridDim{1};
// Where launches run beside each other: how many blocks the launches before this one have.
inline thread_local unsigned int first_block = 0;

// What the kernel's compiler is told about a plane.
inline thread_local int last_word;

template <class A, class B>
constexpr auto min(A a, B b) {
  return a < b ? static_cast<decltype(a + b)>(a) : static_cast<decltype(a + b)>(b);
}
template <class A, class B>
constexpr auto max(A a, B b) {
  return a > b ? static_cast<decltype(a + b)>(a) : static_cast<decltype(a + b)>(b);
}

/// Every lane of the warp gives a value and gets that of lane `from`.
unsigned int exchange(unsigned int value, unsigned int from);

/// Lanes of a block wait for each other.
void __syncthreads();

/// Every lane of the warp gives a bit and gets all of them.
unsigned int ballot(bool value);

inline unsigned int __shfl_sync(unsigned int, unsigned int value, unsigned int from) {
  return exchange(value, from);
}
inline unsigned int __shfl_xor_sync(unsigned int, unsigned int value, unsigned int apart) {
  return exchange(value, threadIdx.x % 32 ^ apart);
}
inline unsigned int __ballot_sync(unsigned int, bool value) { return ballot(value); }
template <class Number>
inline Number atomicAdd(Number* at, Number value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline void atomicOr(unsigned int* at, unsigned int value) {
  __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <class Number>
inline void atomicMin(Number* at, Number value) {
  if (value < *at) *at = value;
}
template <class Number>
inline void atomicMax(Number* at, Number value) {
  if (value > *at) *at = value;
}
inline int __ffs(int word) { return __builtin_ffs(word); }
inline int __ffsll(std::int64_t word) { return __builtin_ffsll(word); }
inline int __clzll(std::int64_t word) {
  return word == 0 ? 64 : __builtin_clzll(static_cast<std::uint64_t>(word));
}
inline unsigned int atomicExch(unsigned int* at, unsigned int value) {
  const unsigned int old = *at;
  *at = value;
  return old;
}
inline int __popcll(std::uint64_t word) { return __builtin_popcountll(word); }

inline unsigned int __shfl_up_sync(unsigned int, unsigned int value, unsigned int apart) {
  const unsigned int lane = threadIdx.x % 32;
  return exchange(value, lane < apart ? lane : lane - apart);
}
inline unsigned int __shfl_down_sync(unsigned int, unsigned int value, unsigned int apart) {
  const unsigned int lane = threadIdx.x % 32;
  return exchange(value, lane + apart > 31 ? lane : lane + apart);
}
template <class Long>
requires(sizeof(Long) == 8) inline Long
    __shfl_down_sync(unsigned int all, Long value, unsigned int apart) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t low = __shfl_down_sync(all, static_cast<unsigned int>(bits), apart);
  const std::uint64_t high = __shfl_down_sync(all, static_cast<unsigned int>(bits >> 32), apart);
  return static_cast<Long>(high << 32 | low);
}
inline int __popc(unsigned int word) { return __builtin_popcount(word); }
inline void __syncwarp() { exchange(0, threadIdx.x % 32); }

inline bool __any_sync(unsigned int, bool value) {
  unsigned int any = value;
  for (unsigned int apart = 16; apart > 0; apart /= 2)
    any |= exchange(any, threadIdx.x % 32 ^ apart);
  return any != 0;
}
inline uint4 load_last(const uint4* at) { return *at; }

template <int kTable>
unsigned int tessera_lut3(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int out = 0;
  for (int i = 0; i < 8; i++) {
    if (kTable >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return out;
}
inline unsigned int multiply_high(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(std::uint64_t{a} * b >> 32);
}
inline unsigned int multiply(unsigned int a, unsigned int b) { return a * b; }
inline unsigned int multiply_add(unsigned int a, unsigned int b, unsigned int c) {
  return a * b + c;
}
inline unsigned int multiply_high_add(unsigned int a, unsigned int b, unsigned int c) {
  return multiply_high(a, b) + c;
}
inline std::uint64_t multiply_wide_add(unsigned int a, unsigned int b, std::uint64_t c) {
  return std::uint64_t{a} * b + c;
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, int by) {
  return by == 0 ? high : high << by | low >> (32 - by);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, int by) {
  return by == 0 ? low : low >> by | high << (32 - by);
}
inline unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int from) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  unsigned int out = 0;
  for (int i = 0; i < 4; i++)
    out |= static_cast<unsigned int>(both >> 8 * (from >> 4 * i & 7) & 0xFF) << 8 * i;
  return out;
}

// Shared memory is memory. A copy is made when somebody waits for it, and not a moment earlier; or
// at once.
inline thread_local bool copies_at_once = false;
using Shared = std::uintptr_t;
inline Shared shared_address(const void* at) { return reinterpret_cast<Shared>(at); }
struct Copy {
  Shared to;
  std::uint64_t from;
};
using Copies = std::vector<std::vector<Copy>>;  // by groups; the last one is open
inline thread_local std::array<Copies, 4096> all_copies;
inline Copies& copies_of_thread() {
  return all_copies.at((first_block + blockIdx.x) * blockDim.x + threadIdx.x);
}
inline void copy_async(Shared to, std::uint64_t from) {
  Copies& copies = copies_of_thread();
  if (copies.empty()) copies.emplace_back();
  copies.back().push_back({to, from});
  if (copies_at_once)
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), 16);
}
inline void end_copies() {
  Copies& copies = copies_of_thread();
  if (copies.empty()) copies.emplace_back();
  copies.emplace_back();
}
template <int kBut>
void await_copies(Shared&, Shared&) {
  Copies& copies = copies_of_thread();
  while (copies.size() > kBut + 1) {
    for (const Copy& copy : copies.front()) {
      if (copies_at_once) break;
      std::memcpy(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from), 16);
    }
    copies.erase(copies.begin());
  }
}
template <int kBut>
void await_copies() {
  Shared none{};
  await_copies<kBut>(none, none);
}
inline void store_shared(Shared to, const unsigned int (&from)[4]) {
  std::memcpy(reinterpret_cast<void*>(to), from, 16);
}
inline void load_shared(unsigned int (&to)[4], Shared from) {
  std::memcpy(to, reinterpret_cast<const void*>(from), 16);
}
inline void load_shared_again(unsigned int (&to)[4], Shared from) { load_shared(to, from); }
inline void change_rows(unsigned int (&words)[4], bool leaves, std::uint64_t leave, Shared aside,
                        Shared slot) {
  if (leaves) std::memcpy(reinterpret_cast<void*>(leave), words, 16);
  std::memcpy(reinterpret_cast<void*>(aside), words, 16);
  load_shared(words, slot);
}
inline unsigned int* block_word(Shared at) { return reinterpret_cast<unsigned int*>(at); }
inline unsigned int ask_block(Shared at) { return *block_word(at); }
inline void tell_block(Shared at, unsigned int value) { *block_word(at) = value; }
inline unsigned int count_in_block(Shared at) { return (*block_word(at))++; }
inline bool take_in_block(Shared at) { return std::exchange(*block_word(at), 1u) == 0; }
// Of a block; whoever runs blocks side by side says where each has its own.
inline thread_local std::vector<std::vector<uint4>> rooms;
#define TESSERA_DYNAMIC_SHARED(name) uint4* const name = rooms.at(first_block + blockIdx.x).data()
inline void store_row(std::uint64_t to, const unsigned int (&from)[4]) {
  std::memcpy(reinterpret_cast<void*>(to), from, 16);
}

inline void forget(unsigned int&) {}
inline void forget_and_order(std::int64_t&) {}
inline void order() {}
inline void wait_for_last_launch() {}
inline void wait_for_writes() {}
inline void let_next_launch_start() {}
inline void __threadfence() {}
inline void __threadfence_system() {}
inline unsigned int load_acquire(const unsigned int* at) {
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}
inline void add_release(unsigned int* at, unsigned int value) {
  __atomic_fetch_add(at, value, __ATOMIC_RELEASE);
}
inline void count_elsewhere(unsigned int* at) { add_release(at, 1); }
inline void store_release(unsigned int* at, unsigned int value) {
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
}
/// Of a block, all of whose lanes wait together.
struct Patience {
  bool over(bool come);
};

// Called by each lane before it waits; and instead of doing nothing for a moment.
inline void (*before_await)() = nullptr;
inline thread_local void (*while_awaiting)() = nullptr;
inline void await(const unsigned int* at, unsigned int value, bool waits) {
  // By turns: the lanes of a warp stay together, though each may look at a place of its own.
  if (while_awaiting) {
    for (Patience all; !all.over(!waits || static_cast<int>(load_acquire(at) - value) >= 0);) {
    }
    return;
  }
  if (!waits) return;
  if (before_await) before_await();
  // A neighbour that never comes ends the program, for it ends the kernel on a device.
  const auto begin = std::chrono::steady_clock::now();
  while (static_cast<int>(load_acquire(at) - value) < 0) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) std::abort();
  }
}

using Letter = uint4;
using ShortLetter = std::uint64_t;
inline void send(Letter* to, const unsigned int (&words)[3], unsigned int mark, bool sends) {
  if (sends) *to = {words[0], words[1], words[2], mark};
}
inline void send(ShortLetter* to, unsigned int word, unsigned int mark) {
  *to = std::uint64_t{mark} << 32 | word;
}
inline void take(unsigned int (&words)[3], unsigned int& mark, const Letter* from, bool takes) {
  if (takes) words[0] = from->x, words[1] = from->y, words[2] = from->z, mark = from->w;
}
inline void take(unsigned int& word, unsigned int& mark, const ShortLetter* from, bool takes) {
  if (!takes) return;
  word = static_cast<unsigned int>(*from);
  mark = static_cast<unsigned int>(*from >> 32);
}

#endif
