#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A job whose launchers are started one by one, as by hand on each host: they meet, number their ranks, and end alike,
# whatever ends one of them; strangers and contradictions do not disturb them.
. "$SOURCE/tests/cli/launching"
"$TOTUM" run --nnodes 2 --node-rank 0 -n 1 --root 127.0.0.1:1 --secret-file /dev/null -- true 2>&1 | grep -q OpenSSL && {
	echo "skipped: built without OpenSSL"
	exit 77
}

secret=$scratch/secret
(umask 077; echo "a secret of the nodes" >"$secret"; echo "another one of others" >"$secret.2")
export TOTUM_SECRET_FILE=$secret
nnodes=3

# A port that nobody listens at, for each job another.
port=$((20000 + $$ % 8000))
next() { # the next job
	jobs=$((jobs + 1))
	port=$((port + 1))
	while grep -qi "$(printf ':%04X ' $port)" /proc/net/tcp /proc/net/tcp6; do port=$((port + 1)); done
	rm -f "$scratch"/out.* "$scratch"/err.* "$scratch"/code.*
}
# The launcher of a node, in the background.
node() { # NODE OPTION...
	me=$1
	shift
	(
		# shellcheck disable=SC2016 # for the inner shell, which tells its number before it becomes the launcher
		env --default-signal=HUP,INT,QUIT,TERM JOB="$LAUNCHING.$jobs." sh -c 'echo $$ >"$0"; exec "$@"' \
			"$scratch/pid.$me" "$TOTUM" run --nnodes $nnodes --node-rank $me --root "127.0.0.1:$port" "$@" \
			>"$scratch/out.$me" 2>"$scratch/err.$me" <"${input:-/dev/null}"
		echo $? >"$scratch/code.$me"
	) &
}
tell() { # NODE SIGNAL
	kill -"$2" "$(cat "$scratch/pid.$1")"
}
# All nodes have ended, with these codes, and nothing is left.
end() { # CODE...
	which=0
	for want in "$@"; do
		until_true test -s "$scratch/code.$which" || fail "node $which does not end"
		[ "$(cat "$scratch/code.$which")" = "$want" ] || {
			cat "$scratch"/err.* >"$scratch/err"
			fail "node $which: exit code $(cat "$scratch/code.$which") instead of $want"
		}
		which=$((which + 1))
	done
	cat "$scratch"/err.* >"$scratch/err"
	nobody_left
}
lists() { # NODE TEXT
	got=$(sort -n "$scratch/out.$1" | tr '\n' ';')
	[ "$got" = "$2" ] || fail "node $1 has printed $got"
}
simple='sleep 1000 & wait'
who='echo $TOTUM_RANK $TOTUM_SIZE $TOTUM_LOCAL_RANK $TOTUM_LOCAL_SIZE'

at "unequal nodes, the last one first"
next
node 2 -n 1 -- sh -c "$who"
sleep 0.3
node 1 --nproc-per-node 3 --tag-output -- sh -c "$who"
node 0 -n 2 -- sh -c "$who"
end 0 0 0
lists 0 "0 6 0 2;1 6 1 2;"
lists 2 "5 6 0 1;"
[ "$(sort "$scratch/out.1" | tr '\n' ';')" = "[2] 2 6 0 3;[3] 3 6 1 3;[4] 4 6 2 3;" ] || fail "wrong numbers"
at "the job, and the port, which is rank 0's in the end"
next
for i in 0 1 2; do
	node $i -n 2 -- sh -c 'echo $TOTUM_ROOT $TOTUM_JOB_ID $(cat /proc/self/fd/$TOTUM_SECRET_FD)'
done
end 0 0 0
[ "$(cat "$scratch"/out.* | sort -u | wc -l)" -eq 1 ] || fail "the ranks do not agree"
read -r root id key <"$scratch/out.0"
[ "$root" = "tcp://127.0.0.1:$port" ] || fail "the root is $root"
echo "$key" | grep -qE '^[0-9a-f]{64}$' || fail "the secret is $key"
next
for i in 0 1 2; do
	node $i -n 1 -- sh -c 'cat /proc/self/fd/$TOTUM_SECRET_FD; echo'
done
end 0 0 0
! grep -q "$key" "$scratch/out.0" || fail "two jobs have the same secret"
if command -v python3 >/dev/null; then
	nnodes=2
	next
	node 1 --rdzv-endpoint "127.0.0.1:$port" -n 1 -- python3 -c '
import os, socket
while True:
	try:
		with socket.create_connection(("127.0.0.1", int(os.environ["TOTUM_ROOT"].rsplit(":", 1)[1])), 10) as s:
			s.sendall(b"met")
		break
	except ConnectionRefusedError:
		pass'
	node 0 -n 1 -- python3 -c '
import os, socket
with socket.create_server(("127.0.0.1", int(os.environ["TOTUM_ROOT"].rsplit(":", 1)[1]))) as server:
	print(server.accept()[0].recv(100).decode())'
	end 0 0
	lists 0 "met;"
	nnodes=3
fi
at "input is that of rank 0"
echo "some input" >"$scratch/in"
input=$scratch/in
next
for i in 0 1 2; do node $i -n 2 -- cat; done
end 0 0 0
lists 0 "some input;"
[ ! -s "$scratch/out.1" ] && [ ! -s "$scratch/out.2" ] || fail "others have read something"
input=
at "one node is as no nodes"
job 0 --nnodes 1 --root 127.0.0.1:1 -n 2 -- sh -c 'echo ${TOTUM_ROOT%:*}'
[ "$(sort -u "$scratch/out")" = local ] || fail "the root is not local"

at "a rank fails"
next
node 0 -n 2 -- sh -c "$simple"
node 2 -n 1 -- sh -c "$simple"
node 1 -n 3 -- sh -c '[ $TOTUM_LOCAL_RANK -ne 1 ] || { sleep 0.3; exit 9; }; setsid -f sleep 1000; sleep 1000 & wait'
end 9 9 9
for i in 0 1 2; do
	[ "$(cat "$scratch/err.$i" | grep -c 'rank 3 (pid .* on node 1) ended with exit code 9; 5 other ranks')" -eq 1 ] ||
		fail "node $i does not say so"
done
at "a program is not there on one node"
next
node 0 -n 1 -- sh -c "$simple"
node 1 -n 1 -- no-such-program-here
node 2 -n 1 -- sh -c "$simple"
end 127 127 127
at "timeout, which node 0 says"
next
node 0 -n 1 --timeout 500ms -- sh -c "$simple"
node 1 -n 1 -- sh -c "$simple"
node 2 -n 1 -- sh -c "$simple"
end 124 124 124
for i in 0 1 2; do
	for signal in "TERM 143" "INT 130"; do
		at "${signal% *} to node $i"
		next
		for k in 0 1 2; do node $k -n 2 --grace 500ms -- sh -c "$simple"; done
		has 20
		tell $i "${signal% *}"
		code=${signal#* }
		end $code $code $code
		holds "ended by SIG${signal% *}|6 ranks"
	done
	at "INT twice to node $i"
	next
	for k in 0 1 2; do node $k -n 1 --grace 1000s -- sh -c 'trap "" INT TERM; sleep 1000 & while :; do wait; done'; done
	has 14
	tell $i INT
	sleep 0.3
	counts 14 || fail "the first SIGINT has killed"
	tell $i INT
	end 130 130 130
done
at "KILL to node 0"
next
for k in 0 1 2; do node $k -n 2 -- sh -c 'setsid -f sleep 1000; sleep 1000 & wait'; done
has 26
tell 0 KILL
end 137 125 125
[ "$(grep -c 'node 0 at 127.0.0.1:[0-9]* is lost' "$scratch/err")" -eq 2 ] || fail "not two sentences"
at "KILL to the hub of node 0"
next
for k in 0 1 2; do node $k -n 2 -- sh -c 'setsid -f sleep 1000; sleep 1000 & wait'; done
has 26
for pid in $(census); do [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != rank-hub ] || kill -KILL "$pid"; done
end 137 125 125
[ "$(grep -c 'node 0 at 127.0.0.1:[0-9]* is lost' "$scratch/err")" -eq 2 ] || fail "not two sentences"
at "KILL to node 1"
next
for k in 0 1 2; do node $k -n 2 --grace 300ms -- sh -c 'setsid -f sleep 1000; sleep 1000 & wait'; done
has 26
tell 1 KILL
end 125 137 125
[ "$(grep -c 'node 1 (127.0.0.1) is lost.*4 ranks still running' "$scratch/err")" -eq 2 ] || fail "not two sentences"
at "a node that is not heard of"
next
for k in 0 1 2; do node $k -n 1 --host-timeout 500ms -- sh -c "$simple"; done
has 14
tell 1 STOP
until_true test -s "$scratch/code.0" || fail "node 0 does not end"
tell 1 CONT
end 125 125 125
holds "node 1: it has not been heard of for 0.5s"

at "a node does not come"
next
node 0 -n 1 --start-timeout 1s -- true
node 2 -n 1 -- true
until_true test -s "$scratch/code.0"
nnodes=2 # of which there are codes
[ "$(cat "$scratch/code.0") $(until_true test -s "$scratch/code.2" && cat "$scratch/code.2")" = "125 125" ] || fail "wrong codes"
cat "$scratch"/err.* >"$scratch/err"
holds "node 1: not ready within 1s (--start-timeout)"
nobody_left
at "node 0 does not come"
next
node 1 -n 1 --start-timeout 1s -- true
until_true test -s "$scratch/code.1"
[ "$(cat "$scratch/code.1")" -eq 125 ] || fail "exit code $(cat "$scratch/code.1")"
cp "$scratch/err.1" "$scratch/err"
said "node 0 at 127.0.0.1:$port|Connection refused|--start-timeout"
at "INT while node 0 does not come"
next
node 1 -n 1 -- true
has 1
sleep 0.2
tell 1 INT
until_true test -s "$scratch/code.1"
[ "$(cat "$scratch/code.1")" -eq 130 ] || fail "exit code $(cat "$scratch/code.1")"
at "INT to node 0 while node 1 does not come"
next
node 0 -n 1 -- true
has 3
tell 0 INT
end 130

# A second node that does not fit is sent away with a reason, and the job goes on with the one that does.
misfit() { # WORDS NODE OPTION...
	at "a misfit: $*"
	words=$1 other=$2
	shift 2
	next
	node 0 -n 1 -- true
	has 3
	(node "$other" "$@" -- true)
	until_true test -s "$scratch/code.$other" || fail "it does not end"
	[ "$(cat "$scratch/code.$other")" -eq 125 ] || fail "exit code $(cat "$scratch/code.$other")"
	cp "$scratch/err.$other" "$scratch/err"
	said "$words"
	counts 3 || fail "node 0 has ended"
	node 1 -n 1 -- true
	end 0 0
}
misfit "does not know the secret|--secret-file" 1 -n 1 --secret-file "$secret.2"
misfit "--nnodes 4, and node 0 with 2" 1 -n 1 --nnodes 4
misfit "--nnodes 3, and node 0 with 2" 2 -n 1 --nnodes 3
misfit "--root localhost:$((port + 1)), and node 0 with 127.0.0.1:$((port + 1))" 1 -n 1 --root "localhost:$((port + 1))"
nnodes=3
at "a node that is there twice"
next
node 0 -n 1 -- true
node 1 -n 1 -- true
has 4
sleep 0.5
JOB="$LAUNCHING.$jobs." "$TOTUM" run --nnodes 3 --node-rank 1 --root "127.0.0.1:$port" -n 1 -- true 2>"$scratch/err"
[ $? -eq 125 ] || fail "not exit code 125"
said "node 1 is here already, from 127.0.0.1|--node-rank"
node 2 -n 1 -- true
end 0 0 0

at "strangers"
if command -v python3 >/dev/null; then
	next
	node 0 -n 1 -- true
	has 3
	python3 -c '
import os, socket, struct, sys
address = ("127.0.0.1", int(sys.argv[1]))
silent = [socket.create_connection(address) for _ in range(100)]
for data in (os.urandom(1 << 20), struct.pack(">II", 96, 33) + b"0" * 32 + b"\0" + struct.pack(">II", 98, 4) + b"0000",
		struct.pack(">II", 96, 1 << 30), struct.pack(">II", 96, 0), b"GET / HTTP/1.0\r\n\r\n",
		struct.pack(">II", 98, 0), struct.pack(">II", 3, 8) + b"\0" * 8):
	with socket.create_connection(address) as s:
		s.settimeout(5)
		try:
			s.sendall(data)
			s.shutdown(socket.SHUT_WR)
			while s.recv(1 << 16):
				pass
		except OSError:
			pass
node = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:])
sys.exit(node)
' "$port" env JOB="$LAUNCHING.$jobs." sh -c 'for i in 1 2; do
		"$0" run --nnodes 3 --node-rank $i --root "127.0.0.1:$1" -n 1 -- true & done; wait' "$TOTUM" "$port" ||
		fail "a node has failed"
	end 0
fi
at "a port that is taken"
next
node 0 -n 1 -- true
has 3
JOB="$LAUNCHING.$jobs." "$TOTUM" run --nnodes 2 --node-rank 0 --root "127.0.0.1:$port" -n 1 -- true 2>"$scratch/err"
[ $? -eq 125 ] || fail "not exit code 125"
said "port $port|in use|--root"
tell 0 TERM
end 143

at "the secret's file"
refused() { # WORDS FILE
	job 2 --nnodes 2 --node-rank 0 --root 127.0.0.1:1 -n 1 --secret-file "$2" -- true
	[ "$(grep -c '^totum run: ' "$scratch/err")" -eq 1 ] || fail "not one sentence"
	holds "--secret-file|$1"
}
for mode in 640 604 660 620; do
	chmod $mode "$secret"
	refused "chmod 600" "$secret"
done
chmod 600 "$secret"
refused "No such file" "$scratch/none"
refused "not a file" "$scratch"
(umask 077; echo short >"$scratch/short"; head -c 300 /dev/zero >"$scratch/long")
refused "shorter than 16" "$scratch/short"
refused "longer than 256" "$scratch/long"
