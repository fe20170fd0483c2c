/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * status - status names and the sentence of a thread's last failure.
 *
 * The sentence lives in thread storage: a failing call never allocates, and two
 * threads never mix texts.
 */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 1024 };

static _Thread_local char sentence[SENTENCE];

static const struct {
	totum_status status;
	const char *name;
} names[] = {
	{TOTUM_OK, "TOTUM_OK"},
	{TOTUM_EINVAL, "TOTUM_EINVAL"},
	{TOTUM_EUSAGE, "TOTUM_EUSAGE"},
	{TOTUM_EPARSE, "TOTUM_EPARSE"},
	{TOTUM_ESYSTEM, "TOTUM_ESYSTEM"},
	{TOTUM_EMEMORY, "TOTUM_EMEMORY"},
	{TOTUM_EMISMATCH, "TOTUM_EMISMATCH"},
	{TOTUM_ELOST, "TOTUM_ELOST"},
	{TOTUM_ETIMEOUT, "TOTUM_ETIMEOUT"},
	{TOTUM_EABORTED, "TOTUM_EABORTED"},
	{TOTUM_EUNSUPPORTED, "TOTUM_EUNSUPPORTED"},
};

const char *totum_strerror(totum_status status)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].status == status)
			return names[i].name;
	return "unknown status";
}

const char *totum_errmsg(void)
{
	return sentence[0] ? sentence : "no error in this thread";
}

totum_status tt_fail(totum_status status, const char *format, ...)
{
	char text[SENTENCE]; /* the arguments may include the old sentence */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	memcpy(sentence, text, sizeof text);
	return status;
}

totum_status tt_fail_in(totum_status status, const char *format, ...)
{
	char prefix[SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof prefix, format, args);
	va_end(args);
	return tt_fail(status, "%.300s: %.700s", prefix, sentence);
}

totum_status tt_fail_memory(size_t bytes, const char *what)
{
	return tt_fail(TOTUM_EMEMORY,
		       "no memory for %zu bytes of %s; free memory or lower the sizes", bytes,
		       what);
}

const char *tt_advice(int error)
{
	switch (error) {
	case EMFILE:
		return "; raise the limit of open files (ulimit -n)";
	case ENFILE:
		return "; the system has no open file left: end programs, or raise fs.file-max";
	case ENOMEM:
		return "; free memory, or raise the limit of address space (ulimit -v)";
	case EAGAIN:
		return "; end programs, or raise the limit of processes (ulimit -u)";
	default:
		return "";
	}
}
