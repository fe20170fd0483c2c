# SPDX-License-Identifier: BSD-3-Clause
# The version is written once, in the public header; this reads it into totum_version ("0.1.0").
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/totum.h lines
  REGEX "^#define TOTUM_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX REPLACE "[^;]* ([0-9]+)" "\\1" totum_version "${lines}")
list(JOIN totum_version "." totum_version)
if(NOT totum_version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR "include/totum.h must define TOTUM_VERSION_MAJOR, _MINOR and _PATCH, in this order")
endif()
