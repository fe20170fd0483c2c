/* SPDX-License-Identifier: BSD-3-Clause */
/* ucx_op - what is given to UCX, from the call to its completion. */
#include <stdlib.h>
#include <string.h>

#include "transport/ucx_parts.h"

void tt_ucx_try_peer(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	if (peer->queued)
		return;
	peer->queued = true;
	peer->next_try = endpoint->try_peers;
	endpoint->try_peers = peer;
}

struct tt_ucx_op *tt_ucx_op_new(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	struct tt_ucx_op *op = endpoint->spare;

	if (op)
		endpoint->spare = op->next;
	else
		op = malloc(sizeof *op);
	if (!op) {
		endpoint->failed = tt_fail_memory(sizeof *op, "an operation of UCX");
		return NULL;
	}
	op->endpoint = endpoint;
	op->peer = peer;
	op->what = TT_UCX_CONTROL;
	op->direct = false;
	op->at = 0;
	op->bytes = 0;
	op->parts = op->few;
	op->next = endpoint->ops;
	op->link = &endpoint->ops;
	if (op->next)
		op->next->link = &op->next;
	endpoint->ops = op;
	return op;
}

static void put_back(struct tt_ucx_op *op)
{
	*op->link = op->next;
	if (op->next)
		op->next->link = op->link;
	if (op->parts != op->few)
		free(op->parts);
	op->next = op->endpoint->spare;
	op->endpoint->spare = op;
}

void tt_ucx_ops_free(struct tt_endpoint *endpoint)
{
	while (endpoint->ops)
		put_back(endpoint->ops);
	while (endpoint->spare) {
		struct tt_ucx_op *op = endpoint->spare;
		endpoint->spare = op->next;
		free(op);
	}
}

static void complete(struct tt_ucx_op *op, ucs_status_t status)
{
	struct tt_endpoint *endpoint = op->endpoint;

	if (status == UCS_OK)
		tt_ucx_moved(op);
	else if (!endpoint->closing)
		tt_ucx_broke(endpoint, op->peer, status);
	if (op->what != TT_UCX_RECEIVE && op->direct)
		op->peer->directs--;
	if (op->what == TT_UCX_CONTROL)
		op->peer->controls--;
	tt_ucx_try_peer(endpoint, op->peer);
	put_back(op);
}

static void sent(void *request, ucs_status_t status, void *op)
{
	const struct tt_ucx_calls *calls = ((struct tt_ucx_op *)op)->endpoint->calls;

	complete(op, status);
	calls->request_free(request);
}

static void received(void *request, ucs_status_t status, size_t bytes, void *context)
{
	struct tt_ucx_op *op = context;
	const struct tt_ucx_calls *calls = op->endpoint->calls;

	complete(op, status == UCS_OK && bytes != op->bytes ? UCS_ERR_MESSAGE_TRUNCATED : status);
	calls->request_free(request);
}

static void began(struct tt_ucx_op *op, ucs_status_ptr_t request)
{
	if (!UCS_PTR_IS_PTR(request))
		complete(op, UCS_PTR_STATUS(request));
}

/* One run of memory as it is, several as a vector. */
static ucp_request_param_t describe(struct tt_ucx_op *op, int nparts, void **buffer, size_t *count)
{
	ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
						     UCP_OP_ATTR_FIELD_USER_DATA |
						     UCP_OP_ATTR_FIELD_DATATYPE,
				     .user_data = op};

	param.datatype = nparts > 1 ? ucp_dt_make_iov() : ucp_dt_make_contig(1);
	*buffer = nparts > 1 ? (void *)op->parts : nparts ? op->parts->buffer : NULL;
	*count = nparts > 1 ? (size_t)nparts : op->bytes;
	return param;
}

void tt_ucx_op_send(struct tt_ucx_op *op, const struct tt_ucx_message *message, int nparts)
{
	size_t head = tt_ucx_message_write(message, op->head), count;
	void *buffer;
	ucp_request_param_t param = describe(op, nparts, &buffer, &count);

	param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
	param.flags = op->direct ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER;
	param.cb.send = sent;
	if (op->direct)
		op->peer->directs++;
	if (op->what == TT_UCX_CONTROL)
		op->peer->controls++;
	began(op, op->endpoint->calls->am_send(op->peer->ep, TT_UCX_AM, op->head, head, buffer,
					       count, &param));
}

void tt_ucx_op_receive(struct tt_ucx_op *op, void *data, int nparts)
{
	struct tt_endpoint *endpoint = op->endpoint;
	void *buffer;
	size_t count;
	ucp_request_param_t param = describe(op, nparts, &buffer, &count);

	param.cb.recv_am = received;
	began(op, endpoint->calls->am_recv_data(endpoint->worker, data, buffer, count, &param));
}

bool tt_ucx_say(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer,
		struct tt_ucx_message *message)
{
	if (peer->controls >= TT_UCX_CONTROLS || !peer->ep || peer->broken)
		return false;
	struct tt_ucx_op *op = tt_ucx_op_new(endpoint, peer);
	if (!op)
		return false;
	message->from = endpoint->rank;
	if (message->kind > TT_UCX_PROOF)
		memcpy(message->proof, peer->mine, TT_UCX_TOKEN);
	tt_ucx_op_send(op, message, 0);
	return true;
}
