/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request - requests and plans: works that live on the heap, and what a caller can ask of them.
 *
 * The last ones that are over are kept, and the oldest of them serves next: whoever waits for a
 * request a second time is told, instead of freeing memory twice.
 */
#include "runtime/request.h"
#include "runtime/bundle.h"
#include "runtime/rest.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { KEPT = 8 };

/* The oldest of those that are over, when there are more than so many; else NULL. */
static totum_request *take_over(totum_comm *comm, int most)
{
	totum_request *oldest = comm->over;

	if (comm->nover <= most)
		return NULL;
	comm->over = oldest->next;
	if (!comm->over)
		comm->last_over = &comm->over;
	comm->nover--;
	return oldest;
}

totum_status tt_request_new(totum_comm *comm, totum_request **out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL,
			       "the request is NULL; give the address of a totum_request pointer");
	totum_request *request = take_over(comm, KEPT - 1);
	if (!request)
		request = malloc(sizeof *request);
	*out = request;
	if (!request)
		return tt_fail_memory(sizeof *request, "a request");
	memset(request, 0, sizeof *request);
	request->comm = comm;
	comm->requests++;
	return TOTUM_OK;
}

static void request_free(totum_request *request)
{
	totum_comm *comm = request->comm;

	comm->requests--;
	free(request->letter.refusal);
	tt_work_free(comm, &request->work);
	request->over = true;
	request->next = NULL;
	*comm->last_over = request;
	comm->last_over = &request->next;
	comm->nover++;
	free(take_over(comm, KEPT));
}

void tt_request_forget(totum_comm *comm)
{
	while (comm->over)
		free(take_over(comm, 0));
}

totum_status tt_request_submit(totum_request **request, totum_status status)
{
	totum_comm *comm = (*request)->comm;

	if (status) {
		request_free(*request);
		*request = NULL;
	} else {
		tt_work_add(comm, &(*request)->work);
	}
	tt_comm_exit(comm);
	return status;
}

totum_status tt_request_posted(totum_request **request, totum_status status)
{
	totum_comm *comm = (*request)->comm;

	if (status) {
		request_free(*request);
		*request = NULL;
	}
	tt_comm_exit(comm);
	return status;
}

totum_status tt_plan_keep(totum_request *request, totum_status status, totum_plan **out)
{
	totum_comm *comm = request->comm;

	if (status) {
		request_free(request);
	} else {
		request->plan = true;
		request->work.done = true;
		*out = (totum_plan *)request;
	}
	tt_comm_exit(comm);
	return status;
}

/* The status of a request that is done, with its sentence or that of the failed communicator. */
static totum_status refusal(const totum_request *request)
{
	totum_status status = request->work.status;

	if (request->mail && request->letter.refusal)
		return tt_fail(request->letter.status, "%s", request->letter.refusal);
	if (request->work.refusal)
		return tt_fail(status, "%s", request->work.refusal);
	if (status && request->mail)
		return tt_letter_failed(request->comm, &request->letter);
	return status ? tt_host_failed(&request->comm->host) : TOTUM_OK;
}

/* The request is over; a plan's request lives on. */
static totum_status conclude(totum_request *request)
{
	totum_status status = refusal(request);

	if (!request->plan)
		request_free(request);
	return status;
}

static totum_status enter(totum_request *request)
{
	if (!request)
		return tt_fail(TOTUM_EINVAL, "the request is NULL; it was never made or has been "
			       "waited for already");
	if (request->over)
		return tt_fail(
			TOTUM_EUSAGE,
			"the request is over: a wait or a test has freed it; "
			"ask for each request once, and for a plan's anew after totum_start");
	return tt_comm_enter(request->comm);
}

static totum_status enter_plan(const char *call, totum_request *kept)
{
	if (!kept)
		return tt_fail(TOTUM_EINVAL,
			       "%s: the plan is NULL; make it by one of the "
			       "functions that end in _plan",
			       call);
	if (kept->over)
		return tt_fail(TOTUM_EUSAGE, "%s: the plan has been freed; make a new one", call);
	return tt_comm_enter(kept->comm);
}

static totum_status refuse_in_group(const totum_comm *comm)
{
	if (!comm->grouping)
		return TOTUM_OK;
	return tt_fail(TOTUM_EUSAGE,
		       "a request of a group cannot be waited for before totum_group_end");
}

totum_status tt_letter_finish(totum_comm *comm, struct tt_letter *letter)
{
	totum_status status = TOTUM_OK;

	struct tt_waiting waiting = {0};

	for (uint64_t since = tt_clock_ns(); !status && !letter->done;) {
		status = tt_work_go_all(comm);
		if (!status && !letter->done)
			status = tt_mail_pause(comm, letter, &since, &waiting);
	}
	tt_waiting_end(&waiting, comm);
	return status ? tt_letter_failed(comm, letter) : TOTUM_OK;
}

totum_status totum_wait(totum_request *request)
{
	totum_status status = enter(request);

	if (status)
		return status;
	totum_comm *comm = request->comm;
	status = refuse_in_group(comm);
	if (!status && request->mail) {
		request->work.status = tt_letter_finish(comm, &request->letter);
		status = conclude(request);
	} else if (!status) {
		tt_work_finish(comm, &request->work);
		status = conclude(request);
	}
	tt_comm_exit(comm);
	return status;
}

/* A message that is only tested may come at any time, but not from a rank that has gone. */
static totum_status look(totum_comm *comm, struct tt_letter *letter)
{
	uint64_t now = tt_clock_ns();

	if (!letter->looked)
		letter->looked = now;
	if (now - letter->looked < TT_CHECK_NS)
		return TOTUM_OK;
	letter->looked = now;
	return tt_mail_look(comm, letter);
}

totum_status totum_test(totum_request *request, int *done)
{
	if (!done)
		return tt_fail(TOTUM_EINVAL,
			       "totum_test: done is NULL; give the address of an int");
	totum_status status = enter(request);
	*done = 0;
	if (status)
		return status;
	totum_comm *comm = request->comm;
	struct tt_letter *letter = &request->letter;
	totum_status failure = tt_work_go_all(comm);
	if (tt_others_wait(comm))
		tt_others_go(comm);
	if (!failure && request->mail && !letter->done)
		failure = look(comm, letter);
	if (failure && request->mail && !letter->done) {
		request->work.status = failure;
		letter->done = true;
	}
	if (request->mail ? request->letter.done : request->work.done) {
		*done = 1;
		status = conclude(request);
	}
	tt_comm_exit(comm);
	return status;
}

static totum_status check_block(const totum_request *request, int rank)
{
	enum tt_operation operation = tt_call_operation(&request->work.task.call);
	bool has_blocks = operation == TT_OP_ALLGATHER || operation == TT_OP_ALLGATHERV;

	if (request->mail || !has_blocks)
		return tt_fail(TOTUM_EINVAL,
			       "totum_wait_block: the request is that of %s; it "
			       "waits for a rank's shard of an all-gather: use totum_wait",
			       request->mail ? "a message" : tt_operation_name(operation));
	if (rank < 0 || rank >= request->comm->nranks)
		return tt_fail(TOTUM_EINVAL,
			       "totum_wait_block: rank %d is not a rank of this "
			       "communicator, which has 0 to %d",
			       rank, request->comm->nranks - 1);
	return TOTUM_OK;
}

totum_status totum_wait_block(totum_request *request, int rank)
{
	totum_status status = enter(request);

	if (status)
		return status;
	totum_comm *comm = request->comm;
	status = refuse_in_group(comm);
	if (!status)
		status = check_block(request, rank);
	struct tt_waiting waiting = {0};
	for (uint64_t since = tt_clock_ns(); !status && !tt_work_has(comm, &request->work, rank);) {
		tt_work_go_all(comm); /* the mail's failure is comm's, which the work finds */
		if (tt_work_has(comm, &request->work, rank))
			break;
		if ((comm->mail && tt_mail_busy(comm)) || tt_others_wait(comm))
			tt_rest(comm, &waiting);
		else
			tt_work_pause(comm, since);
	}
	tt_waiting_end(&waiting, comm);
	if (!status && request->work.done && request->work.status)
		status = refusal(request);
	tt_comm_exit(comm);
	return status;
}

totum_status totum_start(totum_plan *plan, totum_request **request)
{
	totum_request *kept = (totum_request *)plan;
	totum_status status = enter_plan("totum_start", kept);

	if (status)
		return status;
	totum_comm *comm = kept->comm;
	if (!request)
		status = tt_fail(TOTUM_EINVAL, "totum_start: request is NULL; give the address of "
				 "a totum_request pointer");
	else if (!kept->work.done)
		status = tt_fail(TOTUM_EUSAGE, "totum_start: the plan is under way; wait for its "
				 "request before it starts again");
	if (!status) {
		*request = kept;
		tt_work_add(comm, &kept->work);
	}
	tt_comm_exit(comm);
	return status;
}

totum_status totum_plan_free(totum_plan *plan)
{
	totum_request *kept = (totum_request *)plan;

	if (!plan)
		return TOTUM_OK;
	totum_status status = enter_plan("totum_plan_free", kept);
	if (status)
		return status;
	totum_comm *comm = kept->comm;
	if (kept->work.done)
		request_free(kept);
	else
		status = tt_fail(TOTUM_EUSAGE, "totum_plan_free: the plan is under way; wait for "
				 "its request first");
	tt_comm_exit(comm);
	return status;
}

totum_status totum_group_begin(totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	if (comm->grouping)
		status = tt_fail(TOTUM_EUSAGE, "totum_group_begin: a group is open on this "
				 "communicator; end it first");
	comm->grouping = true;
	tt_comm_exit(comm);
	return status;
}

totum_status totum_group_end(totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	if (!comm->grouping)
		status = tt_fail(TOTUM_EUSAGE,
				 "totum_group_end: no group is open on this communicator");
	comm->grouping = false;
	tt_bundle_group(comm);
	tt_work_go(comm);
	tt_comm_exit(comm);
	return status;
}
