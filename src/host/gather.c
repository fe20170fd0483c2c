/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather - barrier, all-gather(v) and broadcast on one host, straight through the slots.
 *
 * Every rank stages its shard, in as many beats as the longest shard needs, and copies the others' shards out of
 * their slots, beginning with the next rank so that nobody is hot.  Up to TT_INLINE bytes travel in the cache line that
 * carries the beat's number.  Two copies a byte; what leaves the caller's buffer is staged when the call returns.
 */
#include "host/host.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Where the bytes of a beat lie: both sides decide by the length that they know alike. */
static unsigned char *beat_bytes(struct tt_slot *slot, size_t bytes)
{
	return bytes <= TT_INLINE ? slot->small : slot->stage;
}

totum_status tt_host_barrier(struct tt_host *host)
{
	tt_host_publish(host, tt_host_next(host));
	return tt_host_wait_all(host);
}

/* The part of a shard that beat number i carries. */
static size_t part(const struct tt_host *host, size_t bytes, size_t done)
{
	return bytes > done ? least(host->stage, bytes - done) : 0;
}

totum_status tt_host_allgather(struct tt_host *host, const void *send, void *recv, size_t bytes)
{
	const unsigned char *mine = send;
	unsigned char *out = recv;
	int n = host->nranks, rank = host->rank;

	size_t done = 0;
	do {
		size_t now = part(host, bytes, done);
		struct tt_slot *slot = tt_host_next(host);
		memcpy(beat_bytes(slot, now), mine + done, now);
		tt_host_publish(host, slot);
		if (out + (size_t)rank * bytes != mine)
			memcpy(out + (size_t)rank * bytes + done, mine + done, now);
		for (int i = 1; i < n; i++) {
			int peer = rank + i < n ? rank + i : rank + i - n;
			totum_status status = tt_host_wait(host, peer, &slot);
			if (status)
				return status;
			memcpy(out + (size_t)peer * bytes + done, beat_bytes(slot, now), now);
		}
		done += now;
	} while (done < bytes);
	return TOTUM_OK;
}

totum_status tt_host_allgatherv(struct tt_host *host, const void *send, void *recv, const size_t bytes[],
				const size_t displs[])
{
	const unsigned char *mine = send;
	unsigned char *out = recv;
	int n = host->nranks, rank = host->rank;
	size_t longest = 0, done = 0;

	for (int r = 0; r < n; r++)
		longest = bytes[r] > longest ? bytes[r] : longest;
	do {
		size_t now = part(host, bytes[rank], done);
		struct tt_slot *slot = tt_host_next(host);
		if (now)
			memcpy(beat_bytes(slot, now), mine + done, now);
		tt_host_publish(host, slot);
		if (now && out + displs[rank] != mine)
			memcpy(out + displs[rank] + done, mine + done, now);
		for (int i = 1; i < n; i++) {
			int peer = rank + i < n ? rank + i : rank + i - n;
			totum_status status = tt_host_wait(host, peer, &slot);
			if (status)
				return status;
			size_t theirs = part(host, bytes[peer], done);
			if (theirs)
				memcpy(out + displs[peer] + done, beat_bytes(slot, theirs), theirs);
		}
		done += host->stage;
	} while (done < longest);
	return TOTUM_OK;
}

totum_status tt_host_broadcast(struct tt_host *host, const void *send, void *recv, size_t bytes, int root)
{
	const unsigned char *in = send;
	unsigned char *out = recv;
	bool is_root = host->rank == root;
	size_t done = 0;

	do {
		size_t now = part(host, bytes, done);
		struct tt_slot *slot = tt_host_next(host);
		if (is_root && now)
			memcpy(beat_bytes(slot, now), in + done, now);
		tt_host_publish(host, slot);
		if (is_root && now && in != out)
			memcpy(out + done, in + done, now);
		if (!is_root) {
			totum_status status = tt_host_wait(host, root, &slot);
			if (status)
				return status;
			if (now)
				memcpy(out + done, beat_bytes(slot, now), now);
		}
		totum_status status = tt_host_wait_all(host);
		if (status)
			return status;
		done += now;
	} while (done < bytes);
	return TOTUM_OK;
}
