#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compare between hosts: totum and plain TCP are measured on two hosts of two ranks, checked, drawn, and nothing is
# left.
set -u

command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
[ -z "$SANITIZE" ] || { echo "skipped: only the optimised build is compared"; exit 77; }
. "$SOURCE/tests/hosts/hosts"

hosts_up 1 # skips where there are none
hosts_down || exit 1
timeout -k 5 200 "$SOURCE/bench/compare" --build "$BUILD" --work "$PWD/work" --out "$PWD/results" --hosts 2x2 --rate 1gbit \
	--quick --peers none --sizes 8,64K --seconds 1 >out 2>err </dev/null || fail "exit code $?"
for word in allgather reduce_scatter allreduce broadcast alltoall barrier; do
	grep -q "^$word, 2 hosts of 2 ranks, inputs reused" out || fail "no table of $word"
done
grep -q '^hosts .*1gbit' out || fail "the report does not say what the hosts are"
python3 - <<'END' || fail "the figures are not as they should be"
import json
run = json.load(open("results/compare-hosts-1gbit-quick.json"))
assert not run["faults"] and not run["notes"], run["faults"] + run["notes"]
for point in run["points"]:
    pattern = "link chain" if point["collective"] == "broadcast" else "link ring"
    assert point["hosts"] == 2 and point["ranks"] == 4
    assert point["results"]["totum"]["reused"]["median_ns"] > 0
    assert point["results"][pattern]["reused"]["median_ns"] > 0
END
grep -q 'several hosts' results/compare-hosts-1gbit-quick-allgather.svg || fail "no picture"
exit $failures
