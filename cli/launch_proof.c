/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_proof - HMAC-SHA256 of who gives a proof and of a nonce from each side.
 *
 * A proof holds for one connection and one direction.  The secret of a file may live long and serve
 * many jobs, so ranks are not given it but one made from it for their job.
 */
#include "launch_proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TOTUM_TCP
#include <openssl/crypto.h>
#include <openssl/hmac.h>

bool launch_proof_there_is(void)
{
	return true;
}

void launch_proof(const struct launch_secret *secret, const char *who, const char *nodes_nonce,
		  const char *hubs_nonce, char out[static LAUNCH_PROOF + 1])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	char text[512];
	int length = snprintf(text, sizeof text, "totum launch: %.128s: %.128s: %.128s", who,
			      nodes_nonce, hubs_nonce);

	out[0] = '\0';
	if (!HMAC(EVP_sha256(), secret->bytes, (int)secret->size, (unsigned char *)text,
		  (size_t)length, digest, NULL))
		return; /* which equals no proof */
	for (int i = 0; i < LAUNCH_PROOF / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

bool launch_proof_equal(const char *mine, const char *theirs)
{
	return strlen(mine) == LAUNCH_PROOF && strlen(theirs) == LAUNCH_PROOF &&
	       !CRYPTO_memcmp(mine, theirs, LAUNCH_PROOF);
}
#else
bool launch_proof_there_is(void)
{
	return false;
}

void launch_proof(const struct launch_secret *secret, const char *who, const char *nodes_nonce,
		  const char *hubs_nonce, char out[static LAUNCH_PROOF + 1])
{
	(void)secret;
	(void)who;
	(void)nodes_nonce;
	(void)hubs_nonce;
	out[0] = '\0';
}

bool launch_proof_equal(const char *mine, const char *theirs)
{
	(void)mine;
	(void)theirs;
	return false;
}
#endif

/* What is wrong with a file as the place of a secret; NULL: nothing. */
static const char *find_fault(const struct stat *file)
{
	if (!S_ISREG(file->st_mode))
		return "is not a file";
	if (file->st_mode & 077)
		return "can be read or written by others; chmod 600 it, and make a new secret";
	if (file->st_uid != geteuid() && file->st_uid != 0)
		return "belongs to somebody else";
	return NULL;
}

bool launch_secret_read(const char *path, struct launch_secret *out, char *error, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file;

	if (fd < 0 || fstat(fd, &file)) {
		snprintf(error, size, "%.200s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	const char *fault = find_fault(&file);
	ssize_t got = fault ? 0 : read(fd, out->bytes, sizeof out->bytes);

	close(fd);
	while (got > 0 && (out->bytes[got - 1] == '\n' || out->bytes[got - 1] == '\r'))
		got--;
	if (!fault && got < 0)
		fault = strerror(errno);
	else if (!fault && file.st_size > (off_t)sizeof out->bytes)
		fault = "is longer than 256 bytes";
	else if (!fault && got < LAUNCH_LEAST_SECRET)
		fault = "is shorter than 16 bytes; make one by: head -c 32 /dev/urandom | base64";
	if (fault) {
		snprintf(error, size, "%.200s %s", path, fault);
		return false;
	}
	out->size = (size_t)got;
	return true;
}
