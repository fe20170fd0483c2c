#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A transfer that moves less than was asked for goes on where it stopped, down to a byte at a time,
# and one that is interrupted begins again.
set -u

. "$SOURCE/tests/cli/faulty"
program=$BUILD/bin/ranks_switches
reads=process_vm_readv
export TOTUM_SINGLE_COPY=on # and not only where it is fast

export LEAST=65535 MOST=300001
survives 3 "$reads:cap=4093" "$program"
survives 2 "$reads:errno=EINTR,every=2,least=1000" "$program"
survives 3 "$reads@1:cap=40000; $reads@1:errno=EINTR,every=3,least=1000" "$program"
export MOST=65537
survives 2 "$reads:cap=1,least=1000" "$program"

# A heap that cannot be mapped is read as a file: on rank 1 here, which has none of its own then.
export MOST=300001 ALL_SHARED_BUT=1
for action in cap=4093 errno=EINTR,every=2 cap=30000; do
	survives 3 "mmap@1:errno=ENOMEM,least=1000000000; pread@1:$action" "$program"
done
export MOST=65537
survives 2 "mmap@1:errno=ENOMEM,least=1000000000; pread@1:cap=1" "$program"

# The calls by which ranks meet are interrupted too, and the secret of the job comes in pieces.
again=errno=EINTR,every=2
plan="recv:$again; send:errno=EINTR,to=1; sendmsg:$again; recvmsg:$again; poll:$again"
survives 5 "$plan; accept4:$again; pread:cap=10" "$BUILD/bin/ranks_hello"

[ $failures -eq 0 ]
