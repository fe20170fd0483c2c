/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_library.h - the functions of UCX that are called, found at run time.
 *
 * UCX promises that a program for an older 1.x runs with a newer one: its structures grow at their
 * ends, and say by a mask which fields count.
 */
#ifndef TT_UCX_LIBRARY_H
#define TT_UCX_LIBRARY_H

#include <ucp/api/ucp.h>

#include "base/status.h"

struct tt_ucx_calls {
	ucs_status_t (*init)(unsigned major, unsigned minor, const ucp_params_t *,
			     const ucp_config_t *, ucp_context_h *);
	void (*cleanup)(ucp_context_h);
	ucs_status_t (*config_read)(const char *prefix, const char *file, ucp_config_t **);
	ucs_status_t (*config_modify)(ucp_config_t *, const char *name, const char *value);
	void (*config_release)(ucp_config_t *);
	ucs_status_t (*worker_create)(ucp_context_h, const ucp_worker_params_t *, ucp_worker_h *);
	void (*worker_destroy)(ucp_worker_h);
	ucs_status_t (*worker_get_address)(ucp_worker_h, ucp_address_t **, size_t *);
	void (*worker_release_address)(ucp_worker_h, ucp_address_t *);
	ucs_status_t (*worker_get_efd)(ucp_worker_h, int *);
	ucs_status_t (*worker_arm)(ucp_worker_h);
	unsigned (*worker_progress)(ucp_worker_h);
	ucs_status_t (*worker_set_am_recv_handler)(ucp_worker_h, const ucp_am_handler_param_t *);
	ucs_status_t (*ep_create)(ucp_worker_h, const ucp_ep_params_t *, ucp_ep_h *);
	ucs_status_ptr_t (*ep_close)(ucp_ep_h, const ucp_request_param_t *);
	ucs_status_ptr_t (*am_send)(ucp_ep_h, unsigned id, const void *header, size_t header_bytes,
				    const void *data, size_t count, const ucp_request_param_t *);
	ucs_status_ptr_t (*am_recv_data)(ucp_worker_h, void *data, void *buffer, size_t count,
					 const ucp_request_param_t *);
	ucs_status_t (*request_check_status)(void *);
	void (*request_free)(void *);
	const char *(*version)(void);
	const char *(*status_string)(ucs_status_t);
};

/*
 * Loads UCX once for the process, and leaves it loaded.  Its handlers of signals are not kept, and
 * what it would print goes to the log, unless UCX_LOG_LEVEL is set or the program uses UCX itself.
 * TOTUM_EUNSUPPORTED when there is none, or one that is too old.
 */
totum_status tt_ucx_load(const struct tt_ucx_calls **out);

#endif
