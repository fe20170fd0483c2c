# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts where: libraries, headers, pkg-config and CMake packages, the command.
include(CMakePackageConfigHelpers)

install(TARGETS totum totum_static EXPORT totumTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS totum_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT totumTargets NAMESPACE totum:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/totum)

configure_file(cmake/totum.pc.in totum.pc @ONLY)
configure_package_config_file(cmake/totumConfig.cmake.in totumConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/totum)
write_basic_package_version_file(totumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/totum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/totumConfig.cmake ${PROJECT_BINARY_DIR}/totumConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/totum)
file(GLOB manuals CONFIGURE_DEPENDS man/*.1 man/*.3 man/*.7)
foreach(manual ${manuals})
  string(REGEX MATCH "[0-9]$" section ${manual})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
