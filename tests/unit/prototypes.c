/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts and displacements have one width in the interface, that of memory: a function that took
 * others, or in another order, would not compile here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "totum.h"

/* clang-format off */
#define TAKES(name, ...)                                                                          \
	_Static_assert(__builtin_types_compatible_p(__typeof__(totum_##name),                     \
						    totum_status(__VA_ARGS__)), #name)
/* The three forms of a collective, whose arguments end with the communicator. */
#define FORMS(name, ...)                                                                          \
	TAKES(name, __VA_ARGS__);                                                                 \
	TAKES(i##name, __VA_ARGS__, totum_request **);                                            \
	TAKES(name##_plan, __VA_ARGS__, totum_plan **)

typedef const void *send;
typedef void *recv;
typedef const size_t *array;
typedef totum_comm *comm;

FORMS(allgather, send, recv, size_t, totum_dtype, comm);
FORMS(allgatherv, send, size_t, recv, array, array, totum_dtype, comm);
FORMS(reduce_scatter, send, recv, size_t, totum_dtype, totum_op, comm);
FORMS(reduce_scatterv, send, recv, array, totum_dtype, totum_op, comm);
FORMS(allreduce, send, recv, size_t, totum_dtype, totum_op, comm);
FORMS(reduce, send, recv, size_t, totum_dtype, totum_op, int, comm);
FORMS(broadcast, send, recv, size_t, totum_dtype, int, comm);
FORMS(gather, send, recv, size_t, totum_dtype, int, comm);
FORMS(gatherv, send, size_t, recv, array, array, totum_dtype, int, comm);
FORMS(scatter, send, recv, size_t, totum_dtype, int, comm);
FORMS(scatterv, send, array, array, recv, size_t, totum_dtype, int, comm);
FORMS(alltoall, send, recv, size_t, totum_dtype, comm);
FORMS(alltoallv, send, array, array, recv, array, array, totum_dtype, comm);
FORMS(barrier, comm);
TAKES(send, const void *, size_t, totum_dtype, int, int, comm);
TAKES(recv, void *, size_t, totum_dtype, int, int, comm, totum_message *);
TAKES(isend, const void *, size_t, totum_dtype, int, int, comm, totum_request **);
TAKES(irecv, void *, size_t, totum_dtype, int, int, comm, totum_message *, totum_request **);
TAKES(alloc, comm, size_t, void **);
TAKES(window_create, comm, size_t, totum_window **);
/* clang-format on */

static void test_widths(void **state)
{
	(void)state;
	assert_int_equal(sizeof(size_t), sizeof(void *));
	assert_int_equal(sizeof(((totum_message *)0)->count), sizeof(size_t));
	assert_int_equal(sizeof(((struct totum_counters *)0)->sent_inside), 8);
	assert_int_equal(sizeof(((struct totum_memory *)0)->shared), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
