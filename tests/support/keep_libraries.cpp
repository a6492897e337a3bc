// For builds with sanitizers: libraries stay loaded until the program has ended. LeakSanitizer
// looks for leaks at the very end, and names the allocator by the library that its address lies in.
// SDL closes libdbus, and drivers close their parts, before that: their leaks would have no name by
// which leaks.supp could tell them from this program's, and threads of theirs would lose the
// variables that LeakSanitizer reads.
extern "C" int dlclose(void*) noexcept { return 0; }
