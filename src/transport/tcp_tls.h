/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_tls.h - TLS 1.3 with a key made from the job's secret and no certificates (RFC 8446, 2.2). */
#ifndef TT_TCP_TLS_H
#define TT_TCP_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/status.h"

struct tt_tcp_tls;      /* of an endpoint */
struct tt_tcp_tls_conn; /* of a connection */

totum_status tt_tcp_tls_new(const void *secret, size_t secret_bytes, struct tt_tcp_tls **out);
void tt_tcp_tls_free(struct tt_tcp_tls *tls); /* NULL is legal */

/* Over fd, which stays the caller's; NULL when there is no memory. */
struct tt_tcp_tls_conn *tt_tcp_tls_conn_new(struct tt_tcp_tls *tls, int fd, bool initiator);
void tt_tcp_tls_conn_free(struct tt_tcp_tls_conn *conn); /* NULL is legal */

/* The next steps of the handshake: 1: it is over, 0: it waits for the other side, -1: it failed. */
int tt_tcp_tls_shake_hands(struct tt_tcp_tls_conn *conn);

/* Like readv and a sendmsg without signals: bytes, 0 at the end (read), or -1 and errno. */
ssize_t tt_tcp_tls_read(struct tt_tcp_tls_conn *conn, const struct iovec *parts, int n);
/* After EAGAIN it must be called with the same bytes again, at any place. */
ssize_t tt_tcp_tls_write(struct tt_tcp_tls_conn *conn, const struct iovec *parts, int n);

#endif
