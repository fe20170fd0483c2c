#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compare: it measures totum alone where there is no peer, finds wrong results, marks every loss in text and
# pictures, refuses bad arguments in a sentence, and leaves nothing behind however it ends.
set -u

command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
[ -z "$SANITIZE" ] || { echo "skipped: only the optimised build is compared"; exit 77; }

scratch=$(mktemp -d)
mark=compare.$$.$(date +%N)
export MARK=$mark TMPDIR="$scratch"

census() {
	grep -laF "MARK=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx $$
}
clean() {
	census | while read -r pid; do kill -KILL "$pid" 2>/dev/null; done
	rm -rf "$scratch"
}
trap clean EXIT
fail() { # TEXT
	echo "FAILED: $name: $1"
	tail -n 20 "$scratch/out" "$scratch/err" | cut -c 1-300
	exit 1
}
at() {
	name=$*
	echo "case: $name"
}
compare() { # CODE ARGUMENT...
	want=$1
	shift
	timeout -k 5 120 "$SOURCE/bench/compare" --build "$BUILD" --work "$scratch/work" --out "$scratch/results" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "exit code $code instead of $want"
}
nobody_left() {
	for _ in $(seq 100); do
		[ "$(census | xargs -r ps -o comm= -p 2>/dev/null | grep -c '^\(totum\|limit\|python3\)$')" -eq 0 ] && return
		sleep 0.1
	done
	fail "these processes are left: $(census | xargs ps -o pid=,args= -p)"
}
small="--quick --peers none --ranks 2 --seconds 1"

at "bad arguments"
for bad in "--sizes 64KB" "--sizes 0" "--sizes 8:4" "--sizes 8:64:1" "--ranks 0" "--ranks two" "--peers nobody" \
	"--collectives gather" "--collectives ," "--hosts 1" "--hosts 2x" "--hosts 2 --ranks 2" "--rate 1gbit" \
	"--hosts 2 --rate fast"; do
	compare 2 $bad
	[ "$(grep -c '^bench/compare: error: ' "$scratch/err")" -eq 1 ] || fail "\"$bad\" gets no sentence"
done
compare 1 --build "$scratch/nowhere"
grep -q '^bench/compare: there is no libtotum.so' "$scratch/err" || fail "a folder without a build gets no sentence"
compare 1 --redraw "$SOURCE/README.md"
grep -q '^bench/compare: .* cannot be read as a result' "$scratch/err" || fail "a file that is no result gets no sentence"
compare 1 --ranks 256 --sizes 64G
grep -q 'GiB, and .* are free' "$scratch/err" || fail "sizes beyond the memory get no sentence"

at "totum alone"
compare 0 $small --sizes 8,4K+1
python3 - "$scratch/results" <<'END' || fail "the results are not complete"
import json, os, sys
from xml.dom import minidom
folder = sys.argv[1]
run = json.load(open(os.path.join(folder, "compare-quick.json")))
points = {(p["collective"], p["size"]): p for p in run["points"]}
assert len(points) == 11, sorted(points)
for (collective, size), point in points.items():
    names = {"totum", "totum shared", "limit flags"}
    if collective == "allgather":
        names.add("totum window")
    if size == "4K+1":
        names.add("limit plain-copy")
    assert names <= set(point["results"]), (collective, size, sorted(point["results"]))
    for name, result in point["results"].items():
        single = collective == "barrier" or name == "limit flags"
        for mode in ("reused",) if single else ("reused", "fresh"):
            figures = result[mode]
            assert 0 < figures["p10_ns"] <= figures["median_ns"] <= figures["p90_ns"] < 10e9, figures
            assert len(figures["values_ns"]) >= 3, figures
assert points["allgather", "4K+1"]["bytes"] == 4096 + 2
assert points["allreduce", "4K+1"]["bytes"] == 4096 + 4
assert run["machine"]["cores"] > 0 and run["libraries"]["totum"]["version"].startswith("totum ")
assert not run["faults"] and not run["notes"], (run["faults"], run["notes"])
for name in ("allgather", "barrier"):
    minidom.parse(os.path.join(folder, f"compare-quick-{name}.svg"))
text = open(os.path.join(folder, "compare-quick.txt")).read() + json.dumps(run)
assert folder not in text and os.path.dirname(folder) not in text, "it names folders of this machine"
END
nobody_left

at "a wrong byte"
cat >"$scratch/wrong.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <totum.h>
totum_status totum_allgather(const void *send, void *recv, size_t count, totum_dtype dtype, totum_comm *comm)
{
	static totum_status (*real)(const void *, void *, size_t, totum_dtype, totum_comm *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "totum_allgather");
	totum_status status = real(send, recv, count, dtype, comm);
	if (totum_comm_rank(comm) == 1 && count >= 100)
		((char *)recv)[count - 1] ^= 1;
	return status;
}
END
$CC -shared -fPIC -I"$SOURCE/include" "$scratch/wrong.c" -o "$scratch/wrong.so" -ldl || exit 1
LD_PRELOAD=$scratch/wrong.so compare 1 $small --collectives allgather --sizes 8,1K
grep -q "FAULT: totum with 2 ranks: wrong allgather of count 512, private memory, seed [0-9]*: element 511 of rank 1" \
	"$scratch/out" || fail "it does not say which element of whose result is wrong"

at "a rank that dies"
sed 's/.*\^= 1;/		raise(9);/; s/<dlfcn.h>/<dlfcn.h>\n#include <signal.h>/' "$scratch/wrong.c" >"$scratch/dies.c"
$CC -shared -fPIC -I"$SOURCE/include" "$scratch/dies.c" -o "$scratch/dies.so" -ldl || exit 1
LD_PRELOAD=$scratch/dies.so compare 1 $small --collectives allgather --sizes 8,1K
grep -q "FAULT: allgather, 2 ranks, 1K B: totum .*not measured any further" "$scratch/out" || fail "it does not say so"
grep -q "^ *8 " "$scratch/out" || fail "what was measured before is lost"
nobody_left

at "losses"
cat >"$scratch/run.py" <<'END'
import json
def figures(ns):
    return {"median_ns": ns, "p10_ns": ns * 0.9, "p90_ns": ns * 1.1, "values_ns": [ns]}
def result(reused, fresh):
    return {"calls": 1, "reused": figures(reused), "fresh": figures(fresh)}
machine = dict.fromkeys("processor caches architecture kernel libc governor transparent_huge_pages compiler commit".split(), "x")
machine.update(cores=2, memory_bytes=1, load_before=0.0, variables={})
libraries = {name: {"title": title, "peer": name != "totum", "version": "1", "settings": {}, "missing": None}
             for name, title in (("totum", "totum"), ("mpich", "MPICH"), ("impi", "Intel MPI"))}
points = [{"collective": "allgather", "ranks": 4, "size": size, "count": 1, "bytes": size_bytes,
           "results": {"totum": result(1000, 1000), "mpich": result(*mpich), "impi": result(*impi)}}
          for size, size_bytes, mpich, impi in (("8", 8, (2000, 990), (3000, 3000)), ("1M", 1 << 20, (900, 4000), (1100, 4000)),
                                                ("4M", 4 << 20, (999, 5000), (1000, 5000)))]
print(json.dumps({"date": "today", "command": "bench/compare", "machine": machine, "libraries": libraries, "points": points,
                  "notes": [], "faults": [], "seconds": 1, "load_after": 0.0}))
END
python3 "$scratch/run.py" >"$scratch/played.json" || exit 1
compare 0 --redraw "$scratch/played.json"
[ "$(grep -c 'LOSS$' "$scratch/out")" -eq 2 ] || fail "not two losses in the tables"
grep -q '^totum loses 2 of 6 comparisons:$' "$scratch/out" || fail "the losses are not counted"
grep -q '^ *0.90 LOSS  allgather, 4 ranks, 1M, reused: totum 1.000 us, MPICH 0.900 us (their spreads overlap)$' \
	"$scratch/out" || fail "a loss is not listed"
cmp -s "$scratch/out" "$scratch/results/played.txt" || fail "the written table differs from the printed one"
[ "$(grep -c 'stroke="#D00000"' "$scratch/results/played-ratio.svg")" -eq 2 ] || fail "the picture does not cross them"
if command -v script >/dev/null; then
	script -qec "$SOURCE/bench/compare --out $scratch/results --redraw $scratch/played.json" /dev/null >"$scratch/out"
	[ "$(grep -c "$(printf '\033\\[1;31m')" "$scratch/out")" -eq 4 ] || fail "a terminal does not show them in red"
fi

at "killed"
for signal in TERM KILL; do
	"$SOURCE/bench/compare" --build "$BUILD" --work "$scratch/work" --out "$scratch/none" $small --seconds 60 \
		--sizes 8:4K:2 >"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	for _ in $(seq 300); do
		grep -q '^allgather, 2 ranks' "$scratch/err" && break
		sleep 0.1
	done
	kill -$signal $pid
	wait $pid 2>/dev/null
	nobody_left
	[ ! -e "$scratch/none" ] || fail "results of half a run are written after SIG$signal"
done

at "a peer"
command -v mpicc.mpich >/dev/null || command -v mpicc.openmpi >/dev/null || {
	echo "skipped: neither MPICH nor Open MPI is installed; all but the comparison with a peer is well"
	exit 77
}
compare 0 --quick --peers openmpi,mpich --ranks 2 --seconds 1 --sizes 4K+1
grep -q '^best peer / totum' "$scratch/out" || fail "there is no verdict"
! grep -q '^note: ' "$scratch/out" || fail "a peer does not run"
[ "$(grep -Ec '^ +4K\+1 .*(openmpi|mpich) ' "$scratch/out")" -eq 10 ] || fail "not ten rows name their best peer"
nobody_left
