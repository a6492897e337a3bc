# What every target of this project shares.

# Paths relative to the checkout, so that another checkout of the same files finds what this one compiled. Without the
# sloppiness, sources with a precompiled header bypass the cache.
find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                                  CCACHE_NOHASHDIR=1
                                  CCACHE_SLOPPINESS=pch_defines,time_macros ${TESSERA_CCACHE})
endif()

# Applies the language level, warnings and sanitizers to one target.
function(tessera_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wno-sign-conversion)
  # Nobody puts functions of their own in the place of ours: they may be inlined, whatever they are linked into.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  if(TESSERA_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${TESSERA_SANITIZE}
                                            -fno-omit-frame-pointer>)
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/third_party/cmake/others_headers.txt>)
    # GCC warns of variables that are set, where a sanitizer's checks stand between.
    target_compile_options(${target} PRIVATE -fno-sanitize-recover=all
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${TESSERA_SANITIZE}>)
  endif()
endfunction()

# For targets of many sources: the standard library's headers and fmt's are read once per target instead of once per
# source, but not where GCC 12 then warns of the inside of std::string (its bug 105651). Every source still includes
# what it uses. More headers, those that most of the target's sources use, may follow.
function(tessera_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional>
                            <limits> <map> <memory> <optional> <span> <string> <string_view> <utility> <vector>
                            <fmt/format.h> ${ARGN})
endfunction()

# For programs of many sources with large headers of others: joined some at a time, they take half of the processor time.
function(tessera_join target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
endfunction()
