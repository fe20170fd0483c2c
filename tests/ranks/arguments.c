/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arguments - a call with a wrong argument fails at once, writes nothing and breaks nothing.
 *
 * ranks: 1 2 3
 *
 * Every rank makes the same wrong call and gets one sentence; a good call after each proves that
 * the communicator is as before.
 */
#include "ranks/buffers.h"

enum { COUNT = 16, ROOM = 1024 };

struct setting {
	totum_comm *comm;
	int rank, nranks;
	unsigned char *send, *recv; /* ROOM bytes each */
};

typedef totum_status wrong_call(const struct setting *s);

static totum_status null_recv(const struct setting *s)
{
	return totum_allgather(s->send, NULL, COUNT, TOTUM_U8, s->comm);
}

static totum_status null_send(const struct setting *s)
{
	return totum_allgather(NULL, s->recv, COUNT, TOTUM_U8, s->comm);
}

static totum_status null_comm(const struct setting *s)
{
	return totum_allgather(s->send, s->recv, COUNT, TOTUM_U8, NULL);
}

static totum_status negative_count(const struct setting *s)
{
	return totum_allgather(s->send, s->recv, (size_t)-1, TOTUM_U8, s->comm);
}

/* The count fits, its bytes do not; in the next, those of one rank do, of all not. */
static totum_status bytes_overflow(const struct setting *s)
{
	return totum_allgather(s->send, s->recv, SIZE_MAX / 8 + 2, TOTUM_F64, s->comm);
}

static totum_status total_overflow(const struct setting *s)
{
	return totum_reduce_scatter(s->send, s->recv, SIZE_MAX / 8 / (size_t)s->nranks + 1,
				    TOTUM_I64, TOTUM_SUM, s->comm);
}

static totum_status allreduce_overflow(const struct setting *s)
{
	return totum_allreduce(s->send, s->recv, SIZE_MAX / 2 + 1, TOTUM_I16, TOTUM_SUM, s->comm);
}

static totum_status broadcast_overflow(const struct setting *s)
{
	return totum_broadcast(s->send, s->recv, SIZE_MAX / 16 + 1, TOTUM_C128, 0, s->comm);
}

static totum_status counts_overflow(const struct setting *s)
{
	size_t counts[HARNESS_RANKS];

	for (int r = 0; r < s->nranks; r++)
		counts[r] = SIZE_MAX - 7;
	return totum_allgatherv(s->send, counts[s->rank], s->recv, counts, NULL, TOTUM_U16,
				s->comm);
}

static totum_status displs_overflow(const struct setting *s)
{
	size_t counts[HARNESS_RANKS], displs[HARNESS_RANKS];

	for (int r = 0; r < s->nranks; r++) {
		counts[r] = 2;
		displs[r] = r == s->nranks - 1 ? SIZE_MAX - 1 : (size_t)(2 * r);
	}
	return totum_allgatherv(s->send, 2, s->recv, counts, displs, TOTUM_U32, s->comm);
}

static totum_status no_counts(const struct setting *s)
{
	return totum_allgatherv(s->send, 1, s->recv, NULL, NULL, TOTUM_U8, s->comm);
}

static totum_status other_count(const struct setting *s)
{
	size_t counts[HARNESS_RANKS];

	for (int r = 0; r < s->nranks; r++)
		counts[r] = 4;
	return totum_allgatherv(s->send, 5, s->recv, counts, NULL, TOTUM_U8, s->comm);
}

static totum_status dtype_below(const struct setting *s)
{
	return totum_allgather(s->send, s->recv, COUNT, (totum_dtype)-1, s->comm);
}

static totum_status dtype_above(const struct setting *s)
{
	return totum_broadcast(s->send, s->recv, COUNT, TOTUM_DTYPES, 0, s->comm);
}

static totum_status op_above(const struct setting *s)
{
	return totum_allreduce(s->send, s->recv, COUNT, TOTUM_F32, TOTUM_OPS, s->comm);
}

static totum_status op_below(const struct setting *s)
{
	return totum_reduce_scatter(s->send, s->recv, COUNT, TOTUM_F32, (totum_op)-3, s->comm);
}

static totum_status bits_of_float(const struct setting *s)
{
	return totum_allreduce(s->send, s->recv, COUNT, TOTUM_F32, TOTUM_BXOR, s->comm);
}

static totum_status average_of_bool(const struct setting *s)
{
	return totum_reduce_scatter(s->send, s->recv, COUNT, TOTUM_BOOL, TOTUM_AVG, s->comm);
}

static totum_status sum_of_complex(const struct setting *s)
{
	return totum_allreduce(s->send, s->recv, COUNT, TOTUM_C64, TOTUM_SUM, s->comm);
}

static totum_status root_below(const struct setting *s)
{
	return totum_broadcast(s->send, s->recv, COUNT, TOTUM_U8, -1, s->comm);
}

static totum_status root_above(const struct setting *s)
{
	return totum_broadcast(s->send, s->recv, COUNT, TOTUM_U8, s->nranks, s->comm);
}

static totum_status overlap_by_a_byte(const struct setting *s)
{
	return totum_allgather(s->recv + COUNT * s->rank + 1, s->recv, COUNT, TOTUM_U8, s->comm);
}

static totum_status overlap_before(const struct setting *s)
{
	return totum_allgather(s->recv - COUNT / 2, s->recv, COUNT, TOTUM_U8, s->comm);
}

static totum_status overlap_of_allreduce(const struct setting *s)
{
	return totum_allreduce(s->recv + 8, s->recv, COUNT, TOTUM_U8, TOTUM_SUM, s->comm);
}

static totum_status overlap_of_reduce_scatter(const struct setting *s)
{
	return totum_reduce_scatter(s->recv - COUNT * s->rank - 1, s->recv, COUNT, TOTUM_U8,
				    TOTUM_SUM, s->comm);
}

static totum_status overlap_of_gatherv(const struct setting *s)
{
	size_t counts[HARNESS_RANKS];

	for (int r = 0; r < s->nranks; r++)
		counts[r] = 4;
	return totum_allgatherv(s->recv + 4 * s->rank + 1, 4, s->recv, counts, NULL, TOTUM_U8,
				s->comm);
}

/* The sentinel of a rank that has no recv: the sentence is about the sentinel, not about NULL. */
static totum_status sentinel(const struct setting *s, totum_status status)
{
	if (status == TOTUM_EINVAL && s->nranks > 1 && !strstr(totum_errmsg(), "TOTUM_IN_PLACE"))
		fail("no word of TOTUM_IN_PLACE: %s", totum_errmsg());
	return status;
}

static int other_root(const struct setting *s)
{
	return (s->rank + 1) % s->nranks;
}

static totum_status sentinel_of_gather(const struct setting *s)
{
	return sentinel(
		s, totum_gather(TOTUM_IN_PLACE, NULL, COUNT, TOTUM_U8, other_root(s), s->comm));
}

static totum_status sentinel_of_gatherv(const struct setting *s)
{
	size_t counts[HARNESS_RANKS];

	for (int r = 0; r < s->nranks; r++)
		counts[r] = COUNT;
	return sentinel(s, totum_gatherv(TOTUM_IN_PLACE, COUNT, NULL, counts, NULL, TOTUM_U8,
					 other_root(s), s->comm));
}

static totum_status sentinel_of_reduce(const struct setting *s)
{
	return sentinel(s, totum_reduce(TOTUM_IN_PLACE, NULL, COUNT, TOTUM_U8, TOTUM_SUM,
					other_root(s), s->comm));
}

static totum_status unknown_setting(const struct setting *s)
{
	return totum_comm_configure(s->comm, "colour=blue");
}

static totum_status unknown_algorithm(const struct setting *s)
{
	return totum_comm_configure(s->comm, "algo=rings");
}

static totum_status unknown_parameter(const struct setting *s)
{
	return totum_comm_configure(s->comm, "algo=bruck,base=3");
}

static totum_status parameter_out_of_range(const struct setting *s)
{
	return totum_comm_configure(s->comm, "algo=bruck,radix=0");
}

static totum_status timeout_without_unit(const struct setting *s)
{
	return totum_comm_configure(s->comm, "timeout=30");
}

static totum_status timeout_negative(const struct setting *s)
{
	return totum_comm_configure(s->comm, "timeout=-1s");
}

static totum_status setting_null(const struct setting *s)
{
	return totum_comm_configure(s->comm, NULL);
}

static totum_status split_nowhere(const struct setting *s)
{
	return totum_comm_split(s->comm, 0, 0, NULL);
}

static const struct {
	const char *name;
	wrong_call *call;
	totum_status status; /* 0: TOTUM_EINVAL or TOTUM_EPARSE */
} wrong_calls[] = {
	{"null_recv", null_recv, TOTUM_EINVAL},
	{"null_send", null_send, TOTUM_EINVAL},
	{"null_comm", null_comm, TOTUM_EINVAL},
	{"negative_count", negative_count, TOTUM_EINVAL},
	{"bytes_overflow", bytes_overflow, TOTUM_EINVAL},
	{"total_overflow", total_overflow, TOTUM_EINVAL},
	{"allreduce_overflow", allreduce_overflow, TOTUM_EINVAL},
	{"broadcast_overflow", broadcast_overflow, TOTUM_EINVAL},
	{"counts_overflow", counts_overflow, TOTUM_EINVAL},
	{"displs_overflow", displs_overflow, TOTUM_EINVAL},
	{"no_counts", no_counts, TOTUM_EINVAL},
	{"other_count", other_count, TOTUM_EINVAL},
	{"dtype_below", dtype_below, TOTUM_EINVAL},
	{"dtype_above", dtype_above, TOTUM_EINVAL},
	{"op_above", op_above, TOTUM_EINVAL},
	{"op_below", op_below, TOTUM_EINVAL},
	{"bits_of_float", bits_of_float, TOTUM_EUNSUPPORTED},
	{"average_of_bool", average_of_bool, TOTUM_EUNSUPPORTED},
	{"sum_of_complex", sum_of_complex, TOTUM_EUNSUPPORTED},
	{"root_below", root_below, TOTUM_EINVAL},
	{"root_above", root_above, TOTUM_EINVAL},
	{"overlap_by_a_byte", overlap_by_a_byte, TOTUM_EINVAL},
	{"overlap_before", overlap_before, TOTUM_EINVAL},
	{"overlap_of_allreduce", overlap_of_allreduce, TOTUM_EINVAL},
	{"overlap_of_reduce_scatter", overlap_of_reduce_scatter, TOTUM_EINVAL},
	{"overlap_of_gatherv", overlap_of_gatherv, TOTUM_EINVAL},
	{"sentinel_of_gather", sentinel_of_gather, TOTUM_EINVAL},
	{"sentinel_of_gatherv", sentinel_of_gatherv, TOTUM_EINVAL},
	{"sentinel_of_reduce", sentinel_of_reduce, TOTUM_EINVAL},
	{"unknown_setting", unknown_setting, 0},
	{"unknown_algorithm", unknown_algorithm, 0},
	{"unknown_parameter", unknown_parameter, 0},
	{"parameter_out_of_range", parameter_out_of_range, 0},
	{"timeout_without_unit", timeout_without_unit, 0},
	{"timeout_negative", timeout_negative, 0},
	{"setting_null", setting_null, TOTUM_EINVAL},
	{"split_nowhere", split_nowhere, TOTUM_EINVAL},
};

static void one_wrong_call(struct setting s, size_t which)
{
	struct buffer send = buffer_new(ROOM, 0), recv = buffer_new(2 * ROOM, 0);
	totum_status wanted = wrong_calls[which].status;

	step("arguments:n=%d:%s", s.nranks, wrong_calls[which].name);
	s.send = send.data;
	s.recv = recv.data + ROOM / 2;
	fill(send.data, ROOM, s.rank, 1);
	totum_status status = wrong_calls[which].call(&s);

	refused(status, wanted ? wanted : status == TOTUM_EPARSE ? TOTUM_EPARSE : TOTUM_EINVAL);
	check(send.data, ROOM, s.rank, 1, "send");
	check_poison(recv.data, 2 * ROOM, "recv of a refused call");
	still_works(s.comm);
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

/* send == recv is in place on rank 0 alone; on the others it is an overlap. */
static void send_is_recv(struct setting s)
{
	unsigned char both[HARNESS_RANKS * COUNT];

	step("arguments:n=%d:send_is_recv", s.nranks);
	memset(both, POISON, sizeof both);
	if (s.rank > 0)
		refused(totum_allgather(both, both, COUNT, TOTUM_U8, s.comm), TOTUM_EINVAL);
	check_poison(both, sizeof both, "recv of a refused call");
	still_works(s.comm);
}

/* NULL is right where nothing is moved, and an empty call is a call all the same. */
static void null_and_empty(struct setting s)
{
	size_t counts[HARNESS_RANKS] = {0}, wild[HARNESS_RANKS];

	step("arguments:n=%d:null_and_empty", s.nranks);
	for (int r = 0; r < s.nranks; r++)
		wild[r] = SIZE_MAX - (size_t)r;
	ok(totum_allgather(NULL, NULL, 0, TOTUM_F64, s.comm));
	ok(totum_allgather(TOTUM_IN_PLACE, NULL, 0, TOTUM_F64, s.comm));
	ok(totum_allgatherv(NULL, 0, NULL, counts, NULL, TOTUM_F64, s.comm));
	ok(totum_allgatherv(NULL, 0, NULL, counts, counts, TOTUM_F64, s.comm));
	ok(totum_allgatherv(NULL, 0, NULL, counts, wild, TOTUM_F64, s.comm));
	ok(totum_gatherv(NULL, 0, NULL, counts, wild, TOTUM_F64, 0, s.comm));
	ok(totum_scatterv(NULL, counts, wild, NULL, 0, TOTUM_F64, 0, s.comm));
	ok(totum_alltoallv(NULL, counts, wild, NULL, counts, wild, TOTUM_F64, s.comm));
	ok(totum_reduce_scatter(NULL, NULL, 0, TOTUM_F64, TOTUM_SUM, s.comm));
	ok(totum_allreduce(NULL, NULL, 0, TOTUM_F64, TOTUM_SUM, s.comm));
	ok(totum_broadcast(NULL, NULL, 0, TOTUM_F64, 0, s.comm));
	still_works(s.comm);
}

static int never(void *context, const char *key, int milliseconds)
{
	(void)context;
	(void)key;
	(void)milliseconds;
	fail("a store is asked though the call is wrong");
	return 1;
}

static void other_ways(struct setting s)
{
	totum_unique_id id = {"no id"};
	struct totum_store store = {.wait = never};

	refused(totum_unique_id_create(NULL), TOTUM_EINVAL);
	refused(totum_comm_init_rank(&s.comm, 2, &id, 0), TOTUM_EINVAL);
	refused(totum_comm_init_rank(&s.comm, 2, NULL, 0), TOTUM_EINVAL);
	totum_status made = totum_unique_id_create(&id);
	if (made == TOTUM_EUNSUPPORTED) /* built without OpenSSL */
		return;
	ok(made);
	refused(totum_comm_create(0, 2, "tcp://127.0.0.1:1", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_init_rank(NULL, 2, &id, 0), TOTUM_EINVAL);
	refused(totum_comm_init_rank(&s.comm, 0, &id, 0), TOTUM_EINVAL);
	refused(totum_comm_init_rank(&s.comm, 2, &id, 2), TOTUM_EINVAL);
	refused(totum_comm_create_store(0, 2, NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create_store(0, 2, &store, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create_store(2, 2, &store, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create_store(0, 2, &store, NULL), TOTUM_EINVAL);
}

/* Names and sizes, and questions about no communicator. */
static void facts(struct setting s)
{
	step("arguments:n=%d:facts", s.nranks);
	if (totum_dtype_size((totum_dtype)-1) || totum_dtype_size(TOTUM_DTYPES))
		fail("no dtype has a size");
	if (totum_dtype_name(TOTUM_DTYPES) || totum_op_name(TOTUM_OPS) ||
	    totum_op_name((totum_op)-1))
		fail("no dtype or op has a name");
	for (int i = 0; i < TOTUM_DTYPES; i++) {
		totum_dtype dtype = TOTUM_DTYPES;

		ok(totum_dtype_parse(totum_dtype_name((totum_dtype)i), &dtype));
		if ((int)dtype != i)
			fail("%s is read as another dtype", totum_dtype_name((totum_dtype)i));
	}
	for (int i = 0; i < TOTUM_OPS; i++) {
		totum_op op = TOTUM_OPS;

		ok(totum_op_parse(totum_op_name((totum_op)i), &op));
		if ((int)op != i)
			fail("%s is read as another op", totum_op_name((totum_op)i));
	}
	refused(totum_dtype_parse("float33", &(totum_dtype){0}), TOTUM_EINVAL);
	refused(totum_op_parse("", &(totum_op){0}), TOTUM_EINVAL);
	refused(totum_barrier(NULL), TOTUM_EINVAL);
	refused(totum_init(NULL), TOTUM_EINVAL);
	refused(totum_init_threads(0, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 0, "local:x", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(2, 2, "local:x", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(-1, 2, "local:x", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 2, "nowhere:x", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 2, "local:", NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 2, NULL, NULL, &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 2, "tcp://host", "secret", &s.comm), TOTUM_EINVAL);
	refused(totum_comm_create(0, 2, "file:", NULL, &s.comm), TOTUM_EINVAL);
	other_ways(s);
}

static void test(totum_comm *comm)
{
	struct setting s = {
		.comm = comm, .rank = totum_comm_rank(comm), .nranks = totum_comm_nranks(comm)};

	for (size_t i = 0; i < sizeof wrong_calls / sizeof *wrong_calls; i++)
		one_wrong_call(s, i);
	send_is_recv(s);
	null_and_empty(s);
	facts(s);
}
