/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_question - from a problem string and a machine's settings to a question for the planner. */
#include "api/lab.h"
#include "topology/topology.h"

/* A problem may leave the number of ranks to its topology. */
static totum_status count_ranks(const struct tt_problem *problem, int64_t *nranks)
{
	struct tt_topology *topology;

	if (problem->nranks) {
		*nranks = problem->nranks;
		return TOTUM_OK;
	}
	totum_status status = tt_topology_open(problem->topology, &topology);

	if (status)
		return status;
	*nranks = topology->nranks;
	tt_topology_free(topology);
	return TOTUM_OK;
}

totum_status tt_lab_question(const char *text, const char *machine, struct tt_problem *problem,
			     struct tt_question *question)
{
	totum_status status = tt_problem_parse(text, problem);

	if (status)
		return status;
	*question = (struct tt_question){ .collective = problem->collective,
					  .bytes = problem->bytes,
					  .root = problem->root,
					  .machine = tt_machine_default };
	if (problem->alpha >= 0)
		question->machine.alpha = problem->alpha;
	if (problem->beta > 0)
		question->machine.beta = problem->beta;
	if (problem->links)
		question->machine.links = problem->links;
	status = machine ? tt_machine_parse(machine, &question->machine) : TOTUM_OK;
	return status ? status : count_ranks(problem, &question->nranks);
}
