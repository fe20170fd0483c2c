#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum doctor and totum info: what is made wrong on purpose is found and explained, and what is right is not.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
for name in $(env | sed -n 's/^\(TOTUM_[A-Z_]*\)=.*/\1/p') RANK WORLD_SIZE PMI_RANK SLURM_PROCID OMPI_COMM_WORLD_RANK; do
	unset "$name"
done
failures=0

fail() { # TEXT
	echo "FAILED: $1"
	cat out err
	failures=$((failures + 1))
}

totum() { # CODE ARGUMENT...
	want=$1
	shift
	what=$*
	timeout 120 "$TOTUM" "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum $what: exit code $code instead of $want"
}

# The line about NAME has this level and this text (a regular expression), continued lines included.
line() { # LEVEL NAME TEXT
	awk '/^  [a-zA-Z]/ { if (text) print text; text = "" } { sub(/^   +/, " "); text = text $0 }
		END { print text }' out | grep -q "^  $1  *$2  *.*$3" || fail "totum $what: no line \"$1 $2 .. $3\""
}

# --- the host as it is ---------------------------------------------------------------------------------------
totum 0 doctor
line ok job "2 processes\|[3-8] processes"
line ok totum_alloc "have read"
grep -q "^totum can be used here" out || fail "no conclusion"
for group in "versions and kernel" memory "single copy" cores limits "variables and launchers" trial; do
	grep -qx "$group" out || fail "the group \"$group\" is missing"
done
awk 'length > 100' out | grep . && fail "lines of more than 100 columns"

# --- ranks and cores -------------------------------------------------------------------------------------------
totum 0 doctor --ranks 3000
line note ranks "3000 ranks on"
totum 0 doctor -n 1
line ok ranks "1 on"
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then
	first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	timeout 120 taskset -c "$first" "$TOTUM" doctor --ranks 2 >out 2>err || fail "on one core it cannot be used"
	line ok affinity "1 of"
	line note ranks "2 ranks on 1 core:"
fi

# --- limits ------------------------------------------------------------------------------------------------------
(ulimit -f 100 && timeout 120 "$TOTUM" doctor >out 2>err) && fail "a file size limit is no problem"
what="doctor, ulimit -f"
line PROBLEM "file size" "16T > ulimit -f unlimited"
line ok memfd ""
(ulimit -n 40 && timeout 120 "$TOTUM" doctor -n 64 >out 2>err) && fail "40 descriptors are no problem for 64 ranks"
what="doctor, ulimit -n"
line PROBLEM descriptors "40: .*> ulimit -n 512"
line note job "not tried"
(ulimit -n 100 && timeout 120 "$TOTUM" doctor -n 64 >out 2>err) || fail "100 descriptors are a problem for 64 ranks"
line note descriptors "100: .*totum run"
if [ -z "${SANITIZE:-}" ]; then
	(ulimit -v 8000000 && timeout 120 "$TOTUM" doctor -n 2 >out 2>err) || fail "a limit of addresses is a problem"
	what="doctor, ulimit -v"
	line note "address space" "ulimit -v unlimited"
	line note totum_alloc "ulimit -v"
fi

# --- variables and launchers -----------------------------------------------------------------------------------------
TOTUM_TIMEOTU=3s TOTUM_WAIT=sleepy TOTUM_DEBUG=off totum 1 doctor
line PROBLEM unknown "TOTUM_TIMEOTU is not .*call it TOTUM_TIMEOUT"
line PROBLEM wrong 'TOTUM_WAIT="sleepy" is not one of'
line ok set "TOTUM_DEBUG=off, of the environment"
line note launcher "not looked for"
line note job "not tried"
TOTUM_ALGO=rnig totum 1 doctor
line PROBLEM job "did you mean 'ring'"
SLURM_PROCID=1 totum 1 doctor
line ok found "slurm (SLURM_PROCID)"
line PROBLEM launcher "SLURM_NTASKS is not set.*TOTUM_LAUNCHER"
SLURM_PROCID=1 TOTUM_LAUNCHER=none totum 0 doctor
line ok launcher "none is believed"
SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_JOB_ID=5 SLURM_STEP_ID=0 RANK=0 totum 0 doctor
line ok found "slurm (SLURM_PROCID), torchrun (RANK)"
line note launcher "slurm is believed.*rank 1 of 2"
TOTUM_SINGLE_COPY=off totum 0 doctor
line note "\(speed\|between ranks\)" "two copies"
TOTUM_SINGLE_COPY=on totum 0 doctor
line '[a-z]*' "\(speed\|between ranks\)" "large messages"
mkdir bin
printf '#!/bin/sh\n' >bin/launch-it
chmod +x bin/launch-it
ln -s launch-it bin/torchrun
PATH=$PWD/bin:$PATH totum 0 doctor
line ok commands "totum run.*torchrun ([^ ]*/bin/launch-it)"
timeout 120 "$TOTUM" run -n 1 -- "$TOTUM" doctor >out 2>err || fail "under totum run"
what="doctor under totum run"
line ok set "TOTUM_RANK=0, set by .totum run"
line ok launcher "totum: this is rank 0 of 1"

# --- system calls that a sandbox refuses --------------------------------------------------------------------------------
cat >deny.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned call = atoi(argv[1]) ? SYS_memfd_create : SYS_process_vm_readv;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (atoi(argv[1]) ? ENOSYS : EPERM)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};
	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	execv(argv[2], argv + 2);
	return 77;
}
END
if "$CC" -o deny deny.c 2>err && ./deny 0 "$(command -v env)" true; then
	timeout 120 ./deny 0 "$TOTUM" doctor >out 2>err || fail "without process_vm_readv it cannot be used"
	what="doctor without process_vm_readv"
	line note "between ranks" "Operation not permitted.*two copies"
	line ok "system calls" "filtered"
	line ok job ""
	timeout 120 ./deny 1 "$TOTUM" doctor >out 2>err || fail "without memfd_create it cannot be used"
	what="doctor without memfd_create"
	line note memfd "Function not implemented"
	line '[a-z]*' /dev/shm "free"
	line ok job ""
else
	echo "no system call filter can be set here, so that part was left out"
fi

# --- JSON ----------------------------------------------------------------------------------------------------------------
totum 0 doctor --json report.json
[ ! -s out ] || fail "--json FILE writes to the standard output too"
TOTUM_WAIT=sleepy totum 1 doctor --json -
if command -v python3 >/dev/null; then
	python3 - report.json out <<'END' || fail "the JSON is wrong"
import json, sys
good, bad = (json.load(open(name)) for name in sys.argv[1:])
assert good["usable"] and not bad["usable"]
for report in good, bad:
    levels = [check["level"] for check in report["checks"]]
    assert report["counts"] == {level: levels.count(level) for level in ("ok", "note", "problem")}
    assert all((check["todo"] is None) == (check["level"] == "ok") for check in report["checks"])
value = {check["name"]: check.get("value") for check in good["checks"]}
assert value["affinity"] >= 1 and value["NUMA"] >= 1 and isinstance(value["between ranks"], bool)
END
fi
totum 1 doctor --json /nosuch/report.json
grep -q "cannot write /nosuch/report.json: No such file" err || fail "no sentence about the file"

# --- info ------------------------------------------------------------------------------------------------------------------
TOTUM_TIMEOUT=5s totum 0 info
sed -n 's/^| `\(TOTUM_[A-Z_]*\)`.*/\1/p' "$SOURCE/docs/environment.md" | sort >documented
sed -n 's/^\(TOTUM_[A-Z_]*\) .*/\1/p' out | sort | cmp -s - documented || fail "not the variables of docs/environment.md"
grep -q '^TOTUM_TIMEOUT  *30m  *5s  *how long' out || fail "not the value and the default of TOTUM_TIMEOUT"
TOTUM_TIMEOUT=5 totum 1 info
grep -q TOTUM_TIMEOUT err || fail "a wrong value is not refused"
TOTUM_WIAT=spin totum 1 info --json -
grep -q "TOTUM_WIAT is not a variable of totum; did you mean TOTUM_WAIT" err || fail "an unknown variable is not refused"
! command -v python3 >/dev/null || python3 -c 'import json; assert len(json.load(open("out"))) > 10' ||
	fail "totum info --json - is no list"

# --- usage -----------------------------------------------------------------------------------------------------------------
totum 2 doctor --ranks 0
totum 2 doctor --ranks many
totum 2 doctor now
totum 2 info all

[ $failures -eq 0 ] || { echo "$failures of the checks failed"; exit 1; }
