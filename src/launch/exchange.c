/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange - the way in which the ranks of a job on several hosts meet, by its root. */
#include <string.h>

#include "launch/exchange_parts.h"
#include "launch/place.h"

bool tt_exchange_reaches_out(const struct tt_identity *identity)
{
	return identity->nranks > 1 && strncmp(identity->root, "local:", 6);
}

totum_status tt_exchange_open(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	if (!tt_place_looks_like(identity->root))
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_ROOT=\"%.100s\" is not of a form that totum "
			       "knows; write local:NAME on one host, else tcp://HOST:PORT",
			       identity->root);
#ifdef TOTUM_TCP
	return tt_exchange_tcp(identity, settings, out);
#else
	(void)settings;
	(void)out;
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "this totum was built without OpenSSL, by which ranks on "
		       "several hosts prove that they belong together; build it with libssl-dev");
#endif
}
