/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_json - the keys of nccl-tests' JSON (times in us, bandwidths in GB/s), and ours beside
 * them.
 */
#include "bench_report.h"
#include "bench_counters.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *us_or_null(double seconds)
{
	return seconds > 0 ? json_real(seconds * 1e6) : json_null();
}

static json_t *devices(const struct bench_facts *facts)
{
	json_t *list = json_array();

	for (int rank = 0; rank < facts->nranks; rank++)
		json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:s}", "rank", rank, "pid",
						      (int)facts->seats[rank].pid, "hostname",
						      facts->seats[rank].host, "device_info",
						      facts->machine.cpu));
	return list;
}

static json_t *config(const struct bench_options *options)
{
	const struct bench_plan *plan = &options->plan;
	json_t *object = json_object();

	json_object_set_new(object, "minimum_bytes", json_integer((json_int_t)options->first));
	json_object_set_new(object, "maximum_bytes", json_integer((json_int_t)options->last));
	json_object_set_new(object, "step_bytes",
			    options->step ? json_integer((json_int_t)options->step) : json_null());
	json_object_set_new(object, "step_factor",
			    options->step ? json_null() : json_integer(options->factor));
	json_object_set_new(object, "warmup_iterations", json_integer(plan->warmup));
	json_object_set_new(object, "iterations",
			    plan->iterations ? json_integer(plan->iterations) : json_null());
	json_object_set_new(object, "aggregated_iterations",
			    plan->batch ? json_integer(plan->batch) : json_null());
	json_object_set_new(object, "validation_checks", json_integer(options->checks));
	json_object_set_new(object, "fresh", json_boolean(plan->fresh));
	json_object_set_new(object, "shared_buffers", json_boolean(options->shared_buffers));
	json_object_set_new(object, "algorithm", text_or_null(options->algorithm));
	return object;
}

json_t *bench_json_begin(const struct bench_facts *facts)
{
	const struct bench_machine *machine = &facts->machine;
	const struct bench_options *options = facts->options;
	json_t *json = json_object();

	json_object_set_new(json, "version", json_string(totum_version()));
	json_object_set_new(json, "commit", json_string(bench_commit));
	json_object_set_new(json, "command", json_string(options->command));
	json_object_set_new(json, "collective", json_string(options->formula->name));
	json_object_set_new(json, "nranks", json_integer(facts->nranks));
	json_object_set_new(json, "machine",
			    json_pack("{s:s, s:s, s:i, s:s, s:f}", "host", machine->host, "cpu",
				      machine->cpu, "cores", machine->cores, "kernel",
				      machine->kernel, "load", machine->load));
	json_object_set_new(json, "config", config(options));
	json_object_set_new(json, "devices", devices(facts));
	json_object_set_new(json, "results", json_array());
	return json;
}

static json_t *place_of(const struct bench_facts *facts, const struct bench_row *row, int place)
{
	const struct bench_options *options = facts->options;
	double time = row->timing[place].median;

	return json_pack("{s:f, s:f, s:f, s:o, s:f, s:o}", "time", time * 1e6, "alg_bw",
			 bench_algbw(row->total, time) * 1e-9, "bus_bw",
			 bench_busbw(options->formula, row->total, time, facts->nranks) * 1e-9,
			 "nwrong",
			 bench_is_checked(options) ? json_integer((json_int_t)row->wrong[place])
						   : json_null(),
			 "p99", row->timing[place].p99 * 1e6, "time_over_limit",
			 row->limit > 0 ? json_real(time / row->limit) : json_null());
}

static json_t *per_iteration(const struct bench_timing *timing)
{
	double variation = timing->mean > 0 ? timing->deviation / timing->mean * 100 : 0;

	return json_pack(
		"{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "min_us", timing->least * 1e6,
		"max_us", timing->most * 1e6, "avg_us", timing->mean * 1e6, "p50_us",
		timing->median * 1e6, "p95_us", timing->p95 * 1e6, "p99_us", timing->p99 * 1e6,
		"stdev_us", timing->deviation * 1e6, "cv_pct", variation, "iterations",
		(json_int_t)timing->samples, "calls_per_iteration", (json_int_t)timing->batch);
}

void bench_json_row(const struct bench_facts *facts, const struct bench_row *row, json_t *json)
{
	static const char *const places[] = {"out_of_place", "in_place"};
	static const char *const details[] = {"out_of_place_per_iter", "in_place_per_iter"};
	const struct bench_options *options = facts->options;
	json_t *object =
		json_pack("{s:I, s:I, s:I, s:s, s:s, s:i, s:s}", "size", (json_int_t)row->total,
			  "size_rank", (json_int_t)row->share, "count", (json_int_t)row->count,
			  "type", totum_dtype_name(options->dtype), "redop", bench_op_text(options),
			  "root", bench_root_shown(options), "algorithm", row->algorithm);

	json_object_set_new(object, "limit", us_or_null(row->limit));
	json_object_set_new(object, "limit_copy",
			    text_or_null(row->limit <= 0      ? NULL
					 : row->limit_streams ? "past the caches"
							      : "through the caches"));
	json_object_set_new(object, "predicted", us_or_null(row->predicted));
	json_object_set_new(object, "bound", us_or_null(row->bound));
	for (int place = 0; place < BENCH_PLACES; place++) {
		if (!row->timing[place].samples)
			continue;
		json_object_set_new(object, places[place], place_of(facts, row, place));
		json_object_set_new(object, details[place], per_iteration(&row->timing[place]));
	}
	json_array_append_new(json_object_get(json, "results"), object);
}

void bench_json_end(const struct bench_report *report, json_t *json)
{
	json_object_set_new(json, "out_of_bounds",
			    json_pack("{s:I, s:b}", "count", (json_int_t)report->wrong, "okay",
				      !report->wrong));
	json_object_set_new(json, "average_bus_bandwidth",
			    json_pack("{s:f, s:s}", "bandwidth", bench_average(report) * 1e-9,
				      "okay", "unchecked"));
	if (report->counters)
		json_object_set_new(json, "counters",
				    bench_counters_json(report->counters, report->facts.nranks));
}
