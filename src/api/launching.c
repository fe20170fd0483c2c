/* SPDX-License-Identifier: BSD-3-Clause */
/* launching - communicators of programs that have a launcher, a store or a channel of their own. */
#include <string.h>

#include "api/join.h"
#include "base/log.h"
#include "launch/exchange.h"

static totum_status check(const char *function, int rank, int nranks, const void *comm)
{
	if (!comm)
		return tt_fail(TOTUM_EINVAL,
			       "%s: comm is NULL; give the address of a totum_comm "
			       "pointer",
			       function);
	if (nranks < 1 || nranks > TT_RANKS || rank < 0 || rank >= nranks)
		return tt_fail(TOTUM_EINVAL,
			       "%s: rank %d of %d ranks; nranks is 1 to %d and rank "
			       "from 0 to nranks-1",
			       function, rank, nranks, TT_RANKS);
	return TOTUM_OK;
}

static totum_status read_settings(struct tt_settings *settings)
{
	totum_status status = tt_settings_read(settings);

	if (!status && settings->debug)
		tt_log_enable();
	return status;
}

/* With the exchange, if there is one, that nobody has taken when the job fails before. */
static totum_status join(struct tt_identity *identity, const struct tt_settings *settings,
			 totum_comm **comm)
{
	totum_status status = tt_join_world(identity, settings, comm);

	if (identity->exchange)
		identity->exchange->close(identity->exchange);
	return status;
}

totum_status totum_unique_id_create(totum_unique_id *id)
{
	struct tt_settings settings;

	if (!id)
		return tt_fail(TOTUM_EINVAL, "totum_unique_id_create: id is NULL; give the address "
					     "of a totum_unique_id");
	totum_status status = read_settings(&settings);
	return status ? status : tt_exchange_make_id(&settings, id);
}

totum_status totum_comm_init_rank(totum_comm **comm, int nranks, const totum_unique_id *id,
				  int rank)
{
	struct tt_identity identity = {.family = "a unique id", .rank = rank, .nranks = nranks};
	struct tt_settings settings;
	totum_status status = check("totum_comm_init_rank", rank, nranks, comm);

	if (!status && !id)
		status = tt_fail(TOTUM_EINVAL, "totum_comm_init_rank: id is NULL; give one that "
					       "totum_unique_id_create has made for all ranks");
	if (!status)
		status = read_settings(&settings);
	if (!status)
		status = tt_exchange_id(&identity, &settings, id, &identity.exchange);
	return status ? status : join(&identity, &settings, comm);
}

totum_status totum_comm_create_store(int rank, int nranks, const struct totum_store *store,
				     totum_comm **comm)
{
	struct tt_identity identity = {.family = "a store", .rank = rank, .nranks = nranks};
	struct tt_settings settings;
	totum_status status = check("totum_comm_create_store", rank, nranks, comm);

	if (!status && (!store || !store->set || !store->get || !store->wait))
		status = tt_fail(TOTUM_EINVAL, "totum_comm_create_store: the store or one of its "
					       "functions is NULL; give set, get and wait");
	if (!status)
		status = read_settings(&settings);
	if (!status)
		status = tt_exchange_store(&identity, &settings, store, &identity.exchange);
	return status ? status : join(&identity, &settings, comm);
}
