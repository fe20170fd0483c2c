/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shape - reading SPEC strings, and what is known of symmetric shapes by arithmetic.
 *
 * KIND:DIMS,option=value,..  One table says which kinds there are and how many dimensions each
 * takes, another which options; reading is a walk over the two.
 */
#include "topology/shape.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "topology/measure.h"

enum { SPEC = 256 };
#define GIGA INT64_C(1000000000)
static const int64_t most_ranks = INT64_C(1) << 31;

#define BIT(kind) (1u << (kind))

static const struct kind {
	const char *name;
	int least_dims, most_dims; /* least 0: they may be left out */
	const char *dims;      /* for the error: what the numbers are */
	int64_t rate, outside; /* the defaults */
} kinds[TT_SHAPES] = {
	[TT_SHAPE_RING] = {"ring", 1, 1, "ring:8 (ranks)", 10 * GIGA, 0},
	[TT_SHAPE_LINE] = {"line", 1, 1, "line:8 (ranks)", 10 * GIGA, 0},
	[TT_SHAPE_TORUS] = {"torus", 1, 8, "torus:4x4 (ranks in each dimension)", 10 * GIGA, 0},
	[TT_SHAPE_MESH] = {"mesh", 1, 8, "mesh:4x4 (ranks in each dimension)", 10 * GIGA, 0},
	[TT_SHAPE_HYPERCUBE] = {"hypercube", 1, 1, "hypercube:3 (dimensions)", 10 * GIGA, 0},
	[TT_SHAPE_FULL] = {"full", 1, 1, "full:8 (ranks)", 10 * GIGA, 0},
	[TT_SHAPE_STAR] = {"star", 1, 1, "star:8 (ranks around a switch)", 10 * GIGA, 0},
	[TT_SHAPE_FATTREE] = {"fattree", 2, 8, "fattree:4x8 (leaf switches x ranks of each)",
			      10 * GIGA, 0},
	[TT_SHAPE_DRAGONFLY] = {"dragonfly", 1, 1, "dragonfly:4 (routers of a group)", 10 * GIGA,
				0},
	[TT_SHAPE_BOXES] = {"boxes", 2, 2, "boxes:2x8 (boxes x ranks)", 300 * GIGA, 25 * GIGA},
	[TT_SHAPE_HOSTS] = {"hosts", 2, 2, "hosts:2x4 (hosts x ranks)", 10 * GIGA, 1250000000},
	[TT_SHAPE_DGX1] = {"dgx1", 0, 0, "dgx1", 25 * GIGA, 0},
	[TT_SHAPE_A100] = {"a100", 0, 1, "a100:2 (boxes)", 300 * GIGA, 25 * GIGA},
	[TT_SHAPE_H100] = {"h100", 0, 1, "h100:2 (boxes)", 450 * GIGA, 50 * GIGA},
	[TT_SHAPE_MI250] = {"mi250", 0, 1, "mi250:2 (boxes)", 50 * GIGA, 16 * GIGA},
};

enum option_type { RATE, TIME, COUNT };

static const unsigned everywhere = ~0u;
static const unsigned boxed = BIT(TT_SHAPE_BOXES) | BIT(TT_SHAPE_HOSTS) | BIT(TT_SHAPE_A100) |
			      BIT(TT_SHAPE_H100) | BIT(TT_SHAPE_MI250);

static const struct option {
	const char *name;
	enum option_type type;
	unsigned kinds;
	size_t offset;
	int64_t low, high;
} options[] = {
	{"rate", RATE, everywhere, offsetof(struct tt_shape, rate), 0, 0},
	{"alpha", TIME, everywhere, offsetof(struct tt_shape, alpha), 0, 0},
	{"hop", TIME, everywhere, offsetof(struct tt_shape, hop), 0, 0},
	{"inside", RATE, boxed, offsetof(struct tt_shape, rate), 0, 0},
	{"outside", RATE, boxed, offsetof(struct tt_shape, outside), 0, 0},
	{"outside_alpha", TIME, boxed, offsetof(struct tt_shape, outside_alpha), 0, 0},
	{"host", RATE, BIT(TT_SHAPE_FATTREE), offsetof(struct tt_shape, rate), 0, 0},
	{"uplink", RATE, BIT(TT_SHAPE_FATTREE), offsetof(struct tt_shape, outside), 0, 0},
	{"taper", COUNT, BIT(TT_SHAPE_FATTREE), offsetof(struct tt_shape, taper), 1, 1000},
	{"h", COUNT, BIT(TT_SHAPE_DRAGONFLY), offsetof(struct tt_shape, global_links), 1, 1000},
	{"p", COUNT, BIT(TT_SHAPE_DRAGONFLY), offsetof(struct tt_shape, router_ranks), 0, 1000},
};
enum { OPTIONS = sizeof options / sizeof *options };

const char *tt_shape_name(enum tt_shape_kind kind)
{
	return kind > TT_SHAPE_NONE && kind < TT_SHAPES ? kinds[kind].name : NULL;
}

static totum_status find_kind(const char *name, enum tt_shape_kind *out)
{
	const char *names[TT_SHAPES];

	for (int i = 0; i < TT_SHAPES; i++)
		names[i] = kinds[i].name;
	for (int i = 1; i < TT_SHAPES; i++)
		if (!strcmp(names[i], name)) {
			*out = (enum tt_shape_kind)i;
			return TOTUM_OK;
		}
	const char *near = tt_nearest(name, names, TT_SHAPES);
	if (near)
		return tt_fail(TOTUM_EPARSE, "there is no topology '%.40s', did you mean %s?", name,
			       near);
	return tt_fail(TOTUM_EPARSE,
		       "there is no topology '%.40s'; give a file or ring, line, torus, mesh, "
		       "hypercube, full, star, fattree, dragonfly, boxes, hosts, dgx1, a100, h100 "
		       "or mi250 with its numbers, like ring:8",
		       name);
}

/* "4x4" into dims; text is cut up. */
static totum_status read_dims(char *text, struct tt_shape *shape)
{
	const struct kind *kind = &kinds[shape->kind];
	char *rest = text;

	for (char *number; (number = strsep(&rest, "x"));) {
		if (shape->ndims >= kind->most_dims)
			return tt_fail(TOTUM_EPARSE, "too many numbers; write %s", kind->dims);
		if (tt_parse_int(number, 1, most_ranks, &shape->dims[shape->ndims]))
			return tt_fail_in(TOTUM_EPARSE, "write %s", kind->dims);
		shape->ndims++;
	}
	if (shape->ndims < kind->least_dims)
		return tt_fail(TOTUM_EPARSE, "too few numbers; write %s", kind->dims);
	return TOTUM_OK;
}

static totum_status read_value(const struct option *option, const char *value, int64_t *out)
{
	switch (option->type) {
	case RATE:
		return tt_read_capacity(value, true, out);
	case TIME:
		return tt_read_latency(value, out);
	default:
		return tt_parse_int(value, option->low, option->high, out);
	}
}

static totum_status read_option(char *text, struct tt_shape *shape)
{
	char *value = strchr(text, '=');

	if (!value)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is not an option; write name=value", text);
	*value++ = 0;
	const char *names[OPTIONS];
	for (int i = 0; i < OPTIONS; i++) {
		bool applies = options[i].kinds & BIT(shape->kind);

		names[i] = applies ? options[i].name : NULL;
		if (!applies || strcmp(names[i], text))
			continue;
		int64_t *field = (int64_t *)(void *)((char *)shape + options[i].offset);
		totum_status status = read_value(&options[i], value, field);
		return status ? tt_fail_in(status, "%s", text) : TOTUM_OK;
	}
	const char *near = tt_nearest(text, names, OPTIONS);
	return tt_fail(TOTUM_EPARSE, "%s has no option '%.40s'%s%s", kinds[shape->kind].name, text,
		       near ? ", did you mean " : "; it takes rate, alpha and hop",
		       near ? near : "");
}

/* Multiplies *product by factor; false when it gets too large. */
static bool grow(int64_t *product, int64_t factor)
{
	return !__builtin_mul_overflow(*product, factor, product) && *product <= most_ranks;
}

static totum_status count_ranks(struct tt_shape *shape)
{
	bool fits = true;

	if (shape->kind == TT_SHAPE_HYPERCUBE) {
		if (shape->dims[0] >= TT_SHAPE_DIMENSIONS)
			return tt_fail(TOTUM_EPARSE, "a hypercube has 1 to %d dimensions",
				       TT_SHAPE_DIMENSIONS - 1);
		shape->ndims = (int)shape->dims[0];
		for (int i = 0; i < shape->ndims; i++)
			shape->dims[i] = 2;
	}
	if (shape->kind == TT_SHAPE_DGX1 || (!shape->ndims && !kinds[shape->kind].least_dims))
		shape->dims[shape->ndims++] = 1;
	shape->nranks = 1;
	for (int i = 0; i < shape->ndims; i++)
		fits = fits && grow(&shape->nranks, shape->dims[i]);
	if (shape->kind == TT_SHAPE_DGX1 || shape->kind == TT_SHAPE_A100 ||
	    shape->kind == TT_SHAPE_H100)
		fits = fits && grow(&shape->nranks, 8);
	if (shape->kind == TT_SHAPE_MI250)
		fits = fits && grow(&shape->nranks, 16);
	if (shape->kind == TT_SHAPE_DRAGONFLY) {
		fits = fits && grow(&shape->nranks, shape->dims[0] * shape->global_links + 1);
		fits = fits && grow(&shape->nranks, shape->router_ranks ? shape->router_ranks : 1);
	}
	if (!fits)
		return tt_fail(TOTUM_EPARSE, "more than %lld ranks; use smaller numbers",
			       (long long)most_ranks);
	return TOTUM_OK;
}

static totum_status read_shape(char *text, struct tt_shape *shape)
{
	char *rest = text;
	char *head = strsep(&rest, ",");
	char *dims = strchr(head, ':');

	if (isdigit((unsigned char)*head) && !dims) {
		dims = head;
		shape->kind = TT_SHAPE_HOSTS;
	} else {
		if (dims)
			*dims++ = 0;
		totum_status status = find_kind(head, &shape->kind);
		if (status)
			return status;
	}
	shape->rate = kinds[shape->kind].rate;
	shape->outside = kinds[shape->kind].outside;
	shape->taper = shape->global_links = 1;
	shape->alpha = 1000000;
	shape->outside_alpha = -1;
	if (!dims && kinds[shape->kind].least_dims)
		return tt_fail(TOTUM_EPARSE, "its size is missing; write %s",
			       kinds[shape->kind].dims);
	totum_status status = dims ? read_dims(dims, shape) : TOTUM_OK;
	for (char *option; !status && (option = strsep(&rest, ","));)
		status = read_option(option, shape);
	if (status)
		return status;
	if (shape->outside_alpha < 0)
		shape->outside_alpha =
			shape->kind == TT_SHAPE_HOSTS ? 10 * shape->alpha : shape->alpha;
	return count_ranks(shape);
}

totum_status tt_shape_parse(const char *text, struct tt_shape *out)
{
	char copy[SPEC];
	struct tt_shape shape = {0};

	if (strlen(text) >= sizeof copy)
		return tt_fail(
			TOTUM_EPARSE,
			"a topology of %zu characters; a SPEC has fewer than %d, a file its name",
			strlen(text), SPEC);
	strcpy(copy, text);
	totum_status status = read_shape(copy, &shape);
	if (status)
		return tt_fail_in(status, "topology '%.60s'", text);
	*out = shape;
	return TOTUM_OK;
}

bool tt_shape_grid(const struct tt_shape *shape)
{
	return shape->kind >= TT_SHAPE_RING && shape->kind <= TT_SHAPE_HYPERCUBE;
}

bool tt_shape_symmetric(const struct tt_shape *shape)
{
	return shape->kind == TT_SHAPE_RING || shape->kind == TT_SHAPE_TORUS ||
	       shape->kind == TT_SHAPE_HYPERCUBE || shape->kind == TT_SHAPE_FULL;
}

int64_t tt_shape_degree(const struct tt_shape *shape)
{
	int64_t degree = 0;

	if (shape->kind == TT_SHAPE_FULL)
		return shape->nranks - 1;
	for (int i = 0; i < shape->ndims; i++)
		degree += shape->dims[i] > 2 ? 2 : shape->dims[i] - 1;
	return degree;
}

int64_t tt_shape_diameter(const struct tt_shape *shape)
{
	int64_t diameter = 0;

	if (shape->kind == TT_SHAPE_FULL)
		return shape->nranks > 1;
	for (int i = 0; i < shape->ndims; i++)
		diameter += shape->dims[i] / 2;
	return diameter;
}

int64_t tt_shape_unit(const struct tt_shape *shape)
{
	return tt_shape_degree(shape) ? shape->rate : 1;
}
