/* SPDX-License-Identifier: BSD-3-Clause */
/* share - finds the preloadable library beside the one that this command is linked with. */
#include "share.h"
#include "totum.h"
#include "totum_share.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool share_find(char *out, size_t size)
{
	const char *(*inside)(void) = totum_version;
	char library[PATH_MAX];
	Dl_info facts;
	void *address;

	memcpy(&address, &inside, sizeof address);
	if (!dladdr(address, &facts) || !realpath(facts.dli_fname, library)) {
		snprintf(out, size, "libtotum cannot be found, nor libtotum_share.so beside it");
		return false;
	}
	*strrchr(library, '/') = 0;
	if (snprintf(out, size, "%s/libtotum_share.so", library) >= (int)size ||
	    access(out, R_OK)) {
		snprintf(out, size,
			 "libtotum_share.so is not in %.200s, beside libtotum; install it there",
			 library);
		return false;
	}
	if (strpbrk(out, ": \t")) { /* the loader takes these for the end of a name */
		snprintf(out, size,
			 "libtotum_share.so cannot be preloaded from %.200s: the name of the "
			 "folder has a blank or "
			 "a colon in it",
			 library);
		return false;
	}
	return true;
}

bool share_is_on(uint64_t *from)
{
	struct totum_share share = {.size = sizeof share};
	void *symbol = dlsym(RTLD_DEFAULT, TOTUM_SHARE_FUNCTION);
	totum_share_function *function;

	if (!symbol)
		return false;
	memcpy(&function, &symbol, sizeof function);
	*from = function(&share) ? 0 : share.from;
	return true;
}
