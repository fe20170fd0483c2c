/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_report.h - what the doctor says: one line a check, as text when it is found and as JSON in
 * the end.
 *
 * A note is what makes totum slower or may surprise; a problem makes it unusable.  Both come with
 * what to do.
 */
#ifndef DOCTOR_REPORT_H
#define DOCTOR_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_PROBLEM, DOCTOR_LEVELS };

struct doctor {
	int ranks;   /* that are to run here */
	int cores;   /* that they may use */
	bool silent; /* no text */
	const char *group;
	json_t *checks;
	int counts[DOCTOR_LEVELS];
};

/* The lines that follow are about this. */
void doctor_group(struct doctor *doctor, const char *group);
/*
 * One line about `name`, at most 15 letters; todo, one sentence, or NULL where nothing is to be
 * done.  The last line's value is for programs that read the JSON.
 */
void doctor_say(struct doctor *doctor, enum doctor_level level, const char *name, const char *todo,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
void doctor_value(struct doctor *doctor, json_t *value);
/* The conclusion: true when totum can be used. */
bool doctor_conclude(const struct doctor *doctor);

/* The first line of a file without its end, "" when there is none. */
const char *doctor_line(const char *path, char *out, size_t size);
/* Bytes, for people: "1.5G". */
const char *doctor_bytes(double bytes, char out[static 16]);

#endif
