#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/setup.sh on machines that lack something, played by stand-ins for their commands: nothing is installed here.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset CC

# stand_in NAME <<script: a command of the played machine.
stand_in() {
	{ echo '#!/bin/sh'; cat; } >"bin/$1"
	chmod +x "bin/$1"
}

# A machine that lacks jansson, of the user $1, with the other commands named.
machine() { # UID COMMAND...
	rm -rf bin build installed calls
	mkdir bin
	: >calls
	for tool in sh awk sed tr tail mkdir grep env cat rm head; do
		ln -s "$(command -v $tool)" "bin/$tool"
	done
	echo "echo $1" | stand_in id
	echo 'exit 0' | stand_in cc
	echo 'echo cmake version 3.25.1' | stand_in cmake
	echo 'echo 1.11' | stand_in ninja
	echo 'case "$*" in *jansson) test -e installed ;; esac' | stand_in pkg-config
	shift
	for tool in "$@"; do
		case $tool in
		apt-get) echo 'echo "apt-get $*" >>calls; case "$*" in *install*) : >installed ;; esac' ;;
		stale-apt-get) echo 'echo "apt-get $*" >>calls; case "$*" in *update) : >listed ;; *) test -e listed && : >installed ;; esac' ;;
		useless-apt-get) echo 'echo "apt-get $*" >>calls' ;;
		offline-apt-get) echo 'echo "apt-get $*" >>calls; echo "E: no network"; exit 100' ;;
		dnf | zypper) echo "echo \"$tool \$*\" >>calls; : >installed" ;;
		sudo) echo 'echo "sudo $*" >>calls; test "$1" = -n && shift; "$@"' ;;
		sudo-with-password) echo 'test "$1" != -n && echo "sudo $*" >>calls; exit 1' ;;
		esac | case $tool in
		*apt-get) stand_in apt-get ;;
		sudo*) stand_in sudo ;;
		*) stand_in "$tool" ;;
		esac
	done
}

# Runs setup on that machine; what it says goes to `said`.
set_up() {
	code=0
	PATH=$scratch/bin sh -c '. "$1"; setup' setup "$SOURCE/tools/setup.sh" >said 2>&1 </dev/null || code=$?
}

# The outcome: exit code, how many lines it said, and patterns of grep -E in said and calls ("" for nothing).
expect() { # CASE CODE LINES SAID CALLS
	lines=$(wc -l <said)
	if [ "$code" -eq "$2" ] && [ "$lines" -eq "$3" ] && grep -qE -- "$4" said calls && grep -qE -- "$5" calls said; then
		return
	fi
	echo "$1: exit code $code (want $2), $lines lines (want $3); it said:"
	cat said
	echo "it called (want \"$5\"):"
	cat calls
	exit 1
}

machine 0 apt-get
: >installed
set_up
[ ! -s calls ] || { echo "it calls a package manager when nothing is missing:"; cat calls; exit 1; }
[ "$code" -eq 0 ] && [ ! -s said ] || { echo "it fails or speaks when nothing is missing:"; cat said; exit 1; }

machine 0 apt-get
set_up
expect "root" 0 1 'installing with apt-get: libjansson-dev$' '^apt-get .*install -y .*libjansson-dev$'
! grep -q update calls || { echo "apt-get update ran although the installation had worked"; exit 1; }

machine 0 stale-apt-get
set_up
expect "no package lists yet" 0 1 'installing with' '^apt-get .* update$'

machine 0 dnf
set_up
expect "dnf" 0 1 'jansson-devel$' '^dnf install -y jansson-devel$'

machine 0 zypper
set_up
expect "zypper" 0 1 'libjansson-devel$' '^zypper --non-interactive install libjansson-devel$'

machine 1000 apt-get sudo
set_up
expect "sudo without password" 0 1 'installing with' '^sudo env .*apt-get .*install'

machine 1000 apt-get
set_up
expect "neither root nor sudo" 1 1 'missing: jansson; as root, run: apt-get install libjansson-dev$' ''
[ ! -s calls ] || { echo "apt-get was called without root"; exit 1; }

machine 1000 apt-get sudo-with-password
set_up
expect "sudo with a password, no terminal" 1 1 'as root, run: apt-get install libjansson-dev$' ''
[ ! -s calls ] || { echo "sudo was asked for a password that nobody can type"; exit 1; }

machine 0
set_up
expect "no package manager" 1 1 'missing: jansson; this system has no apt-get' ''

machine 0 offline-apt-get
set_up
expect "no network" 1 2 'apt-get could not install libjansson-dev: E: no network' 'update'

machine 0 useless-apt-get
set_up
expect "an installation that does not help" 1 2 'still missing after the installation: jansson' 'install'

machine 0 useless-apt-get
: >installed
echo 'echo cmake version 3.22.1' | stand_in cmake
set_up
expect "an old cmake" 1 2 'cmake 3.25 or newer is needed and this system offers 3.22.1' 'install .*cmake'

machine 0 apt-get
: >installed
echo 'exit 1' | stand_in cc
rm bin/ninja bin/cmake
set_up
expect "a bare machine" 1 2 'installing with apt-get: gcc libc6-dev cmake ninja-build$' 'gcc libc6-dev cmake ninja-build$'
