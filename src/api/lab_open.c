/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lab_open - from a problem string, a machine's settings and a topology to a question for the
 * planner.
 *
 * Alpha and beta are those of ranks with links of their own; of a topology that is named by a SPEC
 * they become its links' ones, and a file keeps its own.
 */
#include "api/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/tuning_costs.h"

/* Larger graphs are not made where arithmetic does. */
enum { MOST_GRAPH = 4096 };

/* What the user said about the machine; alpha < 0, beta 0, gamma < 0, links 0: nothing. */
static totum_status read_machine(const struct tt_problem *problem, const char *settings,
				 struct tt_machine *said)
{
	*said = (struct tt_machine){.alpha = problem->alpha,
				    .beta = problem->beta,
				    .gamma = -1,
				    .links = problem->links};
	return settings ? tt_machine_parse(settings, said) : TOTUM_OK;
}

static totum_status refuse(const char *topology, const char *what)
{
	return tt_fail(TOTUM_EINVAL, "%s: the topology %.80s has its own; leave it out", what,
		       topology);
}

static totum_status change_shape(struct tt_shape *shape, const char *text,
				 const struct tt_machine *said)
{
	if (said->alpha >= 0)
		shape->alpha = shape->outside_alpha = llround(said->alpha * (double)TT_PICOSECONDS);
	if (!(said->beta > 0))
		return TOTUM_OK;
	if (shape->outside > 0)
		return refuse(text, "beta");
	if (said->beta > (double)TT_TOPOLOGY_CAPACITY || said->beta < 1)
		return tt_fail(TOTUM_EINVAL, "beta: the capacity of a link is 1B/s to 1000TB/s");
	shape->rate = llround(said->beta);
	return TOTUM_OK;
}

static totum_status open_spec(const char *text, const struct tt_machine *said, struct tt_lab *lab)
{
	totum_status status = change_shape(&lab->shape, text, said);

	if (status)
		return status;
	lab->question.shape = &lab->shape;
	lab->question.nranks = lab->shape.nranks;
	if (lab->shape.nranks > MOST_GRAPH && tt_shape_symmetric(&lab->shape))
		return TOTUM_OK;
	return tt_topology_generate(&lab->shape, &lab->topology);
}

static totum_status open_file(const char *name, const struct tt_machine *said, struct tt_lab *lab)
{
	totum_status status = tt_topology_open(name, &lab->topology);

	if (status)
		return status;
	lab->question.nranks = lab->topology->nranks;
	if (said->alpha >= 0 || said->beta > 0)
		return refuse(name, said->alpha >= 0 ? "alpha" : "beta");
	return TOTUM_OK;
}

/* Which ranks share a host, where some do and some do not. */
static totum_status place_ranks(struct tt_lab *lab)
{
	const struct tt_topology *topology = lab->topology;

	if (!topology || topology->nhosts < 2 || topology->nhosts >= topology->nranks)
		return TOTUM_OK;
	int32_t *host_of = malloc((size_t)topology->nranks * sizeof *host_of);

	if (!host_of)
		return tt_fail_memory((size_t)topology->nranks * sizeof *host_of, "a placement");
	for (int64_t rank = 0; rank < topology->nranks; rank++)
		host_of[rank] = topology->vertices[topology->rank_vertex[rank]].host;
	totum_status status = tt_placement_make(topology->nranks, host_of, &lab->placement);

	free(host_of);
	if (!status)
		lab->question.placement = &lab->placement;
	return status;
}

static totum_status open_topology(const char *text, const struct tt_machine *said,
				  struct tt_lab *lab)
{
	totum_status status = tt_shape_parse(text, &lab->shape) ? open_file(text, said, lab)
								: open_spec(text, said, lab);

	if (!status && said->links)
		return refuse(text, "links");
	if (!status && said->overhead > 0)
		return refuse(text, "overhead");
	lab->question.topology = lab->topology;
	return status ? status : place_ranks(lab);
}

static totum_status check_ranks(const struct tt_lab *lab, const char *topology)
{
	if (!lab->problem.nranks || lab->problem.nranks == lab->question.nranks)
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL,
		       "the problem has %lld ranks and the topology %.80s %lld; leave out n or "
		       "give the same",
		       (long long)lab->problem.nranks, topology, (long long)lab->question.nranks);
}

static totum_status read_problem(const char *problem, const char *topology, struct tt_problem *out)
{
	char text[TT_PROBLEM_TEXT];

	if (!topology)
		return tt_problem_parse(problem, out);
	if (snprintf(text, sizeof text, "%s:topo=%s", problem, topology) >= (int)sizeof text)
		return tt_fail(TOTUM_EPARSE,
			       "the problem with its topology is too long: at most %d characters",
			       TT_PROBLEM_TEXT - 1);
	return tt_problem_parse(text, out);
}

/* What is not said is base's. */
static totum_status open(const char *problem, const char *machine, const char *topology,
			 const struct tt_machine *base, struct tt_lab *lab)
{
	struct tt_machine said;
	totum_status status = read_problem(problem, topology, &lab->problem);

	if (!status)
		status = read_machine(&lab->problem, machine, &said);
	if (status)
		return status;
	lab->question = (struct tt_question){.collective = lab->problem.collective,
					     .nranks = lab->problem.nranks,
					     .bytes = lab->problem.bytes,
					     .root = lab->problem.root,
					     .algorithm = lab->problem.algorithm,
					     .machine = *base};
	if (said.gamma >= 0)
		lab->question.machine.gamma = said.gamma;
	if (*lab->problem.topology) {
		status = open_topology(lab->problem.topology, &said, lab);
		if (!status)
			status = check_ranks(lab, lab->problem.topology);
		if (status)
			tt_lab_close(lab);
		return status;
	}
	lab->question.machine.overhead = said.overhead;
	if (said.alpha >= 0)
		lab->question.machine.alpha = said.alpha;
	if (said.beta > 0)
		lab->question.machine.beta = said.beta;
	if (said.links)
		lab->question.machine.links = said.links;
	return TOTUM_OK;
}

totum_status tt_lab_open(const char *problem, const char *machine, const char *topology,
			 struct tt_lab *lab)
{
	*lab = (struct tt_lab){0};
	return open(problem, machine, topology, &tt_machine_default, lab);
}

static totum_status choose_class(const totum_view *view, const struct tt_tuning *tuning,
				 enum tt_link_class *out)
{
	*out = view->links && !strcmp(view->links, "inside")    ? TT_INSIDE
	       : view->links && !strcmp(view->links, "between") ? TT_BETWEEN
								: tt_tuning_class(tuning);
	if (view->links && strcmp(view->links, tt_link_class_name(*out)))
		return tt_fail(TOTUM_EINVAL,
			       "'%.40s' is no class of links; there are inside and between",
			       view->links);
	if (!tuning->links[*out].npieces)
		return tt_fail(TOTUM_EINVAL,
			       "%s says nothing of links %s; measure them with totum tune, or "
			       "choose the others",
			       view->tuning, *out == TT_INSIDE ? "inside a host" : "between hosts");
	return TOTUM_OK;
}

totum_status tt_lab_open_view(const char *problem, const totum_view *view, struct tt_lab *lab)
{
	struct tt_machine machine;
	struct tt_tuning *tuning;
	enum tt_link_class class = TT_INSIDE;

	if (!view->tuning && view->links)
		return tt_fail(TOTUM_EINVAL, "links %.40s: of which tuning file?", view->links);
	if (!view->tuning)
		return tt_lab_open(problem, view->machine, view->topology, lab);
	*lab = (struct tt_lab){0};
	totum_status status = tt_tuning_open(view->tuning, &tuning);

	if (status)
		return status;
	status = choose_class(view, tuning, &class);
	if (!status) {
		tt_tuning_machine(tuning, class, &machine);
		status = open(problem, view->machine, view->topology, &machine, lab);
	}
	tt_tuning_free(tuning);
	snprintf(lab->measured, sizeof lab->measured, "links %s by %s",
		 class == TT_INSIDE ? "inside a host" : "between hosts", view->tuning);
	lab->question.measured = lab->measured;
	return status;
}

void tt_lab_close(struct tt_lab *lab)
{
	tt_topology_free(lab->topology);
	lab->topology = NULL;
	tt_placement_free(&lab->placement);
}
