/*
 * Lets user-mode-linux 6.1 run on processors whose extended state is larger than it knows.
 *
 * The kernel saves and restores the floating point registers of its processes with PTRACE_GETREGSET and
 * PTRACE_SETREGSET (NT_X86_XSTATE), into a buffer of a size fixed when it was built. A processor with AMX needs over
 * 10 kB; the host then refuses the shorter set with EFAULT, and the guest dies with "ptrace set fp regs failed,
 * errno = 14". Loaded by LD_PRELOAD, this asks the host for the full set first, lays what the guest saved over its
 * beginning, and writes that back. Nothing is lost: AMX registers are the part beyond, and the guest has none.
 *
 * On a processor without larger state every call goes through unchanged.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PEEKTEXT 1
#define PEEKUSER 3
#define GETREGSET 0x4204
#define SETREGSET 0x4205
#define X86_XSTATE 0x202

static unsigned char full[65536] __attribute__((aligned(64)));

long ptrace(int request, ...)
{
	va_list rest;
	va_start(rest, request);
	long pid = va_arg(rest, int);
	void *where = va_arg(rest, void *);
	void *data = va_arg(rest, void *);
	va_end(rest);

	if (request == SETREGSET && (long)where == X86_XSTATE) {
		struct iovec *short_set = data;
		struct iovec whole = { full, sizeof full };
		if (syscall(SYS_ptrace, GETREGSET, pid, where, &whole) == 0 && whole.iov_len > short_set->iov_len) {
			memcpy(full, short_set->iov_base, short_set->iov_len);
			return syscall(SYS_ptrace, SETREGSET, pid, where, &whole);
		}
	}
	if (request >= PEEKTEXT && request <= PEEKUSER) {
		/* The C library returns the word; the system call writes it where `data` points. */
		long word = 0;
		long failed = syscall(SYS_ptrace, request, pid, where, &word);
		return failed < 0 ? failed : word;
	}
	return syscall(SYS_ptrace, request, pid, where, data);
}
