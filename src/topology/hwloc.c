/* SPDX-License-Identifier: BSD-3-Clause */
/* hwloc - the inside of a host from hwloc's XML. */
#include "topology/topology.h"

totum_status tt_topology_hwloc(const char *file_and_options, struct tt_topology **out)
{
	*out = NULL;
	return tt_fail(TOTUM_EUNSUPPORTED, "cannot read %s: this totum was built without hwloc", file_and_options);
}
