/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - where the vertices of a topology go in a picture. */
#ifndef TT_PLACE_H
#define TT_PLACE_H

#include "topology/topology.h"

struct tt_place {
	double x, y;
};

/*
 * Fills places[nvertices] with pixels from the upper left corner and sets the size of the whole.
 * Grids are grids (from the third dimension on obliquely behind each other), what has switches
 * stands in rows with the ranks lowest, everything else on a circle.
 */
totum_status tt_place(const struct tt_topology *topology, struct tt_place *places, double *width,
		      double *height);

#endif
