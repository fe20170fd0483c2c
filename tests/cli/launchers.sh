#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same program finds its rank under totum run, mpirun of two kinds, torchrun's variables, and explicit arguments.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_hello
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/first" "$scratch/second"
skipped=

# Every rank of n must have said so once, and nobody anything else.
check() { # NAME N OUTPUT
	for rank in $(seq 0 $(($2 - 1))); do
		echo "rank $rank of $2"
	done | sort >"$scratch/want"
	sort "$3" | cmp -s - "$scratch/want" && return
	echo "$1, $2 ranks: not one line from every rank:"
	cat "$3"
	exit 1
}

# Two jobs at a time: they must not find each other.  Two of Open MPI race to make the folder of their sessions, so each
# has one of its own.
twice() { # NAME N COMMAND...
	name=$1 n=$2
	shift 2
	OMPI_MCA_orte_tmpdir_base="$scratch/first" "$@" "$program" >"$scratch/a" 2>&1 </dev/null &
	OMPI_MCA_orte_tmpdir_base="$scratch/second" "$@" "$program" >"$scratch/b" 2>&1 </dev/null
	wait
	check "$name" "$n" "$scratch/a"
	check "$name" "$n" "$scratch/b"
}

# COMMAND as each of N processes of their own, with the variables that torchrun sets.
torchrun_like() { # PORT N COMMAND...
	port=$1 n=$2
	shift 2
	for rank in $(seq 0 $((n - 1))); do
		RANK=$rank WORLD_SIZE=$n LOCAL_RANK=$rank LOCAL_WORLD_SIZE=$n GROUP_RANK=0 \
			MASTER_ADDR=127.0.0.1 MASTER_PORT=$port TORCHELASTIC_RUN_ID=none \
			TORCHELASTIC_RESTART_COUNT=0 "$@" &
	done
	wait
}

explicit() { # ROOT N PROGRAM
	for rank in $(seq $(($2 - 1)) -1 0); do
		"$3" --create "$rank" "$2" "local:$1" &
	done
	wait
}

unset RANK WORLD_SIZE PMI_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID
for n in 1 2 5; do
	twice "totum run" $n "$TOTUM" run -n $n --timeout 60s --
	if command -v mpirun.openmpi >/dev/null; then
		# as root it wants to be told twice
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
			twice "Open MPI" $n mpirun.openmpi --oversubscribe -n $n
	else
		skipped="mpirun.openmpi (Debian: openmpi-bin)"
	fi
	if command -v mpirun.mpich >/dev/null; then
		twice "MPICH" $n mpirun.mpich -n $n
	else
		skipped="$skipped mpirun.mpich (Debian: mpich)"
	fi
	torchrun_like 29511 $n "$program" >"$scratch/a" 2>&1
	check "torchrun" $n "$scratch/a"
	explicit "launchers-$$" $n "$program" >"$scratch/a" 2>&1
	check "totum_comm_create" $n "$scratch/a"
done
"$program" >"$scratch/a" 2>&1
check "no launcher" 1 "$scratch/a"
nothing_left "$program"
[ -z "$skipped" ] || { echo "skipped: not installed:$skipped; all else is well"; exit 77; }
