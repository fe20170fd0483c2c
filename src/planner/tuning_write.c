/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning_write - facts as the text of a tuning file. */
#include "planner/tuning.h"
#include "topology/measure.h"

/* "1.71" */
static void write_factor(const char *key, int64_t hundredths, FILE *out)
{
	fprintf(out, " %s=%lld.%02lld", key, (long long)(hundredths / 100),
		(long long)(hundredths % 100));
}

static void write_rate(const char *key, int64_t rate, FILE *out)
{
	char text[TT_UNITS_TEXT];

	fprintf(out, " %s=%s", key, tt_write_capacity(rate, text));
}

static void write_link(enum tt_link_class class, const struct tt_tuning_link *link, FILE *out)
{
	const char *name = tt_link_class_name(class);
	char from[TT_UNITS_TEXT], alpha[TT_UNITS_TEXT], beta[TT_UNITS_TEXT];

	if (!link->npieces)
		return;
	fprintf(out, "link %s", name);
	write_factor("exchange", link->exchange, out);
	fprintf(out, " ports=%lld", (long long)link->ports);
	write_factor("together", link->together, out);
	fputc('\n', out);
	for (int i = 0; i < link->npieces; i++)
		fprintf(out, "piece %s from=%s alpha=%s beta=%s\n", name,
			tt_format_bytes(link->pieces[i].from, from),
			tt_write_latency(link->pieces[i].alpha, alpha),
			tt_write_capacity(link->pieces[i].beta, beta));
}

static void write_use(const struct tt_tuning_use *use, FILE *out)
{
	char low[TT_UNITS_TEXT], high[TT_UNITS_TEXT];

	if (use->note[0])
		fprintf(out, "# %s\n", use->note);
	fprintf(out, "use %s n=%lld hosts=%lld bytes=%s:%s algo=%s\n",
		tt_collective_name(use->collective), (long long)use->nranks, (long long)use->nhosts,
		tt_format_bytes(use->low, low), tt_format_bytes(use->high, high), use->algorithm);
}

void tt_tuning_write(const struct tt_tuning *tuning, FILE *out)
{
	const int64_t *rates = tuning->rates;

	fputs("totum tuning 1\n", out);
	for (int class = 0; class < TT_LINK_CLASSES; class ++)
		write_link((enum tt_link_class) class, &tuning->links[class], out);
	if (rates[TT_ADD_CACHED]) {
		fputs("add", out);
		write_rate("cached", rates[TT_ADD_CACHED], out);
		write_rate("memory", rates[TT_ADD_MEMORY], out);
		fputc('\n', out);
	}
	if (rates[TT_COPY_CACHED]) {
		fputs("copy", out);
		write_rate("cached", rates[TT_COPY_CACHED], out);
		write_rate("memory", rates[TT_COPY_MEMORY], out);
		write_rate("stream", rates[TT_COPY_STREAM], out);
		fputc('\n', out);
	}
	for (int64_t i = 0; i < tuning->nuses; i++)
		write_use(&tuning->uses[i], out);
	fputs("end\n", out);
}
