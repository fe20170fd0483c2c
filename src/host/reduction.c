/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduction - reduce-scatter and all-reduce on one host, straight through the slots and in rank order.
 *
 * Every rank stages its contributions and reduces what it must deliver, reading all ranks' slots in rank order: the
 * result of an element depends on the contributions alone, not on the call's size nor on the element's place.
 * Small all-reduces are reduced whole by everyone (one beat); larger ones in parts, a part a rank, and a second beat
 * hands the parts round.
 */
#include "host/host.h"

#include <stdlib.h>

#include "host/reduce.h"

enum {
	WHOLE = 2048, /* bytes up to which every rank reduces everything of an all-reduce */
	FEW = 32,     /* ranks whose input pointers fit on the stack */
};

/* The slots of all ranks at this beat, `at` bytes into the stage; own data may come from where they lie. */
struct inputs {
	const void *few[FEW];
	const void **of;
};

static totum_status inputs_open(struct inputs *inputs, int nranks)
{
	inputs->of = inputs->few;
	if (nranks <= FEW)
		return TOTUM_OK;
	inputs->of = malloc((size_t)nranks * sizeof *inputs->of);
	return inputs->of ? TOTUM_OK : tt_fail_memory((size_t)nranks * sizeof *inputs->of, "reduction inputs");
}

static void inputs_close(struct inputs *inputs)
{
	if (inputs->of != inputs->few)
		free(inputs->of);
}

static totum_status inputs_collect(struct inputs *inputs, struct tt_host *host, const void *own, size_t at)
{
	totum_status status = tt_host_wait_all(host);

	for (int rank = 0; rank < host->nranks && !status; rank++)
		inputs->of[rank] = tt_host_slot(host, rank)->stage + at;
	if (own)
		inputs->of[host->rank] = own;
	return status;
}

totum_status tt_host_reduce_scatter(struct tt_host *host, const void *send, void *recv, size_t count,
				    totum_dtype dtype, totum_op op)
{
	size_t element = totum_dtype_size(dtype), n = (size_t)host->nranks, rank = (size_t)host->rank;
	size_t most = host->stage / n / element; /* elements of each block that a beat carries */
	const unsigned char *in = send;
	unsigned char *out = recv;
	struct inputs inputs;
	size_t done = 0;

	totum_status status = inputs_open(&inputs, host->nranks);
	if (status)
		return status;
	do {
		size_t now = count - done < most ? count - done : most;
		struct tt_slot *slot = tt_host_next(host);
		for (size_t block = 0; block < n && now; block++)
			if (block != rank)
				memcpy(slot->stage + block * now * element, in + (block * count + done) * element,
				       now * element);
		tt_host_publish(host, slot);
		status = inputs_collect(&inputs, host, in + (rank * count + done) * element, rank * now * element);
		if (!status && now)
			tt_reduce(out + done * element, inputs.of, host->nranks, now, dtype, op);
		done += now;
	} while (!status && done < count);
	inputs_close(&inputs);
	return status;
}

/* One beat: everyone stages all of it and reduces all of it. */
static totum_status allreduce_whole(struct tt_host *host, struct inputs *inputs, const void *in, void *out, size_t count,
				    totum_dtype dtype, totum_op op)
{
	struct tt_slot *slot = tt_host_next(host);

	if (count)
		memcpy(slot->stage, in, count * totum_dtype_size(dtype));
	tt_host_publish(host, slot);
	totum_status status = inputs_collect(inputs, host, NULL, 0);
	if (!status && count)
		tt_reduce(out, inputs->of, host->nranks, count, dtype, op);
	return status;
}

/* Elements [first, end) of count that a rank reduces. */
static size_t share(size_t count, int rank, int nranks)
{
	size_t each = count / (size_t)nranks, more = count % (size_t)nranks, r = (size_t)rank;

	return r * each + (r < more ? r : more);
}

/* Two beats: all contributions staged and each rank's part reduced into its next slot, then the parts copied out. */
static totum_status allreduce_parts(struct tt_host *host, struct inputs *inputs, const void *in, unsigned char *out,
				    size_t count, totum_dtype dtype, totum_op op)
{
	size_t element = totum_dtype_size(dtype);
	int n = host->nranks, rank = host->rank;
	size_t first = share(count, rank, n), part = share(count, rank + 1, n) - first;

	struct tt_slot *slot = tt_host_next(host);
	memcpy(slot->stage, in, count * element);
	tt_host_publish(host, slot);
	totum_status status = inputs_collect(inputs, host, NULL, first * element);
	if (status)
		return status;
	slot = tt_host_next(host);
	if (part)
		tt_reduce(slot->stage, inputs->of, n, part, dtype, op);
	tt_host_publish(host, slot);
	if (part)
		memcpy(out + first * element, slot->stage, part * element);
	for (int i = 1; i < n; i++) {
		int peer = rank + i < n ? rank + i : rank + i - n;
		status = tt_host_wait(host, peer, &slot);
		if (status)
			return status;
		size_t theirs = share(count, peer, n);
		memcpy(out + theirs * element, slot->stage, (share(count, peer + 1, n) - theirs) * element);
	}
	return TOTUM_OK;
}

totum_status tt_host_allreduce(struct tt_host *host, const void *send, void *recv, size_t count, totum_dtype dtype,
			       totum_op op)
{
	size_t element = totum_dtype_size(dtype), most = host->stage / element, done = 0;
	const unsigned char *in = send;
	unsigned char *out = recv;
	struct inputs inputs;

	totum_status status = inputs_open(&inputs, host->nranks);
	if (status)
		return status;
	do {
		size_t now = count - done < most ? count - done : most, at = done * element;
		if (now * element <= WHOLE)
			status = allreduce_whole(host, &inputs, in + at, out + at, now, dtype, op);
		else
			status = allreduce_parts(host, &inputs, in + at, out + at, now, dtype, op);
		done += now;
	} while (!status && done < count);
	inputs_close(&inputs);
	return status;
}
