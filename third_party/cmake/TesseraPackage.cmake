# Packages: `cpack -G DEB` and `cpack -G TGZ` in the build folder. Both hold the programs with their manual pages, completions and
# desktop files, and no headers or static libraries. CUDA and Vulkan are found at run time, so the package does not depend on them.

set(TESSERA_MAINTAINER "Tessera contributors <tessera@example.org>" CACHE STRING
    "Who makes packages, as 'Name <address>'; the default's domain is reserved, and nobody's")

set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "Tessera contributors")
set(CPACK_PACKAGE_CONTACT "${TESSERA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "engine and viewer for cellular automata of the Life family")
set(CPACK_PACKAGE_DESCRIPTION
    "Tessera steps two-state cellular automata, Conway's Game of Life and its relatives,\non GPUs through CUDA or Vulkan and on CPUs, with the same bits everywhere.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tessera;program;/")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/cpack-generator.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(TARGET tessera-viewer)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libgl1)  # SDL loads it by name, so that dpkg-shlibdeps does not see it
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ffmpeg, fonts-dejavu-core, libvulkan1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "golly, gnuplot, libcuda1")

include(CPack)

# The libraries that a bare system lacks, beside the programs of the archive; a Debian package names them instead.
set(programs "$<TARGET_FILE:tessera>")
if(TARGET tessera-viewer)
  list(APPEND programs "$<TARGET_FILE:tessera-viewer>")
endif()
install(CODE "set(programs \"${programs}\")\nset(destination \"${CMAKE_INSTALL_LIBDIR}/tessera\")"
        COMPONENT bundle EXCLUDE_FROM_ALL)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install-libraries.cmake COMPONENT bundle EXCLUDE_FROM_ALL)
