/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather_file - every rank reads its own part of a file, one all-gather-v gives all of them the
 * whole.
 *
 *     totum run -n 4 -- gather_file FILE
 *
 * The parts differ by at most one byte and may be empty: any file will do, also an empty one or one
 * smaller than the number of ranks.  A rank reads its part to where it belongs in the result, so
 * that the gather works in place.  Each rank prints the XXH3 hash of what it holds in the end,
 * which is the hash of the file.  A rank needs memory for the whole file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <totum.h>
#include <xxhash.h>

/* Where the parts lie, one for each rank: the first (bytes mod nranks) are a byte longer. */
struct parts {
	size_t bytes;
	size_t *counts, *displs;
};

/* One sentence on standard error; returns false. */
static bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("gather_file: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return false;
}

static bool open_file(const char *path, int *fd, size_t *bytes)
{
	/* Not blocking, as a pipe without a writer would hang the open. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return complain("cannot open %s: %s", path, strerror(errno));
	struct stat info;
	if (fstat(*fd, &info) != 0)
		return complain("cannot look at %s: %s", path, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return complain("%s is %s; give a regular file", path,
				S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
	if ((uintmax_t)info.st_size > SIZE_MAX)
		return complain("%s has %jd bytes, more than this program can address", path,
				(intmax_t)info.st_size);
	*bytes = (size_t)info.st_size;
	return true;
}

static bool cut(size_t bytes, size_t nranks, struct parts *parts)
{
	parts->bytes = bytes;
	parts->counts = calloc(nranks, sizeof *parts->counts);
	parts->displs = calloc(nranks, sizeof *parts->displs);
	if (!parts->counts || !parts->displs)
		return complain("no memory for the table of %zu parts", nranks);
	size_t start = 0;
	for (size_t r = 0; r < nranks; r++) {
		parts->counts[r] = bytes / nranks + (r < bytes % nranks);
		parts->displs[r] = start;
		start += parts->counts[r];
	}
	return true;
}

/* Reads exactly count bytes at offset. */
static bool read_part(const char *path, int fd, unsigned char *to, size_t count, size_t offset)
{
	while (count > 0) {
		ssize_t got = pread(fd, to, count, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return complain("cannot read %s at byte %zu: %s", path, offset,
					strerror(errno));
		if (got == 0)
			return complain(
				"%s ends at byte %zu, %zu bytes too early: it was cut while being "
				"read; run again when it is at rest",
				path, offset, count);
		to += got;
		offset += (size_t)got;
		count -= (size_t)got;
	}
	return true;
}

/* A file of /proc says that it is empty and is not; one may also grow while it is being read. */
static bool at_end(const char *path, int fd, size_t bytes)
{
	unsigned char more;
	ssize_t got = pread(fd, &more, 1, (off_t)bytes);

	if (got < 0)
		return complain("cannot read %s at byte %zu: %s", path, bytes, strerror(errno));
	return got == 0 ||
	       complain("%s goes on behind its %zu bytes; gather a copy of it", path, bytes);
}

static bool gather(const char *path, int fd, const struct parts *parts, unsigned char *whole,
		   totum_comm *comm)
{
	int rank = totum_comm_rank(comm);

	if (!read_part(path, fd, whole + parts->displs[rank], parts->counts[rank],
		       parts->displs[rank]) ||
	    !at_end(path, fd, parts->bytes))
		return false;
	if (totum_allgatherv(TOTUM_IN_PLACE, parts->counts[rank], whole, parts->counts,
			     parts->displs, TOTUM_U8, comm) != TOTUM_OK)
		return complain("%s", totum_errmsg());
	printf("rank %d of %d: %zu bytes, XXH3 %016" PRIx64 "\n", rank, totum_comm_nranks(comm),
	       parts->bytes, (uint64_t)XXH3_64bits(whole, parts->bytes));
	if (fflush(stdout) != 0)
		return complain("cannot write the result: %s", strerror(errno));
	return true;
}

static bool gather_file(const char *path, totum_comm *comm)
{
	struct parts parts = {0};
	unsigned char *whole = NULL;
	int fd = -1;
	size_t bytes = 0;
	bool good =
		open_file(path, &fd, &bytes) && cut(bytes, (size_t)totum_comm_nranks(comm), &parts);

	if (good) {
		whole = malloc(bytes ? bytes : 1);
		good = whole ? gather(path, fd, &parts, whole, comm)
			     : complain("no memory for the %zu bytes of %s", bytes, path);
	}
	free(whole);
	free(parts.counts);
	free(parts.displs);
	if (fd >= 0)
		close(fd);
	return good;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: totum run -n 4 -- gather_file FILE\n");
		return 2;
	}
	totum_comm *comm;
	if (totum_init(&comm) != TOTUM_OK) {
		complain("%s", totum_errmsg());
		return 1;
	}
	bool good = gather_file(argv[1], comm);
	if (!good)
		totum_comm_abort(comm); /* the others must not wait for a rank that gives up */
	return totum_comm_free(comm) == TOTUM_OK && good ? 0 : 1;
}
