/* SPDX-License-Identifier: BSD-3-Clause */
/* names - how blocks, pieces and sums are written, see names.h. */
#include "draw/names.h"

#include <inttypes.h>

enum { LETTERS = 26 };

void tt_name_block(const struct tt_schedule *schedule, int64_t block, FILE *out)
{
	bool letters = schedule->nranks <= LETTERS;

	if (schedule->collective != TT_ALLTOALL) {
		if (letters)
			fputc('A' + (int)block, out);
		else
			fprintf(out, "%" PRId64, block);
		return;
	}
	int64_t from = block / schedule->nranks, to = block % schedule->nranks;

	if (letters)
		fprintf(out, "%c%c", 'A' + (int)from, 'A' + (int)to);
	else
		fprintf(out, "%" PRId64 ">%" PRId64, from, to);
}

void tt_name_pieces(const struct tt_schedule *schedule, int64_t block, int64_t piece,
		    int64_t npieces, FILE *out)
{
	int64_t last = piece + npieces - 1;

	tt_name_block(schedule, block, out);
	if (npieces == schedule->pieces)
		return;
	if (schedule->pieces <= LETTERS) {
		fputc('a' + (int)piece, out);
		if (npieces > 1)
			fprintf(out, "-%c", 'a' + (int)last);
		return;
	}
	fprintf(out, ".%" PRId64, piece);
	if (npieces > 1)
		fprintf(out, "-%" PRId64, last);
}

void tt_name_sum(uint64_t ranks, FILE *out)
{
	const char *separator = "";

	fputc('{', out);
	for (int rank = 0; rank < 64; rank++) {
		if (!(ranks >> rank & 1))
			continue;
		int last = rank;

		while (last < 63 && ranks >> (last + 1) & 1)
			last++;
		fprintf(out, "%s%d", separator, rank);
		if (last > rank)
			fprintf(out, "%c%d", last > rank + 1 ? '-' : '+', last);
		separator = "+";
		rank = last;
	}
	fputc('}', out);
}

void tt_name_transfer(const struct tt_schedule *schedule, const struct tt_transfer *transfer,
		      int64_t most, FILE *out)
{
	int64_t count = transfer->blocks.count;

	for (int64_t i = 0; i < count; i++) {
		if (count > most && i == most - 1) {
			fputs(",..", out);
			i = count - 1;
		}
		if (i)
			fputc(',', out);
		tt_name_pieces(schedule, tt_blocks_at(&transfer->blocks, i), transfer->piece,
			       transfer->npieces, out);
	}
}
