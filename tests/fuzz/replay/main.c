/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main - runs a fuzzer's function without a fuzzer: on each file of a folder as it is, and changed
 * at random in ways that repeat from run to run.
 *
 *     fuzz_NAME FOLDER [CHANGES]      500 changes of each file unless said otherwise
 *
 * What aborts it is left as fuzz_NAME.input, in the folder where it was started.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { MOST = 4000 };

static uint8_t input[MOST];
static size_t input_bytes;
static char left[512];
static uint64_t state = 1;

static void leave(void)
{
	FILE *file = fopen(left, "wb");

	if (file && fwrite(input, 1, input_bytes, file) == input_bytes && !fclose(file))
		fprintf(stderr, "the input is in %s\n", left);
}

static void on_abort(int number)
{
	leave();
	signal(number, SIG_DFL);
	raise(number);
}

static size_t below(size_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % limit;
}

/* A byte flipped, set or taken out, a run doubled, digits in place of digits, or the end cut off.
 */
static void change(void)
{
	static const char *const numbers[] = {"0",          "-1",    "65536",
					      "4294967296", "1e300", "18446744073709551616"};
	size_t at = input_bytes ? below(input_bytes) : 0, run = 1 + below(24);
	const char *number = numbers[below(6)];

	if (run > input_bytes - at)
		run = input_bytes - at;
	switch (input_bytes ? below(6) : 6) {
	case 0:
		input[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		input[at] = (uint8_t)below(256);
		break;
	case 2:
		memmove(input + at, input + at + run, input_bytes - at - run);
		input_bytes -= run;
		break;
	case 3:
		if (input_bytes + run > MOST)
			return;
		memmove(input + at + run, input + at, input_bytes - at);
		input_bytes += run;
		break;
	case 4:
		if (at + strlen(number) <= MOST)
			memcpy(input + at, number, strlen(number));
		input_bytes = at + strlen(number) > input_bytes ? at + strlen(number) : input_bytes;
		break;
	case 5:
		input_bytes = at;
		break;
	default:
		input[input_bytes++] = (uint8_t)below(256);
	}
	if (input_bytes > MOST)
		input_bytes = MOST;
}

/* The bytes end where the memory does, so that a sanitizer sees who reads on. */
static void run(void)
{
	uint8_t *copy = malloc(input_bytes + !input_bytes);

	if (!copy)
		exit(1);
	memcpy(copy, input, input_bytes);
	LLVMFuzzerTestOneInput(copy, input_bytes);
	free(copy);
}

static int run_file(const char *path, long changes)
{
	uint8_t whole[MOST];
	FILE *file = fopen(path, "rb");

	if (!file)
		return 0;
	size_t bytes = fread(whole, 1, sizeof whole, file);
	fclose(file);
	for (long i = 0; i <= changes; i++) {
		input_bytes = bytes;
		memcpy(input, whole, bytes);
		for (size_t times = i ? 1 + below(4) : 0; times > 0; times--)
			change();
		run();
	}
	return 1;
}

int main(int argc, char **argv)
{
	long changes = argc > 2 ? strtol(argv[2], NULL, 10) : 500;
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	const char *name = strrchr(argv[0], '/');
	char path[1024];
	int files = 0;

	if (!folder) {
		fprintf(stderr, "usage: %s FOLDER [CHANGES]\n", argv[0]);
		return 2;
	}
	snprintf(left, sizeof left, "%s.input", name ? name + 1 : argv[0]);
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(leave);
	for (struct dirent *entry; (entry = readdir(folder));) {
		snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
		if (entry->d_name[0] != '.')
			files += run_file(path, changes);
	}
	closedir(folder);
	printf("%d files, %ld changes of each\n", files, changes);
	return files ? 0 : 1;
}
