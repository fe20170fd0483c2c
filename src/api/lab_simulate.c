/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_simulate - the entry points that simulate schedules on topologies. */
#include <stdlib.h>
#include <string.h>

#include "api/lab.h"
#include "draw/simulation.h"
#include "totum_topology.h"

/* Loads of links in all rounds together. */
enum { MOST_LOADS = 1 << 27 };

static const char *const models[] = {"load", "flow", "ready"};

static totum_status check(const char *call, const totum_simulation_view *view)
{
	if (view->model < TOTUM_LOAD || view->model > TOTUM_READY)
		return tt_fail(TOTUM_EINVAL,
			       "%s: model %d is none of TOTUM_LOAD, TOTUM_FLOW, TOTUM_READY", call,
			       (int)view->model);
	if (view->format != TOTUM_TEXT && view->format != TOTUM_JSON)
		return tt_fail(TOTUM_EINVAL, "%s: format %d is none of TOTUM_TEXT, TOTUM_JSON",
			       call, (int)view->format);
	if (view->loads && view->model != TOTUM_LOAD)
		return tt_fail(TOTUM_EINVAL,
			       "%s: link loads are counted by the load model; leave loads out",
			       call);
	if (view->rounds && view->model == TOTUM_READY)
		return tt_fail(TOTUM_EINVAL,
			       "%s: without barriers there are no rounds in time; leave rounds out",
			       call);
	return TOTUM_OK;
}

static totum_status run(struct tt_simulated *simulated, const totum_simulation_view *view)
{
	struct tt_simulate_options options = {.split = simulated->split,
					      .overlap = simulated->overlap,
					      .block_bytes = (double)simulated->bytes /
							     (double)simulated->schedule->nranks};
	struct tt_recording *recording = &simulated->recording;

	if (!simulated->topology) {
		if (view->model != TOTUM_LOAD || view->rounds || view->loads || view->trace)
			return tt_fail(TOTUM_EUNSUPPORTED,
				       "%lld ranks are computed by arithmetic, in the load model "
				       "and without rounds, loads or trace; use fewer ranks",
				       (long long)simulated->schedule->nranks);
		totum_status status = tt_simulate_symmetric(simulated->schedule, simulated->shape,
							    &options, &simulated->result);
		return status == TOTUM_EUNSUPPORTED && tt_shape_grid(simulated->shape)
			       ? tt_simulate_grid(simulated->schedule, simulated->shape, &options,
						  &simulated->result)
			       : status;
	}
	recording->nlinks = simulated->topology->nlinks;
	recording->keep_messages = view->trace;
	recording->keep_loads = view->model == TOTUM_LOAD && (view->loads || view->trace);
	if (recording->keep_loads && recording->nlinks * simulated->schedule->rounds > MOST_LOADS)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"%lld loads of links are too many to keep; leave loads and trace out",
			(long long)(recording->nlinks * simulated->schedule->rounds));
	if (view->rounds || view->loads || view->trace || view->format == TOTUM_JSON)
		tt_record(recording, &options);
	totum_status status = view->model == TOTUM_LOAD
				      ? tt_simulate_load(simulated->schedule, simulated->topology,
							 &options, &simulated->result)
			      : view->model == TOTUM_FLOW
				      ? tt_simulate_flow(simulated->schedule, simulated->topology,
							 &options, &simulated->result)
				      : tt_simulate_ready(simulated->schedule, simulated->topology,
							  &options, &simulated->result);
	return status ? status : tt_record_finish(recording);
}

/* Barriers make every alpha wait; without them, and where alphas overlap, one hides no byte. */
static double bound_of(const struct tt_simulated *simulated, const totum_simulation_view *view)
{
	const struct tt_limits *limits = &simulated->limits;
	double hidden = limits->alpha + limits->bytes;

	if (view->overlap)
		return hidden;
	if (view->model == TOTUM_LOAD)
		return limits->latency + limits->bytes;
	return limits->latency > hidden ? limits->latency : hidden;
}

static totum_status write(const struct tt_simulated *simulated, const totum_simulation_view *view,
			  totum_simulation *result, FILE *out)
{
	totum_status status = TOTUM_OK;

	if (result)
		*result = (totum_simulation){.rounds = simulated->result.rounds,
					     .messages = simulated->result.messages,
					     .seconds = simulated->result.seconds,
					     .bound = simulated->bound,
					     .volume_over = simulated->result.volume.over,
					     .volume_under = simulated->result.volume.under,
					     .unit = simulated->result.unit};
	if (out && view->format == TOTUM_JSON)
		tt_draw_simulation_json(simulated, out);
	else if (out)
		status = tt_draw_simulation(simulated, out);
	if (!status && view->trace)
		status = tt_draw_trace(simulated, view->trace);
	return status;
}

static totum_status simulate(struct tt_simulated *simulated, const totum_simulation_view *view,
			     totum_simulation *result, FILE *out)
{
	simulated->model = models[view->model];
	simulated->command = view->command;
	simulated->split = view->split;
	simulated->overlap = view->overlap;
	simulated->list_rounds = view->rounds;
	simulated->list_loads = view->loads;
	totum_status status = run(simulated, view);
	if (!status)
		status = tt_limits_make(simulated->topology, simulated->shape,
					simulated->schedule->collective, simulated->schedule->root,
					(double)simulated->bytes /
						(double)simulated->schedule->nranks,
					&simulated->limits);
	if (!status) {
		simulated->bound = bound_of(simulated, view);
		status = write(simulated, view, result, out);
	}
	tt_limits_free(&simulated->limits);
	tt_record_free(&simulated->recording);
	return status;
}

/* Opens the topology by a problem of as many ranks as it has: SPECs mean the same everywhere. */
totum_status totum_schedule_simulate(const totum_schedule *schedule, uint64_t bytes,
				     const totum_simulation_view *view, totum_simulation *result,
				     FILE *out)
{
	struct tt_lab lab;
	char problem[64];

	if (!schedule || !view || !view->topology)
		return tt_fail(TOTUM_EINVAL, "totum_schedule_simulate: schedule, view and "
					     "view->topology must not be NULL");
	totum_status status = check("totum_schedule_simulate", view);
	if (status)
		return status;
	snprintf(problem, sizeof problem, "allgather:n=%lld",
		 (long long)schedule->schedule->nranks);
	status = tt_lab_open(problem, NULL, view->topology, &lab);
	if (!status)
		status = simulate(&(struct tt_simulated){.schedule = schedule->schedule,
							 .topology = lab.topology,
							 .shape = &lab.shape,
							 .bytes = bytes},
				  view, result, out);
	tt_lab_close(&lab);
	return status;
}

totum_status totum_simulate(const char *problem, const totum_simulation_view *view,
			    totum_simulation *result, FILE *out)
{
	char text[TT_PROBLEM_TEXT];
	totum_schedule *schedule = NULL;
	struct tt_lab lab;

	if (!problem || !view)
		return tt_fail(TOTUM_EINVAL, "totum_simulate: problem and view must not be NULL");
	totum_status status = check("totum_simulate", view);
	if (status)
		return status;
	int length = view->topology
			     ? snprintf(text, sizeof text, "%s:topo=%s", problem, view->topology)
			     : snprintf(text, sizeof text, "%s", problem);
	if (length >= (int)sizeof text)
		return tt_fail(TOTUM_EPARSE,
			       "the problem with its topology has more than %d characters",
			       TT_PROBLEM_TEXT - 1);
	status = tt_lab_open(text, NULL, NULL, &lab);
	if (!status && !lab.topology && !lab.question.shape)
		status = tt_fail(TOTUM_EINVAL,
				 "'%.80s' names no topology; add one like topo=ring:8", problem);
	if (!status)
		status = totum_schedule_build(text, &schedule);
	if (!status)
		status = simulate(&(struct tt_simulated){.schedule = schedule->schedule,
							 .topology = lab.topology,
							 .shape = &lab.shape,
							 .bytes = lab.problem.bytes},
				  view, result, out);
	totum_schedule_free(schedule);
	tt_lab_close(&lab);
	return status;
}
