/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults - system calls that fail, move little or come late, by plan: a library to be preloaded
 * into the ranks.
 *
 *   FAULTS="process_vm_readv:cap=4093; memfd_create@1:errno=ENOSYS; pread:errno=EINTR,every=2"
 *
 * A rule is CALL[@RANK]:KEY=VALUE,..  The rank is that of TOTUM_RANK, each by default.
 *   errno=NAME   the call fails with it          cap=BYTES   it moves no more than that
 *   delay=US     it sleeps before it begins      least=BYTES only calls about so many bytes or more
 *   from=N       only from its N-th time on      to=N        only up to its N-th time
 *   every=N      only each N-th time
 * Whenever a rule changes something for the first time in a process, a line "CALL@RANK" is appended
 * to the file FAULTS_LOG, so that a test can tell a fault that was survived from one that never
 * happened.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { RULES = 16, NAME = 32 };

struct rule {
	char call[NAME];
	int rank; /* -1: each */
	int error;
	size_t cap, least;
	long delay_us, from, to, every;
	atomic_long calls;
	atomic_bool told;
};

static struct rule rules[RULES];
static int nrules, own_rank = -1;
static pthread_once_t parsed = PTHREAD_ONCE_INIT;

static _Noreturn void refuse(const char *text)
{
	fprintf(stderr, "faults: cannot understand \"%s\" in FAULTS\n", text);
	_exit(2);
}

static int error_of(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {{"EINTR", EINTR},   {"EPERM", EPERM},   {"ENOSPC", ENOSPC},
		      {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"ENOSYS", ENOSYS},
		      {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EFAULT", EFAULT},
		      {"EACCES", EACCES}, {"EIO", EIO},       {"ESRCH", ESRCH}};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].error;
	refuse(name);
}

static void set(struct rule *rule, const char *key, const char *value)
{
	if (!strcmp(key, "errno"))
		rule->error = error_of(value);
	else if (!strcmp(key, "cap"))
		rule->cap = strtoul(value, NULL, 10);
	else if (!strcmp(key, "least"))
		rule->least = strtoul(value, NULL, 10);
	else if (!strcmp(key, "delay"))
		rule->delay_us = strtol(value, NULL, 10);
	else if (!strcmp(key, "from"))
		rule->from = strtol(value, NULL, 10);
	else if (!strcmp(key, "to"))
		rule->to = strtol(value, NULL, 10);
	else if (!strcmp(key, "every"))
		rule->every = strtol(value, NULL, 10);
	else
		refuse(key);
}

static void parse_rule(char *text)
{
	struct rule *rule = &rules[nrules++];
	char *keys = strchr(text, ':'), *next = NULL;

	if (!keys || nrules == RULES)
		refuse(text);
	*keys++ = 0;
	rule->rank = -1;
	rule->from = rule->every = 1;
	rule->cap = SIZE_MAX;
	rule->to = LONG_MAX;
	char *at = strchr(text, '@');
	if (at) {
		*at = 0;
		rule->rank = atoi(at + 1);
	}
	snprintf(rule->call, NAME, "%s", text);
	for (char *key = strtok_r(keys, ",", &next); key; key = strtok_r(NULL, ",", &next)) {
		char *value = strchr(key, '=');
		if (!value)
			refuse(key);
		*value++ = 0;
		set(rule, key, value);
	}
}

static void parse(void)
{
	static char text[1024];
	const char *plan = getenv("FAULTS"), *rank = getenv("TOTUM_RANK");
	char *next = NULL;

	own_rank = rank ? atoi(rank) : -1;
	snprintf(text, sizeof text, "%s", plan ? plan : "");
	for (char *rule = strtok_r(text, "; ", &next); rule; rule = strtok_r(NULL, "; ", &next))
		parse_rule(rule);
}

static void tell(const struct rule *rule)
{
	const char *path = getenv("FAULTS_LOG");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%s@%d\n", rule->call, own_rank);
	close(fd);
}

/* What happens to this call about so many bytes: an error, or 0 and the most that it may move. */
static int fault(const char *call, size_t bytes, size_t *most)
{
	int error = 0;

	pthread_once(&parsed, parse);
	*most = bytes;
	for (struct rule *rule = rules; rule < rules + nrules; rule++) {
		if ((rule->rank >= 0 && rule->rank != own_rank) || strcmp(rule->call, call) ||
		    bytes < rule->least)
			continue;
		long time = atomic_fetch_add(&rule->calls, 1) + 1;
		if (time < rule->from || time > rule->to || time % rule->every)
			continue;
		bool changes = rule->error || rule->delay_us || rule->cap < *most;
		if (changes && !atomic_exchange(&rule->told, true))
			tell(rule);
		if (rule->delay_us)
			nanosleep(&(struct timespec){rule->delay_us / 1000000,
						     rule->delay_us % 1000000 * 1000},
				  NULL);
		if (rule->cap < *most)
			*most = rule->cap;
		error = rule->error ? rule->error : error;
	}
	return error;
}

/* The C library's own function of that name; the symbol differs where offsets are of 64 bits. */
static void *real(const char *symbol)
{
	void *found = dlsym(RTLD_NEXT, symbol);

	if (!found)
		refuse(symbol);
	return found;
}

/* Declares `next`, the real function with the type of the one that is being defined. */
#define REAL(function, symbol)                                                                     \
	static _Atomic(void *) function##_found;                                                   \
	void *function##_at = atomic_load(&function##_found);                                      \
	if (!function##_at)                                                                        \
		atomic_store(&function##_found, function##_at = real(symbol));                     \
	__typeof__(&function) next = (__typeof__(&function))function##_at

/* Fails as planned, by returning `wrong` with errno set. */
#define FAIL(call, bytes, wrong)                                                                   \
	size_t most;                                                                               \
	int error = fault(call, bytes, &most);                                                     \
	if (error) {                                                                               \
		errno = error;                                                                     \
		return wrong;                                                                      \
	}                                                                                          \
	(void)most

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nlocal,
			 const struct iovec *remote, unsigned long nremote, unsigned long flags)
{
	size_t bytes = 0;

	REAL(process_vm_readv, "process_vm_readv");
	for (unsigned long i = 0; i < nlocal; i++)
		bytes += local[i].iov_len;
	FAIL("process_vm_readv", bytes, -1);
	if (most == bytes)
		return next(pid, local, nlocal, remote, nremote, flags);
	struct iovec one = {local->iov_base, most < local->iov_len ? most : local->iov_len};
	return next(pid, &one, 1, remote, nremote, flags);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	REAL(pread, "pread64");
	FAIL("pread", bytes, -1);
	return next(fd, to, most, at);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	REAL(pwrite, "pwrite64");
	FAIL("pwrite", bytes, -1);
	return next(fd, from, most, at);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t at)
{
	REAL(mmap, "mmap64");
	FAIL("mmap", bytes, MAP_FAILED);
	return next(address, bytes, protection, flags, fd, at);
}

int memfd_create(const char *name, unsigned flags)
{
	REAL(memfd_create, "memfd_create");
	FAIL("memfd_create", 0, -1);
	return next(name, flags);
}

int shm_open(const char *name, int flags, mode_t mode)
{
	REAL(shm_open, "shm_open");
	FAIL("shm_open", 0, -1);
	return next(name, flags, mode);
}

int ftruncate(int fd, off_t size)
{
	REAL(ftruncate, "ftruncate64");
	FAIL("ftruncate", (size_t)size, -1);
	return next(fd, size);
}

/*
 * Memory, for the library under test alone: what else is in the process need not survive it.  Not
 * in the builds of the sanitizers, which have allocators of their own.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static char *library, *library_end;

static int look_for_library(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "/libtotum.so"))
		return 0;
	library = (char *)info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		char *end = library + part->p_vaddr + part->p_memsz;
		if (part->p_type == PT_LOAD && end > library_end)
			library_end = end;
	}
	return 1;
}

__attribute__((constructor)) static void find_library(void)
{
	dl_iterate_phdr(look_for_library, NULL);
}

static bool refuses_memory(const void *caller, size_t bytes)
{
	size_t most;

	if ((const char *)caller < library || (const char *)caller >= library_end)
		return false;
	errno = fault("malloc", bytes, &most);
	return errno != 0;
}

void *malloc(size_t bytes)
{
	return refuses_memory(__builtin_return_address(0), bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	bool refused = refuses_memory(__builtin_return_address(0), count * bytes);

	return refused ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	bool refused = refuses_memory(__builtin_return_address(0), bytes);

	return refused ? NULL : __libc_realloc(memory, bytes);
}
#endif

/* Returns its error instead of setting errno. */
int posix_fallocate(int fd, off_t at, off_t bytes)
{
	REAL(posix_fallocate, "posix_fallocate64");
	FAIL("posix_fallocate", (size_t)bytes, error);
	return next(fd, at, bytes);
}

int fallocate(int fd, int mode, off_t at, off_t bytes)
{
	REAL(fallocate, "fallocate64");
	FAIL("fallocate", (size_t)bytes, -1);
	return next(fd, mode, at, bytes);
}

int socket(int domain, int type, int protocol)
{
	REAL(socket, "socket");
	FAIL("socket", 0, -1);
	return next(domain, type, protocol);
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	REAL(accept4, "accept4");
	FAIL("accept4", 0, -1);
	return next(fd, address, length, flags);
}

int poll(struct pollfd *fds, nfds_t nfds, int timeout)
{
	REAL(poll, "poll");
	FAIL("poll", 0, -1);
	return next(fds, nfds, timeout);
}

ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
	REAL(send, "send");
	FAIL("send", bytes, -1);
	return next(fd, from, bytes, flags);
}

ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
	REAL(recv, "recv");
	FAIL("recv", bytes, -1);
	return next(fd, to, bytes, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	REAL(sendmsg, "sendmsg");
	FAIL("sendmsg", 0, -1);
	return next(fd, message, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	REAL(recvmsg, "recvmsg");
	FAIL("recvmsg", 0, -1);
	return next(fd, message, flags);
}
