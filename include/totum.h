/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum.h - all-gather and the collectives around it, between the ranks of a job.
 *
 * Every function that can fail returns a totum_status: 0 or a negative value.  After a failure totum_errmsg()
 * holds one sentence for the calling thread: what happened, on which rank, in which call, and what to do.
 *
 * Shapes are counted in elements of a dtype.  M, the "total bytes" of a call, is the size of the gathered
 * result.  Buffers are borrowed from the start of a call to its return, and the caller may overwrite them
 * the moment it returns.  A NULL buffer is legal wherever its count is 0.  A call that fails in its checks
 * has touched no output.
 *
 * A communicator is used by one thread at a time (a second one is refused); different communicators are
 * independent.  All its ranks make the same calls in the same order; when they do not, every rank gets
 * TOTUM_EMISMATCH and a sentence that names two ranks and both their calls.
 */
#ifndef TOTUM_H
#define TOTUM_H

#include <stddef.h>
#include <stdint.h>

#define TOTUM_VERSION_MAJOR 0
#define TOTUM_VERSION_MINOR 1
#define TOTUM_VERSION_PATCH 0

#if defined(__GNUC__)
#define TOTUM_API __attribute__((visibility("default")))
#else
#define TOTUM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum totum_status {
	TOTUM_OK = 0,
	TOTUM_EINVAL = -1,       /* an argument, a setting or a variable is wrong */
	TOTUM_EUSAGE = -2,       /* right arguments, wrong moment: two threads, after fork, freed */
	TOTUM_EPARSE = -3,       /* a text (problem, schedule, topology) does not parse */
	TOTUM_ESYSTEM = -4,      /* the operating system refused something */
	TOTUM_EMEMORY = -5,      /* out of memory */
	TOTUM_EMISMATCH = -6,    /* ranks made different calls */
	TOTUM_ELOST = -7,        /* a rank has died or left */
	TOTUM_ETIMEOUT = -8,     /* the deadline passed before all ranks arrived */
	TOTUM_EABORTED = -9,     /* a rank called totum_comm_abort */
	TOTUM_EUNSUPPORTED = -10 /* legal, but this build, algorithm or host cannot do it */
} totum_status;

/* Element types.  Movement takes all of them; reductions take all up to TOTUM_BOOL. */
typedef enum totum_dtype {
	TOTUM_I8,
	TOTUM_I16,
	TOTUM_I32,
	TOTUM_I64,
	TOTUM_U8,
	TOTUM_U16,
	TOTUM_U32,
	TOTUM_U64,
	TOTUM_F16,
	TOTUM_BF16,
	TOTUM_F32,
	TOTUM_F64,
	TOTUM_BOOL, /* one byte, 0 or 1 */
	TOTUM_F8E4M3,
	TOTUM_F8E5M2,
	TOTUM_C64,  /* two f32 */
	TOTUM_C128, /* two f64 */
	TOTUM_DTYPES
} totum_dtype;

/*
 * Reductions.  SUM, PROD, MIN, MAX take every reducible dtype (of booleans: or, and, and, or).  AVG is SUM divided by the
 * number of ranks, rounded toward zero for integers, not for booleans.  Bit and logical operations take
 * integers and booleans.  Integers wrap; f16 and bf16 accumulate in f32 and round once; in MIN and MAX a
 * NaN of any rank wins.  On one host the order is rank order, for every size.
 */
typedef enum totum_op {
	TOTUM_SUM,
	TOTUM_PROD,
	TOTUM_MIN,
	TOTUM_MAX,
	TOTUM_AVG,
	TOTUM_BAND,
	TOTUM_BOR,
	TOTUM_BXOR,
	TOTUM_LAND,
	TOTUM_LOR,
	TOTUM_LXOR,
	TOTUM_OPS
} totum_op;

/* The send buffer of a call that works in place: this rank's data already lie where its result will. */
#define TOTUM_IN_PLACE ((const void *)1)

typedef struct totum_comm totum_comm;

/* --- errors and facts ------------------------------------------------------------------------------- */

TOTUM_API const char *totum_version(void);
/* The name of a status, e.g. "TOTUM_ELOST".  Never NULL. */
TOTUM_API const char *totum_strerror(totum_status status);
/* The sentence of this thread's last failure, valid until its next one.  Never NULL. */
TOTUM_API const char *totum_errmsg(void);
/* Bytes of one element; 0 for a value that is no dtype. */
TOTUM_API size_t totum_dtype_size(totum_dtype dtype);
/* Lower-case name ("f32", "sum"), NULL for a value that is none; and back: EINVAL when no such name. */
TOTUM_API const char *totum_dtype_name(totum_dtype dtype);
TOTUM_API const char *totum_op_name(totum_op op);
TOTUM_API totum_status totum_dtype_parse(const char *name, totum_dtype *dtype);
TOTUM_API totum_status totum_op_parse(const char *name, totum_op *op);

/* --- communicators ---------------------------------------------------------------------------------- */

/*
 * The communicator of all ranks of the job that this process was launched in: by `totum run`, torchrun or
 * mpirun (their variables say which rank this is), else a job of one rank.  Collective.  The caller frees it.
 */
TOTUM_API totum_status totum_init(totum_comm **comm);
/*
 * The same from explicit arguments.  root is a name that all ranks share and no other job uses
 * ("local:NAME", at most 80 bytes of NAME); secret, at most 256 bytes, is known to the job's ranks alone and
 * may be NULL.  Collective over the nranks processes, which must be of one user on one host.
 */
TOTUM_API totum_status totum_comm_create(int rank, int nranks, const char *root, const char *secret,
					 totum_comm **comm);
/* nranks communicators of one job whose ranks are threads of this process; comms[r] belongs to rank r. */
TOTUM_API totum_status totum_init_threads(int nranks, totum_comm *comms[]);

TOTUM_API int totum_comm_rank(const totum_comm *comm);
TOTUM_API int totum_comm_nranks(const totum_comm *comm);
/*
 * Ranks with equal color >= 0 form a new communicator, ordered by key, then by rank; a negative color takes
 * part and gets NULL.  Collective over comm.
 */
TOTUM_API totum_status totum_comm_split(totum_comm *comm, int color, int key, totum_comm **out);
TOTUM_API totum_status totum_comm_dup(totum_comm *comm, totum_comm **out);
/* Makes every pending and later call on comm fail with TOTUM_EABORTED on all ranks.  Never waits. */
TOTUM_API totum_status totum_comm_abort(totum_comm *comm);
/* Local, never waits, NULL is legal.  Peers that still read this rank's data can finish. */
TOTUM_API totum_status totum_comm_free(totum_comm *comm);
/*
 * Settings in the grammar of problem strings: "algo=ring", "algo=bruck,radix=3", "algo=auto", "timeout=30s".
 * Give all ranks the same: a difference in the algorithm is found by the next call.
 */
TOTUM_API totum_status totum_comm_configure(totum_comm *comm, const char *settings);
/* The algorithm that the last call on comm ran, in the same grammar; valid until the next call. */
TOTUM_API const char *totum_comm_algorithm(const totum_comm *comm);

/* --- collectives, blocking -------------------------------------------------------------------------- */
/*
 * In place means send == TOTUM_IN_PLACE, or send equal to the exact address given with each function; any
 * other overlap of send and recv is refused.
 */

/* Every rank sends count elements; recv gets nranks*count, rank by rank.  In place: recv + rank*count. */
TOTUM_API totum_status totum_allgather(const void *send, void *recv, size_t count, totum_dtype dtype,
				       totum_comm *comm);
/*
 * Rank r sends counts[r] elements, which land displs[r] elements into recv; displs may be NULL (packed).
 * count must equal counts[rank] and is not looked at in place; blocks must not overlap; counts are the
 * same on every rank (displs need not be).  In place: recv + displs[rank].
 */
TOTUM_API totum_status totum_allgatherv(const void *send, size_t count, void *recv, const size_t counts[],
					const size_t displs[], totum_dtype dtype, totum_comm *comm);
/* send holds nranks*count elements; recv gets the reduction of block rank, count elements.
 * In place: send is TOTUM_IN_PLACE and recv holds all nranks*count elements, of which block rank is
 * replaced by the result and the others are left as they are; or recv == send + rank*count. */
TOTUM_API totum_status totum_reduce_scatter(const void *send, void *recv, size_t count, totum_dtype dtype,
					    totum_op op, totum_comm *comm);
/* recv gets the reduction of all send buffers, count elements.  In place: send == recv. */
TOTUM_API totum_status totum_allreduce(const void *send, void *recv, size_t count, totum_dtype dtype,
				       totum_op op, totum_comm *comm);
/* recv on every rank gets the root's send, count elements; send is looked at on the root only.
 * In place: send == recv. */
TOTUM_API totum_status totum_broadcast(const void *send, void *recv, size_t count, totum_dtype dtype,
				       int root, totum_comm *comm);
/* Returns when every rank has called it. */
TOTUM_API totum_status totum_barrier(totum_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
