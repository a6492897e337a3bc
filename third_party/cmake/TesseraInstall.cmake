# The library as others use it: the target tessera::tessera, and the package that find_package(tessera) finds once installed.

include(CMakePackageConfigHelpers)

# The program is the target `tessera`, so the library's own name is another.
add_library(tessera_library INTERFACE)
add_library(tessera::tessera ALIAS tessera_library)
set_target_properties(tessera_library PROPERTIES EXPORT_NAME tessera)
target_link_libraries(tessera_library INTERFACE tessera_backends tessera_core)

# Users include <tessera/core/universe.h> and the headers "core/base/geometry.h"; a link makes the first work before installing, too.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/tessera SYMBOLIC)
target_include_directories(tessera_library INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

install(TARGETS tessera_library EXPORT tessera-targets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(part core backends cpu cuda vulkan)
  if(TARGET tessera_${part})
    set_target_properties(tessera_${part} PROPERTIES
      EXPORT_NAME ${part} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    install(TARGETS tessera_${part} EXPORT tessera-targets
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
  endif()
endforeach()
if(TARGET tessera)
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(tessera PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  install(TARGETS tessera)
endif()

install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tessera-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tessera-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake ${PROJECT_BINARY_DIR}/tessera-config-version.cmake
        DESTINATION ${package_folder})
