# Read by cpack once for each kind of package.
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
  set(CPACK_INSTALL_CMAKE_PROJECTS "${build};tessera;program;/;${build};tessera;bundle;/")
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
