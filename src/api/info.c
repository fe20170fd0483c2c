/* SPDX-License-Identifier: BSD-3-Clause */
/* info - the variables and launchers that totum knows, for whoever shows or checks them. */
#include "totum_info.h"

#include <stdlib.h>

#include "launch/identity.h"

static const struct tt_variable *variable_at(int index)
{
	return index >= 0 && index < totum_variable_count() ? &tt_variables[index] : NULL;
}

int totum_variable_count(void)
{
	int n = 0;

	while (tt_variables[n].name)
		n++;
	return n;
}

const char *totum_variable_name(int index)
{
	const struct tt_variable *variable = variable_at(index);

	return variable ? variable->name : NULL;
}

const char *totum_variable_meaning(int index)
{
	const struct tt_variable *variable = variable_at(index);

	return variable ? variable->meaning : NULL;
}

const char *totum_variable_default(int index)
{
	const struct tt_variable *variable = variable_at(index);

	return variable ? variable->fallback : NULL;
}

const char *totum_variable_value(int index)
{
	const struct tt_variable *variable = variable_at(index);

	return variable ? getenv(variable->name) : NULL;
}

int totum_variable_is_launchers(int index)
{
	const struct tt_variable *variable = variable_at(index);

	return variable && !variable->read;
}

totum_status totum_variable_check(int index)
{
	const struct tt_variable *variable = variable_at(index);
	struct tt_settings settings = {0};

	if (!variable)
		return tt_fail(TOTUM_EINVAL,
			       "totum_variable_check: %d is not the number of a variable; there "
			       "are 0 to %d",
			       index, totum_variable_count() - 1);
	const char *value = getenv(variable->name);
	return value && variable->read ? variable->read(variable, value, &settings) : TOTUM_OK;
}

int totum_launcher_count(void)
{
	const char *rank_variable;
	int n = 0;

	while (tt_identity_family(n, &rank_variable))
		n++;
	return n;
}

const char *totum_launcher_name(int index)
{
	const char *rank_variable;

	return tt_identity_family(index, &rank_variable);
}

const char *totum_launcher_variable(int index)
{
	const char *rank_variable = NULL;

	tt_identity_family(index, &rank_variable);
	return rank_variable;
}

totum_status totum_launcher_find(const char **name, int *rank, int *nranks)
{
	struct tt_settings settings;
	struct tt_identity identity;
	totum_status status = tt_settings_read(&settings);

	if (!status)
		status = tt_identity_find(&settings, &identity);
	if (status)
		return status;
	if (name)
		*name = identity.family;
	if (rank)
		*rank = identity.rank;
	if (nranks)
		*nranks = identity.nranks;
	return TOTUM_OK;
}
