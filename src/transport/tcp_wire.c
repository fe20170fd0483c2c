/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_wire - writes and reads what goes over a connection; no sockets, so that it can be fuzzed. */
#include "transport/tcp_wire.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "transport/crc32c.h"
#include "transport/little.h"

enum { LABEL = 16 };

static const unsigned char hello_magic[8] = {'T', 'O', 'T', 'U', 'M', 'T', 'C', 1};
const unsigned char tt_tcp_ready[TT_TCP_WORD] = {'R', 'E', 'A', 'D', 'Y', 0, 0, 1};
const unsigned char tt_tcp_go[TT_TCP_WORD] = {'G', 'O', 0, 0, 0, 0, 0, 1};

/* magic 8 | nranks 4 | from 4 | to 4 | stream 4 | zero 8 | nonce 32 */
void tt_tcp_hello_write(const struct tt_tcp_hello *hello, unsigned char bytes[static TT_TCP_HELLO])
{
	memset(bytes, 0, TT_TCP_HELLO);
	memcpy(bytes, hello_magic, sizeof hello_magic);
	tt_put(bytes + 8, (uint64_t)hello->nranks, 4);
	tt_put(bytes + 12, (uint64_t)hello->from, 4);
	tt_put(bytes + 16, (uint64_t)hello->to, 4);
	tt_put(bytes + 20, (uint64_t)hello->stream, 4);
	memcpy(bytes + 32, hello->nonce, TT_TCP_NONCE);
}

const char *tt_tcp_hello_read(const unsigned char *bytes, size_t n, int to, int nranks, int streams,
			      struct tt_tcp_hello *hello)
{
	if (memcmp(bytes, hello_magic, n < sizeof hello_magic ? n : sizeof hello_magic) != 0)
		return "does not speak this version of totum";
	if (n < TT_TCP_HELLO)
		return NULL;
	uint64_t ranks = tt_get(bytes + 8, 4), from = tt_get(bytes + 12, 4), stream = tt_get(bytes + 20, 4);
	if (ranks != (uint64_t)nranks)
		return "is of a job with another number of ranks";
	if (tt_get(bytes + 16, 4) != (uint64_t)to)
		return "wants another rank";
	if (from >= ranks || from == (uint64_t)to)
		return "claims a rank that it cannot be";
	if (stream >= (uint64_t)streams || tt_get(bytes + 24, 8))
		return "says what has no meaning";
	*hello = (struct tt_tcp_hello){.nranks = nranks,
				       .from = (int)from,
				       .to = to,
				       .stream = (int)stream};
	memcpy(hello->nonce, bytes + 32, TT_TCP_NONCE);
	return NULL;
}

bool tt_tcp_prove(const struct tt_tcp_proof_of *of, bool initiator,
		  unsigned char proof[static TT_TCP_PROOF])
{
	unsigned char text[LABEL + TT_TCP_HELLO + TT_TCP_NONCE + 2 * TT_TCP_ID] = {0}, *at = text;
	const char *label = initiator ? "totum initiator" : "totum responder";
	unsigned length = TT_TCP_PROOF;

	memcpy(at, label, strlen(label));
	memcpy(at += LABEL, of->hello, TT_TCP_HELLO);
	memcpy(at += TT_TCP_HELLO, of->nonce, TT_TCP_NONCE);
	memcpy(at += TT_TCP_NONCE, of->initiator_id, TT_TCP_ID);
	memcpy(at += TT_TCP_ID, of->responder_id, TT_TCP_ID);
	return HMAC(EVP_sha256(), of->secret, (int)of->secret_bytes, text, sizeof text, proof,
		    &length) &&
	       length == TT_TCP_PROOF;
}

bool tt_tcp_proves(const struct tt_tcp_proof_of *of, bool initiator,
		   const unsigned char proof[static TT_TCP_PROOF])
{
	unsigned char mine[TT_TCP_PROOF];

	return tt_tcp_prove(of, initiator, mine) && !CRYPTO_memcmp(mine, proof, TT_TCP_PROOF);
}

/* "TF" 2 | flags 2 | bytes 4 | at 8 | crc of the bytes 4 | crc of the 20 bytes before 4 */
void tt_tcp_frame_write(const struct tt_tcp_frame *frame, bool checksum,
			unsigned char bytes[static TT_TCP_FRAME])
{
	memset(bytes, 0, TT_TCP_FRAME);
	bytes[0] = 'T';
	bytes[1] = 'F';
	tt_put(bytes + 2, checksum, 2);
	tt_put(bytes + 4, frame->bytes, 4);
	tt_put(bytes + 8, frame->at, 8);
	if (checksum) {
		tt_put(bytes + 16, frame->crc, 4);
		tt_put(bytes + 20, tt_crc32c(0, bytes, 20), 4);
	}
}

const char *tt_tcp_frame_read(const unsigned char bytes[static TT_TCP_FRAME], bool checksum,
			      uint64_t after, bool exact, struct tt_tcp_frame *frame)
{
	if (checksum && tt_get(bytes + 20, 4) != tt_crc32c(0, bytes, 20))
		return "the head of a frame has a wrong checksum";
	*frame = (struct tt_tcp_frame){.bytes = (uint32_t)tt_get(bytes + 4, 4),
				       .at = tt_get(bytes + 8, 8),
				       .crc = (uint32_t)tt_get(bytes + 16, 4)};
	if (bytes[0] != 'T' || bytes[1] != 'F' || tt_get(bytes + 2, 2) != checksum ||
	    (!checksum && tt_get(bytes + 16, 8)))
		return "this is not the head of a frame";
	if (!frame->bytes || frame->bytes > TT_TCP_LONGEST)
		return "a frame has an impossible length";
	if (frame->at < after || (exact && frame->at != after) ||
	    frame->at > UINT64_MAX - frame->bytes)
		return "a frame is out of place";
	return NULL;
}
