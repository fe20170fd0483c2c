#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All collectives, checked, over two to six hosts, whatever the placement, the address family, the settings of the
# connections and the names of the hosts.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

export ROUNDS=12
rounds() { # PLACEMENT [OPTION of hosts_up...]
	placement=$1
	shift
	hosts_up "$(hosts_named "$placement")" "$@"
	run_ranks 120 "$(job_count "$placement")" "$placement" "$BUILD/bin/hosts_rounds"
	hosts_clean || fail "$placement: something is left"
	hosts_down || fail "$placement: hosts do not go"
}

for placement in 1,2 2,1 3+3 1+1+1 2,1,1,2,2,1 3+1+2 1,1,1,2,3,3 2+2+2+2 1,2,3,4,5,6 6,5,4,3,2,1,1,2,3; do
	rounds $placement
done
rounds 2,1,3 family=6
rounds 2,1,1,3 names=same
for setting in TOTUM_ENCRYPT=1 TOTUM_CHECKSUM=1 TOTUM_STREAMS=4 TOTUM_WAIT=sleep TOTUM_ALGO=ring TOTUM_SINGLE_COPY=off; do
	export "$setting"
	rounds 2,1,1,3
	unset "${setting%%=*}"
done
for seed in ${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ') 15}; do
	echo "chaos between hosts; again: SEED=$seed"
	export TOTUM_CHAOS=$seed
	ROUNDS=4 rounds 2,1,1,3
	unset TOTUM_CHAOS
done
export TOTUM_ENCRYPT=1 TOTUM_CHECKSUM=1 TOTUM_STREAMS=2
rounds 2+2 family=6 rate=200mbit
exit $failures
