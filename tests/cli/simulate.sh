#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum simulate: the reference times, loads by round and link, models, a million ranks, traces, schedules in files,
# refusals.
set -u

. "$SOURCE/tests/cli/scratch"

simulate() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 60 "$TOTUM" simulate "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum simulate $*: exit code $code instead of $want"
	[ "$want" -eq 0 ] || [ "$(grep -vc '^Try ' err)" -eq 1 ] || fail "totum simulate $*: not one sentence"
}

has() { # TEXT
	tr -s ' ' <out | grep -qF -e "$1" || fail "the output lacks \"$1\""
}

says() { # TEXT
	grep -qF -e "$1" err || fail "the error lacks \"$1\""
}

time_is() { # ALGORITHM TIME ARGUMENT...
	algorithm=$1
	time=$2
	shift 2
	simulate 0 "allgather:n=8:bytes=8M:algo=$algorithm" "$@" --json -
	python3 - "$time" <<'END' || fail "$algorithm $*: not $time us"
import json, sys
got = json.load(open("out"))["seconds"] * 1e6
want = float(sys.argv[1])
sys.exit(abs(got / want - 1) > 1e-9)
END
}

if command -v python3 >/dev/null; then
	time_is ring 741.0032 --topology ring:8
	time_is bidirectional_ring 371.0016 --topology ring:8
	time_is bidirectional_ring,whole=1 423.4304 --topology ring:8
	time_is recursive_doubling 737.0032 --topology full:8
	time_is recursive_doubling 2205.0096 --topology ring:8
	time_is recursive_doubling 1366.1488 --topology ring:8 --split
	time_is distance_halving 1261.2912 --topology ring:8
	time_is distance_halving 1051.5760 --topology ring:8 --split
	time_is swing 841.8608 --topology ring:8
	time_is neighbor_exchange 738.0032 --topology ring:8
	time_is direct 105.8576 --topology full:8
	time_is direct 735.0032 --topology star:8 --overlap
	time_is recursive_doubling 2205.0096 --topology ring:8 --model flow
	time_is ring 741.0032 --topology ring:8 --model ready
fi

simulate 0 allgather:n=8:bytes=8M:algo=recursive_doubling --topology ring:8 --rounds --loads
has "time 2.20501ms = 3us + 2.20201ms, 5.9756 of the bound 369.0016us"
has "volume 21 blocks per 10GB/s on the busiest link, lambda 7/2, ratio 6.0000"
has "1 8 420.4304us 1us 4 r1>r2"
has "round 1, 2 blocks: r0>r1 r1>r0 r2>r3 r3>r2 r4>r5 r5>r4 r6>r7 r7>r6"
has "round 2, 16 blocks: r0>r1 r1>r2 r2>r3 r3>r4 r4>r5 r5>r6 r6>r7 r7>r0"
simulate 0 allgather:bytes=8M:algo=ring:topo=ring:8 --rounds
has "0-6 8 105.8576us 1us 1 r0>r1"
simulate 0 allgather:bytes=8M:algo=ring:topo=ring:8 --rounds --model flow
has "0-6 8 105.8576us"
simulate 0 allgather:bytes=8M --topology "$SOURCE/topologies/shared-nic.topo"
has "on shared-nic: 16 ranks, 8M in all, 512K a rank; model load"
simulate 0 allreduce:bytes=8M:algo=ring:topo=2x4 --model ready
has "rounds 14, 112 messages"

# Any number of ranks.
simulate 0 allgather:algo=ring --topology torus:1000x1000
has "volume 999999 blocks per 10GB/s on the busiest link, lambda 999999/4"
simulate 0 allreduce:algo=bruck --topology full:1000000
has "rounds 40,"
simulate 0 allgather:algo=recursive_doubling --topology ring:16384
has "volume 89478485 blocks per 10GB/s on the busiest link, lambda 16383/2"
simulate 2 allgather:algo=ring --topology torus:1000x1000 --rounds
says "computed by arithmetic"

# A schedule in a file.
"$TOTUM" show ring -n 5 --text >ring.schedule || fail "there is no schedule"
simulate 0 ./ring.schedule --topology ring:5 --bytes 5M
has "time 423.4304us = 4us + 419.4304us"
simulate 2 ./ring.schedule
says "on which wires?"
simulate 2 ./ring.schedule --topology ring:6
says "5 ranks and the topology ring:6 6"

# A trace: as many messages as there are, within the time, on lines where they do not overlap.
for model in load flow ready; do
	simulate 0 allgather:bytes=8M:algo=bruck:topo=2x4 --model $model --trace trace.json
	command -v python3 >/dev/null || continue
	python3 - <<'END' || fail "the trace of model $model is wrong"
import json, sys
events = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "X"]
messages = [e for e in events if e["pid"] < 8]
assert len(messages) == 24, len(messages)
lines = {}
for e in sorted(messages, key=lambda e: e["ts"]):
    key = e["pid"], e["tid"]
    assert e["ts"] >= lines.get(key, 0) - 1e-5, e
    lines[key] = e["ts"] + e["dur"]
    assert e["name"].startswith("%d>" % e["pid"])
assert sum(e["args"]["blocks"] for e in messages) == 56
END
done

simulate 2
says "what? Give a problem"
simulate 2 allgather:n=8
says "names no topology"
simulate 2 allgather:n=8 --topology ring:9
says "the problem has 8 ranks"
simulate 2 allgather:n=8 --topology ring:8 --model best
says "--model"
simulate 2 allgather:n=8:algo=recursive_doubling --topology ring:8 --model flow --loads
says "load model"
simulate 2 allgather:n=8 --topology ring:8 --model ready --rounds
says "rounds"
simulate 2 allgather:n=8 --topology ring:8 --bytes 8M
says "a problem has bytes=M"
simulate 2 allgather:algo=recursive_doubling --topology ring:6
printf 'topology cut\nrank a b c\nlink a b 1GB/s 1us\n' >cut.topo
simulate 2 allgather:algo=ring --topology cut.topo
says "no links lead from rank"
simulate 1 allgather:n=8 --topology ring:8 --trace /nonexistent/trace.json

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
