/* SPDX-License-Identifier: BSD-3-Clause */
/* moves - schedules without symmetry: sets of blocks and parts of a buffer as explicit moves. */
#include "algorithms/moves.h"

#include "schedule/modular.h"

void tt_move_blocks(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
		    const int64_t *blocks, int64_t count, int32_t piece, int32_t npieces)
{
	for (int64_t first = 0, next; first < count; first = next) {
		next = first + 1;
		int64_t stride = next < count ? blocks[next] - blocks[first] : 1;

		while (next < count && blocks[next] - blocks[next - 1] == stride)
			next++;
		struct tt_record *move =
			tt_move(schedule, round, from, to, blocks[first], next - first);

		move->move.stride = stride;
		move->piece = piece;
		move->npieces = npieces;
	}
}

int tt_part_pieces(int64_t nranks, int64_t parts)
{
	int64_t a = nranks, b = parts;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (int)(parts / a);
}

void tt_move_part(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
		  int64_t part, int64_t parts)
{
	int64_t pieces = schedule->pieces;
	int64_t at = part * (schedule->nblocks * pieces / parts);
	int64_t end = at + schedule->nblocks * pieces / parts;

	while (at < end) {
		int64_t inside = at % pieces, left = end - at;
		bool whole = inside == 0 && left >= pieces;
		int64_t length = whole ? left / pieces * pieces : pieces - inside;
		struct tt_record *move =
			tt_move(schedule, round, from, to, at / pieces, whole ? left / pieces : 1);

		if (!whole) {
			length = length < left ? length : left;
			move->piece = (int32_t)inside;
			move->npieces = (int32_t)length;
		}
		at += length;
	}
}

void tt_message_flush(struct tt_message *message)
{
	if (message->last.move.count)
		tt_schedule_add(message->schedule, message->last);
	message->last.move.count = 0;
}

void tt_message_put(struct tt_message *message, int64_t block, int64_t piece, int64_t npieces)
{
	struct tt_record *last = &message->last;
	int64_t count = last->move.count;
	int64_t step = count ? block - (last->move.first + (count - 1) * last->move.stride) : 0;

	if (count && last->piece == piece && last->npieces == npieces &&
	    (count == 1 || step == last->move.stride)) {
		last->move.stride = step;
		last->move.count++;
		return;
	}
	tt_message_flush(message);
	*last = (struct tt_record){.primitive = TT_MOVE,
				   .piece = (int32_t)piece,
				   .npieces = (int32_t)npieces,
				   .round = message->round,
				   .rounds = 1,
				   .move = {.from = message->from,
					    .to = message->to,
					    .first = block,
					    .count = 1,
					    .stride = 1}};
}

int64_t tt_common_multiple(int64_t a, int64_t b, int64_t limit)
{
	return a > limit ? a : a / tt_common_divisor(a, b) * b;
}

const char *tt_too_many_records(int64_t records)
{
	return records <= 1 << 22
		       ? NULL
		       : "lists its moves one by one, and here they are more than 4194304";
}
