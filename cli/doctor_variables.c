/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_variables - the TOTUM_ variables of the environment, and the launchers whose variables are
 * there.
 *
 * Where something is wrong totum_init refuses, whatever the others say; so each is looked at by
 * itself.
 */
#include "doctor_variables.h"
#include "doctor_checks.h"
#include "nearest.h"
#include "totum_info.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_known(const char *name)
{
	for (int i = 0; i < totum_variable_count(); i++)
		if (!strcmp(totum_variable_name(i), name))
			return true;
	return false;
}

static const char *nearest(const char *name)
{
	const char *best = NULL;
	int away = NEAREST_FAR;

	for (int i = 0; i < totum_variable_count(); i++)
		if (nearest_distance(name, totum_variable_name(i)) < away) {
			best = totum_variable_name(i);
			away = nearest_distance(name, best);
		}
	return best;
}

int doctor_unknown_variables(void (*each)(const char *name, const char *nearest, void *context),
			     void *context)
{
	char name[64];
	int count = 0;

	for (char **entry = environ; entry && *entry; entry++) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
		if (strncmp(name, "TOTUM_", 6) || is_known(name))
			continue;
		each(name, nearest(name), context);
		count++;
	}
	return count;
}

static void say_unknown(const char *name, const char *near, void *context)
{
	char todo[160];

	snprintf(todo, sizeof todo, near ? "unset %s, or call it %s" : "unset %s", name,
		 near ? near : "");
	doctor_say(context, DOCTOR_PROBLEM, "unknown", todo, "%s is not a variable of totum", name);
	doctor_value(context, json_string(name));
}

static bool say_variables(struct doctor *doctor)
{
	int set = 0, wrong = doctor_unknown_variables(say_unknown, doctor);

	for (int i = 0; i < totum_variable_count(); i++) {
		const char *name = totum_variable_name(i), *value = totum_variable_value(i);
		if (!value)
			continue;
		set++;
		bool right = !totum_variable_check(i);
		const char *origin = totum_variable_is_launchers(i) ? "set by `totum run`"
								    : "of the environment";
		wrong += !right;
		if (right)
			doctor_say(doctor, DOCTOR_OK, "set", NULL, "%s=%.200s, %s", name, value,
				   origin);
		else
			doctor_say(doctor, DOCTOR_PROBLEM, "wrong", "correct it, or unset it", "%s",
				   totum_errmsg());
		doctor_value(doctor, json_string(name));
	}
	if (!set && !wrong)
		doctor_say(doctor, DOCTOR_OK, "variables", NULL,
			   "none is set; `totum info` lists them");
	return !wrong;
}

/* "openmpi (OMPI_COMM_WORLD_RANK), slurm (SLURM_PROCID)"; returns how many. */
static int list_found(char *out, size_t size)
{
	size_t at = 0;
	int found = 0;

	out[0] = 0;
	for (int i = 0; i < totum_launcher_count(); i++)
		if (getenv(totum_launcher_variable(i)) && at < size)
			at += (size_t)snprintf(out + at, size - at, "%s%s (%s)",
					       found++ ? ", " : "", totum_launcher_name(i),
					       totum_launcher_variable(i));
	return found;
}

/* "mpirun (/usr/bin/orterun)": a command of the PATH, and what it is in the end. */
static int list_command(const char *name, char *out, size_t size)
{
	char path[PATH_MAX], real[PATH_MAX];
	const char *rest = getenv("PATH");

	while (rest && *rest) {
		int length = (int)strcspn(rest, ":");
		snprintf(path, sizeof path, "%.*s/%s", length, rest, name);
		if (!access(path, X_OK) && realpath(path, real))
			return snprintf(out, size, ", %s (%s)", name, real);
		rest += length + (rest[length] == ':');
	}
	return 0;
}

static void say_commands(struct doctor *doctor)
{
	static const char *const names[] = {"mpirun", "mpiexec", "srun", "torchrun"};
	char found[400] = "";
	size_t at = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names && at < sizeof found; i++)
		at += (size_t)list_command(names[i], found + at, sizeof found - at);
	doctor_say(doctor, DOCTOR_OK, "commands", NULL, "totum run%s", found);
}

static void say_launcher(struct doctor *doctor)
{
	const char *name = "none";
	char found[300];
	int rank = 0, nranks = 0, count = list_found(found, sizeof found);

	if (count)
		doctor_say(doctor, DOCTOR_OK, "found", NULL, "variables of %s", found);
	if (totum_launcher_find(&name, &rank, &nranks))
		doctor_say(doctor, DOCTOR_PROBLEM, "launcher",
			   "start the ranks with a launcher; in a shell that only inherits such "
			   "variables, set "
			   "TOTUM_LAUNCHER=none",
			   "%s", totum_errmsg());
	else if (!strcmp(name, "none"))
		doctor_say(
			doctor, DOCTOR_OK, "launcher", NULL,
			"%s: a program started here is a job of one rank; `totum run` starts more",
			count ? "none is believed" : "none");
	else if (count > 1)
		doctor_say(doctor, DOCTOR_NOTE, "launcher",
			   "if another one is meant, say so in TOTUM_LAUNCHER",
			   "%s is believed, before the others: this is rank %d of %d", name, rank,
			   nranks);
	else
		doctor_say(doctor, DOCTOR_OK, "launcher", NULL, "%s: this is rank %d of %d", name,
			   rank, nranks);
	doctor_value(doctor, json_string(name));
}

void doctor_variables(struct doctor *doctor)
{
	doctor_group(doctor, "variables and launchers");
	say_commands(doctor);
	if (say_variables(doctor))
		say_launcher(doctor);
	else
		doctor_say(doctor, DOCTOR_NOTE, "launcher", "correct the variables first",
			   "not looked for");
}
