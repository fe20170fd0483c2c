/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_meeting - writes and reads the packets of a meeting, and moves them. */
#include "launch/tcp_meeting.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "base/clock.h"

enum {
	/* fields of a HELLO that none of a transport can have */
	NOBODY = TT_RANKS,
	STREAM = 4242
};

static const unsigned char head_magic[2] = {'T', 'M'};

bool tt_meeting_hello_write(int rank, unsigned char bytes[static TT_TCP_HELLO])
{
	struct tt_tcp_hello hello = {
		.nranks = NOBODY, .from = rank, .to = NOBODY, .stream = STREAM};

	if (getrandom(hello.nonce, TT_TCP_NONCE, 0) != TT_TCP_NONCE)
		return false;
	tt_tcp_hello_write(&hello, bytes);
	return true;
}

const char *tt_meeting_hello_read(const unsigned char *bytes, size_t n, int *rank)
{
	struct tt_tcp_hello hello;
	const char *wrong = tt_tcp_hello_read(bytes, n, NOBODY, NOBODY, STREAM + 1, &hello);

	if (wrong || n < TT_TCP_HELLO)
		return wrong;
	*rank = hello.from;
	return hello.stream == STREAM ? NULL : "does not want to meet";
}

static void put(unsigned char *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof value);
}

static uint32_t get(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof value);
	return le32toh(value);
}

/* nranks 4 | algorithm, ended by zeros */
void tt_meeting_terms_write(const struct tt_terms *terms,
			    unsigned char bytes[static TT_MEETING_TERMS])
{
	_Static_assert(TT_ALGO + 4 <= TT_MEETING_TERMS, "terms fit");
	memset(bytes, 0, TT_MEETING_TERMS);
	put(bytes, (uint32_t)terms->nranks);
	memcpy(bytes + 4, terms->algo, strnlen(terms->algo, TT_ALGO - 1));
}

void tt_meeting_terms_read(const unsigned char bytes[static TT_MEETING_TERMS],
			   struct tt_terms *terms)
{
	terms->nranks = (int)(get(bytes) & INT32_MAX);
	memcpy(terms->algo, bytes + 4, TT_ALGO);
	terms->algo[TT_ALGO - 1] = 0;
}

struct tt_meeting_key tt_meeting_key(const struct tt_identity *identity,
				     const struct tt_place *place)
{
	struct tt_meeting_key key = {.secret = identity->secret};
	XXH128_canonical_t name;

	_Static_assert(sizeof name == TT_TCP_ID, "a hash for an id");
	XXH128_canonicalFromHash(&name, XXH3_128bits(place->name, strlen(place->name)));
	memcpy(key.name, &name, sizeof key.name);
	return key;
}

struct tt_tcp_proof_of tt_meeting_proof_of(const struct tt_meeting_key *key,
					   const unsigned char *hello, const unsigned char *nonce)
{
	return (struct tt_tcp_proof_of){.secret = key->secret,
					.secret_bytes = strlen(key->secret),
					.hello = hello,
					.nonce = nonce,
					.initiator_id = key->name,
					.responder_id = key->name};
}

/* "TM" 2 | kind 1 | minus the status 1 | round 4 | bytes 4 | zero 4 */
void tt_meeting_head_write(const struct tt_meeting_head *head,
			   unsigned char bytes[static TT_MEETING_HEAD])
{
	memset(bytes, 0, TT_MEETING_HEAD);
	memcpy(bytes, head_magic, sizeof head_magic);
	bytes[2] = (unsigned char)head->kind;
	bytes[3] = (unsigned char)-head->status;
	put(bytes + 4, head->round);
	put(bytes + 8, head->bytes);
}

bool tt_meeting_head_read(const unsigned char bytes[static TT_MEETING_HEAD],
			  struct tt_meeting_head *head)
{
	*head = (struct tt_meeting_head){.kind = (enum tt_meeting_kind)bytes[2],
					 .status = (totum_status)-bytes[3],
					 .round = get(bytes + 4),
					 .bytes = get(bytes + 8)};
	if (memcmp(bytes, head_magic, sizeof head_magic) != 0 || get(bytes + 12))
		return false;
	switch (head->kind) {
	case TT_MEETING_WELCOME:
	case TT_MEETING_GO:
		return !head->status && !head->bytes;
	case TT_MEETING_DATA:
		return !head->status;
	case TT_MEETING_FAILURE:
		return head->status < 0 && head->status >= TOTUM_EUNSUPPORTED &&
		       head->bytes < TT_MEETING_SENTENCE;
	}
	return false;
}

size_t tt_meeting_failure(totum_status status,
			  unsigned char packet[static TT_MEETING_HEAD + TT_MEETING_SENTENCE])
{
	char *sentence = (char *)packet + TT_MEETING_HEAD;

	snprintf(sentence, TT_MEETING_SENTENCE, "%s", totum_errmsg());
	struct tt_meeting_head head = {
		.kind = TT_MEETING_FAILURE, .status = status, .bytes = (uint32_t)strlen(sentence)};
	tt_meeting_head_write(&head, packet);
	return TT_MEETING_HEAD + head.bytes;
}

totum_status tt_meeting_failed(const struct tt_meeting_head *head, const char *bytes)
{
	return tt_fail(head->status, "%.*s", (int)head->bytes, bytes);
}

static int wait_for(int fd, short events, uint64_t deadline)
{
	struct pollfd ready = {.fd = fd, .events = events};

	for (;;) {
		uint64_t now = tt_clock_ns();
		if (now >= deadline)
			return ETIMEDOUT;
		int got = poll(&ready, 1, (int)((deadline - now) / 1000000 + 1));
		if (got > 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return errno;
	}
}

int tt_meeting_send(int fd, const void *bytes, size_t n, uint64_t deadline)
{
	for (size_t done = 0; done < n;) {
		ssize_t sent = send(fd, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
		done += sent > 0 ? (size_t)sent : 0;
		if (sent >= 0 || errno == EINTR)
			continue;
		int error = errno == EAGAIN  ? wait_for(fd, POLLOUT, deadline)
			    : errno == EPIPE ? ECONNRESET
					     : errno;
		if (error)
			return error;
	}
	return 0;
}

int tt_meeting_receive(int fd, void *bytes, size_t n, uint64_t deadline)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = recv(fd, (char *)bytes + done, n - done, 0);
		done += got > 0 ? (size_t)got : 0;
		if (!got)
			return ECONNRESET;
		if (got > 0 || errno == EINTR)
			continue;
		int error = errno == EAGAIN ? wait_for(fd, POLLIN, deadline) : errno;
		if (error)
			return error;
	}
	return 0;
}

static totum_status cannot(int error, int keeper)
{
	if (error == ETIMEDOUT)
		return tt_fail(TOTUM_ETIMEOUT,
			       "rank %d, which all ranks meet at, does not answer "
			       "in the rendezvous: another rank is missing or stuck",
			       keeper);
	return tt_fail(TOTUM_ELOST,
		       "rank %d has gone during the rendezvous (%s); see its own "
		       "output for why",
		       keeper, strerror(error));
}

totum_status tt_meeting_expect(int fd, enum tt_meeting_kind kind, uint32_t round, int keeper,
			       uint64_t deadline, struct tt_meeting_head *head)
{
	unsigned char bytes[TT_MEETING_HEAD];
	char sentence[TT_MEETING_SENTENCE] = "";
	int error = tt_meeting_receive(fd, bytes, sizeof bytes, deadline);

	*head = (struct tt_meeting_head){0};
	if (error)
		return cannot(error, keeper);
	bool good = tt_meeting_head_read(bytes, head);
	if (good && head->kind == TT_MEETING_FAILURE) {
		error = tt_meeting_receive(fd, sentence, head->bytes, deadline);
		return error ? cannot(error, keeper) : tt_meeting_failed(head, sentence);
	}
	if (good && head->kind == kind && (kind == TT_MEETING_WELCOME || head->round == round))
		return TOTUM_OK;
	return tt_fail(TOTUM_ESYSTEM,
		       "rank %d does not keep to the rules of the rendezvous; start "
		       "all ranks with the same version of totum",
		       keeper);
}
