/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum.h - all-gather and the collectives around it, between the ranks of a job.
 *
 * Every function that can fail returns a totum_status: 0 or a negative value.  After a failure
 * totum_errmsg() holds one sentence for the calling thread: what happened, on which rank, in which
 * call, and what to do.
 *
 * Shapes are counted in elements of a dtype.  M, the "total bytes" of a call, is the size of the
 * gathered result.  Buffers are borrowed from the start of a call to its return, and the caller may
 * overwrite them the moment it returns.  A NULL buffer is legal wherever its count is 0.  A call
 * that fails in its checks has touched no output.
 *
 * A communicator is used by one thread at a time (a second one is refused); different communicators
 * are independent.  All its ranks make the same calls in the same order; when they do not, every
 * rank gets TOTUM_EMISMATCH and a sentence that names two ranks and both their calls.  A call to or
 * from a root waits for whom it needs only, and a count of gatherv, scatterv or alltoallv is known
 * to two ranks alone: there a rank may get it from its next call.
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
	TOTUM_EUSAGE = -2,       /* right arguments, wrong moment: two threads, after fork, twice */
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
 * Reductions.  SUM, PROD, MIN, MAX take every reducible dtype (of booleans: or, and, and, or).  AVG
 * is SUM divided by the number of ranks, rounded toward zero for integers, not for booleans.  Bit
 * and logical operations take integers and booleans.  Integers wrap; f16 and bf16 accumulate in f32
 * and round once; in MIN and MAX a NaN of any rank wins.  On one host the order is rank order, for
 * every size.
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

/* The send buffer of a call in place: this rank's data already lie where its result will. */
#define TOTUM_IN_PLACE ((const void *)1)

typedef struct totum_comm totum_comm;

/* --- errors and facts ------------------------------------------------------------------------ */

TOTUM_API const char *totum_version(void);
/* The name of a status, e.g. "TOTUM_ELOST".  Never NULL. */
TOTUM_API const char *totum_strerror(totum_status status);
/* The sentence of this thread's last failure, valid until its next one.  Never NULL. */
TOTUM_API const char *totum_errmsg(void);
/* Bytes of one element; 0 for a value that is no dtype. */
TOTUM_API size_t totum_dtype_size(totum_dtype dtype);
/* Lower-case name ("f32", "sum"), NULL for no such value; and back: EINVAL for no such name. */
TOTUM_API const char *totum_dtype_name(totum_dtype dtype);
TOTUM_API const char *totum_op_name(totum_op op);
TOTUM_API totum_status totum_dtype_parse(const char *name, totum_dtype *dtype);
TOTUM_API totum_status totum_op_parse(const char *name, totum_op *op);

/* --- communicators --------------------------------------------------------------------------- */

/*
 * The communicator of all ranks of the job that this process was launched in: by `totum run`,
 * torchrun or mpirun (their variables say which rank this is), else a job of one rank.  Collective.
 * The caller frees it.
 */
TOTUM_API totum_status totum_init(totum_comm **comm);
/*
 * The same from explicit arguments.  root, at most 255 bytes, is where the ranks meet, the same on
 * all: "local:NAME" on one host, with a name that no other job of this user has; else
 * "tcp://HOST:PORT", where rank 0 listens, or "file:PATH", of a folder that all hosts share.
 * secret, at most 256 bytes, is known to the job's ranks alone; it may be NULL, but not with "tcp:".
 * Collective over the nranks processes.
 */
TOTUM_API totum_status totum_comm_create(int rank, int nranks, const char *root, const char *secret,
					 totum_comm **comm);

/*
 * The same by an id: printable text, ended by a zero, that holds addresses, a port and a fresh
 * secret.  One process that is or becomes a rank makes it, and it reaches the other ranks over any
 * channel that only they can read.  The process waits for them at that port from then on, until it
 * has created the id's one communicator.
 */
typedef struct totum_unique_id {
	char text[128];
} totum_unique_id;
TOTUM_API totum_status totum_unique_id_create(totum_unique_id *id);
/* Collective over nranks processes with the same id, one of which has made it. */
TOTUM_API totum_status totum_comm_init_rank(totum_comm **comm, int nranks,
					    const totum_unique_id *id, int rank);

/*
 * The same by a store that all ranks have in common and nobody else can read.  The functions are
 * called by the calling thread, during the call only; of what they return 0 is success.
 */
struct totum_store {
	void *context; /* their first argument */
	/* Puts bytes under a key, in place of what was there. */
	int (*set)(void *context, const char *key, const void *value, size_t bytes);
	/* Copies what is under a key into value: *bytes is how many fit, then how many there are. */
	int (*get)(void *context, const char *key, void *value, size_t *bytes);
	/* Waits until something is under the key, no longer than the milliseconds; else not 0. */
	int (*wait)(void *context, const char *key, int milliseconds);
};
/*
 * Collective over nranks processes.  The keys begin with "totum."; a store that serves several
 * communicators at the same time needs a prefix for each.
 */
TOTUM_API totum_status totum_comm_create_store(int rank, int nranks,
					       const struct totum_store *store, totum_comm **comm);

/* nranks communicators of one job whose ranks are threads of this process; comms[r] is rank r's. */
TOTUM_API totum_status totum_init_threads(int nranks, totum_comm *comms[]);

TOTUM_API int totum_comm_rank(const totum_comm *comm);
TOTUM_API int totum_comm_nranks(const totum_comm *comm);
/*
 * On which of comm's hosts a rank is: hosts count from 0, in the order of their lowest ranks, the
 * same on all ranks.  Ranks share a host when they can share memory.  -1 for no such rank.
 */
TOTUM_API int totum_comm_host(const totum_comm *comm, int rank);
/* What that host calls itself; "" for no such rank.  Valid as long as comm. */
TOTUM_API const char *totum_comm_host_name(const totum_comm *comm, int rank);
/*
 * Ranks with equal color >= 0 form a new communicator, ordered by key, then by rank; a negative
 * color takes part and gets NULL.  Collective over comm.
 */
TOTUM_API totum_status totum_comm_split(totum_comm *comm, int color, int key, totum_comm **out);
TOTUM_API totum_status totum_comm_dup(totum_comm *comm, totum_comm **out);
/*
 * Makes all pending and later calls on comm fail with TOTUM_EABORTED on all ranks.  Waits for
 * nobody on the same host, and at most a second for those of others to listen.
 */
TOTUM_API totum_status totum_comm_abort(totum_comm *comm);
/*
 * A new communicator of those ranks of a failed one that live, in the same order; collective over
 * them.  One that has not failed is refused with TOTUM_EUSAGE.  A rank that lives but does not call
 * it is waited for until the deadline.  When another rank is lost meanwhile, those of one host try
 * again; between hosts some may have to give up with TOTUM_ELOST, and the others go on without them.
 */
TOTUM_API totum_status totum_comm_shrink(totum_comm *comm, totum_comm **out);
/*
 * Local, never waits, NULL is legal.  Peers that still read this rank's data can finish.  Frees in
 * any case but TOTUM_EUSAGE; TOTUM_EMISMATCH when the last calls differed and nobody has said so
 * yet: of the ranks that made them, at least the last one to free is told.
 */
TOTUM_API totum_status totum_comm_free(totum_comm *comm);
/*
 * Settings in the grammar of problem strings, separated by colons: "algo=ring",
 * "algo=bruck,radix=3", "algo=auto", "timeout=30s", "progress=thread" (a thread goes on with this
 * communicator's requests until it is freed), "order=rank" (sums are folded in rank order over
 * several hosts too, at the price that every rank gets all contributions) and "order=schedule" (as
 * the algorithm folds them, the default).  Give all ranks the same algorithm: a difference is
 * found by the next call.  It carries the collectives that it serves (totum_comm_algorithm tells);
 * the others, and the v-forms but all-gather-v, go the direct way.
 */
TOTUM_API totum_status totum_comm_configure(totum_comm *comm, const char *settings);
/* The algorithm that the last call on comm ran, in the same grammar; valid until the next call. */
TOTUM_API const char *totum_comm_algorithm(const totum_comm *comm);

/* --- memory that peers can read -------------------------------------------------------------- */

/*
 * Memory of this rank, zeroed, which the other ranks of the host can read where it lies: large
 * messages out of it take one copy.  Not collective.  Pages are the system's until they are
 * touched; a multiple of 4096 bytes is used.
 */
TOTUM_API totum_status totum_alloc(totum_comm *comm, size_t bytes, void **out);
/* memory is NULL or from totum_alloc on this rank of this job; no call uses any of it any more. */
TOTUM_API totum_status totum_free(totum_comm *comm, void *memory);

/*
 * One result that all ranks of a host share, instead of a copy each: 1/nranks of the memory where
 * all are on one host.  An all-gather whose recv is the window's start on every rank moves only
 * what is not in place yet, and in place on one host takes no longer than a barrier.  Nobody may read a window while a later gather into
 * it is under way on any rank.  Collective; where a rank asks for other bytes, or has not got them,
 * nobody has a window, all fail alike, and comm still works.
 */
typedef struct totum_window totum_window;
TOTUM_API totum_status totum_window_create(totum_comm *comm, size_t bytes, totum_window **window);
/* Where this process sees the window, the same bytes on all ranks of a host; and its size. */
TOTUM_API void *totum_window_data(const totum_window *window);
TOTUM_API size_t totum_window_size(const totum_window *window);
/* Collective; NULL is legal. */
TOTUM_API totum_status totum_window_free(totum_window *window);

struct totum_memory {
	size_t size;           /* in: sizeof(struct totum_memory) */
	uint64_t shared;       /* bytes that totum_alloc and windows hold on this rank now */
	uint64_t shared_peak;  /* and the most they ever held */
	uint64_t shared_limit; /* TOTUM_MEMORY_LIMIT, 0: none */
	uint64_t comm;         /* shared bytes that all ranks of comm together may touch for it */
	uint64_t programs;     /* private bytes that comm's kept programs hold */
	uint64_t preloaded;    /* bytes of malloc etc. that libtotum_share.so lets peers read */
	uint64_t read;         /* buffers of peers that it has read in shared memory, in place */
};
TOTUM_API totum_status totum_memory_stats(totum_comm *comm, struct totum_memory *out);

/* --- what happened --------------------------------------------------------------------------- */

struct totum_counters {
	size_t size;               /* in: sizeof(struct totum_counters) */
	uint64_t calls;            /* collective calls begun on comm by this rank */
	uint64_t sent_inside;      /* payload bytes that ranks of this host took from this rank */
	uint64_t received_inside;  /* and that this rank took from them */
	uint64_t sent_between, received_between; /* the same between hosts */
	uint64_t waits;            /* waits for a peer that were long enough to yield or sleep */
	uint64_t waited_ns;        /* and their time */
};
TOTUM_API totum_status totum_stats(totum_comm *comm, struct totum_counters *out);
/*
 * Writes what comm's last 64 calls and 64 messages on this rank were, as JSON, to a new file.  With
 * TOTUM_FLIGHT=PREFIX the same happens by itself when one fails.  Never waits; legal on a
 * communicator that has failed.
 */
TOTUM_API totum_status totum_flight_record(totum_comm *comm, const char *path);

/* --- collectives ----------------------------------------------------------------------------- */
/*
 * Each comes in three forms that share one path:
 *   totum_NAME(...)              returns when it is done;
 *   totum_iNAME(..., &request)   begins, and is waited for with totum_wait or totum_test;
 *   totum_NAME_plan(..., &plan)  keeps the arguments, to be started again and again by totum_start.
 * The buffers belong to the call until it is done.  A communicator does its calls in the order in
 * which they were made, which must be the same on all ranks; they go on whenever a rank is in any
 * call on that communicator, and while it waits in, or tests, a call of any other one of the job.
 * So do messages.
 *
 * In place means that send is TOTUM_IN_PLACE or the exact address given with each function; any
 * other overlap of send and recv is refused.  displs may be NULL where blocks follow each other
 * without gaps.
 */
typedef struct totum_request totum_request;
typedef struct totum_plan totum_plan;

/*
 * Every rank sends count elements; recv gets nranks*count, rank by rank.
 * In place: recv + rank*count.
 */
TOTUM_API totum_status totum_allgather(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *comm);
TOTUM_API totum_status totum_iallgather(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_allgather_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *comm, totum_plan **plan);

/*
 * Rank r sends counts[r] elements, which land displs[r] elements into recv.  count must equal
 * counts[rank] and is not looked at in place; blocks must not overlap; counts are the same on every
 * rank, displs need not be.
 * In place: recv + displs[rank].
 */
TOTUM_API totum_status totum_allgatherv(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				totum_comm *comm);
TOTUM_API totum_status totum_iallgatherv(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_allgatherv_plan(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				totum_comm *comm, totum_plan **plan);

/*
 * Completes, for those that live, an all-gather that failed because a rank was lost, as far as the
 * lost rank's shard had reached one of them.  Only who asks for it gets it:
 *
 *     status = totum_allgather(send, recv, count, dtype, comm);
 *     if (status == TOTUM_ELOST && !totum_comm_shrink(comm, &next))
 *             status = totum_allgather_rescue(send, recv, count, dtype, comm, next, NULL, NULL);
 *
 * broken is the communicator that failed, for whatever reason, and must not have been freed;
 * survivors is one of ranks of it, as totum_comm_shrink gives it; the call is collective over
 * these.  The other arguments are those of the call, by broken's ranks: send holds what it held,
 * and recv is the same memory, not written to since.  Those whose call succeeded take part too.
 *
 * A shard has reached a rank when all of it had come before the call failed there: when it lay in
 * recv, or, on one host, stood in shared memory, published by its rank for this call.  (A large one
 * that others read in private memory of its rank counts when it has been read.)  What came in part
 * does not count.  The survivors give each other what they lack, and their own shards.  The
 * result, the same on all of them:
 *   TOTUM_OK         all shards are in recv, in place by the ranks of broken;
 *   TOTUM_ELOST      some shards had reached nobody.  The sentence names their ranks, and recv
 *                    holds all the others.  survivors still works;
 *   TOTUM_EMISMATCH  not all gave the same call.  recv is as it was, and survivors still works.
 * In the first two cases here, unless it is NULL, has a 1 for each rank of broken whose shard is in
 * recv, and a 0 for the others.  When a rank dies during the rescue, survivors fails like any
 * communicator: shrink it too (which is refused while it works) and call again, with the same
 * broken and the new survivors, also where the first rescue succeeded.
 *
 * A loss is not noticed in the same call everywhere: who had completed the call fails in a later
 * one.  *back says which one of broken's calls the arguments are those of: 0 (also NULL) the first
 * that failed on this rank, or its last when none did; 1 the one before, -1 the one after, not made
 * yet.  When they are not the same on all, *back becomes what this rank must give: the first call
 * that some survivor has not completed.  Calls are remembered for 64 calls.
 *
 * Not for the members of a group, nor for windows (TOTUM_EUNSUPPORTED).
 */
TOTUM_API totum_status totum_allgather_rescue(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *broken, totum_comm *survivors,
				int *back, unsigned char here[]);
TOTUM_API totum_status totum_allgatherv_rescue(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				totum_comm *broken, totum_comm *survivors, int *back,
				unsigned char here[]);

/*
 * send holds nranks*count elements; recv gets the reduction of block rank, count elements.  In
 * place: recv holds all nranks*count elements, of which block rank is replaced by the result and
 * the others stay as they are; or recv == send + rank*count.
 */
TOTUM_API totum_status totum_reduce_scatter(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm);
TOTUM_API totum_status totum_ireduce_scatter(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm,
				totum_request **request);
TOTUM_API totum_status totum_reduce_scatter_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm,
				totum_plan **plan);

/*
 * The same with blocks of counts[r] elements, one after the other in send; counts are the same on
 * every rank.
 * In place: TOTUM_IN_PLACE as above; or recv == send + the sum of the counts before rank.
 */
TOTUM_API totum_status totum_reduce_scatterv(const void *send, void *recv, const size_t counts[],
				totum_dtype dtype, totum_op op, totum_comm *comm);
TOTUM_API totum_status totum_ireduce_scatterv(const void *send, void *recv, const size_t counts[],
				totum_dtype dtype, totum_op op, totum_comm *comm,
				totum_request **request);
TOTUM_API totum_status totum_reduce_scatterv_plan(const void *send, void *recv,
				const size_t counts[], totum_dtype dtype, totum_op op,
				totum_comm *comm, totum_plan **plan);

/*
 * recv gets the reduction of all send buffers, count elements.  In place: send == recv.
 */
TOTUM_API totum_status totum_allreduce(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm);
TOTUM_API totum_status totum_iallreduce(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm,
				totum_request **request);
TOTUM_API totum_status totum_allreduce_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, totum_comm *comm,
				totum_plan **plan);

/*
 * The root's recv gets the reduction of all send buffers; recv of the others is not looked at.  In
 * place, on the root: send == recv.
 */
TOTUM_API totum_status totum_reduce(const void *send, void *recv, size_t count, totum_dtype dtype,
				totum_op op, int root, totum_comm *comm);
TOTUM_API totum_status totum_ireduce(const void *send, void *recv, size_t count, totum_dtype dtype,
				totum_op op, int root, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_reduce_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_op op, int root, totum_comm *comm,
				totum_plan **plan);

/*
 * recv on every rank gets the root's send, count elements; send is looked at on the root only.
 * In place: send == recv.
 */
TOTUM_API totum_status totum_broadcast(const void *send, void *recv, size_t count,
				totum_dtype dtype, int root, totum_comm *comm);
TOTUM_API totum_status totum_ibroadcast(const void *send, void *recv, size_t count,
				totum_dtype dtype, int root, totum_comm *comm,
				totum_request **request);
TOTUM_API totum_status totum_broadcast_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, int root, totum_comm *comm, totum_plan **plan);

/*
 * The root's recv gets nranks*count elements, rank by rank; recv of the others is not looked at.
 * In place, on the root: recv + root*count.
 */
TOTUM_API totum_status totum_gather(const void *send, void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm);
TOTUM_API totum_status totum_igather(const void *send, void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_gather_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, int root, totum_comm *comm, totum_plan **plan);

/*
 * The same with counts[r] elements of rank r, displs[r] elements into the root's recv; counts and
 * displs are looked at on the root only, and every rank's count must be what the root expects of
 * it; the root's own is not looked at in place.
 */
TOTUM_API totum_status totum_gatherv(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				int root, totum_comm *comm);
TOTUM_API totum_status totum_igatherv(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				int root, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_gatherv_plan(const void *send, size_t count, void *recv,
				const size_t counts[], const size_t displs[], totum_dtype dtype,
				int root, totum_comm *comm, totum_plan **plan);

/*
 * Rank r's recv gets block r of the root's send, count elements; send of the others is not looked
 * at.  In place, on the root: recv == send + root*count, or recv is TOTUM_IN_PLACE and the root's
 * block stays where it is.
 */
TOTUM_API totum_status totum_scatter(const void *send, void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm);
TOTUM_API totum_status totum_iscatter(const void *send, void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_scatter_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, int root, totum_comm *comm, totum_plan **plan);

/*
 * The same with counts[r] elements for rank r, displs[r] elements into the root's send; counts and
 * displs are looked at on the root only, and every rank's count must be what the root sends it; the
 * root's own is not looked at in place.
 */
TOTUM_API totum_status totum_scatterv(const void *send, const size_t counts[],
				const size_t displs[], void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm);
TOTUM_API totum_status totum_iscatterv(const void *send, const size_t counts[],
				const size_t displs[], void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_scatterv_plan(const void *send, const size_t counts[],
				const size_t displs[], void *recv, size_t count, totum_dtype dtype,
				int root, totum_comm *comm, totum_plan **plan);

/*
 * Block r of send, count elements, goes to rank r; block r of recv comes from rank r.
 * In place: send == recv.
 */
TOTUM_API totum_status totum_alltoall(const void *send, void *recv, size_t count, totum_dtype dtype,
				totum_comm *comm);
TOTUM_API totum_status totum_ialltoall(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_alltoall_plan(const void *send, void *recv, size_t count,
				totum_dtype dtype, totum_comm *comm, totum_plan **plan);

/*
 * The same with send_counts[r] elements for rank r and recv_counts[r] from it, which must be what
 * that rank sends.
 * Not in place.
 */
TOTUM_API totum_status totum_alltoallv(const void *send, const size_t send_counts[],
				const size_t send_displs[], void *recv, const size_t recv_counts[],
				const size_t recv_displs[], totum_dtype dtype, totum_comm *comm);
TOTUM_API totum_status totum_ialltoallv(const void *send, const size_t send_counts[],
				const size_t send_displs[], void *recv, const size_t recv_counts[],
				const size_t recv_displs[], totum_dtype dtype, totum_comm *comm,
				totum_request **request);
TOTUM_API totum_status totum_alltoallv_plan(const void *send, const size_t send_counts[],
				const size_t send_displs[], void *recv, const size_t recv_counts[],
				const size_t recv_displs[], totum_dtype dtype, totum_comm *comm,
				totum_plan **plan);

/*
 * Returns when every rank has called it.
 */
TOTUM_API totum_status totum_barrier(totum_comm *comm);
TOTUM_API totum_status totum_ibarrier(totum_comm *comm, totum_request **request);
TOTUM_API totum_status totum_barrier_plan(totum_comm *comm, totum_plan **plan);

/* --- messages between two ranks -------------------------------------------------------------- */

/* As peer or tag of a receive: whichever comes first. */
#define TOTUM_ANY (-1)

/* What a receive got. */
typedef struct totum_message {
	int peer, tag;
	size_t count; /* elements of the receive's dtype */
} totum_message;

/*
 * count elements to rank peer under tag (>= 0).  Returns when buffer may be overwritten, which for
 * large messages may be when the receive has been made.  Messages between two ranks arrive in the
 * order in which they were sent.
 */
TOTUM_API totum_status totum_send(const void *buffer, size_t count, totum_dtype dtype, int peer,
				  int tag, totum_comm *comm);
TOTUM_API totum_status totum_isend(const void *buffer, size_t count, totum_dtype dtype, int peer,
				   int tag, totum_comm *comm, totum_request **request);
/*
 * The first message that fits peer and tag, at most count elements; message (may be NULL, and lives
 * as long as the request) says what came.  A longer message or another dtype is TOTUM_EMISMATCH and
 * is dropped.
 */
TOTUM_API totum_status totum_recv(void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
				  totum_comm *comm, totum_message *message);
TOTUM_API totum_status totum_irecv(void *buffer, size_t count, totum_dtype dtype, int peer, int tag,
				   totum_comm *comm, totum_message *message,
				   totum_request **request);

/* --- requests and plans ---------------------------------------------------------------------- */

/* Returns when the request is done, with its status, and frees it (a plan's can start again). */
TOTUM_API totum_status totum_wait(totum_request *request);
/* Goes on with all calls and messages, never waits; *done: the request is done, and was freed. */
TOTUM_API totum_status totum_test(totum_request *request, int *done);
/* Returns when all of rank's shard of an all-gather is in recv; the request goes on. */
TOTUM_API totum_status totum_wait_block(totum_request *request, int rank);
/* Begins the plan's call anew, with what its buffers hold now. */
TOTUM_API totum_status totum_start(totum_plan *plan, totum_request **request);
/* The plan must not be under way.  NULL is legal. */
TOTUM_API totum_status totum_plan_free(totum_plan *plan);
/*
 * Requests made between begin and end start together at the end: consecutive all-gathers of a group
 * are one operation, with one exchange for all, and so are consecutive all-reduces that are small
 * or of two ranks.  They are waited for after the end.
 */
TOTUM_API totum_status totum_group_begin(totum_comm *comm);
TOTUM_API totum_status totum_group_end(totum_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
