/*
 * Gives a script's tools the time that they take on a router. In virtual time, computing would take none. Each program
 * waits for START when it begins, and for REQUEST before each message to the kernel. Packets that pass meanwhile meet a
 * half-changed state. LD_PRELOAD loads this in front of the C library.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds, about as many as a small router takes. */
#define START 3000000
#define REQUEST 200000

static void wait_for(long nanoseconds)
{
	struct timespec left = { 0, nanoseconds };
	int before = errno;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	errno = before;
}

__attribute__((constructor)) static void start(void)
{
	wait_for(START);
}

static void request(int socket)
{
	int family = 0;
	socklen_t size = sizeof family;
	if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_NETLINK)
		wait_for(REQUEST);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	request(socket);
	return syscall(SYS_sendmsg, socket, message, flags);
}

ssize_t sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t room)
{
	request(socket);
	return syscall(SYS_sendto, socket, bytes, size, flags, to, room);
}

ssize_t send(int socket, const void *bytes, size_t size, int flags)
{
	return sendto(socket, bytes, size, flags, NULL, 0);
}
