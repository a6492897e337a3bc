# cmake -D TESSERA_BUILD=... -D CONSUMER=... -D SCRATCH=... -D GENERATOR=... -D COMPILER=... -P install_and_use.cmake

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
step("install" ${CMAKE_COMMAND} --install ${TESSERA_BUILD} --prefix ${SCRATCH}/prefix)
step("configure" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR}
     -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
file(STRINGS ${SCRATCH}/build/CMakeCache.txt found REGEX "^tessera_DIR:")
string(FIND "${found}" "${SCRATCH}/prefix/" inside)
if(inside EQUAL -1)
  message(FATAL_ERROR "another package was found: ${found}")
endif()
step("build" ${CMAKE_COMMAND} --build ${SCRATCH}/build)
step("run" ${SCRATCH}/build/consumer)
message(STATUS "${output}")
