#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank comes late to each read of the others' memory, which they overwrite the moment their
# calls return: nobody may return before it has read.
set -u

. "$SOURCE/tests/cli/faulty"
export TOTUM_SINGLE_COPY=on LEAST=65535 MOST=300001
for rank in 0 1 2; do
	survives 3 "process_vm_readv@$rank:delay=5000,least=1000" "$BUILD/bin/ranks_switches"
done
export ALL_SHARED_BUT=1 # rank 1 reads shared memory too, as a file
survives 3 "mmap@1:errno=ENOMEM,least=1000000000; pread@1:delay=5000,least=1000" \
	"$BUILD/bin/ranks_switches"

[ $failures -eq 0 ]
