#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traces and flight records: valid JSON with everything in it, also of a rank that is killed.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
command -v python3 >/dev/null || { echo "skipped: no python3 to read JSON with"; exit 77; }
[ -x "$BUILD/bin/ranks_flight" ] || { echo "skipped: $BUILD/bin/ranks_flight is not built"; exit 77; }

fail() { # TEXT
	echo "FAILED: $1"
	cat out
	failures=$((failures + 1))
}

run() { # CODE|any FLIGHT
	FLIGHT=$2 timeout 120 "$TOTUM" run -n 3 --timeout 100s -- "$BUILD/bin/ranks_flight" >out 2>&1
	code=$?
	[ "$1" = any ] || [ $code -eq "$1" ] || fail "FLIGHT=$2: exit code $code instead of $1"
}

# --- traces -------------------------------------------------------------------------------------
TOTUM_TRACE=fine run 0 fine
TOTUM_TRACE=killed run any killed # that of whoever is seen first
cat >trace.py <<'END'
import collections, json, sys

def read(name):
    text = open(name).read()
    try:
        return json.loads(text), True
    except ValueError:
        return json.loads(text + "]"), False  # the array form without its end

def check(events):
    open_slices = collections.defaultdict(list)
    messages = {}
    for event in events:
        assert isinstance(event["pid"], int) and event["ph"] in ("M", "X", "b", "e"), event
        if event["ph"] == "X":
            assert event["dur"] >= 0 and event["cat"] == "call", event
            open_slices[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        if event["ph"] in ("b", "e"):
            assert event["cat"] == "message", event
            messages.setdefault(event["id2"]["local"], []).append(event)
    for slices in open_slices.values():  # slices of one thread lie in each other or apart
        slices.sort(key=lambda one: (one[0], -one[1]))
        for (begin, end), (later, last) in zip(slices, slices[1:]):
            assert later >= end - 0.002 or last <= end + 0.002, (begin, end, later, last)
    return messages

for rank in range(3):
    events, complete = read("fine.%d.json" % rank)
    assert complete and all(event["pid"] == rank for event in events)
    messages = check(events)
    for pair in messages.values():
        assert [event["ph"] for event in pair] == ["b", "e"] and pair[0]["name"] == pair[1]["name"], pair
        assert pair[1]["args"]["status"] == "TOTUM_OK", pair
    names = sorted(pair[0]["name"] for pair in messages.values())
    expected = ["recv from %d" % rank, "recv from any", "send to %d" % rank, "send to %d" % ((rank + 1) % 3)]
    if rank < 2:
        expected.append("send to 1" if rank == 0 else "recv from 0")
    assert names == sorted(expected), (names, expected)
    calls = [event for event in events if event["ph"] == "X"]
    group = [event for event in calls if event["args"].get("members")]
    assert len(group) == 1 and group[0]["args"]["members"] == 3 and group[0]["args"]["sent"] == 6000, group
    members = [event for event in calls if event["ts"] == group[0]["ts"] and event["name"] == "allgather"]
    assert len(members) == 3 and members[0]["args"]["count"] == 1000, members
    ring = [event for event in calls if event["args"]["algo"] == "ring"]
    assert len(ring) == 2 and all(event["name"] == "allgather" and event["args"]["received"] == 2000 for event in ring)
    assert sum(event["name"] == "broadcast" and "queued_us" in event["args"] for event in calls) == 2
    assert sum(event["ph"] == "M" and event["name"] == "thread_name" for event in events) == 3

for rank in range(3):
    events, complete = read("killed.%d.json" % rank)
    check(events)
    assert complete is False and any(event["name"] == "barrier" for event in events)
    if rank != 1:
        assert any(event.get("args", {}).get("status") == "TOTUM_ELOST" for event in events)
END
python3 trace.py >out 2>&1 || fail "a trace is wrong"

# --- flight records -------------------------------------------------------------------------------
TOTUM_FLIGHT=record run 0 fine
ls record.*.json >/dev/null 2>&1 && fail "there is a record though nothing has failed"
TOTUM_FLIGHT=record run 0 fails
cat >record.py <<'END'
import glob, json

names = sorted(glob.glob("record.*.json"))
assert len(names) == 3, names
for rank, name in enumerate(names):
    record = json.load(open(name))
    assert record["job_rank"] == rank and record["nranks"] == 3 and record["pid"] > 0
    assert "message with tag 9 from rank 1" in record["failure"], record["failure"]
    entries = [(entry["profiling_name"], entry["state"]) for entry in record["entries"]]
    assert entries[0] == ("totum:barrier", "completed"), entries
    if rank == 0:
        assert entries[1:] == [("totum:barrier", "started"), ("totum:barrier", "scheduled")], entries
        (message,) = record["messages"]
        assert (message["profiling_name"], message["peer"], message["tag"], message["state"]) == ("totum:recv", 1, 9, "started")
    else:
        assert entries[1:] == [("totum:barrier", "failed")] and record["entries"][1]["status"] == "TOTUM_ETIMEOUT"
        assert record["messages"] == []
END
python3 record.py >out 2>&1 || { cat record.0*; fail "a flight record is wrong"; }
TOTUM_FLIGHT=/nosuch/record TOTUM_DEBUG=info run 0 fails
grep -q "cannot write the flight record /nosuch/record.0.1.json: No such file" out || fail "a record that cannot be written is not logged"

# --- counters ---------------------------------------------------------------------------------------
TOTUM_DEBUG=info run 0 fine
grep -q "rank 0 of 3 leaves communicator 0: .* calls, 5 messages, .* bytes sent and .* received inside the host, .* waits" out ||
	fail "the counters are not logged"
timeout 120 "$TOTUM" bench allgather -n 2 -b 4K -e 4K --iters=5 --batch=1 -w 0 --stats --json stats.json >out 2>&1 ||
	fail "totum bench --stats fails"
grep -q "^# *rank  *calls  *sent inside" out || fail "totum bench --stats prints no counters"
[ "$(grep -c '^#  *[01]  *[0-9]' out)" -eq 2 ] || fail "totum bench --stats does not list both ranks"
python3 - <<'END' || fail "the counters in JSON are wrong"
import json
counters = json.load(open("stats.json"))["counters"]
assert [one["rank"] for one in counters] == [0, 1]
for one in counters:
    assert one["sent_inside"] == one["received_inside"] >= 5 * 2048 and one["sent_between"] == 0, one
END

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
