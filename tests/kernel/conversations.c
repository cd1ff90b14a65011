/*
 * Conversations of TCP and UDP sockets, one after the other.
 *
 *   conversations COUNT COMMAND...   for each line of standard input, holds a conversation. Before the first and after
 *                                    each, runs COMMAND and prints `== next`
 *
 * A line is `tcp|udp CLIENT PORT SERVER PORT TARGET PORT`. CLIENT and SERVER are `NAMESPACE/ADDRESS`; the client connects
 * to TARGET, which differs from the address of the server if a router forwards a port. The client sends COUNT messages,
 * and the server answers each. A line is printed on standard error if a message or an answer is lost.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "conversations: %s: %s\n", what, strerror(errno));
	exit(1);
}

static socklen_t read_address(const char *address, int port, struct sockaddr_in6 *at)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)at;
	memset(at, 0, sizeof *at);
	v4->sin_port = htons(port);
	if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		return sizeof *v4;
	}
	if (inet_pton(AF_INET6, address, &at->sin6_addr) != 1)
		fail(address);
	at->sin6_family = AF_INET6;
	return sizeof *at;
}

extern char **environ;

static void run(char **command)
{
	pid_t child;
	int status;
	if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0 || waitpid(child, &status, 0) < 0 ||
	    status != 0)
		fail(command[0]);
	printf("== next\n");
	fflush(stdout);
}

/* A socket stays in the namespace in which it was made. */
static int socket_at(const char *place, int port, int type)
{
	char path[256];
	const char *address = strchr(place, '/');
	int home = open("/proc/self/ns/net", O_RDONLY);
	if (home < 0 || !address)
		fail(place);
	snprintf(path, sizeof path, "/run/netns/%.*s", (int)(address - place), place);
	int other = open(path, O_RDONLY);
	if (other < 0 || setns(other, CLONE_NEWNET) < 0)
		fail(path);
	struct sockaddr_in6 at;
	socklen_t length = read_address(address + 1, port, &at);
	int one = 1;
	int made = socket(at.sin6_family, type | SOCK_CLOEXEC, 0);
	if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
	    bind(made, (struct sockaddr *)&at, length) < 0)
		fail(place);
	if (setns(home, CLONE_NEWNET) < 0)
		fail("the first namespace");
	close(home);
	close(other);
	return made;
}

/* Returns 1 if something can be read within two seconds. */
static int readable(int file)
{
	struct pollfd ready = { .fd = file, .events = POLLIN };
	return poll(&ready, 1, 2000) == 1;
}

/* Sends a message and its answer; returns 0 if either is lost. */
static int exchange(int client, int server)
{
	char message[64] = "";
	struct sockaddr_in6 who;
	socklen_t length = sizeof who;
	ssize_t got;
	if (send(client, message, sizeof message, MSG_NOSIGNAL) < 0 || !readable(server) ||
	    (got = recvfrom(server, message, sizeof message, 0, (struct sockaddr *)&who, &length)) <= 0)
		return 0;
	/* A TCP socket tells no address, and needs none. */
	return sendto(server, message, got, MSG_NOSIGNAL, length ? (struct sockaddr *)&who : NULL, length) > 0 &&
	       readable(client) && recv(client, message, sizeof message, 0) > 0;
}

/* Connects the client; returns the socket of the server, or -1. */
static int connected(int client, int server, int is_tcp, const struct sockaddr_in6 *at, socklen_t length)
{
	struct linger reset = { .l_onoff = 1 };
	if (!is_tcp)
		return connect(client, (struct sockaddr *)at, length) < 0 ? -1 : server;
	/* A reset leaves no port in use. */
	setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	fcntl(client, F_SETFL, O_NONBLOCK);
	if (listen(server, 1) < 0 || (connect(client, (struct sockaddr *)at, length) < 0 && errno != EINPROGRESS) ||
	    !readable(server))
		return -1;
	return accept4(server, NULL, NULL, SOCK_CLOEXEC);
}

int main(int argc, char **argv)
{
	char *line = NULL, kind[4], from[128], to[128], target[128];
	size_t room = 0;
	int from_port, to_port, port;
	if (argc < 3) {
		fprintf(stderr, "conversations: COUNT COMMAND...\n");
		return 2;
	}
	run(argv + 2);
	while (getline(&line, &room, stdin) > 0) {
		if (sscanf(line, "%3s %127s %d %127s %d %127s %d", kind, from, &from_port, to, &to_port, target,
			   &port) != 7)
			fail("a line is tcp|udp CLIENT PORT SERVER PORT TARGET PORT");
		struct sockaddr_in6 at;
		int is_tcp = !strcmp(kind, "tcp"), type = is_tcp ? SOCK_STREAM : SOCK_DGRAM, left = atoi(argv[1]);
		int server = socket_at(to, to_port, type), client = socket_at(from, from_port, type);
		socklen_t length = read_address(target, port, &at);
		int answers = connected(client, server, is_tcp, &at, length);
		while (answers >= 0 && left && exchange(client, answers))
			left--;
		if (left)
			fprintf(stderr, "%d lost: %s", left, line);
		close(client);
		if (is_tcp && answers >= 0)
			close(answers);
		close(server);
		/* Until then, the router has forgotten the connection, and WireGuard has sent the last keepalive. */
		sleep(15);
		run(argv + 2);
	}
	return 0;
}
