/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz topology - any bytes are refused with file:line and a sentence, or are a topology that
 * survives being written and read again.  The first byte chooses between a file's text and a SPEC.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/shape.h"
#include "topology/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_text(const struct tt_topology *topology, size_t *length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);

	if (tt_topology_write(topology, stream))
		abort();
	fclose(stream);
	return text;
}

static void round_trip(const struct tt_topology *topology)
{
	struct tt_topology *again;
	size_t length, length_again;
	char *text = write_text(topology, &length);

	if (tt_topology_read(text, length, "again", &again))
		abort();
	char *twice = write_text(again, &length_again);
	if (length != length_again || memcmp(text, twice, length))
		abort();
	tt_topology_free(again);
	free(text);
	free(twice);
}

static void read_spec(const char *text)
{
	struct tt_shape shape;

	if (tt_shape_parse(text, &shape) && strlen(totum_errmsg()) < 10)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_topology *topology;

	if (!size)
		return 0;
	char *text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (data[0] & 1) {
		read_spec(text);
	} else if (tt_topology_read(text, size - 1, "input", &topology)) {
		if (strncmp(totum_errmsg(), "input", 5))
			abort();
	} else {
		round_trip(topology);
		tt_topology_free(topology);
	}
	free(text);
	return 0;
}
