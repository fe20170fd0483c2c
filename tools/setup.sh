# SPDX-License-Identifier: BSD-3-Clause
# setup.sh - what ./demo and ./check share: find or install what the build needs, configure, build, say so.
#
# Sourced, with the root of the tree as current directory.  Everything it makes is under build/.  A missing tool is
# installed by the system's package manager, as root or through sudo; where that is not possible, or does not
# help, one sentence names what is missing and the script ends with 1.

log=build/setup.log

die() {
	printf 'totum: %s\n' "$*" >&2
	exit 1
}

# What the build needs, and the packages that bring it: need | apt-get | dnf | zypper.
packages='
compiler     gcc,libc6-dev        gcc,libasan,libubsan,libtsan  gcc
cmake        cmake                cmake                   cmake
ninja        ninja-build          ninja-build             ninja
pkg-config   pkg-config           pkgconf-pkg-config      pkg-config
libxxhash    libxxhash-dev        xxhash-devel            xxhash-devel
jansson      libjansson-dev       jansson-devel           libjansson-devel
cmocka       libcmocka-dev        libcmocka-devel         libcmocka-devel
libssl       libssl-dev           openssl-devel           libopenssl-devel
'

# Does the machine have the need?  Compilers and libraries are tried, not looked up.
have() {
	case $1 in
	compiler)
		mkdir -p build
		printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >build/probe.c
		${CC:-cc} -std=c11 -pthread build/probe.c -o build/probe
		;;
	cmake)
		version=$(cmake --version | sed -n '1s/^[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p') &&
			set -- $version && [ $# -eq 2 ] &&
			{ [ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 25 ]; }; }
		;;
	ninja) ninja --version ;;
	pkg-config) pkg-config --version ;;
	*) pkg-config --exists "$1" ;;
	esac >/dev/null 2>&1
}

# The needs that are not there, blank separated.
missing() {
	for need in $(printf '%s' "$packages" | awk '{ print $1 }'); do
		have "$need" || printf '%s ' "$need"
	done
}

# The packages of these needs, in the column of the package manager.
packages_of() { # COLUMN NEED...
	column=$1
	shift
	for need in "$@"; do
		printf '%s' "$packages" | awk -v need="$need" -v column="$column" '$1 == need { print $column }'
	done | tr ',\n' '  '
}

# Runs a command of the package manager as root; its output goes to the log.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi >>"$log" 2>&1 </dev/null
}

may_become_root() {
	[ "$(id -u)" = 0 ] && return 0
	command -v sudo >/dev/null 2>&1 || return 1
	sudo -n true 2>/dev/null && return 0
	[ -t 0 ] && [ -t 2 ] && sudo -v
}

# apt-get update is slow and often not needed: it runs when an installation without it has failed.
apt_get_install() {
	apt="env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120"
	as_root $apt install -y --no-install-recommends "$@" ||
		{ as_root $apt update && as_root $apt install -y --no-install-recommends "$@"; }
}

install_packages() { # MANAGER PACKAGE...
	manager=$1
	shift
	case $manager in
	apt-get) apt_get_install "$@" ;;
	dnf) as_root dnf install -y "$@" ;;
	zypper) as_root zypper --non-interactive install "$@" ;;
	esac
}

# Ends the script with the sentence for what is still missing.
give_up() { # NEED...
	case " $* " in
	*" cmake "*)
		if found=$(cmake --version 2>/dev/null | sed -n '1s/.* //p') && [ -n "$found" ]; then
			die "cmake 3.25 or newer is needed and this system offers $found:" \
				"install a newer one, for instance with \`python3 -m pip install --user cmake\`"
		fi
		;;
	esac
	die "still missing after the installation: $* (see $log)"
}

# Installs what is missing.  Prints one line when there is something to install.
setup() {
	needs=$(missing)
	[ -z "$needs" ] && return 0

	column=1
	for manager in apt-get dnf zypper none; do
		column=$((column + 1))
		command -v "$manager" >/dev/null 2>&1 && break
	done
	[ "$manager" = none ] &&
		die "missing: ${needs% }; this system has no apt-get, dnf or zypper: install them and run again"
	wanted=$(packages_of "$column" $needs)
	wanted=${wanted% }
	may_become_root || die "missing: ${needs% }; as root, run: $manager install $wanted"

	mkdir -p build
	: >"$log"
	printf 'installing with %s: %s\n' "$manager" "$wanted"
	install_packages "$manager" $wanted ||
		die "$manager could not install $wanted: $(tail -n 1 "$log") (all of it in $log)"
	needs=$(missing)
	[ -z "$needs" ] || give_up $needs
}

# Runs a command with its output in a log and prints one line: what, how it went, how long it took.
phase() { # NAME LOG COMMAND...
	name=$1
	output=$2
	shift 2
	printf '%-24s' "$name"
	began=$(date +%s)
	if "$@" >"$output" 2>&1 </dev/null; then
		printf 'ok      %4d s\n' $(($(date +%s) - began))
	else
		printf 'FAILED  %4d s\n' $(($(date +%s) - began))
		return 1
	fi
}

# A tree that was moved or copied has a cache that names its old place: start that one afresh.
configure() { # PRESET
	cache=build/$1/CMakeCache.txt
	fresh=
	if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$cache"; then
		fresh=--fresh
	fi
	cmake --preset "$1" $fresh
}

# Configures and builds; shows the end of the log of what fails.
build() { # PRESET [TARGET...]
	preset=$1
	shift
	mkdir -p "build/$preset"
	phase "$preset: configure" "build/$preset/configure.log" configure "$preset" || {
		tail -n 30 "build/$preset/configure.log"
		return 1
	}
	phase "$preset: build" "build/$preset/build.log" \
		cmake --build --preset "$preset" ${1:+--target "$@"} || {
		grep -v '^\[[0-9]*/[0-9]*\]' "build/$preset/build.log" | head -n 60
		return 1
	}
}
