# SPDX-License-Identifier: BSD-3-Clause
# How everything of totum is compiled: C11, strict warnings, and the sanitizer or coverage build on request.
set(TOTUM_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined or thread")
option(TOTUM_COVERAGE "instrument for gcov" OFF)
option(TOTUM_FUZZ "build the fuzzers (clang)" OFF)

# Warnings are errors with the compilers that the tree is kept clean with; a newer one may know new warnings.
set(known_compiler OFF)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
   OR (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 15))
  set(known_compiler ON)
endif()
option(TOTUM_WERROR "warnings are errors" ${known_compiler})

if(TOTUM_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "TOTUM_FUZZ needs clang, for libFuzzer: set CC=clang in a new build folder")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(totum_options INTERFACE)
target_compile_features(totum_options INTERFACE c_std_11)
target_compile_definitions(totum_options INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
  TOTUM_BUILD_VERSION="${PROJECT_VERSION}")
target_compile_options(totum_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla $<$<BOOL:${TOTUM_WERROR}>:-Werror>)
if(TOTUM_SANITIZE)
  target_compile_options(totum_options INTERFACE -fsanitize=${TOTUM_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(totum_options INTERFACE -fsanitize=${TOTUM_SANITIZE})
endif()
if(TOTUM_COVERAGE)
  target_compile_options(totum_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(totum_options INTERFACE --coverage)
endif()
if(TOTUM_FUZZ)
  target_compile_options(totum_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
