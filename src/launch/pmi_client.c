/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmi_client - asks and waits for the answer, a line each.
 *
 * Protocol: "cmd=NAME field=value ..\n", as MPICH's src/pmi documents and Intel's and Slurm's
 * managers speak it too.  No answer comes unasked.
 */
#include "launch/pmi_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

enum { MOST_PIECES = 999, LEAST_VALUE = 16 };

bool tt_pmi_field(const char *line, const char *field, char *out, size_t size)
{
	size_t length = strlen(field);

	for (const char *at = line; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strncmp(at, field, length) || at[length] != '=')
			continue;
		at += length + 1;
		size_t n = strcspn(at, " ");
		if (n >= size)
			return false;
		memcpy(out, at, n);
		out[n] = 0;
		return true;
	}
	return false;
}

static totum_status lost(const struct tt_pmi *pmi, const char *why)
{
	return tt_fail(TOTUM_ELOST,
		       "the process manager behind PMI_FD=%d is gone: %s; call "
		       "totum_init before MPI_Finalize, which ends the conversation with it",
		       pmi->fd, why);
}

static totum_status wait_readable(const struct tt_pmi *pmi, const char *question)
{
	struct pollfd ready = {.fd = pmi->fd, .events = POLLIN};

	for (;;) {
		uint64_t now = tt_clock_ns();
		if (now >= pmi->deadline)
			return tt_fail(TOTUM_ETIMEOUT,
				       "the process manager does not answer \"%.40s\"; %s",
				       question,
				       strncmp(question, "cmd=barrier_in", 14)
					       ? "it may be stuck"
					       : "another rank has not called totum_init");
		int got = poll(&ready, 1, (int)((pmi->deadline - now) / 1000000 + 1));
		if (got > 0)
			return TOTUM_OK;
		if (got < 0 && errno != EINTR)
			return lost(pmi, strerror(errno));
	}
}

/* The next line, without its end, into pmi->line. */
static totum_status hear(struct tt_pmi *pmi, const char *question)
{
	for (;;) {
		char *end = memchr(pmi->ahead, '\n', pmi->held);
		if (end) {
			size_t n = (size_t)(end - pmi->ahead);
			memcpy(pmi->line, pmi->ahead, n);
			pmi->line[n] = 0;
			pmi->held -= n + 1;
			memmove(pmi->ahead, end + 1, pmi->held);
			return TOTUM_OK;
		}
		if (pmi->held == sizeof pmi->ahead)
			return tt_fail(TOTUM_ESYSTEM,
				       "the process manager behind PMI_FD=%d says "
				       "what is no line; it may not speak PMI-1",
				       pmi->fd);
		totum_status status = wait_readable(pmi, question);
		if (status)
			return status;
		ssize_t got = read(pmi->fd, pmi->ahead + pmi->held, sizeof pmi->ahead - pmi->held);
		if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
			return lost(pmi, got ? strerror(errno) : "it hung up");
		pmi->held += got > 0 ? (size_t)got : 0;
	}
}

/* A question, a line with its end, and its answer, which must be of this kind. */
static totum_status ask(struct tt_pmi *pmi, const char *question, const char *kind)
{
	char command[64], code[16];

	for (size_t at = 0, n = strlen(question); at < n;) {
		ssize_t sent = send(pmi->fd, question + at, n - at, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			return lost(pmi, strerror(errno));
		at += sent > 0 ? (size_t)sent : 0;
	}
	totum_status status = hear(pmi, question);
	if (status)
		return status;
	bool answers =
		tt_pmi_field(pmi->line, "cmd", command, sizeof command) && !strcmp(command, kind);
	if (answers && (!tt_pmi_field(pmi->line, "rc", code, sizeof code) || !strcmp(code, "0")))
		return TOTUM_OK;
	return tt_fail(TOTUM_ESYSTEM,
		       "the process manager answers \"%.*s\" by \"%.100s\"; does "
		       "another library of this process use PMI at the same time?",
		       (int)strcspn(question, " \n"), question, pmi->line);
}

totum_status tt_pmi_begin(struct tt_pmi *pmi)
{
	char text[32];
	int64_t longest;

	totum_status status =
		ask(pmi, "cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init");
	if (!status)
		status = ask(pmi, "cmd=get_maxes\n", "maxes");
	if (status)
		return status;
	if (!tt_pmi_field(pmi->line, "vallen_max", text, sizeof text) ||
	    tt_parse_int(text, LEAST_VALUE, INT64_MAX, &longest))
		return tt_fail(TOTUM_ESYSTEM,
			       "the process manager takes no values of %d "
			       "characters: \"%.100s\"",
			       LEAST_VALUE, pmi->line);
	/* a line holds the value and less than half of it else; a zero counts with some managers */
	pmi->longest_value = longest > TT_PMI_LINE / 2 ? TT_PMI_LINE / 2 : (size_t)longest - 1;
	status = ask(pmi, "cmd=get_my_kvsname\n", "my_kvsname");
	if (!status && !tt_pmi_field(pmi->line, "kvsname", pmi->space, sizeof pmi->space))
		status = tt_fail(TOTUM_ESYSTEM,
				 "the process manager names no space for keys: "
				 "\"%.100s\"",
				 pmi->line);
	return status;
}

/* "KEY-0" has the number of pieces, "KEY-1" and on have them. */
static totum_status put_piece(struct tt_pmi *pmi, const char *key, int number, const char *value,
			      size_t n)
{
	char line[TT_PMI_LINE];

	snprintf(line, sizeof line, "cmd=put kvsname=%s key=%.40s-%d value=%.*s\n", pmi->space, key,
		 number, (int)n, value);
	return ask(pmi, line, "put_result");
}

totum_status tt_pmi_put(struct tt_pmi *pmi, const char *key, const char *value)
{
	size_t length = strlen(value), longest = pmi->longest_value;
	int pieces = (int)((length + longest - 1) / longest);
	char count[16];

	snprintf(count, sizeof count, "%d", pieces);
	totum_status status = put_piece(pmi, key, 0, count, strlen(count));
	for (int i = 0; i < pieces && !status; i++) {
		size_t at = (size_t)i * longest, left = length - at;
		status = put_piece(pmi, key, i + 1, value + at, left < longest ? left : longest);
	}
	return status;
}

static totum_status get_piece(struct tt_pmi *pmi, const char *key, int number, char *out,
			      size_t size)
{
	char line[TT_PMI_LINE];

	snprintf(line, sizeof line, "cmd=get kvsname=%s key=%.40s-%d\n", pmi->space, key, number);
	totum_status status = ask(pmi, line, "get_result");
	if (!status && !tt_pmi_field(pmi->line, "value", out, size))
		status = tt_fail(TOTUM_ESYSTEM,
				 "the process manager has no value of %zu "
				 "characters for \"%.40s-%d\"",
				 size - 1, key, number);
	return status;
}

totum_status tt_pmi_get(struct tt_pmi *pmi, const char *key, char *value, size_t size)
{
	char count[16];
	int64_t pieces = 0;
	totum_status status = get_piece(pmi, key, 0, count, sizeof count);

	if (!status && tt_parse_int(count, 0, MOST_PIECES, &pieces))
		status = tt_fail_in(TOTUM_ESYSTEM, "the process manager's \"%.40s-0\"", key);
	value[0] = 0;
	for (size_t at = 0, i = 1; i <= (size_t)pieces && !status; i++) {
		status = get_piece(pmi, key, (int)i, value + at, size - at);
		at += strlen(value + at);
	}
	return status;
}

totum_status tt_pmi_barrier(struct tt_pmi *pmi)
{
	return ask(pmi, "cmd=barrier_in\n", "barrier_out");
}

totum_status tt_pmi_end(struct tt_pmi *pmi)
{
	return ask(pmi, "cmd=finalize\n", "finalize_ack");
}
