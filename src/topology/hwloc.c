/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hwloc - the inside of a host, from hwloc's XML or from the machine that this runs on.
 *
 *   hwloc:node.xml,ranks=core,core=12GB/s,cache=40GB/s,package=20GB/s,pci=16GB/s,alpha=1us,hop=50ns
 *   hwloc:                                  this machine
 *
 * ranks= says what the ranks are: core (default), pu, numa, package, or gpu.  What lies above them
 * becomes a switch wherever ways part; chains of single children are one link, as narrow as their
 * narrowest part.  hwloc knows the shape but, but for PCI links, not the rates: the options give
 * what an object can take in from above and give back: a rank (core=), a cache or group (cache=), a
 * package or NUMA node (package=), a PCI device or bridge (pci=, where hwloc does not know it).
 *
 * libhwloc is loaded when it is needed, so that programs that only communicate do not depend on it.
 */
#include "topology/topology.h"

#ifndef TOTUM_HWLOC

totum_status tt_topology_hwloc(const char *file_and_options, struct tt_topology **out)
{
	*out = NULL;
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "cannot read %.80s: this totum was built without hwloc; install its "
		       "development files and build again",
		       *file_and_options ? file_and_options : "this machine");
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "topology/measure.h"

/* XML may nest deeper than any machine. */
enum { TEXT = 512, MOST_DEPTH = 128 };

enum ranks { RANKS_CORE, RANKS_PU, RANKS_NUMA, RANKS_PACKAGE, RANKS_GPU, RANKS };
static const char *const rank_names[RANKS] = {"core", "pu", "numa", "package", "gpu"};

/* The functions of libhwloc that are called. */
struct calls {
	void *library;
	int (*init)(hwloc_topology_t *);
	int (*set_io_filter)(hwloc_topology_t, enum hwloc_type_filter_e);
	int (*set_xml)(hwloc_topology_t, const char *);
	int (*load)(hwloc_topology_t);
	void (*destroy)(hwloc_topology_t);
	hwloc_obj_t (*object_at)(hwloc_topology_t, int depth, unsigned index);
	int (*write_type)(char *, size_t, hwloc_obj_t, int);
};

static const struct {
	const char *name;
	size_t offset;
} call_names[] = {
	{"hwloc_topology_init", offsetof(struct calls, init)},
	{"hwloc_topology_set_io_types_filter", offsetof(struct calls, set_io_filter)},
	{"hwloc_topology_set_xml", offsetof(struct calls, set_xml)},
	{"hwloc_topology_load", offsetof(struct calls, load)},
	{"hwloc_topology_destroy", offsetof(struct calls, destroy)},
	{"hwloc_get_obj_by_depth", offsetof(struct calls, object_at)},
	{"hwloc_obj_type_snprintf", offsetof(struct calls, write_type)},
};

struct import {
	struct calls calls;
	enum ranks ranks;
	int64_t core, cache, package, pci; /* B/s */
	int64_t alpha, hop;                /* ps */
	hwloc_topology_t machine;
	struct tt_topology *topology;
	int32_t host;
};

/* A subtree as one vertex to link from above, and how wide the link may be; -1: no ranks in it. */
struct branch {
	int32_t vertex;
	int64_t capacity;
};

static const struct {
	const char *name;
	size_t offset;
	bool rate;
} options[] = {
	{"core", offsetof(struct import, core), true},
	{"cache", offsetof(struct import, cache), true},
	{"package", offsetof(struct import, package), true},
	{"pci", offsetof(struct import, pci), true},
	{"alpha", offsetof(struct import, alpha), false},
	{"hop", offsetof(struct import, hop), false},
};
enum { OPTIONS = sizeof options / sizeof *options };

static totum_status read_ranks(const char *value, enum ranks *out)
{
	for (int i = 0; i < RANKS; i++)
		if (!strcmp(rank_names[i], value)) {
			*out = (enum ranks)i;
			return TOTUM_OK;
		}
	return tt_fail(TOTUM_EPARSE, "ranks=%.40s is none of core, pu, numa, package, gpu", value);
}

static totum_status read_option(char *text, struct import *import)
{
	const char *names[OPTIONS + 1] = {[OPTIONS] = "ranks"};
	char *value = strchr(text, '=');

	if (!value)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is not an option; write name=value", text);
	*value++ = 0;
	if (!strcmp(text, "ranks"))
		return read_ranks(value, &import->ranks);
	for (int i = 0; i < OPTIONS; i++) {
		int64_t *field = (int64_t *)(void *)((char *)import + options[i].offset);

		names[i] = options[i].name;
		if (strcmp(names[i], text))
			continue;
		totum_status status = options[i].rate ? tt_read_capacity(value, true, field)
						      : tt_read_latency(value, field);
		return status ? tt_fail_in(status, "%s", text) : TOTUM_OK;
	}
	const char *near = tt_nearest(text, names, OPTIONS + 1);
	return tt_fail(TOTUM_EPARSE, "there is no option '%.40s'%s%s", text,
		       near ? ", did you mean "
			    : "; there are ranks, core, cache, package, pci, alpha, hop",
		       near ? near : "");
}

static bool is_gpu(hwloc_obj_t object)
{
	for (hwloc_obj_t child = object->io_first_child; child; child = child->next_sibling)
		if (child->type == HWLOC_OBJ_OS_DEVICE &&
		    (child->attr->osdev.type == HWLOC_OBJ_OSDEV_GPU ||
		     child->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC))
			return true;
	return false;
}

static bool is_rank(const struct import *import, hwloc_obj_t object)
{
	switch (import->ranks) {
	case RANKS_CORE:
		return object->type == HWLOC_OBJ_CORE;
	case RANKS_PU:
		return object->type == HWLOC_OBJ_PU;
	case RANKS_NUMA:
		return object->type == HWLOC_OBJ_NUMANODE;
	case RANKS_PACKAGE:
		return object->type == HWLOC_OBJ_PACKAGE;
	default:
		return object->type == HWLOC_OBJ_PCI_DEVICE && is_gpu(object);
	}
}

/* hwloc gives GB/s as a float, 0 where it does not know. */
static int64_t pci_capacity(const struct import *import, float speed)
{
	double rate = (double)speed * 1e9;

	return rate >= 1e6 && rate <= (double)TT_TOPOLOGY_CAPACITY ? llround(rate / 1e6) * 1000000
								   : import->pci;
}

static int64_t capacity_of(const struct import *import, hwloc_obj_t object)
{
	if (object->type == HWLOC_OBJ_PCI_DEVICE)
		return pci_capacity(import, object->attr->pcidev.linkspeed);
	if (object->type == HWLOC_OBJ_BRIDGE &&
	    object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
		return pci_capacity(import, object->attr->bridge.upstream.pci.linkspeed);
	if (object->type == HWLOC_OBJ_BRIDGE)
		return import->pci;
	if (object->type == HWLOC_OBJ_PACKAGE || object->type == HWLOC_OBJ_NUMANODE)
		return import->package;
	return is_rank(import, object) ? import->core : import->cache;
}

/* "Core.3": hwloc's name for the type, as far as a name may hold it, and its logical number. */
static void name_of(const struct import *import, hwloc_obj_t object,
		    char out[static TT_TOPOLOGY_NAME])
{
	char type[TT_TOPOLOGY_NAME - 12];
	size_t kept = 0;

	import->calls.write_type(type, sizeof type, object, 0);
	for (const char *c = type; *c; c++)
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9'))
			type[kept++] = *c;
	type[kept] = 0;
	snprintf(out, TT_TOPOLOGY_NAME, "%s.%u", kept ? type : "object", object->logical_index);
}

static struct tt_wire wire_of(const struct import *import, int64_t capacity)
{
	return (struct tt_wire){.capacity = capacity, .alpha = import->alpha, .hop = import->hop};
}

/* Children of every kind, ordinary ones first: where there are several, they join in a switch. */
static struct branch grow(struct import *import, hwloc_obj_t object, int depth)
{
	struct tt_topology *topology = import->topology;
	struct branch own = {.vertex = -1, .capacity = capacity_of(import, object)}, only = own;
	char name[TT_TOPOLOGY_NAME];

	name_of(import, object, name);
	if (is_rank(import, object)) {
		own.vertex = tt_topology_add_rank(topology, import->host, name);
		return own;
	}
	for (hwloc_obj_t child = NULL;
	     (child = hwloc_get_next_child(import->machine, object, child));) {
		struct branch below = depth < MOST_DEPTH ? grow(import, child, depth + 1)
							 : (struct branch){.vertex = -1};

		if (below.vertex < 0)
			continue;
		if (only.vertex < 0) {
			only = below;
			continue;
		}
		if (own.vertex < 0) {
			own.vertex = tt_topology_add_switch(topology, name);
			tt_topology_add_cable(topology, only.vertex, own.vertex,
					      wire_of(import, only.capacity));
		}
		tt_topology_add_cable(topology, below.vertex, own.vertex,
				      wire_of(import, below.capacity));
	}
	if (own.vertex >= 0 || only.vertex < 0)
		return own;
	only.capacity = only.capacity < own.capacity ? only.capacity : own.capacity;
	return only;
}

static totum_status open_library(struct calls *calls)
{
	/* The name of version 2's interface. */
	calls->library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
	if (!calls->library)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "hwloc is not on this machine (%.200s); install libhwloc 2",
			       dlerror());
	for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++) {
		void *found = dlsym(calls->library, call_names[i].name);

		if (!found) {
			dlclose(calls->library);
			return tt_fail(
				TOTUM_EUNSUPPORTED,
				"this machine's libhwloc has no %s; install libhwloc 2.1 or newer",
				call_names[i].name);
		}
		memcpy((char *)calls + call_names[i].offset, &found, sizeof found);
	}
	return TOTUM_OK;
}

static totum_status load(const struct calls *calls, const char *file, hwloc_topology_t *machine)
{
	if (calls->init(machine))
		return tt_fail(TOTUM_ESYSTEM, "hwloc does not start: %s", strerror(errno));
	calls->set_io_filter(*machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	errno = 0;
	bool failed = (*file && calls->set_xml(*machine, file)) || calls->load(*machine);
	if (!failed)
		return TOTUM_OK;
	calls->destroy(*machine);
	return tt_fail(errno == ENOENT || errno == EACCES ? TOTUM_ESYSTEM : TOTUM_EPARSE,
		       "%s:1: hwloc cannot read it%s%s; write it with lstopo --of xml",
		       *file ? file : "this machine", errno ? ": " : "",
		       errno ? strerror(errno) : "");
}

/* The topology's name: the file's without folders and ending, so far as it may be one. */
static void base_name(const char *file, char out[static TT_TOPOLOGY_NAME])
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	size_t kept = 0;

	for (const char *c = base; *c && strcmp(c, ".xml") && kept + 1 < TT_TOPOLOGY_NAME; c++)
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9') || strchr("_.-", *c))
			out[kept++] = *c;
	out[kept] = 0;
	if (!kept)
		strcpy(out, "this-host");
}

static totum_status build(const char *file, struct import *import)
{
	char name[TT_TOPOLOGY_NAME];

	base_name(file, name);
	totum_status status = tt_topology_new(name, &import->topology);
	if (status)
		return status;
	import->host = tt_topology_add_host(import->topology, name);
	grow(import, import->calls.object_at(import->machine, 0, 0), 0);
	if (!import->topology->failed && !import->topology->nranks)
		status = tt_fail(TOTUM_EINVAL, "there is no %s in it; choose others with ranks=",
				 rank_names[import->ranks]);
	else
		status = tt_topology_seal(import->topology);
	return status ? tt_fail_in(status, "%s", *file ? file : "this machine") : TOTUM_OK;
}

static totum_status import_file(const char *file, struct import *import)
{
	totum_status status = open_library(&import->calls);

	if (status)
		return status;
	status = load(&import->calls, file, &import->machine);
	if (!status) {
		status = build(file, import);
		import->calls.destroy(import->machine);
	}
	dlclose(import->calls.library);
	return status;
}

totum_status tt_topology_hwloc(const char *file_and_options, struct tt_topology **out)
{
	struct import import = {.core = 10000000000,
				.cache = 40000000000,
				.package = 20000000000,
				.pci = 16000000000,
				.alpha = 1000000};
	char text[TEXT], *rest = text;

	if (strlen(file_and_options) >= sizeof text)
		return tt_fail(TOTUM_EPARSE, "'%.60s..' is longer than %d characters",
			       file_and_options, TEXT - 1);
	strcpy(text, file_and_options);
	const char *file = strsep(&rest, ",");
	totum_status status = TOTUM_OK;
	for (char *option; !status && (option = strsep(&rest, ","));)
		status = read_option(option, &import);
	if (!status)
		status = import_file(file, &import);
	if (status) {
		tt_topology_free(import.topology);
		return status;
	}
	*out = import.topology;
	return TOTUM_OK;
}

#endif
