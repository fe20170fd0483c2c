/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_data - data that say whose they are.
 *
 * bench_bytes() makes any part of what a rank sends or must get; filling, poisoning and comparing
 * are three uses of it, a chunk that fits the first cache at a time.
 *
 * A reduced element is one of BENCH_PATTERNS, chosen by its index: so what each rank brings, and
 * the fold of it, are computed once, in whole numbers.  Only AVG divides, as the library says it
 * does: rounded toward zero for integers.
 */
#include "bench_data.h"

#include <string.h>

#include "half.h"

enum { CHUNK = 4096 }; /* a multiple of every element */

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
	x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
	return x ^ (x >> 32);
}

/* --- reduced -------------------------------------------------------------------------------- */

/*
 * Of PROD one rank brings 2 or 3 and the others 1, so that nothing overflows however many ranks
 * there are; sums of more ranks than 8 bits have room for are alike, with 0.
 */
static int64_t value(const struct bench_data *data, int rank, uint64_t random)
{
	bool chosen = random % (uint64_t)data->nranks == (uint64_t)rank;
	int64_t own = (int64_t)((random * (2 * (uint64_t)rank + 1)) >> 7 & 127);

	if (data->dtype == TOTUM_BOOL)
		return own & 1;
	if (data->op == TOTUM_PROD)
		return chosen ? 2 + (own & 1) : 1;
	if (data->op != TOTUM_SUM && data->op != TOTUM_AVG)
		return own;
	if (data->nranks > 127 / 3)
		return chosen ? own : 0;
	return own & 3;
}

static int64_t fold(int64_t a, int64_t b, totum_op op)
{
	switch (op) {
	case TOTUM_PROD:
		return a * b;
	case TOTUM_MIN:
		return a < b ? a : b;
	case TOTUM_MAX:
		return a > b ? a : b;
	case TOTUM_BAND:
		return a & b;
	case TOTUM_BOR:
		return a | b;
	case TOTUM_BXOR:
		return a ^ b;
	case TOTUM_LAND:
		return a && b;
	case TOTUM_LOR:
		return a || b;
	case TOTUM_LXOR:
		return !a != !b;
	default:
		return a + b;
	}
}

/* number / divisor as an element of dtype, in the first bytes of the result's memory. */
static uint64_t encode(int64_t number, int divisor, totum_dtype dtype)
{
	float narrow = (float)number / (float)divisor;
	double wide = (double)number / divisor;
	int64_t integer = number / divisor;
	uint16_t half = dtype == TOTUM_F16 ? f16_from_float(narrow) : bf16_from_float(narrow);
	uint8_t truth = number != 0;
	uint64_t element = 0;

	switch (dtype) {
	case TOTUM_F16:
	case TOTUM_BF16:
		memcpy(&element, &half, sizeof half);
		break;
	case TOTUM_F32:
		memcpy(&element, &narrow, sizeof narrow);
		break;
	case TOTUM_F64:
		memcpy(&element, &wide, sizeof wide);
		break;
	case TOTUM_BOOL:
		memcpy(&element, &truth, sizeof truth);
		break;
	default: /* two's complement, cut to the element's bytes: the lowest come first */
		memcpy(&element, &integer, sizeof integer);
	}
	return element;
}

static uint64_t reduce(const struct bench_data *data, uint64_t random)
{
	int64_t result = value(data, 0, random);

	if (data->op >= TOTUM_LAND) /* the truth of a value, also of one alone */
		result = result != 0;
	for (int rank = 1; rank < data->nranks; rank++)
		result = fold(result, value(data, rank, random), data->op);
	return encode(result, data->op == TOTUM_AVG ? data->nranks : 1, data->dtype);
}

void bench_data_open(struct bench_data *data)
{
	if (!data->formula->reduces)
		return;
	for (uint64_t i = 0; i < BENCH_PATTERNS; i++) {
		data->brought[i] = encode(value(data, data->rank, mix(i)), 1, data->dtype);
		data->reduced[i] = reduce(data, mix(i));
	}
}

static void make_reduced(const struct bench_data *data, const uint64_t *patterns, uint64_t index,
			 unsigned char *to, size_t length)
{
	size_t element = totum_dtype_size(data->dtype);

	for (size_t at = 0; at < length; at += element)
		memcpy(to + at, &patterns[mix(data->salt + index++) % BENCH_PATTERNS], element);
}

/* --- moved ---------------------------------------------------------------------------------- */

/* Words of 8 bytes: 12 bits name the sender, 12 the shard, and 40 the place in it. */
static void make_moved(const struct bench_data *data, int sender, int shard, uint64_t at,
		       unsigned char *to, size_t length)
{
	uint64_t key =
		mix(data->salt + 1) + ((uint64_t)sender << 52) + ((uint64_t)shard << 40) + at / 8;

	for (size_t i = 0; i < length; i += 8) {
		uint64_t word = mix(key++);

		memcpy(to + i, &word, length - i < 8 ? length - i : 8);
	}
}

/* --- both ----------------------------------------------------------------------------------- */

/* Is a side of the call nranks shards? */
static bool is_whole(enum bench_side side)
{
	return side == BENCH_ALL_WHOLE || side == BENCH_ROOT_WHOLE;
}

void bench_bytes(const struct bench_data *data, enum bench_flow flow, size_t count, int shard,
		 uint64_t at, unsigned char *to, size_t length)
{
	const struct bench_formula *formula = data->formula;

	if (formula->reduces) {
		bool second = flow == BENCH_RECV && is_whole(formula->send);
		uint64_t first = (uint64_t)(second ? data->rank : shard) * count;

		make_reduced(data, flow == BENCH_SEND ? data->brought : data->reduced,
			     first + at / totum_dtype_size(data->dtype), to, length);
	} else if (flow == BENCH_SEND) {
		make_moved(data, data->rank, shard, at, to, length);
	} else {
		make_moved(data, is_whole(formula->recv) ? shard : data->root,
			   is_whole(formula->send) ? data->rank : 0, at, to, length);
	}
}

size_t bench_sends(const struct bench_data *data, size_t count)
{
	return bench_elements(data->formula->send, count, data->nranks, data->rank == data->root);
}

size_t bench_receives(const struct bench_data *data, size_t count)
{
	return bench_elements(data->formula->recv, count, data->nranks, data->rank == data->root);
}

/* What is done with a chunk of the buffer, given what belongs there; returns wrong elements. */
typedef uint64_t chunk_use(unsigned char *buffer, const unsigned char *right, size_t length,
			   size_t element);

static uint64_t put(unsigned char *buffer, const unsigned char *right, size_t length,
		    size_t element)
{
	(void)element;
	memcpy(buffer, right, length);
	return 0;
}

static uint64_t put_wrong(unsigned char *buffer, const unsigned char *right, size_t length,
			  size_t element)
{
	(void)element;
	for (size_t i = 0; i < length; i++)
		buffer[i] = (unsigned char)~right[i];
	return 0;
}

static uint64_t compare(unsigned char *buffer, const unsigned char *right, size_t length,
			size_t element)
{
	uint64_t wrong = 0;

	if (!memcmp(buffer, right, length))
		return 0;
	for (size_t at = 0; at < length; at += element)
		wrong += memcmp(buffer + at, right + at, element) != 0;
	return wrong;
}

static uint64_t walk(const struct bench_data *data, enum bench_flow flow, size_t count,
		     unsigned char *buffer, chunk_use *use)
{
	size_t element = totum_dtype_size(data->dtype), bytes = count * element;
	size_t elements =
		flow == BENCH_SEND ? bench_sends(data, count) : bench_receives(data, count);
	unsigned char right[CHUNK];
	uint64_t wrong = 0;

	for (size_t shard = 0; shard * count < elements; shard++)
		for (size_t at = 0; at < bytes; at += CHUNK) {
			size_t length = bytes - at < CHUNK ? bytes - at : CHUNK;

			bench_bytes(data, flow, count, (int)shard, at, right, length);
			wrong += use(buffer + shard * bytes + at, right, length, element);
		}
	return wrong;
}

void bench_fill(const struct bench_data *data, void *send, size_t count)
{
	walk(data, BENCH_SEND, count, send, put);
}

void bench_poison(const struct bench_data *data, void *recv, size_t count)
{
	walk(data, BENCH_RECV, count, recv, put_wrong);
}

uint64_t bench_wrong(const struct bench_data *data, const void *recv, size_t count)
{
	return walk(data, BENCH_RECV, count, (unsigned char *)recv, compare);
}

uint64_t bench_changed(const struct bench_data *data, const void *send, size_t count)
{
	return walk(data, BENCH_SEND, count, (unsigned char *)send, compare);
}
