#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The ranks of a job on two hosts find each other under mpiexec of two kinds, also beside an MPI library in the same
# process, by the variables of srun and torchrun, and by roots given by hand.
set -u

. "$SOURCE/tests/hosts/hosts"
case $SANITIZE in
?*)
	echo "skipped: the programs of MPI libraries are not built with a sanitizer"
	exit 77
	;;
esac
hosts_up 2 pids=shared
program=$BUILD/bin/ranks_hello
skipped=
export TOTUM_TIMEOUT=60s LD_LIBRARY_PATH="$BUILD"
unset RANK WORLD_SIZE PMI_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID
umask 077
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >secret

# What launchers call in place of ssh: options, the host, the command.
cat >enter <<-EOS
	#!/bin/sh
	while [ "\${1#-}" != "\$1" ]; do shift; done
	pid=\$(cat "$PWD/hosts/\${1#host}.pid")
	shift
	exec nsenter -t "\$pid" -m -u -i -n sh -c "\$*"
EOS
chmod +x enter

# Every rank of 4 must have said so once, and nobody anything else.
check() { # NAME
	for rank in 0 1 2 3; do
		echo "rank $rank of 4"
	done >want
	sort out | cmp -s - want || fail "$1: not one line from every rank:"
}

# Ends a command after 25 seconds, or when a rank has been in MPI_Finalize for 5.
cat >bounded <<-'EOS'
	#!/bin/sh
	"$@" &
	for _ in $(seq 125); do
		kill -0 $! 2>/dev/null && [ -z "$(find . -name 'finalizing.*' ! -newermt '5 seconds ago')" ] || break
		sleep 0.2
	done
	kill $! 2>/dev/null
	wait $!
EOS
chmod +x bounded

# UCX below MPICH 4.0 takes hosts of one boot id for one machine unless told not to; and its MPI_Finalize often hangs over
# tcp, where one rank waits for a connection to be closed that another one has left, also without totum.  Only that is
# tried again, and when it stays so that order of calls is passed over.
mpich() { # COMMAND...
	for try in 1 2; do
		rm -f finalizing.*
		UCX_TLS=tcp,self run_on 1 ./bounded mpiexec.mpich -launcher ssh -launcher-exec "$PWD/enter" \
			-hosts host1,host2 -ppn 2 -n 4 "$@" >out 2>&1 </dev/null
		[ -n "$(find . -name 'finalizing.*')" ] || return 0
		echo "try $try: MPICH did not come out of MPI_Finalize: $*"
	done
	skipped="$skipped $*-beside-MPICH"
	return 1
}
openmpi() { # COMMAND...
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 run_on 1 timeout 100 mpirun.openmpi \
		--mca orte_tmpdir_base "$PWD" --mca plm_rsh_agent "$PWD/enter" --mca oob_tcp_if_include eth0 \
		--mca btl_tcp_if_include eth0 -x TOTUM_TIMEOUT -x LD_LIBRARY_PATH -H host1:2,host2:2 -n 4 \
		"$@" >out 2>&1 </dev/null
	return 0 # what it printed is judged
}

# Alone, and beside the MPI library: totum before, within and after it, and several times.
under() { # KIND, whose name is that of the function that starts it
	command -v "mpiexec.$1" >/dev/null || {
		skipped="$skipped mpiexec.$1"
		return
	}
	"$1" "$program"
	check "$1"
	"mpicc.$1" -I"$SOURCE/include" -o "beside.$1" "$SOURCE/tests/hosts/beside_mpi.c" -L"$BUILD" -ltotum 2>/dev/null || {
		skipped="$skipped mpicc.$1"
		return
	}
	for order in ttt IttF tIF tItF; do
		"$1" "./beside.$1" $order && check "$1, $order"
	done
}
under mpich
[ ! -x beside.mpich ] || {
	! mpich ./beside.mpich IFt || grep -q "call totum_init before MPI_Finalize" out ||
		fail "mpich, IFt: not said what is wrong"
}
under openmpi
# After MPI_Finalize PMIx begins anew, and on a busy machine its server now and then leaves one rank of the new fence
# without an answer.  That rank must say so in time; then it is tried again.
[ ! -x beside.openmpi ] || {
	for try in 1 2 3; do
		TOTUM_TIMEOUT=15s openmpi ./beside.openmpi IFt
		grep -q "not all ranks have come to the fence of PMIx" out || break
		echo "try $try: PMIx did not answer a rank after MPI_Finalize"
	done
	check "openmpi, IFt"
}

# The ranks 0 and 1 on host 1, 2 and 3 on host 2, with what a function says of each: variables and the program.
by_hand() { # FUNCTION
	for rank in 2 3 0 1; do
		run_on $((rank / 2 + 1)) timeout 100 env $("$1" $rank) >"out.$rank" 2>&1 </dev/null &
		echo $! >"pid.$rank"
	done
	for rank in 0 1 2 3; do
		wait "$(cat pid.$rank)"
	done
	cat out.? >out
}
torchrun() { # RANK
	echo "RANK=$1 WORLD_SIZE=4 LOCAL_RANK=$(($1 % 2)) LOCAL_WORLD_SIZE=2 MASTER_ADDR=host1 MASTER_PORT=29500" \
		"TORCHELASTIC_RUN_ID=7 TORCHELASTIC_RESTART_COUNT=0 TOTUM_SECRET_FILE=$PWD/secret $program"
}
slurm() { # RANK
	echo "SLURM_PROCID=$1 SLURM_NTASKS=4 SLURM_JOB_ID=123 SLURM_STEP_ID=4 SLURM_NNODES=2" \
		"SLURM_STEP_NODELIST=host[1-2] TOTUM_SECRET_FILE=$PWD/secret $program"
}
explicit() { # RANK
	echo "TOTUM_RANK=$1 TOTUM_SIZE=4 TOTUM_ROOT=tcp://host1:7100 TOTUM_SECRET_FILE=$PWD/secret $program"
}
shared_file() { # RANK
	echo "TOTUM_RANK=$1 TOTUM_SIZE=4 TOTUM_ROOT=file:$PWD $program"
}
# the root by hand, rank and number of ranks by the launcher
both() { # RANK
	echo "RANK=$1 WORLD_SIZE=4 TOTUM_ROOT=host1:7101 TOTUM_SECRET_FILE=$PWD/secret $program"
}
for way in torchrun slurm explicit shared_file both; do
	by_hand $way
	check $way
done
[ ! -e totum-meeting ] || fail "shared_file: the file is left"

# Without a secret nobody waits.
open_torchrun() {
	torchrun "$1" | sed 's/TOTUM_SECRET_FILE=[^ ]*//'
}
by_hand open_torchrun
[ "$(grep -c TOTUM_SECRET_FILE out)" -eq 4 ] || fail "torchrun without a secret: not said what is wrong"

# --- by the program ---
mkdir store
create_tcp() { # RANK
	echo "$BUILD/bin/ranks_meet create $1 4 tcp://10.77.0.1:7102 $(cat secret)"
}
create_file() { # RANK
	echo "$BUILD/bin/ranks_meet create $1 4 file:$PWD/meeting"
}
by_id() { # RANK
	echo "$BUILD/bin/ranks_meet id $1 4 $PWD/id"
}
by_store() { # RANK
	echo "$BUILD/bin/ranks_meet store $1 4 $PWD/store"
}
for way in create_tcp create_file by_id by_store by_store; do
	by_hand $way
	check $way
done

[ $failures -eq 0 ] || exit 1
[ -z "$skipped" ] || {
	echo "skipped: not to be had:$skipped; all else is well"
	exit 77
}
