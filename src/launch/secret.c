/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * secret - reads it from a descriptor, which `totum run` hands down, or from a file, which a user
 * keeps where all hosts see it.  A file that others can read holds no secret.
 */
#include "launch/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

/* By position: all ranks, also one that initialises twice, read one file from its start. */
static totum_status read_all(int fd, const char *variable, const char *text, size_t *length,
			     char out[static TT_SECRET])
{
	ssize_t got;

	*length = 0;
	do {
		got = pread(fd, out + *length, TT_SECRET - *length, (off_t)*length);
		*length += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && *length < TT_SECRET) || (got < 0 && errno == EINTR));
	if (got < 0)
		return tt_fail(TOTUM_EINVAL, "%s=%.200s cannot be read: %s%s", variable, text,
			       strerror(errno),
			       strcmp(variable, "TOTUM_SECRET_FD")
				       ? ""
				       : "; start the rank directly under "
					 "`totum run`");
	if (*length == TT_SECRET)
		return tt_fail(TOTUM_EINVAL, "the secret behind %s=%.200s is longer than %d bytes",
			       variable, text, TT_SECRET - 1);
	out[*length] = 0;
	return TOTUM_OK;
}

static totum_status read_descriptor(const char *text, char out[static TT_SECRET])
{
	size_t length;
	int64_t fd;

	if (tt_parse_int(text, 0, 1 << 20, &fd))
		return tt_fail_in(TOTUM_EINVAL, "TOTUM_SECRET_FD");
	return read_all((int)fd, "TOTUM_SECRET_FD", text, &length, out);
}

static totum_status check_file(int fd, const char *path)
{
	struct stat facts;

	if (fstat(fd, &facts) || !S_ISREG(facts.st_mode))
		return tt_fail(TOTUM_EINVAL, "TOTUM_SECRET_FILE=%.200s is no file", path);
	if (facts.st_uid != geteuid())
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_SECRET_FILE=%.200s belongs to another user; give "
			       "a file of your own",
			       path);
	if (facts.st_mode & 077)
		return tt_fail(
			TOTUM_EINVAL,
			"TOTUM_SECRET_FILE=%.200s can be read or written by "
			"others, mode %03o: whoever did has the secret; write a new one into "
			"a file of mode 600",
			path, (unsigned)facts.st_mode & 0777);
	return TOTUM_OK;
}

static totum_status read_open_file(int fd, const char *path, char out[static TT_SECRET])
{
	size_t length;
	totum_status status = check_file(fd, path);

	if (!status)
		status = read_all(fd, "TOTUM_SECRET_FILE", path, &length, out);
	if (status)
		return status;
	while (length && strchr(" \t\r\n", out[length - 1]))
		out[--length] = 0;
	if (strlen(out) != length)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_SECRET_FILE=%.200s has a zero byte; write text, "
			       "as `openssl rand -hex 32` does",
			       path);
	if (!length)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_SECRET_FILE=%.200s is empty; write a secret, as "
			       "`openssl rand -hex 32` does",
			       path);
	return TOTUM_OK;
}

totum_status tt_secret_read(char out[static TT_SECRET])
{
	const char *text = getenv("TOTUM_SECRET_FD"), *path = getenv("TOTUM_SECRET_FILE");

	out[0] = 0;
	if (text)
		return read_descriptor(text, out);
	if (!path)
		return TOTUM_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_SECRET_FILE=%.200s cannot be opened: %s; it must "
			       "be there on every host",
			       path, strerror(errno));
	totum_status status = read_open_file(fd, path, out);
	close(fd);
	return status;
}
