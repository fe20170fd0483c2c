/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_strangers - those who knock and do not belong: silence, noise, half a handshake, an old one,
 * another job's key.
 */
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/log.h"
#include "transport/pair.h"

enum { CROWD = 300 };

static bool encrypt; /* each test is run in the clear, then encrypted */

static struct tt_tcp_options v4(void)
{
	return (struct tt_tcp_options){.interfaces = "127.0.0.1", .streams = 1, .encrypt = encrypt};
}

/* True when the other end has closed. */
static bool is_closed(int fd)
{
	char bin[256];
	ssize_t got;

	while ((got = recv(fd, bin, sizeof bin, MSG_DONTWAIT)) > 0)
		;
	return got == 0 || errno != EAGAIN;
}

static void exchange(struct pair *pair, const struct aside *aside)
{
	int who;

	ok(pair_exchange(pair, 100000, aside, &who));
}

/* More than the hall holds. */
static void crowd(void)
{
	struct pair pair;
	int fds[CROWD];

	pair_listen(&pair, v4());
	pair_open(&pair);
	struct tt_tcp_address at = pair_address(&pair, 1);
	for (int i = 0; i < CROWD; i++)
		fds[i] = dial(&at);
	exchange(&pair, NULL);
	int open = 0;
	for (int i = 0; i < CROWD; i++)
		open += !is_closed(fds[i]);
	if (open > 128)
		fail("%d strangers are in the hall", open);
	pair_idle(&pair, 2.3);
	for (int i = 0; i < CROWD; i++) {
		if (!is_closed(fds[i]))
			fail("a silent stranger is still there after its deadline");
		close(fds[i]);
	}
	exchange(&pair, NULL);
	pair_close(&pair);
}

struct noise {
	struct tt_tcp_address at;
	int fd, visits;
	uint32_t random;
};

static void make_noise(void *context)
{
	struct noise *noise = context;
	unsigned char bytes[16384];

	if (noise->fd < 0)
		noise->fd = dial(&noise->at);
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(
			(noise->random = noise->random * 1664525 + 1013904223) >> 24);
	if (send(noise->fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0 || errno == EAGAIN)
		return;
	close(noise->fd);
	noise->fd = -1;
	noise->visits++;
}

static void noise(void)
{
	struct pair pair;

	pair_listen(&pair, v4());
	pair_open(&pair);
	struct noise maker = {.at = pair_address(&pair, 1), .fd = -1, .random = 7};
	struct aside aside = {make_noise, &maker};
	for (int i = 0; i < 40; i++)
		exchange(&pair, &aside);
	if (!maker.visits)
		fail("noise was never sent away");
	if (maker.fd >= 0)
		close(maker.fd);
	pair_close(&pair);
}

/* A HELLO that begins well. */
static struct tt_tcp_hello well(void)
{
	return (struct tt_tcp_hello){.nranks = 2, .from = 0, .to = 1};
}

static int say_hello(const struct pair *pair, const struct tt_tcp_hello *hello, size_t bytes)
{
	unsigned char text[TT_TCP_HELLO];
	struct tt_tcp_address at = pair_address(pair, 1);
	int fd = dial(&at);

	tt_tcp_hello_write(hello, text);
	if (send(fd, text, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		fail("cannot send");
	return fd;
}

static void half_a_handshake(void)
{
	struct tt_tcp_hello hello = well();
	struct pair pair;

	pair_listen(&pair, v4());
	pair_open(&pair);
	int half = say_hello(&pair, &hello, 31), whole = say_hello(&pair, &hello, TT_TCP_HELLO);
	exchange(&pair, NULL);
	pair_idle(&pair, 2.3);
	if (!is_closed(half) || !is_closed(whole))
		fail("half a handshake holds a connection for ever");
	close(half);
	close(whole);
	exchange(&pair, NULL);
	pair_close(&pair);
}

/* How often the text is in what has been logged to the file since. */
static int count_lines(FILE *file, const char *text)
{
	char line[512];
	int n = 0;

	rewind(file);
	while (fgets(line, sizeof line, file))
		n += strstr(line, text) != NULL;
	return n;
}

/* HELLOs that cannot be are sent away at once, without an answer and with one line in the log. */
static void impossible(void)
{
	struct tt_tcp_hello wrong[] = {well(), well(), well(), well(), well()};
	struct pair pair;

	wrong[0].nranks = 3;
	wrong[1].from = 1;
	wrong[2].from = 7;
	wrong[3].to = 0;
	wrong[4].stream = 1;
	pair_listen(&pair, v4());
	pair_open(&pair);
	FILE *file = tmpfile();
	int error = dup(2), kept = -1;
	tt_log_enable(); /* for the rest of this program */
	dup2(fileno(file), 2);
	for (int i = 0; i < 5; i++) {
		char byte;
		int fd = say_hello(&pair, &wrong[i], TT_TCP_HELLO);
		pair_idle(&pair, 0.1);
		if (encrypt ? !is_closed(fd)
			    : recv(fd, &byte, 1, MSG_DONTWAIT) != 0) /* TLS says why it ends */
			kept = i;
		close(fd);
	}
	exchange(&pair, NULL);
	dup2(error, 2);
	close(error);
	if (kept >= 0)
		fail("impossible HELLO %d is answered or kept", kept);
	/* none of the five hangs up; a rank does, on an attempt that it needs no more */
	int lines = count_lines(file, "stranger") - count_lines(file, "hung up");

	if (lines != 5)
		fail("%d lines in the log for 5 strangers", lines);
	fclose(file);
	pair_close(&pair);
}

/* Reads n bytes while both endpoints work; false at the end of the connection. */
static bool hear(struct pair *pair, int fd, unsigned char *bytes, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t now = recv(fd, bytes + got, n - got, MSG_DONTWAIT);
		if (now == 0 || (now < 0 && errno != EAGAIN))
			return false;
		got += now > 0 ? (size_t)now : 0;
		pair_idle(pair, 0.01);
	}
	return true;
}

/* A proof with the right secret, but made for another endpoint, or as the other side. */
static void proof_of_another(void)
{
	struct tt_tcp_hello hello = well();
	unsigned char text[TT_TCP_HELLO], challenge[TT_TCP_CHALLENGE], proof[TT_TCP_PROOF],
		word[TT_TCP_WORD];
	struct tt_tcp_card cards[2];
	struct pair pair;

	pair_listen(&pair, v4());
	pair_open(&pair);
	tt_tcp_hello_write(&hello, text);
	for (int rank = 0; rank < 2; rank++)
		ok(tt_tcp_card_read(pair.blobs[rank], &cards[rank]));
	for (int how = 0; how < 4; how++) { /* 3 is right */
		unsigned char id[TT_TCP_ID];
		memcpy(id, cards[0].id, TT_TCP_ID);
		id[5] ^= how == 0;
		int fd = say_hello(&pair, &hello, TT_TCP_HELLO);
		if (!hear(&pair, fd, challenge, sizeof challenge))
			fail("no challenge");
		struct tt_tcp_proof_of of = {
			pair.secrets[0], strlen(pair.secrets[0]), text, challenge, id, cards[1].id};
		if (!tt_tcp_proves(&of, false, challenge + TT_TCP_NONCE) != (how == 0))
			fail("the responder's own proof");
		if (!tt_tcp_prove(&of, how != 1, proof))
			fail("no proof");
		proof[31] ^= how == 2;
		send(fd, proof, sizeof proof, MSG_NOSIGNAL);
		if (hear(&pair, fd, word, sizeof word) != (how == 3))
			fail("a proof of kind %d was %s", how, how == 3 ? "refused" : "believed");
		close(fd);
	}
	exchange(&pair, NULL);
	pair_close(&pair);
}

static void turn_proxy(void *context)
{
	proxy_turn(context);
}

/* What was said in a handshake that was believed, said again. */
static void replay(void)
{
	struct pair pair;
	struct proxy proxy;
	unsigned char challenge[TT_TCP_CHALLENGE], word[TT_TCP_WORD];

	pair_listen(&pair, v4());
	proxy_open(&proxy, pair_address(&pair, 1));
	pair_readdress(&pair, 0, &proxy.here, 1);
	pair_readdress(&pair, 1, &mute, 1);
	pair_open(&pair);
	struct aside aside = {turn_proxy, &proxy};
	exchange(&pair, &aside);
	if (proxy.recorded < TT_TCP_HELLO + TT_TCP_PROOF)
		fail("the handshake did not go through the proxy");
	int fd = dial(&proxy.there);
	send(fd, proxy.record, TT_TCP_HELLO, MSG_NOSIGNAL);
	if (!hear(&pair, fd, challenge, sizeof challenge))
		fail("no challenge");
	send(fd, proxy.record + TT_TCP_HELLO, TT_TCP_PROOF, MSG_NOSIGNAL);
	if (hear(&pair, fd, word, sizeof word))
		fail("an old proof was believed");
	close(fd);
	exchange(&pair, &aside);
	proxy_close(&proxy);
	pair_close(&pair);
}

/* Rank 1 has another secret: both sides say so, long before the deadline. */
static void other_secret(void)
{
	struct pair pair;
	int who;

	pair_listen(&pair, v4());
	pair.secrets[1] = "the secret of another job";
	pair_open(&pair);
	refused(pair_exchange(&pair, 1000, NULL, &who), TOTUM_ELOST, "does not know the secret");
	pair_close(&pair);
}

/* What goes by is not to be read, and a bit that is changed is noticed. */
static void listen_in(void)
{
	struct pair pair;
	struct proxy proxy;
	int who;

	for (size_t spoil = 0; spoil <= 50000; spoil += 50000) {
		pair_listen(&pair, v4());
		proxy_open(&proxy, pair_address(&pair, 1));
		proxy.spoil = spoil;
		pair_readdress(&pair, 0, &proxy.here, 1);
		pair_readdress(&pair, 1, &mute, 1);
		pair_open(&pair);
		totum_status status =
			pair_exchange(&pair, 100000, &(struct aside){turn_proxy, &proxy}, &who);
		unsigned char start[16];
		for (size_t i = 0; i < sizeof start; i++)
			start[i] = (unsigned char)(i * 2654435761u >> 13);
		bool seen = memmem(proxy.record, proxy.recorded, start, sizeof start);
		if (proxy.recorded < 2000 || seen == encrypt)
			fail("the bytes are %s on the way", seen ? "to be read" : "not");
		if (!spoil)
			ok(status);
		else if (encrypt)
			refused(status, TOTUM_ELOST, "rank");
		proxy_close(&proxy);
		pair_close(&pair);
		if (!encrypt)
			break; /* damage that nobody looks for: see tcp_links */
	}
}

/* Somebody in the middle who has no key, but a certificate. */
static void certificate(void)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *paper = X509_new();
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	struct pair pair;
	uint16_t port;
	int listener = listen_here(&port), fd = -1;
	char byte;

	X509_gmtime_adj(X509_getm_notBefore(paper), 0);
	X509_gmtime_adj(X509_getm_notAfter(paper), 3600);
	X509_set_pubkey(paper, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(paper), "CN", MBSTRING_ASC,
				   (const unsigned char *)"totum", -1, -1, 0);
	X509_set_issuer_name(paper, X509_get_subject_name(paper));
	if (!X509_sign(paper, key, EVP_sha256()) || SSL_CTX_use_certificate(context, paper) != 1 ||
	    SSL_CTX_use_PrivateKey(context, key) != 1)
		fail("no certificate");
	pair_listen(&pair, v4());
	pair_readdress(&pair, 0,
		       &(struct tt_tcp_address){
			       .family = 4, .prefix = 8, .port = port, .bytes = {127, 0, 0, 1}},
		       1);
	pair_open(&pair);
	struct tt_span span = {(unsigned char *)&byte, 1};
	struct tt_transfer_state transfer = {.spans = &span, .nspans = 1, .peer = 1};
	ok(tt_transport_tcp.send(pair.ends[0], &transfer));
	while (fd < 0) {
		pair_idle(&pair, 0.01);
		fd = accept(listener, NULL, NULL);
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	SSL *ssl = SSL_new(context);
	SSL_set_fd(ssl, fd);
	for (int i = 0; i < 30; i++) {
		bool moved;
		SSL_accept(ssl);
		ok(tt_transport_tcp.progress(pair.ends[0], &moved));
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
		if (SSL_read(ssl, &byte, 1) == 1)
			fail("rank 0 speaks to somebody who has no key");
	}
	if (SSL_get_error(ssl, -1) == SSL_ERROR_WANT_READ)
		fail("rank 0 stays with somebody who has no key");
	SSL_free(ssl);
	close(fd);
	close(listener);
	SSL_CTX_free(context);
	X509_free(paper);
	EVP_PKEY_free(key);
	pair_close(&pair);
}

static void no_secret(void)
{
	struct tt_endpoint *endpoint;
	struct pair pair;

	pair_listen(&pair, v4());
	refused(tt_transport_tcp.open(&(struct tt_tcp_context){.rank = 0,
							       .nranks = 2,
							       .listener = pair.listeners[0],
							       .blobs = pair.blobs[0],
							       .secret = "",
							       .timeout_ns = 1000},
				      &endpoint),
		TOTUM_EINVAL, "secret");
	for (int rank = 0; rank < 2; rank++)
		tt_tcp_unlisten(pair.listeners[rank]);
}

int main(int argc, char **argv)
{
	static const struct test both[] = {
		{"crowd", crowd},
		{"noise", noise},
		{"half_a_handshake", half_a_handshake},
		{"impossible", impossible},
		{"other_secret", other_secret},
		{"listen_in", listen_in},
		{NULL, NULL},
	};
	static const struct test clear[] = {
		{"proof_of_another", proof_of_another},
		{"replay", replay},
		{"no_secret", no_secret},
		{NULL, NULL},
	};
	static const struct test encrypted[] = {
		{"certificate", certificate},
		{NULL, NULL},
	};

	signal(SIGPIPE, SIG_IGN); /* for the TLS of the test itself */
	run_tests(both, argc, argv);
	run_tests(clear, argc, argv);
	encrypt = true;
	puts("encrypted:");
	run_tests(both, argc, argv);
	return run_tests(encrypted, argc, argv);
}
