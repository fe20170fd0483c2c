# SPDX-License-Identifier: BSD-3-Clause
# totum_git.c: the commit that the command is built from, which `totum bench` prints with its figures.
#
# Included, it sets totum_git_source and adds the target totum_git, which runs this file as a script (-P) at every build;
# the script writes the source, but only when it has changed, so that nothing is compiled again otherwise.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(totum_git_source ${PROJECT_BINARY_DIR}/generated/totum_git.c)
  add_custom_target(totum_git
    COMMAND ${CMAKE_COMMAND} -D target=${totum_git_source} -D source=${PROJECT_SOURCE_DIR}
      -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${totum_git_source} COMMENT "" VERBATIM)
  return()
endif()

set(commit "")
if(EXISTS ${source}/.git)
  execute_process(COMMAND git describe --always --dirty --exclude=* --abbrev=12 WORKING_DIRECTORY ${source}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
  set(commit unknown)
endif()
set(text "/* Made by the build. */\n#include \"bench_machine.h\"\n\nconst char bench_commit[] = \"${commit}\";\n")
set(old "")
if(EXISTS ${target})
  file(READ ${target} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${target} "${text}")
endif()
