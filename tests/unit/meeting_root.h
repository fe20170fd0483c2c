/* SPDX-License-Identifier: BSD-3-Clause */
/* meeting_root.h - roots of meetings by TCP on this host. */
#ifndef MEETING_ROOT_H
#define MEETING_ROOT_H

#include "unit/meeting.h"

/* A root at a port that was free a moment ago. */
static inline const char *fresh_root(const char *host)
{
	static char root[64];
	struct sockaddr_in name = {.sin_family = AF_INET};
	socklen_t length = sizeof name;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &length), 0);
	close(fd);
	snprintf(root, sizeof root, "tcp://%s:%d", host, ntohs(name.sin_port));
	return root;
}

static inline int port_of(const char *root)
{
	return atoi(strrchr(root, ':') + 1);
}

#endif
