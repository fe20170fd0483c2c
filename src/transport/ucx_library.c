/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_library - loads UCX, and keeps it from printing and from taking the program's signals.
 *
 * A library is loaded for the whole process, which is why the table is one for the process too.
 */
#include "transport/ucx_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/log_def.h>

#include "base/log.h"

enum { SIGNALS = 32 };

static const char soname[] = "libucp.so.0";

static const struct {
	const char *name;
	size_t offset;
} names[] = {
	{"ucp_init_version", offsetof(struct tt_ucx_calls, init)},
	{"ucp_cleanup", offsetof(struct tt_ucx_calls, cleanup)},
	{"ucp_config_read", offsetof(struct tt_ucx_calls, config_read)},
	{"ucp_config_modify", offsetof(struct tt_ucx_calls, config_modify)},
	{"ucp_config_release", offsetof(struct tt_ucx_calls, config_release)},
	{"ucp_worker_create", offsetof(struct tt_ucx_calls, worker_create)},
	{"ucp_worker_destroy", offsetof(struct tt_ucx_calls, worker_destroy)},
	{"ucp_worker_get_address", offsetof(struct tt_ucx_calls, worker_get_address)},
	{"ucp_worker_release_address", offsetof(struct tt_ucx_calls, worker_release_address)},
	{"ucp_worker_get_efd", offsetof(struct tt_ucx_calls, worker_get_efd)},
	{"ucp_worker_arm", offsetof(struct tt_ucx_calls, worker_arm)},
	{"ucp_worker_progress", offsetof(struct tt_ucx_calls, worker_progress)},
	{"ucp_worker_set_am_recv_handler",
	 offsetof(struct tt_ucx_calls, worker_set_am_recv_handler)},
	{"ucp_ep_create", offsetof(struct tt_ucx_calls, ep_create)},
	{"ucp_ep_close_nbx", offsetof(struct tt_ucx_calls, ep_close)},
	{"ucp_am_send_nbx", offsetof(struct tt_ucx_calls, am_send)},
	{"ucp_am_recv_data_nbx", offsetof(struct tt_ucx_calls, am_recv_data)},
	{"ucp_request_check_status", offsetof(struct tt_ucx_calls, request_check_status)},
	{"ucp_request_free", offsetof(struct tt_ucx_calls, request_free)},
	{"ucp_get_version_string", offsetof(struct tt_ucx_calls, version)},
	{"ucs_status_string", offsetof(struct tt_ucx_calls, status_string)},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tt_ucx_calls calls; /* written once, behind `once` */
static char missing[256];         /* why not; "": all is there */

/* Its fatal messages, after which UCX ends the process, are left to UCX. */
static ucs_log_func_rc_t log_line(const char *file, unsigned line, const char *function,
				  ucs_log_level_t level, const ucs_log_component_config_t *config,
				  const char *format, va_list args)
{
	char text[512];

	(void)function;
	(void)config;
	if (level == UCS_LOG_LEVEL_FATAL)
		return UCS_LOG_FUNC_RC_CONTINUE;
	if (!tt_log_enabled() || level > UCS_LOG_LEVEL_WARN)
		return UCS_LOG_FUNC_RC_STOP;
	const char *name = strrchr(file, '/');
	vsnprintf(text, sizeof text, format, args);
	tt_log("UCX says (%s:%u): %s", name ? name + 1 : file, line, text);
	return UCS_LOG_FUNC_RC_STOP;
}

static void *open_library(void)
{
	struct sigaction before[SIGNALS];

	for (int i = 1; i < SIGNALS; i++)
		sigaction(i, NULL, &before[i]);
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	for (int i = 1; i < SIGNALS; i++)
		if (i != SIGKILL && i != SIGSTOP)
			sigaction(i, &before[i], NULL);
	return library;
}

static void load(void)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_NOLOAD), (*push)(ucs_log_func_t);
	bool ours = !library;

	if (ours)
		library = open_library();
	if (!library) {
		snprintf(missing, sizeof missing, "%s", dlerror());
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *call = dlsym(library, names[i].name);
		memcpy((char *)&calls + names[i].offset, &call, sizeof call);
		if (!call) {
			snprintf(missing, sizeof missing, "it is too old: it has no %s",
				 names[i].name);
			return;
		}
	}
	void *symbol = dlsym(library, "ucs_log_push_handler");
	memcpy(&push, &symbol, sizeof push);
	if (ours && push && !getenv("UCX_LOG_LEVEL"))
		push(log_line);
	tt_log("loaded UCX %s", calls.version());
}

totum_status tt_ucx_load(const struct tt_ucx_calls **out)
{
	pthread_once(&once, load);
	if (missing[0])
		return tt_fail(TOTUM_EUNSUPPORTED, "cannot use UCX: %s; install UCX 1.13 or newer",
			       missing);
	*out = &calls;
	return TOTUM_OK;
}
