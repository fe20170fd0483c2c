/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_tls - by OpenSSL.  The pre-shared key is HMAC-SHA256 of a label by the secret; each
 * connection has fresh keys by Diffie-Hellman on top.  Whoever does not hold the key does not get
 * through: the responder has no certificate to offer, and the initiator takes none.
 *
 * OpenSSL writes to sockets in a way that can end a process by SIGPIPE, hence the BIO of our own.
 * A record holds 16 KiB; what is smaller is gathered into one, what is larger goes from where it
 * lies.  After 64 GiB the key is renewed, long before AES-GCM wears out (RFC 8446, 5.5).
 */
#include "transport/tcp_tls.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { KEY = 32, RECORD = 16 << 10, MOST = 256 << 10 };
static const uint64_t renew_after = (uint64_t)64 << 30;
static const unsigned char identity[] = "totum";
static const unsigned char suite[] = {0x13, 0x01}; /* TLS_AES_128_GCM_SHA256 */

struct tt_tcp_tls {
	SSL_CTX *context;
	BIO_METHOD *method;
	unsigned char key[KEY];
	unsigned char gathered[RECORD];
};

struct tt_tcp_tls_conn {
	struct tt_tcp_tls *tls;
	SSL *ssl;
	int fd;
	uint64_t written;
};

/* --- sockets --------------------------------------------------------------------------------- */

static int bio_write(BIO *bio, const char *bytes, int n)
{
	const struct tt_tcp_tls_conn *conn = BIO_get_data(bio);
	ssize_t sent = send(conn->fd, bytes, (size_t)n, MSG_NOSIGNAL);

	BIO_clear_retry_flags(bio);
	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)sent;
}

static int bio_read(BIO *bio, char *bytes, int n)
{
	const struct tt_tcp_tls_conn *conn = BIO_get_data(bio);
	ssize_t got = recv(conn->fd, bytes, (size_t)n, 0);

	BIO_clear_retry_flags(bio);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return command == BIO_CTRL_FLUSH;
}

/* --- the key --------------------------------------------------------------------------------- */

static SSL_SESSION *new_session(SSL *ssl)
{
	const struct tt_tcp_tls *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
	const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
	SSL_SESSION *session = SSL_SESSION_new();

	if (session && cipher && SSL_SESSION_set1_master_key(session, tls->key, KEY) &&
	    SSL_SESSION_set_cipher(session, cipher) &&
	    SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
		return session;
	SSL_SESSION_free(session);
	return NULL;
}

/* The responder: a session only for the one key that there is. */
static int find_session(SSL *ssl, const unsigned char *name, size_t length, SSL_SESSION **out)
{
	bool ours = length == sizeof identity - 1 && !memcmp(name, identity, length);

	*out = ours ? new_session(ssl) : NULL;
	return !ours || *out;
}

static int use_session(SSL *ssl, const EVP_MD *hash, const unsigned char **name, size_t *length,
		       SSL_SESSION **out)
{
	*out = !hash || EVP_MD_get_type(hash) == EVP_MD_get_type(EVP_sha256())
		       ? new_session(ssl)
		       : NULL;
	*name = *out ? identity : NULL;
	*length = *out ? sizeof identity - 1 : 0;
	return 1;
}

static bool make_context(struct tt_tcp_tls *tls)
{
	tls->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "totum");
	tls->context = SSL_CTX_new(TLS_method());
	if (!tls->method || !tls->context || !BIO_meth_set_write(tls->method, bio_write) ||
	    !BIO_meth_set_read(tls->method, bio_read) ||
	    !BIO_meth_set_ctrl(tls->method, bio_control) ||
	    !SSL_CTX_set_min_proto_version(tls->context, TLS1_3_VERSION) ||
	    !SSL_CTX_set_max_proto_version(tls->context, TLS1_3_VERSION) ||
	    !SSL_CTX_set_ciphersuites(tls->context, "TLS_AES_128_GCM_SHA256") ||
	    !SSL_CTX_set_num_tickets(tls->context, 0))
		return false;
	SSL_CTX_set_app_data(tls->context, tls);
	SSL_CTX_set_session_cache_mode(tls->context, SSL_SESS_CACHE_OFF);
	/* frames say themselves how long they are */
	SSL_CTX_set_options(tls->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_mode(tls->context,
			 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_psk_find_session_callback(tls->context, find_session);
	SSL_CTX_set_psk_use_session_callback(tls->context, use_session);
	return true;
}

totum_status tt_tcp_tls_new(const void *secret, size_t secret_bytes, struct tt_tcp_tls **out)
{
	static const unsigned char label[] = "totum pre-shared key of TLS 1.3";
	struct tt_tcp_tls *tls = calloc(1, sizeof *tls);
	unsigned length = KEY;

	if (!tls)
		return tt_fail_memory(sizeof *tls, "encryption");
	if (!HMAC(EVP_sha256(), secret, (int)secret_bytes, label, sizeof label, tls->key,
		  &length) ||
	    !make_context(tls)) {
		char why[120];
		ERR_error_string_n(ERR_get_error(), why, sizeof why);
		tt_tcp_tls_free(tls);
		return tt_fail(TOTUM_ESYSTEM, "OpenSSL does not encrypt as TOTUM_ENCRYPT asks: %s",
			       why);
	}
	*out = tls;
	return TOTUM_OK;
}

void tt_tcp_tls_free(struct tt_tcp_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->context);
	BIO_meth_free(tls->method);
	OPENSSL_cleanse(tls->key, KEY);
	free(tls);
}

/* --- connections ----------------------------------------------------------------------------- */

struct tt_tcp_tls_conn *tt_tcp_tls_conn_new(struct tt_tcp_tls *tls, int fd, bool initiator)
{
	struct tt_tcp_tls_conn *conn = calloc(1, sizeof *conn);
	BIO *bio = conn ? BIO_new(tls->method) : NULL;
	SSL *ssl = bio ? SSL_new(tls->context) : NULL;

	if (!ssl) {
		BIO_free(bio);
		free(conn);
		return NULL;
	}
	*conn = (struct tt_tcp_tls_conn){tls, ssl, fd, 0};
	BIO_set_data(bio, conn);
	BIO_set_init(bio, 1);
	SSL_set_bio(ssl, bio, bio); /* takes it over */
	if (initiator) {
		SSL_set_connect_state(ssl);
		SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL); /* no certificate is good enough */
	} else {
		SSL_set_accept_state(ssl);
	}
	return conn;
}

void tt_tcp_tls_conn_free(struct tt_tcp_tls_conn *conn)
{
	if (!conn)
		return;
	SSL_free(conn->ssl);
	free(conn);
}

/* errno of a call that did not succeed, 0 at the end. */
static int reason(const struct tt_tcp_tls_conn *conn, int result)
{
	int error = errno;

	switch (SSL_get_error(conn->ssl, result)) {
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_WRITE: return EAGAIN;
	case SSL_ERROR_ZERO_RETURN: return 0;
	case SSL_ERROR_SYSCALL: return error ? error : ECONNRESET;
	default: return EPROTO; /* damaged, or not by somebody with the key */
	}
}

int tt_tcp_tls_shake_hands(struct tt_tcp_tls_conn *conn)
{
	ERR_clear_error();
	errno = 0;
	int result = SSL_do_handshake(conn->ssl);
	if (result == 1 && SSL_session_reused(conn->ssl)) /* by the key, and not by a certificate */
		return 1;
	errno = result == 1 ? EPROTO : reason(conn, result);
	return errno == EAGAIN ? 0 : -1;
}

ssize_t tt_tcp_tls_read(struct tt_tcp_tls_conn *conn, const struct iovec *parts, int n)
{
	size_t total = 0, got;

	for (int i = 0; i < n; i++)
		for (size_t at = 0; at < parts[i].iov_len; at += got, total += got) {
			if (total >= MOST)
				return (ssize_t)total;
			ERR_clear_error();
			errno = 0;
			int result = SSL_read_ex(conn->ssl, (char *)parts[i].iov_base + at,
						 parts[i].iov_len - at, &got);
			if (result == 1)
				continue;
			if (total) /* what is wrong is told next time */
				return (ssize_t)total;
			errno = reason(conn, result);
			return errno ? -1 : 0;
		}
	return (ssize_t)total;
}

/* The first bytes of the parts in one run: a long part where it lies, short ones gathered. */
static struct iovec first_run(struct tt_tcp_tls *tls, const struct iovec *parts, int n)
{
	size_t at = 0;

	if (n && parts[0].iov_len >= RECORD)
		return (struct iovec){parts[0].iov_base, RECORD};
	for (int i = 0; i < n && at < RECORD; i++) {
		size_t now = parts[i].iov_len < RECORD - at ? parts[i].iov_len : RECORD - at;
		if (now)
			memcpy(tls->gathered + at, parts[i].iov_base, now);
		at += now;
	}
	return (struct iovec){tls->gathered, at};
}

ssize_t tt_tcp_tls_write(struct tt_tcp_tls_conn *conn, const struct iovec *parts, int n)
{
	struct iovec run = first_run(conn->tls, parts, n);
	size_t sent;

	ERR_clear_error();
	errno = 0;
	int result = SSL_write_ex(conn->ssl, run.iov_base, run.iov_len, &sent);
	if (result != 1) {
		errno = reason(conn, result);
		if (!errno)
			errno = EPIPE;
		return -1;
	}
	conn->written += sent;
	if (conn->written >= renew_after) {
		conn->written = 0;
		SSL_key_update(conn->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
	}
	return (ssize_t)sent;
}
