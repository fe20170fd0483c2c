/* SPDX-License-Identifier: BSD-3-Clause */
/* lab - what the commands of the lab share. */
#include "lab.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int lab_fail(const char *command, totum_status status)
{
	fprintf(stderr, "%s: %s\n", command, totum_errmsg());
	return status == TOTUM_EINVAL || status == TOTUM_EPARSE || status == TOTUM_EUNSUPPORTED ? 2
												: 1;
}

int lab_is_file(const char *text)
{
	return !strcmp(text, "-") || strchr(text, '/') ||
	       (!strchr(text, ':') && access(text, F_OK) == 0);
}

/* All of a stream in memory, or NULL with errno. */
static char *read_all(FILE *in, size_t *length)
{
	char *text = NULL;
	size_t used = 0, room = 0;

	for (;;) {
		if (used == room) {
			char *more = realloc(text, room = room ? 2 * room : 1 << 16);

			if (!more)
				break;
			text = more;
		}
		used += fread(text + used, 1, room - used, in);
		if (ferror(in))
			break;
		if (feof(in)) {
			*length = used;
			return text;
		}
	}
	free(text);
	return NULL;
}

static int open_file(const char *command, const char *name, totum_schedule **out)
{
	FILE *in = strcmp(name, "-") ? fopen(name, "r") : stdin;
	size_t length;
	char *text = in ? read_all(in, &length) : NULL;
	int code = 0;

	if (!text) {
		fprintf(stderr, "%s: cannot read %s: %s\n", command, name, strerror(errno));
		code = 2;
	} else {
		totum_status status = totum_schedule_parse(text, length, name, out);

		code = status ? lab_fail(command, status) : 0;
	}
	if (in && in != stdin)
		fclose(in);
	free(text);
	return code;
}

int lab_open(const char *command, const char *file_or_problem, totum_schedule **out)
{
	if (lab_is_file(file_or_problem))
		return open_file(command, file_or_problem, out);
	totum_status status = totum_schedule_build(file_or_problem, out);

	return status ? lab_fail(command, status) : 0;
}

int lab_width(int otherwise)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return otherwise;
	return size.ws_col;
}

static void write_word(const char *word, FILE *out)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/+@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
	fputc('\'', out);
}

char *lab_command_line(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(argv[0], out); /* "totum show": two words */
	for (int i = 1; i < argc; i++) {
		fputc(' ', out);
		write_word(argv[i], out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int lab_write(const char *command, const char *file,
	      totum_status (*write)(void *context, FILE *out), void *context)
{
	struct output output;
	bool opened = output_open(&output, file);
	totum_status status = opened ? write(context, output.stream) : TOTUM_OK;

	if (opened && output_close(&output, !status))
		return status ? lab_fail(command, status) : 0;
	if (strcmp(file, "-")) /* of the standard output main will say it */
		fprintf(stderr, "%s: cannot write %s: %s\n", command, file, strerror(errno));
	return 1;
}
