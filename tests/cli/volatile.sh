#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Words that ranks share are atomic and never volatile, which orders nothing: that may stand only
# where the kernel changes a page (the mark of a fork), and in assembly.
set -u

cd "$SOURCE" || exit 1
! grep -rnw volatile src include | grep -v -e 'job->unforked' -e '__asm__ volatile'
