# Read by cpack once for each kind of package.
list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_INSTALL_CMAKE_PROJECTS "${build};tessera;program;/;${build};tessera;bundle;/")
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_INSTALL_CMAKE_PROJECTS "${build};tessera;ALL;/")
  set(CPACK_COMPONENTS_ALL program ${CPACK_TESSERA_MODULES})
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package's description begins with its own
endif()
