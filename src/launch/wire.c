/* SPDX-License-Identifier: BSD-3-Clause */
/* wire - packets over a local socket of abstract name: it leaves no file, dies with its owner. */
#include "launch/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"

const uint64_t tt_wire_magic = 0x746f74756d2d3031; /* "totum-01" */

enum { RETRY_NS = 1000000, BUSY_NS = 2000000000 };

static socklen_t name_socket(const char *root, struct sockaddr_un *out)
{
	XXH128_hash_t hash = XXH3_128bits(root, strlen(root));

	memset(out, 0, sizeof *out);
	out->sun_family = AF_UNIX;
	int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1,
			      "totum-%u-%016" PRIx64 "%016" PRIx64, (unsigned)geteuid(),
			      (uint64_t)hash.high64, (uint64_t)hash.low64);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

static void pause_ns(long ns)
{
	struct timespec time = {.tv_nsec = ns};

	nanosleep(&time, NULL);
}

totum_status tt_wire_listen(const char *root, int *out)
{
	struct sockaddr_un name;
	socklen_t length = name_socket(root, &name);
	int fd = new_socket();

	if (fd < 0)
		return tt_fail(TOTUM_ESYSTEM, "cannot make a local socket: %s%s", strerror(errno),
			       tt_advice(errno));
	/* a job of the same name that is just ending is given a moment */
	uint64_t since = tt_clock_ns();
	while (bind(fd, (struct sockaddr *)&name, length)) {
		int error = errno;
		if (error == EADDRINUSE && tt_clock_ns() - since < BUSY_NS) {
			pause_ns(RETRY_NS);
			continue;
		}
		close(fd);
		if (error == EADDRINUSE)
			return tt_fail(TOTUM_EINVAL, "another process is rank 0 of a job that "
				       "meets under the same root \"%.100s\"; give every job a "
				       "root of its own", root);
		return tt_fail(TOTUM_ESYSTEM, "cannot bind a local socket: %s", strerror(error));
	}
	if (listen(fd, SOMAXCONN)) {
		totum_status status = tt_fail(TOTUM_ESYSTEM, "cannot listen on a local socket: %s",
					      strerror(errno));
		close(fd);
		return status;
	}
	*out = fd;
	return TOTUM_OK;
}

totum_status tt_wire_connect(const char *root, uint64_t deadline, int *out)
{
	struct sockaddr_un name;
	socklen_t length = name_socket(root, &name);

	for (long wait = RETRY_NS;; wait = wait < 20 * RETRY_NS ? 2 * wait : wait) {
		int fd = new_socket();
		if (fd < 0)
			return tt_fail(TOTUM_ESYSTEM, "cannot make a local socket: %s%s",
				       strerror(errno), tt_advice(errno));
		if (!connect(fd, (struct sockaddr *)&name, length)) {
			*out = fd;
			return TOTUM_OK;
		}
		int error = errno;
		close(fd);
		if (error != ECONNREFUSED && error != ENOENT && error != EAGAIN && error != EINTR)
			return tt_fail(TOTUM_ESYSTEM, "cannot connect to rank 0: %s",
				       strerror(error));
		if (tt_clock_ns() > deadline)
			return tt_fail(TOTUM_ETIMEOUT, "rank 0 of the job \"%.100s\" has not "
				       "started on this host; start all ranks, with the same root, "
				       "or set TOTUM_LAUNCHER=none to run alone", root);
		pause_ns(wait);
	}
}

bool tt_wire_same_user(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
}

/* `from` is the rank at the other end, -1: not known yet. */
static totum_status wait_readable(int fd, int from, uint64_t deadline)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	for (;;) {
		uint64_t now = tt_clock_ns();
		if (now >= deadline)
			return tt_fail(TOTUM_ETIMEOUT,
				       "rank %d does not answer in the rendezvous%s", from,
				       from ? "; it may be stopped or stuck"
					    : ": another rank is missing or stuck");
		int got = poll(&ready, 1, (int)((deadline - now) / 1000000 + 1));
		if (got > 0)
			return TOTUM_OK;
		if (got < 0 && errno != EINTR)
			return tt_fail(TOTUM_ESYSTEM, "cannot wait for the rendezvous: %s",
				       strerror(errno));
	}
}

totum_status tt_wire_receive(int fd, void *packet, size_t bytes, uint64_t deadline)
{
	totum_status status = wait_readable(fd, -1, deadline);

	if (status)
		return status;
	ssize_t got;
	do {
		got = recv(fd, packet, bytes, 0);
	} while (got < 0 && errno == EINTR);
	if (got == (ssize_t)bytes)
		return TOTUM_OK;
	return tt_fail(TOTUM_ELOST, got > 0 ? "a packet of the rendezvous has the wrong size"
					    : "the other end has gone during the rendezvous");
}

totum_status tt_wire_send(int fd, const void *packet, size_t bytes)
{
	ssize_t sent;

	do {
		sent = send(fd, packet, bytes, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent == (ssize_t)bytes)
		return TOTUM_OK;
	bool gone = errno == EPIPE || errno == ECONNRESET;
	return tt_fail(gone ? TOTUM_ELOST : TOTUM_ESYSTEM,
		       "cannot send to the other end during the rendezvous: %s", strerror(errno));
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

totum_status tt_wire_answer(int fd, totum_status status, const int fds[2])
{
	struct tt_answer answer = {.status = status};
	struct iovec part = {&answer, sizeof answer};
	union control control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (status)
		snprintf(answer.sentence, sizeof answer.sentence, "%.500s", totum_errmsg());
	if (fds) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(head), fds, 2 * sizeof(int));
	}
	ssize_t sent;
	do {
		sent = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent == (ssize_t)sizeof answer)
		return TOTUM_OK;
	if (status)
		return status;
	return tt_fail(TOTUM_ELOST, "cannot send to the other end during the rendezvous: %s",
		       strerror(errno));
}

/* The two descriptors of a message, or none: at the limit of open files the first may be alone. */
static void take_descriptors(struct msghdr *message, int fds[2])
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int first;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
		return;
	if (head->cmsg_len == CMSG_LEN(2 * sizeof(int))) {
		memcpy(fds, CMSG_DATA(head), 2 * sizeof(int));
	} else if (head->cmsg_len >= CMSG_LEN(sizeof(int))) {
		memcpy(&first, CMSG_DATA(head), sizeof first);
		close(first);
	}
}

totum_status tt_wire_answered(int fd, int from, uint64_t deadline, int fds[2])
{
	struct tt_answer answer;
	struct iovec part = {&answer, sizeof answer};
	union control control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
				 .msg_controllen = fds ? sizeof control.bytes : 0};
	bool reset = false;
	ssize_t got;

	if (fds)
		fds[0] = fds[1] = -1;
	totum_status status = wait_readable(fd, from, deadline);
	if (status)
		return status;
	for (;;) {
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
		/* an end that went without reading all is told of before what it had sent */
		bool once = got < 0 && errno == ECONNRESET && !reset;
		if (got >= 0 || (errno != EINTR && !once))
			break;
		reset = once || reset;
	}
	if (got == (ssize_t)sizeof answer && fds)
		take_descriptors(&message, fds);
	if (got != (ssize_t)sizeof answer)
		return tt_fail(TOTUM_ELOST,
			       "rank %d has gone during the rendezvous; see its own output for why",
			       from);
	answer.sentence[sizeof answer.sentence - 1] = 0;
	if (!answer.status)
		return TOTUM_OK;
	/* what rank 0 says is not about itself */
	status = tt_fail((totum_status)answer.status, "%s", answer.sentence);
	return from ? tt_fail_in(status, "rank %d", from) : status;
}
