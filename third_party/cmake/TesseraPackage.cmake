# Packages: `cpack -G DEB` and `cpack -G TGZ` in the build folder. Both hold the programs with their manual pages, completions and
# desktop files, and no headers or static libraries. CUDA and Vulkan are found at run time, so the package does not depend on them.
# The module for MPI does depend on one: the first makes a second package of it, and the archive leaves it out.

set(TESSERA_MAINTAINER "Tessera contributors <tessera@example.org>" CACHE STRING
    "Who makes packages, as 'Name <address>'; the default's domain is reserved, and nobody's")

set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "Tessera contributors")
set(CPACK_PACKAGE_CONTACT "${TESSERA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "engine and viewer for cellular automata of the Life family")
string(CONCAT CPACK_PACKAGE_DESCRIPTION
  "Tessera steps cellular automata, Conway's Game of Life and its\n"
  "relatives, on GPUs through CUDA or Vulkan and on CPUs, with the same bits\n"
  "everywhere.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tessera;program;/")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/cpack-generator.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}\n${CPACK_PACKAGE_DESCRIPTION}")
if(TARGET tessera-viewer)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS libgl1)  # SDL loads it by name, so that dpkg-shlibdeps does not see it
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ffmpeg, fonts-dejavu-core, libvulkan1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "golly, gnuplot, libcuda1, tessera-mpi")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME tessera-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tessera (= ${PROJECT_VERSION})")
string(CONCAT CPACK_DEBIAN_MPI_DESCRIPTION
  "cellular automata over several processes\n"
  "This module joins the processes of mpirun or Slurm to one grid, of any number\n"
  "of hosts. It is for the MPI that it depends on.")
set(CPACK_TESSERA_MODULES "")
if(TARGET tessera_mpi)
  set(CPACK_TESSERA_MODULES mpi)
endif()

include(CPack)

# What Debian's policy asks of each package.
if(TESSERA_GZIP)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
  execute_process(COMMAND ${TESSERA_GZIP} -9nf ${PROJECT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera COMPONENT program)
  if(TARGET tessera_mpi)
    install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera-mpi COMPONENT mpi)
  endif()
endif()
if(TARGET tessera_mpi)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera-mpi RENAME copyright COMPONENT mpi)
endif()

# The libraries that a bare system lacks, beside the programs of the archive; a Debian package names them instead.
set(programs "$<TARGET_FILE:tessera>")
if(TARGET tessera-viewer)
  list(APPEND programs "$<TARGET_FILE:tessera-viewer>")
endif()
install(CODE "set(programs \"${programs}\")\nset(destination \"${CMAKE_INSTALL_LIBDIR}/tessera\")"
        COMPONENT bundle EXCLUDE_FROM_ALL)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install-libraries.cmake COMPONENT bundle EXCLUDE_FROM_ALL)
