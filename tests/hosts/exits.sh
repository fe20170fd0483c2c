#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that end without a farewell, on several hosts: the cases of tests/ranks/exits.c, with a host for each rank and with
# several ranks on one.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

program=$BUILD/bin/ranks_exits
"$program" --list >cases

play() { # PLACEMENT NRANKS KILLED CASE
	start_ranks "$2" "$1" "$program" "$4"
	if ! wait_ranks 60; then
		fail "$4 on $1: ranks hang"
		return
	fi
	for rank in $(seq 0 $(($2 - 1))); do
		wanted=0
		[ "$rank" -ne "$3" ] || wanted=137
		[ "$(rank_code "$rank")" -eq $wanted ] && continue
		show_ranks
		fail "$4 on $1: rank $rank ended with $(rank_code "$rank")"
		return
	done
}

hosts_up 4
while read -r nranks killed name; do
	case $nranks in
	3) placements="1,2,3 1,2,1" ;;
	*) placements="1,2,3,4 1,2,2,1" ;;
	esac
	for placement in $placements; do
		play $placement "$nranks" "$killed" "$name"
	done
done <cases
[ "$(wc -l <cases)" -gt 0 ] || fail "no cases"
hosts_clean || fail "something is left"
exit $failures
