/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor_report - writes down what the doctor finds. */
#include "doctor_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512, INDENT = 26, WIDTH = 100 };

static const char *const levels[DOCTOR_LEVELS] = {"ok", "note", "PROBLEM"};

void doctor_group(struct doctor *doctor, const char *group)
{
	if (!doctor->silent)
		printf("%s%s\n", doctor->group ? "\n" : "", group);
	doctor->group = group;
}

/* Words from column INDENT to WIDTH; the cursor is at INDENT. */
static void print_words(const char *text)
{
	size_t column = INDENT;

	for (const char *word = text; *word;) {
		size_t length = strcspn(word, " ");
		if (word > text && column + 1 + length > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (word > text) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, word);
		column += length;
		word += length + (word[length] == ' ');
	}
	putchar('\n');
}

void doctor_say(struct doctor *doctor, enum doctor_level level, const char *name, const char *todo,
		const char *format, ...)
{
	char text[TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (char *at = text; *at;
	     at++) /* what came from outside must not steer a terminal, nor break the JSON */
		*at = *at < ' ' || *at > '~' ? '?' : *at;
	doctor->counts[level]++;
	if (!doctor->silent) {
		printf("  %-7s %-15s ", levels[level], name);
		print_words(text);
		if (todo) {
			printf("%*s", INDENT, "> ");
			print_words(todo);
		}
	}
	json_t *check = json_pack(
		"{s:s, s:s, s:s, s:s, s:s?}", "group", doctor->group, "name", name, "level",
		level == DOCTOR_PROBLEM ? "problem" : levels[level], "text", text, "todo", todo);
	json_array_append_new(doctor->checks, check);
}

void doctor_value(struct doctor *doctor, json_t *value)
{
	size_t n = json_array_size(doctor->checks);

	json_object_set_new(json_array_get(doctor->checks, n - 1), "value", value);
}

bool doctor_conclude(const struct doctor *doctor)
{
	const int *counts = doctor->counts;
	bool usable = !counts[DOCTOR_PROBLEM];

	if (!doctor->silent)
		printf("\ntotum can%s be used here with %d rank%s: %d ok, %d note%s, %d "
		       "problem%s\n",
		       usable ? "" : "not", doctor->ranks, doctor->ranks == 1 ? "" : "s",
		       counts[DOCTOR_OK], counts[DOCTOR_NOTE], counts[DOCTOR_NOTE] == 1 ? "" : "s",
		       counts[DOCTOR_PROBLEM], counts[DOCTOR_PROBLEM] == 1 ? "" : "s");
	return usable;
}

const char *doctor_line(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");

	out[0] = 0;
	if (!file)
		return out;
	if (!fgets(out, (int)size, file))
		out[0] = 0;
	out[strcspn(out, "\n")] = 0;
	fclose(file);
	return out;
}

const char *doctor_bytes(double bytes, char out[static 16])
{
	static const char units[] = " KMGTPE";
	int unit = 0;

	for (; bytes >= 1000 && units[unit + 1]; unit++)
		bytes /= 1024;
	snprintf(out, 16, unit && bytes < 10 ? "%.1f%c" : "%.0f%c", bytes, units[unit]);
	if (!unit)
		out[strlen(out) - 1] = 0;
	return out;
}
