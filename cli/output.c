/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output - a file without a name, and how it gets one.
 *
 * O_TMPFILE makes it in the target's folder, so that a link and a rename put it into place at once.
 * Where the file system has no such files, or the folder lets nobody make one, it is a temporary
 * file elsewhere, and is copied over the target in the end.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 100, BLOCK = 1 << 16 };

/* The file that a link leads to, also where that one does not exist yet; the caller frees it. */
static char *follow(const char *name)
{
	char *path = realpath(name, NULL), target[4096];

	if (path || errno != ENOENT)
		return path;
	ssize_t length = readlink(name, target, sizeof target - 1);
	if (length < 0)
		return strdup(name);
	target[length] = 0;
	const char *slash = strrchr(name, '/');
	if (target[0] == '/' || !slash)
		return strdup(target);
	return asprintf(&path, "%.*s%s", (int)(slash + 1 - name), name, target) < 0 ? NULL : path;
}

/* Of the folder of path. */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
	int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
	int error = errno;

	free(folder);
	errno = error;
	return fd;
}

static bool fail(struct output *output)
{
	int error = errno;

	free(output->path);
	*output = (struct output){0};
	errno = error;
	return false;
}

/* Where O_TMPFILE has not told. */
static bool can_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return false;
	close(fd);
	return !unlink(path);
}

static bool open_spool(struct output *output)
{
	int fd = open_nameless(output->path);

	output->nameless = fd >= 0;
	if (fd >= 0) {
		output->stream = fdopen(fd, "w+");
		return output->stream != NULL;
	}
	bool lacking = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
	if (!output->replaces && !(lacking && can_create(output->path)))
		return false;
	output->stream = tmpfile();
	return output->stream != NULL;
}

bool output_open(struct output *output, const char *name)
{
	struct stat facts;

	*output = (struct output){0};
	if (!strcmp(name, "-")) {
		output->stream = stdout;
		output->direct = true;
		return true;
	}
	output->path = follow(name);
	if (!output->path)
		return fail(output);
	output->replaces = !stat(output->path, &facts);
	if (output->replaces && !S_ISREG(facts.st_mode)) {
		output->direct = true;
		output->stream = fopen(output->path, "we");
		return output->stream ? true : fail(output);
	}
	if (output->replaces && access(output->path, W_OK))
		return fail(output);
	return open_spool(output) ? true : fail(output);
}

bool output_possible(const char *name)
{
	struct output output;
	struct stat facts;

	if (!strcmp(name, "-"))
		return true;
	if (!stat(name, &facts) && !S_ISREG(facts.st_mode))
		return !access(name, W_OK);
	return output_open(&output, name) && output_close(&output, false);
}

/* The link gets a name of its own, and takes the target's place at once. */
static bool give_name(const struct output *output)
{
	char from[64], name[4096 + 32];
	struct stat facts;

	int fd = fileno(output->stream);

	if (output->replaces && !stat(output->path, &facts)) {
		if (fchown(fd, facts.st_uid, facts.st_gid) && facts.st_uid != geteuid())
			return false; /* then it is copied, and remains whose it is */
		fchmod(fd, facts.st_mode & 07777);
	}
	snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
	for (int i = 0; i < NAME_TRIES; i++) {
		snprintf(name, sizeof name, "%.4095s.%d-%d", output->path, (int)getpid(), i);
		if (!linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
			if (!rename(name, output->path))
				return true;
			int error = errno;
			unlink(name);
			errno = error;
			return false;
		}
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool copy(const struct output *output)
{
	char block[BLOCK];
	FILE *target = fopen(output->path, "we");
	size_t got;

	if (!target)
		return false;
	rewind(output->stream);
	while ((got = fread(block, 1, sizeof block, output->stream)))
		if (fwrite(block, 1, got, target) < got)
			break;
	bool failed = ferror(output->stream) || ferror(target);
	return !fclose(target) && !failed;
}

bool output_close(struct output *output, bool keep)
{
	if (!output->stream)
		return true;
	bool failed = fflush(output->stream) || ferror(output->stream);
	if (keep && !failed && !output->direct)
		failed = !(output->nameless && give_name(output)) && !copy(output);
	int error = errno;
	if (output->stream != stdout && fclose(output->stream) && output->direct) {
		failed = true;
		error = errno;
	}
	free(output->path);
	*output = (struct output){0};
	errno = error;
	return !failed || !keep;
}
