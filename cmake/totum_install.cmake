# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts where: libraries, headers, pkg-config and CMake packages, the command, manuals.
# The installed tree finds its own parts by relative paths, so `--prefix ANY` at install time is enough.
include(CMakePackageConfigHelpers)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/totum)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command finds the library beside it; a folder that the loader searches anyway needs no such path.
if(NOT CMAKE_INSTALL_FULL_LIBDIR IN_LIST CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES
   AND NOT CMAKE_INSTALL_FULL_LIBDIR STREQUAL "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  file(RELATIVE_PATH library_from_command ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(totum_command PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_command}")
endif()

# Two exports: the static library names the packages that it is linked with, and a program that uses only the
# shared one must not need them.
install(TARGETS totum EXPORT totumTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS totum_static EXPORT totumStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET totum_share) # the command looks for it beside the library
  install(TARGETS totum_share LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS totum_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT totumTargets NAMESPACE totum:: DESTINATION ${cmake_folder})
install(EXPORT totumStaticTargets NAMESPACE totum:: DESTINATION ${cmake_folder})

if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH pc_prefix /${pkgconfig_folder} /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_requires libxxhash)
if(OPENSSL_FOUND)
  string(APPEND pc_requires " libssl libcrypto")
endif()
configure_file(cmake/totum.pc.in totum.pc @ONLY)
configure_package_config_file(cmake/totumConfig.cmake.in totumConfig.cmake
  INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(totumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/totum.pc DESTINATION ${pkgconfig_folder})
install(FILES ${PROJECT_BINARY_DIR}/totumConfig.cmake ${PROJECT_BINARY_DIR}/totumConfigVersion.cmake
  DESTINATION ${cmake_folder})

file(GLOB manuals CONFIGURE_DEPENDS man/*.1 man/*.3 man/*.7)
foreach(manual ${manuals})
  string(REGEX MATCH "[0-9]$" section ${manual})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
