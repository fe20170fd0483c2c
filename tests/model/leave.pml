/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leave - a rank publishes its last beat and goes, or dies before it has (tt_host_check in src/host/failure.c): whoever
 * waits takes what was published, and reports a loss only where nothing was.
 *
 *   ASK_LATE        mutation: the look at the beat comes before the question whether the rank is gone, not after it too
 */
bool published, gone, taken, lost;

active proctype leaver()
{
	if
	:: published = true
	:: true
	fi;
	gone = true
}

active proctype waiter()
{
	bool is_gone, waits;

	do
	:: published -> taken = true; break
	:: else ->
#ifdef ASK_LATE
		waits = !published;
		is_gone = gone;
#else
		is_gone = gone;
		waits = !published;
#endif
		if
		:: is_gone && waits -> lost = true; break
		:: else
		fi
	od;
	assert(!(lost && published));
	assert(taken || lost)
}
