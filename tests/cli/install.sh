#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The installed copy alone is enough: the README's first program compiles against it with pkg-config, shared and
# static, and with find_package, and runs under the installed command.
set -eu

[ -z "$SANITIZE" ] || { echo "skipped: the optimised build is what gets installed"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
	echo "$*"
	exit 1
}

# An installed tree is free to move.
cmake --install "$BUILD" --prefix "$scratch/first" >install.log || { cat install.log; exit 1; }
prefix=$scratch/moved
mv first moved
unset LD_LIBRARY_PATH

for file in include/totum.h bin/totum libtotum.so libtotum.a libtotum_share.so pkgconfig/totum.pc totum/totumConfig.cmake \
	man3/libtotum.3 man7/totum.7; do
	[ -n "$(find "$prefix" -path "*/$file")" ] || fail "not installed: $file"
done
! grep -rlI -e "$SOURCE" -e "$BUILD" "$prefix" || fail "these installed files name folders of the build"
for binary in "$prefix/bin/totum" "$(find "$prefix" -name libtotum.so)"; do
	! readelf -d "$binary" | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN' || fail "$binary names a folder of this machine"
done

# Three ranks print three lines, and the last square of three ranks is 4.
runs() { # PROGRAM
	"$prefix/bin/totum" run -n 3 -- "$1" >output || fail "$1 ends with $? under totum run"
	sort output >sorted
	for rank in 0 1 2; do
		echo "rank $rank of 3: the last square is 4"
	done >expected
	cmp -s sorted expected || { cat output; fail "$1 printed this and not what the README promises"; }
}

cp "$SOURCE/examples/first.c" .
pkgconfig=$(dirname "$(find "$prefix" -name totum.pc)")
PKG_CONFIG_PATH=$pkgconfig
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir totum)
[ "$(pkg-config --modversion totum)" = "$("$prefix/bin/totum" version | sed -n '1s/^totum //p')" ] ||
	fail "totum.pc and totum version state different versions"

"$CC" first.c $(pkg-config --cflags --libs totum) "-Wl,-rpath,$library" -o shared
readelf -d shared | grep -q 'NEEDED.*libtotum\.so\.' || fail "the shared program does not need libtotum"
runs ./shared
"$prefix/bin/totum" run -n 1 --share-memory -- sh -c 'echo "$LD_PRELOAD"' >output || fail "no --share-memory"
[ "$(cat output)" = "$(realpath "$library")/libtotum_share.so" ] || fail "preloaded is $(cat output)"

# -ltotum prefers the shared library where both lie together; naming the archive is the way around it.
"$CC" first.c $(pkg-config --static --cflags --libs totum | sed 's/-ltotum/-l:libtotum.a/g') -o static
! readelf -d static | grep -q 'NEEDED.*libtotum' || fail "the static program needs the shared library"
runs ./static

mkdir project
cp first.c project/
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(totum 0.1 REQUIRED)
add_executable(first first.c)
target_link_libraries(first PRIVATE totum::totum)
if(STATIC)
  find_package(totum REQUIRED COMPONENTS static)
  add_executable(first_static first.c)
  target_link_libraries(first_static PRIVATE totum::totum_static)
endif()
END
configure() { # ARGUMENT...
	rm -rf built
	cmake -S project -B built "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_PREFIX_PATH=$prefix" "$@" >cmake.log 2>&1
}
configure -DSTATIC=ON && cmake --build built >>cmake.log 2>&1 || { cat cmake.log; fail "find_package(totum) does not work"; }
runs built/first
runs built/first_static

# Without the development files of libxxhash the shared library still serves, and asking for the static one says so.
PKG_CONFIG_LIBDIR=$scratch/nothing
unset PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR
configure && cmake --build built >>cmake.log 2>&1 || { cat cmake.log; fail "find_package(totum) needs libxxhash"; }
runs built/first
! configure -DSTATIC=ON || fail "find_package(totum COMPONENTS static) succeeds without libxxhash"
grep -q 'totum' cmake.log || { cat cmake.log; fail "the failure does not name totum"; }
