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

# What is not said to belong to the programs is for developers, and not in packages.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS tessera_library EXPORT tessera-targets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(part core backends cpu cuda vulkan)
  if(TARGET tessera_${part})
    set_target_properties(tessera_${part} PROPERTIES
      EXPORT_NAME ${part} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    install(TARGETS tessera_${part} EXPORT tessera-targets
            LIBRARY COMPONENT program NAMELINK_COMPONENT development
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
  endif()
endforeach()
if(TARGET tessera)
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(programs tessera)
  if(TARGET tessera-viewer)
    list(APPEND programs tessera-viewer)
    set(desktop ${PROJECT_SOURCE_DIR}/apps/desktop)
    set(TESSERA_APP_ID org.example.tessera CACHE STRING
        "AppStream's name of the viewer, under a domain of the packager's; the default's is reserved, and nobody's")
    configure_file(${desktop}/tessera-viewer.metainfo.xml.in ${PROJECT_BINARY_DIR}/tessera-viewer.metainfo.xml @ONLY)
    install(FILES ${desktop}/tessera-viewer.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT program)
    install(FILES ${desktop}/tessera.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT program)
    install(FILES ${desktop}/tessera.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT program)
    install(FILES ${PROJECT_BINARY_DIR}/tessera-viewer.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
            COMPONENT program)
  endif()
  # The second folder is that of modules, and in archives of the libraries of others. Those look for each other there, too, because
  # the path is a DT_RPATH: a DT_RUNPATH would be the program's alone.
  set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries};$ORIGIN/${to_libraries}/tessera")
  foreach(program IN LISTS programs)
    target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
  endforeach()
  install(TARGETS ${programs} COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera RENAME copyright
          COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/patterns DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera COMPONENT program)

  # Manual pages and completions, written by the program itself.
  if(NOT TESSERA_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/pages)
    set(write_pages COMMAND tessera pages ${pages})
    if(TARGET tessera-viewer)
      list(APPEND write_pages COMMAND tessera-viewer --pages ${pages})
    endif()
    find_program(TESSERA_GZIP gzip)
    if(TESSERA_GZIP)
      list(APPEND write_pages COMMAND sh -c "${TESSERA_GZIP} -9n ${pages}/man/man1/*.1")
    endif()
    add_custom_command(OUTPUT ${pages}.stamp COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages} ${write_pages}
                       COMMAND ${CMAKE_COMMAND} -E touch ${pages}.stamp DEPENDS ${programs} VERBATIM)
    add_custom_target(tessera_pages ALL DEPENDS ${pages}.stamp)
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
  endif()
endif()

install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tessera-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tessera-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake ${PROJECT_BINARY_DIR}/tessera-config-version.cmake
        DESTINATION ${package_folder})
