/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dtype - sizes and names of element types, names of reductions.
 *
 * Two tables in the order of their enums are all there is to know; a name that is in neither gets a
 * sentence with all that are, and the nearest one first.
 */
#include "base/nearest.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const unsigned char sizes[TOTUM_DTYPES] = {
	[TOTUM_I8] = 1,    [TOTUM_I16] = 2,    [TOTUM_I32] = 4,    [TOTUM_I64] = 8,
	[TOTUM_U8] = 1,    [TOTUM_U16] = 2,    [TOTUM_U32] = 4,    [TOTUM_U64] = 8,
	[TOTUM_F16] = 2,   [TOTUM_BF16] = 2,   [TOTUM_F32] = 4,    [TOTUM_F64] = 8,
	[TOTUM_BOOL] = 1,  [TOTUM_F8E4M3] = 1, [TOTUM_F8E5M2] = 1, [TOTUM_C64] = 8,
	[TOTUM_C128] = 16,
};

static const char *const dtype_names[TOTUM_DTYPES] = {
	[TOTUM_I8] = "i8",     [TOTUM_I16] = "i16",       [TOTUM_I32] = "i32",
	[TOTUM_I64] = "i64",   [TOTUM_U8] = "u8",         [TOTUM_U16] = "u16",
	[TOTUM_U32] = "u32",   [TOTUM_U64] = "u64",       [TOTUM_F16] = "f16",
	[TOTUM_BF16] = "bf16", [TOTUM_F32] = "f32",       [TOTUM_F64] = "f64",
	[TOTUM_BOOL] = "bool", [TOTUM_F8E4M3] = "f8e4m3", [TOTUM_F8E5M2] = "f8e5m2",
	[TOTUM_C64] = "c64",   [TOTUM_C128] = "c128",
};

static const char *const op_names[TOTUM_OPS] = {
	[TOTUM_SUM] = "sum",   [TOTUM_PROD] = "prod", [TOTUM_MIN] = "min",   [TOTUM_MAX] = "max",
	[TOTUM_AVG] = "avg",   [TOTUM_BAND] = "band", [TOTUM_BOR] = "bor",   [TOTUM_BXOR] = "bxor",
	[TOTUM_LAND] = "land", [TOTUM_LOR] = "lor",   [TOTUM_LXOR] = "lxor",
};

size_t totum_dtype_size(totum_dtype dtype)
{
	return (unsigned)dtype < TOTUM_DTYPES ? sizes[dtype] : 0;
}

const char *totum_dtype_name(totum_dtype dtype)
{
	return (unsigned)dtype < TOTUM_DTYPES ? dtype_names[dtype] : NULL;
}

const char *totum_op_name(totum_op op)
{
	return (unsigned)op < TOTUM_OPS ? op_names[op] : NULL;
}

static void say_no_such_name(const char *what, const char *name, const char *const names[], int n)
{
	const char *nearest = tt_nearest(name, names, n);
	char all[160] = "", hint[32] = "";
	size_t used = 0;

	for (int i = 0; i < n; i++)
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
					 names[i]);
	if (nearest)
		snprintf(hint, sizeof hint, "did you mean %s? ", nearest);
	tt_fail(TOTUM_EINVAL, "\"%.40s\" is no %s; %sthere are %s", name, what, hint, all);
}

/* The index of name in names, or -1 with a sentence. */
static int find(const char *what, const char *name, const char *const names[], int n)
{
	if (!name) {
		tt_fail(TOTUM_EINVAL, "the name of the %s is NULL; give one such as \"%s\"", what,
			names[0]);
		return -1;
	}
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	say_no_such_name(what, name, names, n);
	return -1;
}

totum_status totum_dtype_parse(const char *name, totum_dtype *dtype)
{
	int found = find("dtype", name, dtype_names, TOTUM_DTYPES);

	if (found < 0)
		return TOTUM_EINVAL;
	*dtype = (totum_dtype)found;
	return TOTUM_OK;
}

totum_status totum_op_parse(const char *name, totum_op *op)
{
	int found = find("op", name, op_names, TOTUM_OPS);

	if (found < 0)
		return TOTUM_EINVAL;
	*op = (totum_op)found;
	return TOTUM_OK;
}
