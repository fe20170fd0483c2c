/* SPDX-License-Identifier: BSD-3-Clause */
/* choice_json - the table of candidates as JSON. */
#include "draw/choice.h"
#include "draw/json.h"

static void write_candidate(const struct tt_candidates *candidates, int64_t i, struct tt_json *json)
{
	const struct tt_candidate *candidate = &candidates->list[i];

	tt_json_object(json, NULL);
	tt_json_string(json, "algorithm", candidate->name);
	if (*candidate->excluded) {
		tt_json_string(json, "excluded", candidate->excluded);
		tt_json_end(json, '}');
		return;
	}
	tt_json_bool(json, "chosen", i == candidates->chosen);
	tt_json_int(json, "rounds", candidate->price.rounds);
	tt_json_fraction(json, "volume", candidate->price.volume);
	tt_json_fraction(json, "added", candidate->price.added);
	tt_json_int(json, "ports", candidate->price.ports);
	tt_json_int(json, "queued", candidate->price.queued);
	tt_json_real(json, "seconds", candidate->seconds);
	tt_json_real(json, "bound", candidate->bound);
	tt_json_real(json, "own_links_seconds", candidate->own_seconds);
	tt_json_end(json, '}');
}

static void write_machine(const struct tt_machine *machine, struct tt_json *json)
{
	tt_json_object(json, "machine");
	tt_json_real(json, "alpha", machine->alpha);
	tt_json_real(json, "beta", machine->beta);
	tt_json_real(json, "gamma", machine->gamma);
	tt_json_real(json, "overhead", machine->overhead);
	tt_json_int(json, "links", machine->links);
	tt_json_end(json, '}');
}

void tt_draw_choice_json(const struct tt_candidates *candidates, const char *command, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	struct tt_json json = {.out = out};

	tt_json_object(&json, NULL);
	if (command)
		tt_json_string(&json, "command", command);
	tt_json_string(&json, "collective", tt_collective_name(question->collective));
	tt_json_int(&json, "nranks", question->nranks);
	tt_json_int(&json, "bytes", (int64_t)question->bytes);
	if (tt_rooted(question->collective))
		tt_json_int(&json, "root", question->root);
	write_machine(&question->machine, &json);
	if (question->measured)
		tt_json_string(&json, "measured", question->measured);
	tt_json_object(&json, "least");
	tt_json_int(&json, "rounds", candidates->least.rounds);
	tt_json_fraction(&json, "volume", candidates->least.volume);
	tt_json_fraction(&json, "added", candidates->least.added);
	tt_json_real(&json, "seconds", candidates->bound);
	tt_json_end(&json, '}');
	tt_json_array(&json, "candidates");
	for (int64_t i = 0; i < candidates->count; i++)
		write_candidate(candidates, i, &json);
	tt_json_end(&json, ']');
	tt_json_end(&json, '}');
}
