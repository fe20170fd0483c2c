/* SPDX-License-Identifier: BSD-3-Clause */
/* message - the entry points of messages between two ranks. */
#include <stdlib.h>

#include "api/entry.h"

static totum_status prepare(struct tt_letter *letter, const char *call, bool sends, void *buffer,
			    size_t count, totum_dtype dtype, int peer, int tag, totum_comm *comm)
{
	int n = comm->nranks, least = sends ? 0 : TOTUM_ANY;
	size_t bytes;
	totum_status status = tt_check_bytes(call, count, dtype, 1, &bytes);

	if (status)
		return status;
	if (peer < least || peer >= n)
		return tt_fail(TOTUM_EINVAL,
			       "%s: peer %d is not a rank of this communicator, which has 0 to %d",
			       call, peer, n - 1);
	if (tag < least)
		return tt_fail(TOTUM_EINVAL, "%s: tag %d is negative; tags count from 0", call,
			       tag);
	if (!buffer && bytes)
		return tt_fail(TOTUM_EINVAL, "%s: buffer is NULL while its count is not 0", call);
	if (buffer == TOTUM_IN_PLACE && bytes)
		return tt_fail(TOTUM_EINVAL,
			       "%s: buffer is TOTUM_IN_PLACE, which is for collectives; "
			       "give a buffer",
			       call);
	*letter = (struct tt_letter){
		.sends = sends,
		.peer = peer,
		.tag = tag,
		.dtype = dtype,
		.buffer = buffer,
		.bytes = bytes,
	};
	return TOTUM_OK;
}

/* A blocking message: posted, waited for, and its sentence put back. */
static totum_status now(totum_comm *comm, struct tt_letter *letter, totum_status status)
{
	if (!status)
		status = tt_mail_post(comm, letter);
	if (!status)
		status = tt_letter_finish(comm, letter);
	if (!status && letter->status)
		status = tt_fail(letter->status, "%s",
				 letter->refusal ? letter->refusal : "a message was refused");
	free(letter->refusal);
	tt_comm_exit(comm);
	return status;
}

totum_status totum_send(const void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
			totum_comm *comm)
{
	struct tt_letter letter = {0};
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare(&letter, "totum_send", true, (void *)(uintptr_t)buffer, count, dtype, peer,
			 tag, comm);
	return now(comm, &letter, status);
}

totum_status totum_recv(void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
			totum_comm *comm, totum_message *message)
{
	struct tt_letter letter = {0};
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare(&letter, "totum_recv", false, buffer, count, dtype, peer, tag, comm);
	letter.message = message;
	return now(comm, &letter, status);
}

static totum_status later(totum_comm *comm, totum_request **request, totum_message *message,
			  totum_status status)
{
	(*request)->mail = true;
	(*request)->letter.message = message;
	if (!status)
		status = tt_mail_post(comm, &(*request)->letter);
	return tt_request_posted(request, status);
}

totum_status totum_isend(const void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
			 totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare(&(*request)->letter, "totum_isend", true, (void *)(uintptr_t)buffer, count,
			 dtype, peer, tag, comm);
	return later(comm, request, NULL, status);
}

totum_status totum_irecv(void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
			 totum_comm *comm, totum_message *message, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare(&(*request)->letter, "totum_irecv", false, buffer, count, dtype, peer, tag,
			 comm);
	return later(comm, request, message, status);
}
