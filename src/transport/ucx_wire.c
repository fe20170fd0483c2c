/* SPDX-License-Identifier: BSD-3-Clause */
/* ucx_wire - writes and reads blobs and messages; no UCX, so that it can be fuzzed. */
#include "transport/ucx_wire.h"

#include <openssl/crypto.h>
#include <string.h>

#include "transport/little.h"

enum {
	AT_FROM = 4,
	AT_BODY = 8,
	AT_ADDRESS_BYTES = 4,
	AT_ID = 8,
	AT_HOST = AT_ID + TT_TCP_ID,
	AT_ADDRESS = AT_HOST + TT_TCP_HOST
};

static const unsigned char blob_magic[4] = {'T', 'X', 'B', 1};

/* Bytes behind the kind and the rank. */
static size_t body_bytes(int kind)
{
	switch (kind) {
	case TT_UCX_HELLO:
		return 8 + TT_TCP_NONCE;
	case TT_UCX_PROOF:
		return 2 * TT_TCP_NONCE + TT_TCP_PROOF;
	case TT_UCX_FRAME:
		return TT_UCX_TOKEN + 8;
	case TT_UCX_CREDIT:
		return TT_UCX_TOKEN + 16;
	case TT_UCX_BYE:
	case TT_UCX_HEARD:
		return TT_UCX_TOKEN;
	default:
		return 0;
	}
}

/* "TX" 2 | version 1 | kind 1 | from 4 | body */
size_t tt_ucx_message_write(const struct tt_ucx_message *message,
			    unsigned char bytes[static TT_UCX_HEAD])
{
	unsigned char *body = bytes + AT_BODY;

	memcpy(bytes, (unsigned char[]){'T', 'X', 1, (unsigned char)message->kind}, AT_FROM);
	tt_put(bytes + AT_FROM, (uint64_t)message->from, 4);
	if (message->kind == TT_UCX_HELLO) {
		tt_put(body, (uint64_t)message->nranks, 4);
		tt_put(body + 4, (uint64_t)message->to, 4);
		memcpy(body + 8, message->nonce, TT_TCP_NONCE);
	} else if (message->kind == TT_UCX_PROOF) {
		memcpy(body, message->echo, TT_TCP_NONCE);
		memcpy(body + TT_TCP_NONCE, message->nonce, TT_TCP_NONCE);
		memcpy(body + 2 * TT_TCP_NONCE, message->proof, TT_TCP_PROOF);
	} else {
		memcpy(body, message->proof, TT_UCX_TOKEN);
	}
	if (message->kind == TT_UCX_FRAME)
		tt_put(body + TT_UCX_TOKEN, message->at, 8);
	if (message->kind == TT_UCX_CREDIT) {
		tt_put(body + TT_UCX_TOKEN, message->posted, 8);
		tt_put(body + TT_UCX_TOKEN + 8, message->placed, 8);
	}
	return AT_BODY + body_bytes((int)message->kind);
}

static const char *read_body(const unsigned char *body, int to, int nranks,
			     struct tt_ucx_message *message)
{
	switch (message->kind) {
	case TT_UCX_HELLO:
		if (tt_get(body, 4) != (uint64_t)nranks)
			return "is of a job with another number of ranks";
		if (tt_get(body + 4, 4) != (uint64_t)to)
			return "wants another rank";
		memcpy(message->nonce, body + 8, TT_TCP_NONCE);
		return NULL;
	case TT_UCX_PROOF:
		memcpy(message->echo, body, TT_TCP_NONCE);
		memcpy(message->nonce, body + TT_TCP_NONCE, TT_TCP_NONCE);
		memcpy(message->proof, body + 2 * TT_TCP_NONCE, TT_TCP_PROOF);
		return NULL;
	case TT_UCX_CREDIT:
		message->posted = tt_get(body + TT_UCX_TOKEN, 8);
		message->placed = tt_get(body + TT_UCX_TOKEN + 8, 8);
		break;
	case TT_UCX_FRAME:
		message->at = tt_get(body + TT_UCX_TOKEN, 8);
		break;
	default:
		break;
	}
	memcpy(message->proof, body, TT_UCX_TOKEN);
	return NULL;
}

const char *tt_ucx_message_read(const unsigned char *bytes, size_t n, int to, int nranks,
				struct tt_ucx_message *message)
{
	if (n < AT_BODY || bytes[0] != 'T' || bytes[1] != 'X' || bytes[2] != 1 ||
	    !body_bytes(bytes[3]))
		return "does not speak this version of totum";
	if (n != AT_BODY + body_bytes(bytes[3]))
		return "says too little or too much";
	uint64_t from = tt_get(bytes + AT_FROM, 4);
	if (from >= (uint64_t)nranks || from == (uint64_t)to)
		return "claims a rank that it cannot be";
	*message = (struct tt_ucx_message){
		.kind = bytes[3], .from = (int)from, .nranks = nranks, .to = to};
	return read_body(bytes + AT_BODY, to, nranks, message);
}

bool tt_ucx_prove(const struct tt_ucx_pair *pair, bool lower,
		  unsigned char proof[static TT_TCP_PROOF])
{
	struct tt_tcp_hello hello = {
		.nranks = pair->nranks, .from = pair->ranks[0], .to = pair->ranks[1]};
	unsigned char text[TT_TCP_HELLO];

	memcpy(hello.nonce, pair->nonces[0], TT_TCP_NONCE);
	tt_tcp_hello_write(&hello, text);
	return tt_tcp_prove(&(struct tt_tcp_proof_of){.secret = pair->secret,
						      .secret_bytes = pair->secret_bytes,
						      .hello = text,
						      .nonce = pair->nonces[1],
						      .initiator_id = pair->ids[0],
						      .responder_id = pair->ids[1]},
			    lower, proof);
}

bool tt_ucx_same(const unsigned char *a, const unsigned char *b, size_t bytes)
{
	return !CRYPTO_memcmp(a, b, bytes);
}

/* "TXB" 3 | version 1 | bytes of UCX's address 4 | id 16 | host 64 | UCX's address */
size_t tt_ucx_card_write(const struct tt_ucx_card *card, unsigned char blob[static TT_UCX_BLOB])
{
	memset(blob, 0, TT_UCX_BLOB);
	memcpy(blob, blob_magic, sizeof blob_magic);
	tt_put(blob + AT_ADDRESS_BYTES, card->bytes, 4);
	memcpy(blob + AT_ID, card->id, TT_TCP_ID);
	memcpy(blob + AT_HOST, card->host, TT_TCP_HOST);
	memcpy(blob + AT_ADDRESS, card->address, card->bytes);
	return AT_ADDRESS + card->bytes;
}

totum_status tt_ucx_card_read(const unsigned char *blob, size_t n, struct tt_ucx_card *card)
{
	if (n < AT_ADDRESS || memcmp(blob, blob_magic, sizeof blob_magic) != 0)
		return tt_fail(TOTUM_EINVAL,
			       "this is not the address of a rank in UCX, or that of another "
			       "version of totum; use the same version on all hosts");
	card->address = blob + AT_ADDRESS;
	card->bytes = (size_t)tt_get(blob + AT_ADDRESS_BYTES, 4);
	memcpy(card->id, blob + AT_ID, TT_TCP_ID);
	if (!card->bytes || card->bytes > n - AT_ADDRESS ||
	    !tt_tcp_host_read(blob + AT_HOST, card->host))
		return tt_fail(TOTUM_EINVAL, "the address of a rank in UCX is damaged: "
					     "exchange it as it is, with all its bytes");
	return TOTUM_OK;
}
