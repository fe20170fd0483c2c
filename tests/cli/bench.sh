#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum bench: every collective on 1 and 3 ranks, the table, CSV and JSON, forced algorithms, wrong results, lost ranks,
# other launchers, and refusals.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset TOTUM_LAUNCHER TOTUM_ALGO RANK WORLD_SIZE
failures=0
with= # variables for the next benchmark

fail() { # TEXT
	echo "FAILED: $1"
	head -n 40 out err | cut -c 1-200
	failures=$((failures + 1))
}
bench() { # CODE ARGUMENT...
	want=$1
	shift
	# shellcheck disable=SC2086 # some variables, or none
	timeout 100 env $with "$TOTUM" bench "$@" >out 2>err </dev/null
	code=$?
	with=
	[ $code -eq "$want" ] || fail "totum bench $*: exit code $code instead of $want"
}
quick() { # CODE ARGUMENT...
	bench "$@" --iters 3 -w 1 --batch 1
}
rows() { # N: so many rows, none of which is wrong
	[ "$(grep -vc '^#' out)" -eq "$1" ] || fail "$name: not $1 rows"
	awk '!/^#/ && ($9 != "0" || $13 != "0" || $6 <= 0 || $10 <= 0)' out >bad
	[ ! -s bad ] || fail "$name: wrong, or without a time: $(cat bad)"
}
has() { # TEXT
	grep -qF -e "$1" out || fail "$name: the output lacks \"$1\""
}
# The n-th field of the n-th row.
field() { # ROW FIELD
	awk -v row="$1" -v field="$2" '!/^#/ && ++n == row {print $field}' out
}
expect() { # ROW FIELD VALUE
	[ "$(field "$1" "$2")" = "$3" ] || fail "$name: field $2 of row $1 is \"$(field "$1" "$2")\", not \"$3\""
}

# Every collective.
for n in 1 3; do
	for collective in allgather reduce_scatter allreduce broadcast reduce gather scatter alltoall; do
		name="$collective on $n"
		quick 0 $collective -n $n -b 0 -e 64000 -f 40
		rows 5
		has "Out of bounds values : 0 OK"
	done
	name="barrier on $n"
	quick 0 barrier -n $n
	expect 1 1 0
	expect 1 9 N/A
done
for root in 1 2; do
	for collective in broadcast reduce gather scatter; do
		name="$collective from $root"
		quick 0 $collective -n 3 -r $root -b 1000 -e 1000
		rows 1
		expect 1 5 $root
	done
done

# Every dtype, every op; inputs that are fresh, shared, unchecked, checked often.
for dtype in i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 bool f8e4m3 f8e5m2 c64 c128; do
	name=$dtype
	quick 0 allgather -n 3 -d "$dtype" -b 999 -e 999
	rows 1
	expect 1 3 $dtype
done
for op in sum prod min max avg band bor bxor land lor lxor; do
	for dtype in i8 u64 $([ $op = avg ] || echo bool) $(case $op in b* | l*) ;; *) echo f16 bf16 f32 f64 ;; esac); do
		name="$op of $dtype"
		quick 0 allreduce -n 3 -o $op -d "$dtype" -b 3000 -e 3000
		rows 1
		expect 1 4 $op
	done
done
name="reduce_scatter of 60"
quick 0 reduce_scatter -n 8 -o avg -d i8 -b 60 -e 60
rows 1
name="nccl-tests' names"
quick 0 allreduce -n 2 -d bfloat16 -b 64 -e 64
expect 1 3 bf16
name=fresh
bench 0 allgather -n 2 -b 64 -e 64K -f 32 --fresh --iters 5 -R 1 -T 20 --bind-to core
rows 3
has "fresh"
has "shared memory"
name=unchecked
quick 0 allgather -n 2 -b 64 -e 64 -c 0
expect 1 9 N/A
has "(unchecked)"
name="many checks"
quick 0 allgather -n 3 -b 64 -e 64 -c 50
rows 1

# Sizes are total bytes; what rounds to the same is shown once.
name=sizes
quick 0 allgather -n 4 -b 32 -e 32
expect 1 1 32
expect 1 2 2
expect 1 14 8
quick 0 allgather -n 4 -d u8 -b 1 -e 8 -i 1
rows 2
expect 2 1 8
quick 0 broadcast -n 2 -d u8 -b 1K -e 3K -i 1K
rows 3
expect 3 1 3072
name="the default of batches"
bench 0 allgather -n 2 -b 16 -e 16
rows 1

# Forced algorithms, also by the variable; a wrong one is found, as is a send buffer that was written to.
for algorithm in ring bruck,radix=3 direct recursive_doubling_folded; do
	name=$algorithm
	quick 0 allgather -n 3 --algorithm $algorithm -b 3000 -e 3000
	rows 1
	expect 1 22 $algorithm
done
name="ring of all"
for collective in reduce_scatter allreduce broadcast; do
	quick 0 $collective -n 3 --algorithm ring -b 3000 -e 3000
	rows 1
	expect 1 22 ring
done
with="TOTUM_ALGO=ring"
quick 0 allgather -n 3 -b 3000 -e 3000
expect 1 22 ring

if [ -z "$SANITIZE" ]; then
	cat >wrong.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <totum.h>
		typedef totum_status gather(const void *, void *, size_t, totum_dtype, totum_comm *);
		totum_status totum_allgather(const void *send, void *recv, size_t count, totum_dtype dtype, totum_comm *comm)
		{
			gather *next = (gather *)dlsym(RTLD_NEXT, "totum_allgather");
			totum_status status = next(send, recv, count, dtype, comm);
			char *at = getenv("WRONG_SEND") ? (char *)send : (char *)recv + 2 * count;
			if (totum_comm_rank(comm) == 1 && count == 1000)
				at[count - 1] ^= 4;
			return status;
		}
	END
	"$CC" -shared -fPIC -D_GNU_SOURCE -I"$SOURCE/include" wrong.c -o wrong.so -ldl || exit 1
	name="one wrong byte"
	with="LD_PRELOAD=$PWD/wrong.so"
	quick 1 allgather -n 3 -d u8 -b 3000 -e 3000 --json wrong.json
	expect 1 9 1
	expect 1 13 1
	has "Out of bounds values : 2 FAILED"
	grep -q '"nwrong": 1' wrong.json || fail "$name: not in the JSON"
	with="LD_PRELOAD=$PWD/wrong.so"
	quick 1 allgather -n 3 -d u8 -b 3000 -e 3000 -c 3
	expect 1 9 3
	with="LD_PRELOAD=$PWD/wrong.so"
	quick 0 allgather -n 3 -d u8 -b 3003 -e 3003
	name="a changed send buffer"
	with="WRONG_SEND=1 LD_PRELOAD=$PWD/wrong.so"
	quick 1 allgather -n 3 -d u8 -b 3000 -e 3000
	expect 1 9 1
fi

# Predictions, of what is measured in the order of size; by a tuning file, whose wrong line is told.
name=predictions
quick 0 allgather -n 2 -b 64 -e 64K -f 1024 --csv figures.csv
has "built in (totum tune measures them)"
awk '!/^#/ && ($20 <= last || $21 !~ /^[+-][0-9]+$/ || $20 == "N/A") {exit 1} !/^#/ {last = $20}' out ||
	fail "$name: no predictions that grow"
cat >slow <<END
totum tuning 1
link inside exchange=2.00 ports=1 together=2.00
piece inside from=0 alpha=1s beta=1GB/s
end
END
with="TOTUM_TUNING=slow"
quick 0 allgather -n 2 -b 64 -e 64
expect 1 20 1000000.0
expect 1 21 -100
has "as measured: slow"
sed -i 's/^piece/peice/' slow
with="TOTUM_TUNING=slow"
quick 2 allgather -n 2 -b 64 -e 64
grep -q 'slow:3: .*did you mean piece' err || fail "$name: nothing says what is wrong with the file"
quick 0 barrier -n 2
expect 1 20 N/A

# CSV and JSON.
name=CSV
quick 0 allreduce -n 2 -b 64 -e 1K -f 4 --csv -
[ "$(wc -l <out)" -eq 7 ] || fail "not a header and six rows"
awk -F, '{gsub(/"[^"]*"/, "x")} NR == 1 {n = NF} NF != n {exit 1}' out || fail "rows of different lengths"
for column in collective nranks place size_total_B size_rank_B count type redop root algorithm time_us p99_us algbw_GBps \
	busbw_GBps limit_us time_over_limit predicted_us bound_us wrong host cpu cores kernel version commit; do
	head -n 1 out | tr , '\n' | grep -qx $column || fail "no column $column"
done
quick 0 gather -n 2 -b 64 -e 64 --csv figures.csv --json figures.json
rows 1
[ "$(wc -l <figures.csv)" -eq 3 ] || fail "the file has not three lines"
name=JSON
if command -v python3 >python; then
	python3 - <<'END' || fail "the JSON lacks something"
import json
all = json.load(open("figures.json"))
assert all["collective"] == "gather" and all["nranks"] == 2 and len(all["devices"]) == 2, all
assert all["devices"][1]["rank"] == 1 and all["devices"][0]["pid"] != all["devices"][1]["pid"]
assert all["config"]["minimum_bytes"] == 64 and all["config"]["validation_checks"] == 1
assert all["out_of_bounds"] == {"count": 0, "okay": True} and "bandwidth" in all["average_bus_bandwidth"]
assert {"host", "cpu", "cores", "kernel"} <= set(all["machine"]) and "gather" in all["command"]
row, = all["results"]
assert row["size"] == 64 and row["size_rank"] == 32 and row["count"] == 8 and row["root"] == 0
assert row["predicted"] >= row["bound"] > 0
assert row["type"] == "f32" and row["redop"] == "none" and row["limit"] > 0 and row["algorithm"]
for place in "out_of_place", "in_place":
	figures, samples = row[place], row[place + "_per_iter"]
	assert figures["time"] > 0 and figures["nwrong"] == 0 and "alg_bw" in figures and "bus_bw" in figures
	assert samples["iterations"] == 3 and samples["min_us"] <= samples["p50_us"] <= samples["p99_us"]
END
	quick 0 barrier -n 2 --json -
	python3 -m json.tool out >formatted || fail "this is no JSON"
else
	grep -q '"out_of_bounds"' figures.json || fail "the JSON lacks something"
fi

# Ranks of other launchers.
name="totum run"
timeout 100 "$TOTUM" run -n 2 -- "$TOTUM" bench allgather -b 64 -e 64 --iters 3 >out 2>err || fail "$name: exit code $?"
rows 1
has "2 ranks"
name=torchrun
(
	export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$$
	RANK=1 timeout 100 "$TOTUM" bench allgather -b 64 -e 64 --iters 3 >out.1 2>err.1 &
	RANK=0 timeout 100 "$TOTUM" bench allgather -b 64 -e 64 --iters 3 >out 2>err && wait $!
) || fail "$name: exit code $?"
rows 1
[ ! -s out.1 ] || fail "$name: rank 1 writes too"
name="no launcher, by the variable"
with="TOTUM_LAUNCHER=none RANK=0 WORLD_SIZE=7"
quick 0 allgather -n 2 -b 64 -e 64
rows 1
name="-n under a launcher"
timeout 100 "$TOTUM" run -n 2 -- "$TOTUM" bench allgather -n 3 -e 64 >out 2>err
[ $? -eq 2 ] || fail "$name: is taken"
[ "$(grep -c '^totum bench: -n 3' err)" -eq 1 ] || fail "$name: not one sentence"

# A rank that is killed ends the job with its code.
name="a killed rank"
MARK=bench.$$ timeout 100 "$TOTUM" bench allgather -n 3 -b 1M -e 1M --iters 1000000 >out 2>err </dev/null &
job=$!
victim=
for _ in $(seq 200); do
	for file in $(grep -laF "MARK=bench.$$" /proc/[0-9]*/environ 2>/dev/null); do
		tr '\0' '\n' <"$file" 2>/dev/null | grep -qx TOTUM_RANK=1 || continue
		victim=${file%/environ}
		victim=${victim#/proc/}
	done
	[ -n "$victim" ] && grep -q "algorithm" out && break
	sleep 0.05
done
kill -KILL "$victim"
wait $job
code=$?
[ $code -eq 137 ] || fail "$name: exit code $code instead of 137"
grep -q "rank 1 (pid $victim) was killed by SIGKILL" err || fail "$name: is not named"

# Refusals: 2, nothing on the standard output, one sentence with the words.
refused() { # WORDS ARGUMENT...
	words=$1
	shift
	name="totum bench $*"
	bench 2 "$@"
	[ ! -s out ] || fail "$name: there is output"
	[ "$(grep -vc '^Try ' err)" -eq 1 ] || fail "$name: not one sentence"
	grep -qF -e "$words" err || fail "$name: does not say \"$words\""
}
refused "did you mean 'allgather'" allgahter -n 2
refused "did you mean 'reduce_scatter'" reducescatter -n 2
refused "one of allgather" frobnicate -n 2
refused "which collective" -n 2
refused "one collective" allgather allreduce -n 2
refused "how many ranks" allgather
for n in 0 -1 4097 x "" 1e2; do
	refused "-n:" allgather -n "$n"
done
for size in -1 x "" 1.5K 99999999999999999999 "4 K" 5Q; do
	refused "-b:" allgather -n 2 -b "$size"
	refused "-e:" allgather -n 2 -e "$size"
	refused "-i:" allgather -n 2 -i "$size"
done
refused "-i:" allgather -n 2 -i 0
refused "-f:" allgather -n 2 -f 1
refused "one" allgather -n 2 -f 2 -i 64
refused "larger than" allgather -n 2 -b 65 -e 64
refused "--iters:" allgather -n 2 --iters 0
refused "--batch:" allgather -n 2 --batch 0
refused "--fresh" allgather -n 2 --fresh --batch 2
refused "-w:" allgather -n 2 -w -1
refused "-c:" allgather -n 2 -c x
refused "-R:" allgather -n 2 -R 2
refused "-T:" allgather -n 2 -T soon
refused "--bind-to:" allgather -n 2 --bind-to socket
refused "no dtype" allgather -n 2 -d f33
refused "no op" allreduce -n 2 -o summ
refused "no reduction of f32" allreduce -n 2 -o band
refused "no reduction of c64" allreduce -n 2 -d c64
refused "does not reduce" allgather -n 2 -o sum
refused "has no root" allgather -n 2 -r 0
refused "-r 2" broadcast -n 2 -r 2
refused "did you mean 'ring'" allgather -n 2 --algorithm rign
refused "radix" allgather -n 2 --algorithm bruck,radix=0
refused "recursive_doubling does not run on 3" allgather -n 3 --algorithm recursive_doubling
refused "directly" gather -n 2 --algorithm direct
refused "memory" allgather -n 2 -b 100T -e 100T
refused "standard output" allgather -n 2 --json - --csv -
refused "/nowhere/" allgather -n 2 --json /nowhere/figures.json
refused "/nowhere/" allgather -n 2 --csv /nowhere/figures.csv

[ $failures -eq 0 ] || exit 1
