/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_listen - a UCX context and worker for one endpoint, and the blob that tells others of it.
 *
 * Each endpoint has a context of its own: destroying that takes back all memory that UCX has given
 * peers access to, so that nobody reads or writes buffers that have been given back.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "transport/ucx_parts.h"

/* UCX has had all that is used since this version. */
enum { API_MAJOR = 1, API_MINOR = 12 };

static totum_status refused(const struct tt_ucx_calls *calls, const char *what, ucs_status_t status)
{
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "UCX %s cannot %s: %s; look at UCX_TLS and UCX_NET_DEVICES",
		       calls->version(), what, calls->status_string(status));
}

/* What the user has set for UCX stays as it is; else a peer that died is to be noticed soon. */
static totum_status make_context(struct tt_ucx_listener *listener)
{
	const struct tt_ucx_calls *calls = listener->calls;
	ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
			       .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
	ucp_config_t *config;
	ucs_status_t status = calls->config_read(NULL, NULL, &config);

	if (status != UCS_OK)
		return refused(calls, "read its settings", status);
	if (!getenv("UCX_KEEPALIVE_INTERVAL"))
		calls->config_modify(config, "KEEPALIVE_INTERVAL", "500ms");
	status = calls->init(API_MAJOR, API_MINOR, &params, config, &listener->context);
	calls->config_release(config);
	if (status == UCS_OK)
		return TOTUM_OK;
	listener->context = NULL;
	return refused(calls, "start", status);
}

static totum_status make_worker(struct tt_ucx_listener *listener)
{
	const struct tt_ucx_calls *calls = listener->calls;
	ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
				      .thread_mode = UCS_THREAD_MODE_SERIALIZED};
	ucs_status_t status = calls->worker_create(listener->context, &params, &listener->worker);

	if (status != UCS_OK) {
		listener->worker = NULL;
		return refused(calls, "make a worker", status);
	}
	status = calls->worker_get_efd(listener->worker, &listener->events);
	return status == UCS_OK ? TOTUM_OK : refused(calls, "say when something comes", status);
}

static totum_status write_blob(struct tt_ucx_listener *listener,
			       unsigned char blob[static TT_UCX_BLOB], size_t *bytes)
{
	const struct tt_ucx_calls *calls = listener->calls;
	struct tt_ucx_card card = {.bytes = 0};
	ucp_address_t *address;
	ucs_status_t status = calls->worker_get_address(listener->worker, &address, &card.bytes);

	if (status != UCS_OK)
		return refused(calls, "tell the address of a worker", status);
	memcpy(card.id, listener->id, TT_TCP_ID);
	tt_hostname(card.host);
	card.address = (const unsigned char *)address;
	bool fits = card.bytes <= TT_UCX_ADDRESS;
	if (fits)
		*bytes = tt_ucx_card_write(&card, blob);
	calls->worker_release_address(listener->worker, address);
	return fits ? TOTUM_OK
		    : tt_fail(TOTUM_EUNSUPPORTED,
			      "the address of a rank in UCX has %zu bytes, and %d at most are "
			      "possible; choose among its devices with UCX_NET_DEVICES",
			      card.bytes, TT_UCX_ADDRESS);
}

totum_status tt_ucx_listen(struct tt_ucx_listener **out, unsigned char blob[static TT_UCX_BLOB],
			   size_t *bytes)
{
	const struct tt_ucx_calls *calls;
	totum_status status = tt_ucx_load(&calls);

	if (status)
		return status;
	struct tt_ucx_listener *listener = calloc(1, sizeof *listener);
	if (!listener)
		return tt_fail_memory(sizeof *listener, "a listener");
	listener->calls = calls;
	if (getrandom(listener->id, TT_TCP_ID, 0) != TT_TCP_ID)
		status = tt_fail(TOTUM_ESYSTEM, "the system gives no random bytes: %s",
				 strerror(errno));
	if (!status)
		status = make_context(listener);
	if (!status)
		status = make_worker(listener);
	if (!status)
		status = write_blob(listener, blob, bytes);
	if (status)
		tt_ucx_unlisten(listener);
	else
		*out = listener;
	return status;
}

void tt_ucx_unlisten(struct tt_ucx_listener *listener)
{
	if (!listener)
		return;
	if (listener->worker)
		listener->calls->worker_destroy(listener->worker);
	if (listener->context)
		listener->calls->cleanup(listener->context);
	free(listener);
}

bool tt_ucx_has_device(void)
{
	DIR *folder = opendir("/sys/class/infiniband");
	bool found = false;

	if (!folder)
		return false;
	for (const struct dirent *entry = readdir(folder); entry && !found; entry = readdir(folder))
		found = entry->d_name[0] != '.';
	closedir(folder);
	return found;
}
