/* SPDX-License-Identifier: BSD-3-Clause */
/* open - a topology from what a user names: a file of text, hwloc's XML, or a SPEC. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/topology.h"

static const size_t most_bytes = (size_t)1 << 28;

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length > tail && !strcmp(text + length - tail, end);
}

/* All of a stream, which the caller frees. */
static totum_status read_all(FILE *file, const char *name, char **text, size_t *length)
{
	size_t room = 1 << 16;

	*text = malloc(room);
	*length = 0;
	while (*text) {
		*length += fread(*text + *length, 1, room - *length, file);
		if (*length < room)
			return ferror(file) ? tt_fail(TOTUM_ESYSTEM, "cannot read %s: %s", name,
						      strerror(errno))
					    : TOTUM_OK;
		if (room >= most_bytes)
			return tt_fail(TOTUM_EPARSE,
				       "%s has more than %zu bytes, too long for a topology", name,
				       most_bytes);
		room *= 2;
		char *moved = realloc(*text, room);
		if (!moved)
			free(*text);
		*text = moved;
	}
	return tt_fail_memory(room, "a topology's text");
}

static totum_status open_text(const char *name, struct tt_topology **out)
{
	FILE *file = fopen(name, "r");
	char *text;
	size_t length;

	if (!file)
		return tt_fail(TOTUM_ESYSTEM, "cannot open the topology %s: %s", name,
			       strerror(errno));
	totum_status status = read_all(file, name, &text, &length);
	fclose(file);
	if (!status)
		status = tt_topology_read(text, length, name, out);
	free(text);
	return status;
}

totum_status tt_topology_open(const char *file_or_spec, struct tt_topology **out)
{
	struct tt_shape shape;

	if (!strncmp(file_or_spec, "hwloc:", 6))
		return tt_topology_hwloc(file_or_spec + 6, out);
	if (ends_in(file_or_spec, ".xml"))
		return tt_topology_hwloc(file_or_spec, out);
	if (strchr(file_or_spec, '/') || ends_in(file_or_spec, ".topo") ||
	    !access(file_or_spec, F_OK))
		return open_text(file_or_spec, out);
	totum_status status = tt_shape_parse(file_or_spec, &shape);
	return status ? status : tt_topology_generate(&shape, out);
}
