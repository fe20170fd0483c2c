/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_file - ranks that share a folder, "file:PATH": rank 0 writes an id to a file there, and
 * the others read it.
 *
 * The file appears whole, is readable by its owner alone, and is removed when all have met.  What a
 * run that was killed has left does no harm: its secret is not that of this run, so the others go
 * on reading until rank 0 has written its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/exchange_parts.h"

static const char in_folder[] = "totum-meeting";

struct file {
	char path[TT_ROOT + sizeof in_folder + 1];
	char fresh[TT_ROOT + sizeof in_folder + 40];
};

/* A folder gets a file of one name. */
static totum_status find_path(const char *root, struct file *file)
{
	const char *path = root + sizeof "file:" - 1;
	struct stat facts;

	if (!strncmp(path, "//", 2) && path[2] == '/')
		path += 2;
	else if (!strncmp(path, "//", 2))
		return tt_fail(TOTUM_EINVAL,
			       "the root \"%.200s\" names a host or a path that is "
			       "not whole; write file:///PATH or file:PATH",
			       root);
	if (!*path)
		return tt_fail(TOTUM_EINVAL, "the root \"%.200s\" has no path; write file:PATH",
			       root);
	bool folder = !stat(path, &facts) && S_ISDIR(facts.st_mode);
	snprintf(file->path, sizeof file->path, "%s%s%s", path, folder ? "/" : "",
		 folder ? in_folder : "");
	return TOTUM_OK;
}

static totum_status cannot_write(const char *path)
{
	return tt_fail(TOTUM_ESYSTEM,
		       "rank 0 cannot write where the ranks meet, \"%.200s\": %s; "
		       "give a folder or a file that all hosts share",
		       path, strerror(errno));
}

static totum_status tell(void *context, const char id[static TT_ID])
{
	struct file *file = context;
	char random[33];
	totum_status status = tt_unique_id_secret(random);

	if (status)
		return status;
	snprintf(file->fresh, sizeof file->fresh, "%s.%.8s", file->path, random);
	int fd = open(file->fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return cannot_write(file->fresh);
	bool written = write(fd, id, TT_ID) == TT_ID && !fsync(fd);
	written = !close(fd) && written;
	if (written && !rename(file->fresh, file->path))
		return TOTUM_OK;
	status = cannot_write(file->path);
	unlink(file->fresh);
	return status;
}

/* A file of somebody else is not believed, nor one that others may write. */
static bool read_id(void *context, char id[static TT_ID])
{
	const struct file *file = context;
	struct stat facts;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool mine = !fstat(fd, &facts) && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
		    !(facts.st_mode & 022);
	bool whole = mine && read(fd, id, TT_ID) == TT_ID;
	close(fd);
	return whole;
}

/* Only what this run has written: another one may have begun. */
static void clean_up(const struct file *file, const struct tt_identity *identity)
{
	char id[TT_ID], root[TT_ROOT], secret[TT_SECRET];

	if (read_id((void *)file, id) && !tt_unique_id_read(id, root, secret) &&
	    !strcmp(secret, identity->secret))
		unlink(file->path);
}

totum_status tt_exchange_file(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	struct file file;
	totum_status status = find_path(identity->root, &file);

	if (status)
		return status;
	struct tt_news news = {.tell = tell, .read = read_id, .context = &file, .where = file.path};
	bool first = identity->rank == 0;
	status = tt_exchange_told(identity, settings, &news, out);
	if (first)
		clean_up(&file, identity);
	return status;
}
