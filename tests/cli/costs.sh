#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/algorithms.md is what totum show --costs prints: from the algorithms' own claims, which other tests hold against
# their schedules.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$TOTUM" show --costs >"$scratch/algorithms.md"
diff "$SOURCE/docs/algorithms.md" "$scratch/algorithms.md" || {
	echo "docs/algorithms.md is not what totum show --costs prints; renew it: totum show --costs >docs/algorithms.md"
	exit 1
}
for algorithm in $("$TOTUM" show --list | awk '/^[a-z]/ { print $2 }' | sort -u); do
	grep -q "^| $algorithm[ ,]" "$SOURCE/docs/algorithms.md" || { echo "there is no line for $algorithm"; exit 1; }
done
