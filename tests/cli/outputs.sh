#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files that commands write: all or nothing.  A command that fails leaves no file where there was
# none, and a good one as it was; links, pipes and permissions are respected.
set -u

. "$SOURCE/tests/cli/scratch"

totum() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 120 "$TOTUM" "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum $*: exit code $code instead of $want"
}

# The last argument, an option, gets a FILE: once one that exists, once one that does not.
fails() { # CODE ARGUMENT... OPTION
	mkdir files
	echo good >files/good
	totum "$@" files/good
	[ "$(cat files/good)" = good ] || fail "totum $*: a good file was touched by a failure"
	totum "$@" files/new
	[ "$(ls -A files)" = good ] || fail "totum $*: a failure has left $(ls -A files)"
	rm -r files
}

works() { # PATTERN ARGUMENT... OPTION
	pattern=$1
	shift
	mkdir files
	echo old >files/old
	chmod 640 files/old
	ln -s old files/link
	ln -s made files/dangling
	for file in new old link dangling; do
		totum 0 "$@" files/$file
		grep -q "$pattern" files/$file || fail "totum $*: $file is not what was asked for"
	done
	[ -L files/link ] && [ -L files/dangling ] || fail "totum $*: a link was replaced by a file"
	[ "$(stat -c %a files/old)" = 640 ] || fail "totum $*: other permissions"
	[ "$(stat -c %a files/new)" = "$(printf %o $((0666 & ~0$(umask))))" ] ||
		fail "totum $*: new permissions"
	[ "$(ls -A files | tr '\n' ' ')" = "dangling link made new old " ] ||
		fail "totum $*: has left $(ls -A files)"
	rm -r files
}

for option in --json --svg; do
	fails 2 plan nosuch:n=8 --sweep 1:2 $option
	fails 2 plan allgather:n=8 --sweep 9:2 $option
	fails 2 plan allgather:n=8 --heatmap 2:x $option
	fails 2 show allgather:n=100000:algo=ring $option
	fails 2 topo ring:8 --collective allgahter $option
done
fails 2 topo torus:1000x1000 --dot
fails 2 simulate allgather:n=8:algo=ring:topo=ring:7 --json
fails 2 simulate allgather:n=8:algo=ring:topo=ring:7 --trace
TOTUM_MEMORY_LIMIT=4K
export TOTUM_MEMORY_LIMIT
for option in --json --csv; do
	fails 1 bench allgather -n 2 -R 1 $option
done
unset TOTUM_MEMORY_LIMIT

works '"nranks": 8' plan allgather:n=8 --json
works '</svg>' plan allgather:n=8 --sweep 64:1K --svg
works '</svg>' show ring -n 4 --svg
works '"algorithm": "ring"' show ring -n 4 --json
works '</svg>' topo ring:8 --svg
works 'graph' topo ring:8 --dot
works '"seconds"' simulate allgather:n=8:algo=ring:topo=ring:8 --json
works '"ph"' simulate allgather:n=8:algo=ring:topo=ring:8 --trace
works '"checks"' doctor --json
works '"TOTUM_WAIT"' info --json
works '"results"' bench allgather -n 1 -b 64 -e 64 --iters=3 --json
works '^collective' bench allgather -n 1 -b 64 -e 64 --iters=3 --csv

# Killed while it writes; a pipe; a full device; for a user a folder that cannot be written.
echo good >good
(ulimit -c 0; ulimit -f 8; exec timeout 60 "$TOTUM" show ring -n 64 --json good) >out 2>err &&
	fail "no limit of file sizes"
[ "$(cat good)" = good ] || fail "a good file was touched by a killed command"
[ "$(ls -A | tr '\n' ' ')" = "err good out " ] || fail "a killed command has left $(ls -A)"
mkfifo pipe
timeout 60 "$TOTUM" show ring -n 4 --json pipe 2>err &
grep -q ring <pipe || fail "nothing came through a pipe"
wait $!
[ -p pipe ] || fail "the pipe was replaced by a file"
if [ -c /dev/full ]; then
	totum 1 show ring -n 4 --json /dev/full
	[ "$(cat err)" = "totum show: cannot write /dev/full: No space left on device" ] ||
		fail "no sentence about the full device"
	"$TOTUM" plan allgather:n=8 >/dev/full 2>err && fail "a full standard output is no failure"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one sentence about the full standard output"
fi
totum 1 plan allgather:n=8 --json nosuch/file
[ "$(cat err)" = "totum plan: cannot write nosuch/file: No such file or directory" ] ||
	fail "no sentence about the folder"
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed
	echo old >closed/old
	chmod a-w closed
	totum 0 show ring -n 4 --json closed/old
	grep -q ring closed/old || fail "a file in a closed folder is not written"
	totum 1 show ring -n 4 --json closed/new
	chmod u+w closed
fi

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
