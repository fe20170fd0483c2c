/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange - the way in which the ranks of a job on several hosts meet, by its root. */
#include <string.h>

#include "launch/exchange_parts.h"
#include "launch/place.h"
#ifdef TOTUM_TCP
#include "launch/tcp_gate.h"
#endif

bool tt_exchange_reaches_out(const struct tt_identity *identity)
{
	return identity->exchange || (identity->nranks > 1 && strncmp(identity->root, "local:", 6));
}

/* By the beginning of a root; the launchers' own ways are not for users to write. */
static const struct {
	const char *scheme;
	totum_status (*open)(struct tt_identity *, const struct tt_settings *,
			     struct tt_exchange **);
} ways[] = {
	{"pmi://", tt_exchange_pmi}, {"pmix://", tt_exchange_pmix}, {"file:", tt_exchange_file}};

static totum_status open_root(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strncmp(identity->root, ways[i].scheme, strlen(ways[i].scheme)))
			return ways[i].open(identity, settings, out);
	return tt_exchange_tcp(identity, settings, out);
}

totum_status tt_exchange_check_root(const char *root)
{
	struct tt_place place;
	bool names = !strncmp(root, "local:", 6) || !strncmp(root, "file:", 5);

	if (names && root[strcspn(root, ":") + 1])
		return TOTUM_OK;
	if (!names && tt_place_looks_like(root))
		return tt_place_parse(root, &place);
	return tt_fail(TOTUM_EINVAL,
		       "the root \"%.100s\" is not of a form that totum knows; write local:NAME on "
		       "one host, else tcp://HOST:PORT, or file:PATH of a folder that all share",
		       root);
}

totum_status tt_exchange_open(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	if (!identity->exchange)
		return open_root(identity, settings, out);
	*out = identity->exchange;
	identity->exchange = NULL;
	return TOTUM_OK;
}

#ifdef TOTUM_TCP

totum_status tt_exchange_make_id(const struct tt_settings *settings, totum_unique_id *id)
{
	struct tt_doors doors;
	totum_status status = tt_unique_id_make(settings, id->text, &doors);

	if (status)
		return status;
	status = tt_unique_id_keep(id->text, &doors);
	if (status)
		tt_doors_close(&doors);
	return status;
}

totum_status tt_exchange_id(struct tt_identity *identity, const struct tt_settings *settings,
			    const totum_unique_id *id, struct tt_exchange **out)
{
	struct tt_doors doors;
	totum_status status = tt_unique_id_read(id->text, identity->root, identity->secret);

	if (status)
		return status;
	bool keeps = tt_unique_id_take(id->text, &doors);
	status = tt_exchange_of_id(identity, settings, keeps ? &doors : NULL, out);
	if (keeps)
		tt_doors_close(&doors);
	return status;
}

#else

static totum_status no_openssl(void)
{
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "this totum was built without OpenSSL, by which ranks on "
		       "several hosts prove that they belong together; build it with libssl-dev");
}

totum_status tt_exchange_make_id(const struct tt_settings *settings, totum_unique_id *id)
{
	(void)settings;
	(void)id;
	return no_openssl();
}

totum_status tt_exchange_id(struct tt_identity *identity, const struct tt_settings *settings,
			    const totum_unique_id *id, struct tt_exchange **out)
{
	(void)identity;
	(void)settings;
	(void)id;
	(void)out;
	return no_openssl();
}

totum_status tt_exchange_tcp(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out)
{
	(void)identity;
	(void)settings;
	(void)out;
	return no_openssl();
}

totum_status tt_exchange_told(struct tt_identity *identity, const struct tt_settings *settings,
			      const struct tt_news *news, struct tt_exchange **out)
{
	(void)identity;
	(void)settings;
	(void)news;
	(void)out;
	return no_openssl();
}

totum_status tt_exchange_of_id(struct tt_identity *identity, const struct tt_settings *settings,
			       const struct tt_doors *doors, struct tt_exchange **out)
{
	(void)identity;
	(void)settings;
	(void)doors;
	(void)out;
	return no_openssl();
}

#endif
