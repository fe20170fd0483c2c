/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stranger - knocks at the doors of a job that it does not belong to; no rank, and without the
 * library.
 *
 *     stranger record FILE             without an end: the first RECORD bytes of each connection
 *                                      that comes into this host are appended to the file
 *     stranger doors FILE              the addresses and ports that true ranks have spoken to
 *     stranger KIND COUNT ADDRESS PORT [FILE]
 *                                      COUNT connections at once, each until it is hung up on
 *
 * KIND is silence; noise, random bytes without an end; http, a request to a web server; half, the
 * HELLO of a true rank and nothing behind it; wrong, that HELLO and a proof of random bytes, as by
 * another job's secret; or replay, all that a true rank has said.  The last three take from FILE
 * what was said at this address and port.  It says how many connections were challenged, and fails
 * when one is still open after HUNG_UP_S, or was heard on after its proof.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Of the handshake (src/transport/tcp_wire.h, src/launch/tcp_meeting.h). */
enum { HELLO = 64, CHALLENGE = 64, PROOF = 32, WORDS = PROOF + 128 };
enum { RECORD = HELLO + WORDS, PACKET = 400, FLOWS = 256, MOST = 1000, HUNG_UP_S = 60 };

struct flow { /* also the pieces of the file */
	uint32_t from, to;
	uint16_t from_port, to_port;
	uint32_t next, got; /* TCP's number of the next byte, and how many there are */
	unsigned char bytes[RECORD];
};

static void die(const char *what)
{
	fprintf(stderr, "stranger: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- listening in ---------------------------------------------------------------------------- */

static struct flow flows[FLOWS];
static int nflows;

static struct flow *flow_of(const struct flow *of)
{
	for (int i = 0; i < nflows; i++)
		if (flows[i].from == of->from && flows[i].to == of->to &&
		    flows[i].from_port == of->from_port && flows[i].to_port == of->to_port)
			return &flows[i];
	return NULL;
}

/* An IPv4 packet, of which the first n bytes are there; its flow, when that is whole now. */
static struct flow *hear(const unsigned char *packet, size_t n)
{
	size_t ip = (size_t)(packet[0] & 15) * 4;
	size_t head = n > ip + 13 ? (size_t)(packet[ip + 12] >> 4) * 4 : 0;
	struct flow of = {.got = 0};
	uint32_t at;

	if (!head || packet[9] != IPPROTO_TCP || n < ip + head)
		return NULL;
	memcpy(&of.from, packet + 12, 4);
	memcpy(&of.to, packet + 16, 4);
	memcpy(&of.from_port, packet + ip, 2);
	memcpy(&of.to_port, packet + ip + 2, 2);
	memcpy(&at, packet + ip + 4, 4);
	of.next = ntohl(at) + 1;
	bool begins = (packet[ip + 13] & 18) == 2; /* SYN without ACK */
	struct flow *flow = flow_of(&of);
	if (begins && !flow && nflows < FLOWS)
		flows[nflows++] = of;
	if (begins || !flow || ntohl(at) != flow->next || flow->got == RECORD)
		return NULL;
	size_t there = n - ip - head, room = RECORD - flow->got;
	memcpy(flow->bytes + flow->got, packet + ip + head, there < room ? there : room);
	flow->got += (uint32_t)(there < room ? there : room);
	flow->next += (uint32_t)(packet[2] << 8 | packet[3]) - (uint32_t)(ip + head);
	return flow->got == RECORD ? flow : NULL;
}

static _Noreturn void record(const char *path)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP)), room = 64 << 20;
	int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct sock_filter start[] = {BPF_STMT(BPF_RET | BPF_K, PACKET)}; /* of each packet */
	struct sock_fprog filter = {1, start};
	struct sockaddr_ll from;
	socklen_t length = sizeof from;
	unsigned char packet[PACKET];

	if (fd < 0 || file < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter))
		die("cannot listen in");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
	puts("listening");
	fflush(stdout);
	for (;;) {
		ssize_t n =
			recvfrom(fd, packet, sizeof packet, 0, (struct sockaddr *)&from, &length);
		struct flow *whole =
			n >= 20 && from.sll_pkttype == PACKET_HOST ? hear(packet, (size_t)n) : NULL;
		if (whole && write(file, whole, sizeof *whole) != sizeof *whole)
			die(path);
	}
}

/* --- knocking -------------------------------------------------------------------------------- */

struct visit {
	int fd, heard;
	bool proved;
};

static unsigned char said[RECORD]; /* by a true rank */

/* The next piece of the file that has a whole proof. */
static bool read_flow(FILE *file, struct flow *flow)
{
	while (fread(flow, sizeof *flow, 1, file) == 1)
		if (flow->got == RECORD && !memcmp(flow->bytes, "TOTUMTC", 7))
			return true;
	return false;
}

static int list_doors(const char *path)
{
	FILE *file = fopen(path, "r");
	struct flow flow;

	if (!file)
		die(path);
	while (read_flow(file, &flow))
		printf("%s %d\n", inet_ntoa((struct in_addr){flow.to}), ntohs(flow.to_port));
	fclose(file);
	return 0;
}

/* What a true rank has said at the address. */
static void remember(const char *path, const struct sockaddr_in *to)
{
	FILE *file = fopen(path, "r");
	struct flow flow;

	if (!file)
		die(path);
	while (read_flow(file, &flow))
		if (flow.to == to->sin_addr.s_addr && flow.to_port == to->sin_port)
			memcpy(said, flow.bytes, RECORD);
	fclose(file);
	if (said[0])
		return;
	fprintf(stderr, "stranger: no rank has spoken to %s:%d\n", inet_ntoa(to->sin_addr),
		ntohs(to->sin_port));
	exit(2);
}

static void speak(int fd, const void *bytes, size_t n)
{
	/* into a connection that may have been hung up: that is found by reading */
	(void)!send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void greet(const struct visit *visit, const char *kind)
{
	static const char http[] = "GET / HTTP/1.1\r\nHost: host\r\n\r\n";

	if (!strcmp(kind, "http"))
		speak(visit->fd, http, sizeof http - 1);
	else if (strcmp(kind, "silence") != 0 && strcmp(kind, "noise") != 0)
		speak(visit->fd, said, HELLO);
}

static void go_on(struct visit *visit, const char *kind)
{
	unsigned char noise[4096];

	if (!strcmp(kind, "noise") && getrandom(noise, sizeof noise, 0) == sizeof noise)
		speak(visit->fd, noise, sizeof noise);
	if (visit->heard < CHALLENGE || visit->proved)
		return;
	visit->proved = true;
	if (!strcmp(kind, "replay"))
		speak(visit->fd, said + HELLO, WORDS);
	if (!strcmp(kind, "wrong") && getrandom(said + HELLO, PROOF, 0) == PROOF)
		speak(visit->fd, said + HELLO, WORDS);
}

/* False when the other end has hung up. */
static bool listen_to(struct visit *visit)
{
	unsigned char bytes[4096];
	ssize_t got;

	while ((got = recv(visit->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		visit->heard += (int)got;
	return got < 0 && errno == EAGAIN;
}

static void knock(struct visit *visit, const char *kind, const struct sockaddr_in *to)
{
	visit->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (visit->fd < 0 || connect(visit->fd, (const struct sockaddr *)to, sizeof *to))
		die("cannot connect");
	greet(visit, kind);
}

int main(int argc, char **argv)
{
	static struct visit visits[MOST];
	struct sockaddr_in to = {.sin_family = AF_INET};
	int count = argc > 2 ? atoi(argv[2]) : 0, left = count, challenged = 0;
	time_t deadline = time(NULL) + HUNG_UP_S;

	if (argc == 3 && !strcmp(argv[1], "record"))
		record(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "doors"))
		return list_doors(argv[2]);
	if (argc < 5 || count < 1 || count > MOST)
		return 2;
	to.sin_port = htons((uint16_t)atoi(argv[4]));
	if (inet_pton(AF_INET, argv[3], &to.sin_addr) != 1)
		return 2;
	if (argc > 5)
		remember(argv[5], &to);
	for (int i = 0; i < count; i++)
		knock(&visits[i], argv[1], &to);
	puts("here");
	fflush(stdout);
	while (left && time(NULL) < deadline) {
		for (int i = 0; i < count; i++) {
			if (visits[i].fd < 0)
				continue;
			if (listen_to(&visits[i])) {
				go_on(&visits[i], argv[1]);
				continue;
			}
			close(visits[i].fd);
			visits[i].fd = -1;
			left--;
		}
		poll(NULL, 0, 5);
	}
	for (int i = 0; i < count; i++) {
		challenged += visits[i].heard == CHALLENGE;
		if (visits[i].heard && visits[i].heard != CHALLENGE)
			fprintf(stderr, "stranger: heard %d bytes\n", visits[i].heard);
	}
	printf("%d challenged, %d still open\n", challenged, left);
	return left > 0 || (argc > 5 && challenged != count);
}
