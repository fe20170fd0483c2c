/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_proof.h - proofs that launchers of one job give each other of the secret that they share.
 */
#ifndef LAUNCH_PROOF_H
#define LAUNCH_PROOF_H

#include <stdbool.h>
#include <stddef.h>

enum {
	LAUNCH_PROOF = 64,       /* hexadecimal characters */
	LAUNCH_LEAST_SECRET = 16 /* bytes */
};

struct launch_secret {
	unsigned char bytes[256];
	size_t size;
};

/* False: this totum was built without OpenSSL, and can give no proof. */
bool launch_proof_there_is(void);

/*
 * HMAC-SHA256, by the secret, of who gives the proof ("hub", "node 3") and both nonces, texts; or,
 * with the name of a job and nothing else, a secret of that job.
 */
void launch_proof(const struct launch_secret *secret, const char *who, const char *nodes_nonce,
		  const char *hubs_nonce, char out[static LAUNCH_PROOF + 1]);
/* Are they equal?  In a time that does not tell where they differ. */
bool launch_proof_equal(const char *mine, const char *theirs);

/*
 * The secret in a file: its bytes but for ends of lines behind them.  False with a sentence, also
 * when others than its owner may read it.
 */
bool launch_secret_read(const char *path, struct launch_secret *out, char *error, size_t size);

#endif
