// Instructions that C++ cannot express. A test that runs kernels on a CPU has a ptx.cuh of its own.
#ifndef TESSERA_PTX_CUH
#define TESSERA_PTX_CUH

// One LOP3; the truth table kTable is indexed by 4a + 2b + c.
template <int kTable>
__device__ __forceinline__ unsigned int tessera_lut3(unsigned int a, unsigned int b,
                                                     unsigned int c) {
  unsigned int d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kTable));
  return d;
}

// a * b + c, a * b / 2^32 + c and a * b / 2^32 on the pipe of the multipliers.
__device__ __forceinline__ unsigned int multiply_add(unsigned int a, unsigned int b,
                                                     unsigned int c) {
  unsigned int d;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned int multiply_high_add(unsigned int a, unsigned int b,
                                                          unsigned int c) {
  unsigned int d;
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned int multiply_high(unsigned int a, unsigned int b) {
  unsigned int d;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ __forceinline__ unsigned int multiply(unsigned int a, unsigned int b) {
  unsigned int d;
  asm("mul.lo.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

// a * b + c in 64 bits.
__device__ __forceinline__ unsigned long long multiply_wide_add(unsigned int a, unsigned int b,
                                                                unsigned long long c) {
  unsigned long long d;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
  return d;
}

// A place in the shared memory of a block.
using Shared = unsigned int;
__device__ __forceinline__ Shared shared_address(const void* at) {
  return (Shared)__cvta_generic_to_shared(at);
}
// Begins to copy 16 bytes from the device's memory; what was begun since the last end_copies() is a
// group. Each thread counts its own.
__device__ __forceinline__ void copy_async(Shared to, unsigned long long from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
#else
  unsigned int a, b, c, d;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(from)
               : "memory");
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
#endif
}
__device__ __forceinline__ void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
// Waits until all groups but the last kBut are there. No read from these places moves before it,
// though others may.
template <int kBut>
__device__ __forceinline__ void await_copies(Shared& one, Shared& other) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %2;" : "+r"(one), "+r"(other) : "n"(kBut) : "memory");
#else
  asm volatile("" : "+r"(one), "+r"(other) : : "memory");
#endif
}
// The same; no read or write moves across this.
template <int kBut>
__device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" : : "n"(kBut) : "memory");
#else
  asm volatile("" : : : "memory");
#endif
}
// Four words; free to move, as far as the place is known.
__device__ __forceinline__ void load_shared(unsigned int (&to)[4], Shared from) {
  asm("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(from));
}
// The same where what is there changes between two loads.
__device__ __forceinline__ void load_shared_again(unsigned int (&to)[4], Shared from) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void store_shared(Shared to, const unsigned int (&from)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}
// The words go to `leave` in the device's memory, where `leaves`, and to `aside`; those in `slot`
// take their place. Load and stores use the same registers.
__device__ __forceinline__ void change_rows(unsigned int (&words)[4], bool leaves,
                                            unsigned long long leave, Shared aside, Shared slot) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %7, 0;\n"
      " @p st.global.v4.u32 [%6], {%0, %1, %2, %3};\n"
      " st.shared.v4.u32 [%5], {%0, %1, %2, %3};\n"
      " ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
      : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
      : "r"(slot), "r"(aside), "l"(leave), "r"((unsigned int)leaves)
      : "memory");
}
// Shared memory whose size the launch says.
#define TESSERA_DYNAMIC_SHARED(name) extern __shared__ uint4 name[]
// Stores four words to the device's memory.
__device__ __forceinline__ void store_row(unsigned long long to, const unsigned int (&from)[4]) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]));
}

// Loads four words that the device's cache need not keep, because nobody reads them again.
__device__ __forceinline__ uint4 load_last(const uint4* at) {
  uint4 q;
#if __CUDA_ARCH__ >= 800
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
               : "l"(at), "l"(policy));
#else
  q = *at;
#endif
  return q;
}

// Hides from the compiler what `value` is, so that what depends on it is computed where it is
// needed.
__device__ __forceinline__ void forget(unsigned int& value) { asm volatile("" : "+r"(value)); }
// The same, and no load or store moves across this.
__device__ __forceinline__ void forget_and_order(long long& value) {
  asm volatile("" : "+l"(value) : : "memory");
}
// No load or store moves across this.
__device__ __forceinline__ void order() { asm volatile("" ::: "memory"); }

// The first waits for the previous launch, whose blocks may still be running; the second lets the
// blocks of the next launch start once all blocks of this one have called it; the third does both.
// The order matters: blocks that wait for later launches would take the places
// of those that are needed now, and leave some multiprocessors with two blocks of a launch and
// others with none.
__device__ __forceinline__ void wait_for_writes() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ __forceinline__ void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_last_launch() {
  wait_for_writes();
  let_next_launch_start();
}

// A word that another kernel or device writes, and what it wrote before.
__device__ __forceinline__ unsigned int load_acquire(const unsigned int* at) {
  unsigned int value;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
#else
  value = *(const volatile unsigned int*)at;
  __threadfence_system();
#endif
  return value;
}
// Shows what this thread wrote before to whoever reads `value` there.
__device__ __forceinline__ void store_release(unsigned int* at, unsigned int value) {
  __threadfence_system();
#if __CUDA_ARCH__ >= 700
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#else
  *(volatile unsigned int*)at = value;
#endif
}

// Adds to a counter, and shows what this thread wrote or saw before to whoever sees that on the
// same device.
__device__ __forceinline__ void add_release(unsigned int* at, unsigned int value) {
#if __CUDA_ARCH__ >= 700
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#else
  __threadfence();
  atomicAdd(at, value);
#endif
}

// Adds 1 to a counter of another device, and shows what this thread wrote or saw before to whoever
// sees that there.
__device__ __forceinline__ void count_elsewhere(unsigned int* at) {
#if __CUDA_ARCH__ >= 700
  asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
#else
  __threadfence_system();
  atomicAdd_system(at, 1u);
#endif
}

// Words in shared memory that warps of a block tell each other, with what they wrote before: reads
// one; writes one; adds 1 and says what it was; makes 0 into 1, and says whether it did.
__device__ __forceinline__ unsigned int ask_block(Shared at) {
  unsigned int value;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}
__device__ __forceinline__ void tell_block(Shared at, unsigned int value) {
  asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned int count_in_block(Shared at) {
  unsigned int before;
  asm volatile("atom.acq_rel.cta.shared.add.u32 %0, [%1], 1;" : "=r"(before) : "r"(at) : "memory");
  return before;
}
__device__ __forceinline__ bool take_in_block(Shared at) {
  unsigned int before;
  asm volatile("atom.acquire.cta.shared.cas.b32 %0, [%1], 0, 1;"
               : "=r"(before)
               : "r"(at)
               : "memory");
  return before == 0;
}

// Waiting by a warp together. Somebody who does not come within ten seconds never will: then the
// kernel fails, and with it whatever waits for it. The votes tell the compiler that the lanes stay
// together.
struct Patience {
  unsigned long long begin = 0;
  // Whether what all lanes wait for has come.
  __device__ __forceinline__ bool over(bool come) {
    if (__all_sync(~0u, come)) return true;
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (begin == 0) begin = now;
    if (__any_sync(~0u, now - begin > 10000000000ull)) __trap();
    return false;
  }
};

// Waits until `*at` has come to `value`, counted cyclically; called by a warp together, of which
// the lanes with `waits` wait.
__device__ __forceinline__ void await(const unsigned int* at, unsigned int value, bool waits) {
  Patience patience;
  while (!patience.over(!waits || (int)(load_acquire(at) - value) >= 0)) {
  }
}

// Letters: words that say themselves whose turn they are of, by a mark beside them. Each is stored
// and loaded as one, so that nobody waits for anything but the words, and no fence is needed. Of
// three words and a mark; of one and a mark.
using Letter = uint4;
using ShortLetter = unsigned long long;
#define TESSERA_WHOLE_LETTERS \
  (__CUDA_ARCH__ >= 700 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203)
__device__ __forceinline__ void send(Letter* to, const unsigned int (&words)[3], unsigned int mark,
                                     bool sends) {
#if TESSERA_WHOLE_LETTERS
  asm volatile(
      "{\n .reg .pred p;\n .reg .b64 x, y;\n .reg .b128 q;\n setp.ne.u32 p, %5, 0;\n"
      " mov.b64 x, {%1, %2};\n mov.b64 y, {%3, %4};\n mov.b128 q, {x, y};\n"
      " @p st.relaxed.gpu.global.b128 [%0], q;\n}"
      :
      : "l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(mark), "r"((unsigned int)sends)
      : "memory");
#else
  // Devices store four words as one, too.
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %5, 0;\n"
      " @p st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};\n}"
      :
      : "l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(mark), "r"((unsigned int)sends)
      : "memory");
#endif
}
__device__ __forceinline__ void send(ShortLetter* to, unsigned int word, unsigned int mark) {
  const ShortLetter letter = (ShortLetter)mark << 32 | word;
#if __CUDA_ARCH__ >= 700
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" : : "l"(to), "l"(letter) : "memory");
#else
  asm volatile("st.volatile.global.b64 [%0], %1;" : : "l"(to), "l"(letter) : "memory");
#endif
}
// What there is now, and its mark; where `takes` is false they stay what they are.
__device__ __forceinline__ void take(unsigned int (&words)[3], unsigned int& mark,
                                     const Letter* from, bool takes) {
#if TESSERA_WHOLE_LETTERS
  asm volatile(
      "{\n .reg .pred p;\n .reg .b64 x, y;\n .reg .b128 q;\n setp.ne.u32 p, %5, 0;\n"
      " mov.b64 x, {%0, %1};\n mov.b64 y, {%2, %3};\n mov.b128 q, {x, y};\n"
      " @p ld.relaxed.gpu.global.b128 q, [%4];\n"
      " mov.b128 {x, y}, q;\n mov.b64 {%0, %1}, x;\n mov.b64 {%2, %3}, y;\n}"
      : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(mark)
      : "l"(from), "r"((unsigned int)takes)
      : "memory");
#else
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %5, 0;\n"
      " @p ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
      : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(mark)
      : "l"(from), "r"((unsigned int)takes)
      : "memory");
#endif
}
__device__ __forceinline__ void take(unsigned int& word, unsigned int& mark,
                                     const ShortLetter* from, bool takes) {
  ShortLetter letter = (ShortLetter)mark << 32 | word;
#if __CUDA_ARCH__ >= 700
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %2, 0;\n @p ld.relaxed.gpu.global.b64 %0, [%1];\n}"
      : "+l"(letter)
      : "l"(from), "r"((unsigned int)takes)
      : "memory");
#else
  asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %2, 0;\n @p ld.volatile.global.b64 %0, [%1];\n}"
               : "+l"(letter)
               : "l"(from), "r"((unsigned int)takes)
               : "memory");
#endif
  word = (unsigned int)letter, mark = (unsigned int)(letter >> 32);
}

#endif
