/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_tell - what a keeper below an agent tells the hub: frames, one a packet, that the agent
 * passes on as they are.
 */
#include "launch_keeper.h"
#include "launch_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

/* No frame may be lost, so this waits for the agent; if that is gone, so is the hub's way to us. */
static void tell(const struct keeper *keeper, struct wire_bytes *frame)
{
	while (send(keeper->job->control, frame->data, frame->used, MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
	free(frame->data);
}

void launch_tell_start(const struct keeper *keeper, int rank)
{
	struct wire_bytes frame = {0};
	int number = launch_number(keeper->job, rank);

	wire_ints(&frame, WIRE_STARTED, 2, (int[]){number, (int)keeper->ranks[rank].pid});
	tell(keeper, &frame);
}

void launch_tell_end(const struct keeper *keeper, int rank)
{
	struct wire_bytes frame = {0};
	int number = launch_number(keeper->job, rank), status = keeper->ranks[rank].status;

	wire_ints(&frame, WIRE_ENDED, 3, (int[]){number, status, keeper->stage < ENDING});
	tell(keeper, &frame);
}

void launch_tell_failure(const struct keeper *keeper, const struct launch_failure *failure)
{
	struct wire_bytes frame = {0};
	size_t begin = wire_begin(&frame, WIRE_FAILED);

	wire_int(&frame, launch_number(keeper->job, failure->rank));
	wire_int(&frame, failure->error);
	wire_text(&frame, failure->what ? failure->what : "");
	wire_finish(&frame, begin);
	tell(keeper, &frame);
}

void launch_tell_sentence(const struct keeper *keeper, const char *text)
{
	struct wire_bytes frame = {0};

	wire_say(&frame, WIRE_SAY, text);
	tell(keeper, &frame);
}
