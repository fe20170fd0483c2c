/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - how the entry points make requests and plans. */
#ifndef TT_REQUEST_H
#define TT_REQUEST_H

#include "runtime/mail.h"
#include "runtime/work.h"

/* A plan is a request that can be started again; totum_plan is this struct under another name. */
struct totum_request {
	struct tt_work work;
	struct tt_letter letter; /* of a message, which has no work */
	totum_comm *comm;
	bool plan, mail;
	bool over;           /* nobody's any more: kept to tell who asks for it again */
	totum_request *next; /* of those that are over */
};

/* When comm is closed: frees the requests that are over. */
void tt_request_forget(totum_comm *comm);

/* comm is entered: a request whose work the caller prepares; *out is NULL on failure. */
totum_status tt_request_new(totum_comm *comm, totum_request **out);
/* Ends the entry point: starts the request when its preparation went well, else frees it. */
totum_status tt_request_submit(totum_request **request, totum_status status);
/* Waits for a message, whose communicator is entered. */
totum_status tt_letter_finish(totum_comm *comm, struct tt_letter *letter);
/* The same for a message, which has been posted unless status is a failure. */
totum_status tt_request_posted(totum_request **request, totum_status status);
totum_status tt_plan_keep(totum_request *request, totum_status status, totum_plan **out);

#endif
