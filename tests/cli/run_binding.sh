#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --bind-to core puts rank i on the i-th allowed cpu, round and round; without it nothing changes; both are reported.
. "$SOURCE/tests/cli/launching"

cpus_of() { # the list of cpus of this shell's children, one a line
	sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status
}
one_a_line() { # LIST
	echo "$1" | tr , '\n' | while IFS=- read -r first last; do
		seq "$first" "${last:-$first}"
	done
}
allowed=$(cpus_of)
one_a_line "$allowed" >"$scratch/cpus"
ncpus=$(wc -l <"$scratch/cpus")
n=$((ncpus + 2))
[ $n -le 64 ] || n=64

at "none"
for bind in "" "--bind-to none" --bind-to=none; do
	job 0 -n 2 $bind -- sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status
	[ "$(sort -u "$scratch/out")" = "$allowed" ] || fail "the ranks may run on $(cat "$scratch/out")"
done
at "core, $n ranks on cpus $allowed"
job 0 -n $n --bind-to core --report-bindings --tag-output -- sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status
for rank in $(seq 0 $((n - 1))); do
	cpu=$(sed -n "$((rank % ncpus + 1))p" "$scratch/cpus")
	grep -qxF "[$rank] $cpu" "$scratch/out" || fail "rank $rank is not on cpu $cpu"
	grep -q "rank $rank is pid [0-9]* on cpu $cpu\$" "$scratch/err" || fail "rank $rank on cpu $cpu is not reported"
done
at "none is reported too"
job 0 -n 2 --report-bindings -- true
holds "rank 0 is pid |rank 1 is pid |on cpu $allowed"
at "only the cpus that the launcher itself may use"
last=$(tail -n 1 "$scratch/cpus")
if command -v taskset >/dev/null; then
	job=$(taskset -c "$last" "$TOTUM" run -n 3 --bind-to core -- sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | sort -u)
	[ "$job" = "$last" ] || fail "bound to $job instead of $last"
fi
at "no such binding"
job 2 -n 2 --bind-to cores -- true
holds "--bind-to|cores|core"
