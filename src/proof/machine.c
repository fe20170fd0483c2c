/* SPDX-License-Identifier: BSD-3-Clause */
/* machine - the numbers that prices are made with, read and written as one line of settings. */
#include "proof/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "schedule/ir.h"

const struct tt_machine tt_machine_default = {.alpha = 1e-6, .beta = 10e9, .links = 1};

enum { ALPHA, BETA, GAMMA, OVERHEAD, LINKS, SETTINGS };

static const char *const names[SETTINGS] = {
	[ALPHA] = "alpha",       [BETA] = "beta",   [GAMMA] = "gamma",
	[OVERHEAD] = "overhead", [LINKS] = "links",
};

static totum_status set(struct tt_machine *machine, int setting, const char *value)
{
	double rate;
	totum_status status;

	switch (setting) {
	case ALPHA:
		return tt_parse_seconds(value, &machine->alpha);
	case OVERHEAD:
		return tt_parse_seconds(value, &machine->overhead);
	case LINKS:
		return tt_parse_int(value, 1, TT_MAX_RANKS, &machine->links);
	default:
		break;
	}
	if (setting == GAMMA && !strcmp(value, "0")) {
		machine->gamma = 0;
		return TOTUM_OK;
	}
	status = tt_parse_rate(value, &rate);
	if (status)
		return status;
	if (!(rate > 0))
		return tt_fail(TOTUM_EINVAL,
			       "'%.40s' is no rate to move data at; give one above 0, like 10GB/s",
			       value);
	if (setting == BETA)
		machine->beta = rate;
	else
		machine->gamma = 1 / rate;
	return TOTUM_OK;
}

/* One "name=value". */
static totum_status read_setting(struct tt_machine *machine, const char *text)
{
	size_t length = strcspn(text, "=");
	char name[64];
	int i = 0;

	snprintf(name, sizeof name, "%.*s", (int)length, text);
	while (i < SETTINGS && strcmp(names[i], name))
		i++;
	if (i == SETTINGS) {
		const char *near = tt_nearest(name, names, SETTINGS);

		return tt_fail(TOTUM_EINVAL,
			       "'%.40s' is no setting of a machine%s%s%s; it has alpha, beta, "
			       "gamma, overhead and links",
			       name, near ? ", did you mean '" : "", near ? near : "",
			       near ? "'" : "");
	}
	if (!text[length])
		return tt_fail(TOTUM_EINVAL, "%s has no value; write %s=VALUE", name, name);
	totum_status status = set(machine, i, text + length + 1);

	return status ? tt_fail_in(TOTUM_EINVAL, "%s", name) : TOTUM_OK;
}

totum_status tt_machine_parse(const char *text, struct tt_machine *machine)
{
	struct tt_machine result = *machine;
	char setting[96];

	while (*text) {
		size_t length = strcspn(text, ",");

		if (length >= sizeof setting)
			return tt_fail(TOTUM_EINVAL,
				       "'%.40s..' is too long for a setting of a machine", text);
		snprintf(setting, sizeof setting, "%.*s", (int)length, text);
		totum_status status = read_setting(&result, setting);

		if (status)
			return status;
		text += length;
		if (text[0] == ',' && !text[1])
			return tt_fail(TOTUM_EINVAL,
				       "a setting is missing after the last comma of the machine");
		text += *text == ',';
	}
	*machine = result;
	return TOTUM_OK;
}

/* Takes the zeros off the end of the fraction that the number in text has. */
static const char *trim(char *text)
{
	char *point = strchr(text, '.');
	size_t digits = point ? strspn(point + 1, "0123456789") : 0;
	size_t keep = digits;

	if (!point || point[1 + digits] == 'e')
		return text;
	while (keep && point[keep] == '0')
		keep--;
	char *end = keep ? point + 1 + keep : point;

	memmove(end, point + 1 + digits, strlen(point + 1 + digits) + 1);
	return text;
}

const char *tt_short_seconds(double seconds, int digits, char out[static TT_UNITS_TEXT])
{
	tt_format_seconds(seconds, digits, out);
	return trim(out);
}

const char *tt_short_rate(double rate, int digits, char out[static TT_UNITS_TEXT])
{
	tt_format_rate(rate, digits, out);
	return trim(out);
}

const char *tt_machine_text(const struct tt_machine *machine, char out[static TT_MACHINE_TEXT])
{
	char alpha[TT_UNITS_TEXT], beta[TT_UNITS_TEXT], gamma[TT_UNITS_TEXT] = "",
							overhead[TT_UNITS_TEXT] = "";

	if (machine->gamma > 0)
		tt_short_rate(1 / machine->gamma, 6, gamma);
	if (machine->overhead > 0)
		tt_short_seconds(machine->overhead, 6, overhead);
	snprintf(out, TT_MACHINE_TEXT, "alpha=%s,beta=%s%s%s%s%s,links=%lld",
		 tt_short_seconds(machine->alpha, 6, alpha), tt_short_rate(machine->beta, 6, beta),
		 *gamma ? ",gamma=" : "", gamma, *overhead ? ",overhead=" : "", overhead,
		 (long long)machine->links);
	return out;
}
