/*
 * TCP flows that use all the rate that they get, and pings beside them.
 *
 *   load flows WARM SECONDS     runs all flows of standard input at once; after WARM seconds, counts for SECONDS the
 *                               bytes that arrive
 *   load ping FROM TO COUNT GAP sends a small UDP packet every GAP microseconds, which is answered; prints each
 *                               round-trip time in microseconds, or `lost`, on a line
 *   load talk COUNT             for each line `FROM TO` of standard input, sends COUNT packets, one after the other,
 *                               which are answered; prints a line for each that is lost
 *
 * A line of `flows` is `NAME CLIENT SERVER PORT COUNT up|down`. CLIENT and SERVER are `NAMESPACE/ADDRESS`. The client
 * connects, because NAT allows nothing else. It sends with `up` and receives with `down`. Prints one line for each name:
 *
 *   NAME BYTES least BYTES      the bytes of all its flows in that time, and those of the slowest flow
 *
 * One process is both ends of everything, so there is only one clock and little to schedule.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NAMES 64
#define FLOWS 256

struct host {
	char name[32];
	int first, flows;
};

struct flow {
	int sends, receives;
	int64_t bytes;
};

static struct host hosts[NAMES];
static struct flow flows[FLOWS];
static char buffer[1 << 16];

static void fail(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* A socket stays in the namespace in which it was made. */
static int socket_at(const char *place, int port, int type, struct sockaddr_in6 *at, socklen_t *length)
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
	address++;
	memset(at, 0, sizeof *at);
	struct sockaddr_in *v4 = (struct sockaddr_in *)at;
	if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		*length = sizeof *v4;
	} else if (inet_pton(AF_INET6, address, &at->sin6_addr) == 1) {
		at->sin6_family = AF_INET6;
		*length = sizeof *at;
	} else {
		fail(address);
	}
	v4->sin_port = htons(port);
	int one = 1;
	int made = socket(at->sin6_family, type | SOCK_NONBLOCK, 0);
	if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
	    bind(made, (struct sockaddr *)at, *length) < 0)
		fail(place);
	if (setns(home, CLONE_NEWNET) < 0)
		fail("the first namespace");
	close(home);
	close(other);
	return made;
}

static void wait_for(int file, short what)
{
	struct pollfd ready = { .fd = file, .events = what };
	if (poll(&ready, 1, 10000) != 1)
		fail("no connection");
}

static int read_flows(void)
{
	char *line = NULL, name[32], client[128], server[128], way[8];
	size_t room = 0;
	int known = 0, port, count, made = 0;
	while (getline(&line, &room, stdin) > 0) {
		struct sockaddr_in6 at, from;
		socklen_t length;
		if (sscanf(line, "%31s %127s %127s %d %d %7s", name, client, server, &port, &count, way) != 6 ||
		    known == NAMES || made + count > FLOWS) {
			fprintf(stderr, "load: a line is NAME CLIENT SERVER PORT COUNT up|down\n");
			exit(1);
		}
		int listens = socket_at(server, port, SOCK_STREAM, &at, &length);
		if (listen(listens, FLOWS) < 0)
			fail("listen");
		struct host *host = &hosts[known++];
		strcpy(host->name, name);
		host->first = made;
		host->flows = count;
		for (int i = 0; i < count; i++, made++) {
			socklen_t ignored;
			int connects = socket_at(client, 0, SOCK_STREAM, &from, &ignored);
			if (connect(connects, (struct sockaddr *)&at, length) < 0 && errno != EINPROGRESS)
				fail("connect");
			wait_for(listens, POLLIN);
			int accepts = accept4(listens, NULL, NULL, SOCK_NONBLOCK);
			if (accepts < 0)
				fail("accept");
			int up = !strcmp(way, "up");
			flows[made].sends = up ? connects : accepts;
			flows[made].receives = up ? accepts : connects;
		}
	}
	return made ? known : 0;
}

static int run_flows(int64_t warm, int64_t seconds)
{
	int known = read_flows(), made = known ? hosts[known - 1].first + hosts[known - 1].flows : 0;
	int64_t begin = now() + warm * 1000000, end = begin + seconds * 1000000;
	static struct pollfd files[2 * FLOWS];
	int counting = 0;
	for (int i = 0; i < made; i++) {
		files[2 * i] = (struct pollfd){ .fd = flows[i].sends, .events = POLLOUT };
		files[2 * i + 1] = (struct pollfd){ .fd = flows[i].receives, .events = POLLIN };
	}
	while (now() < end) {
		if (poll(files, 2 * made, 100) < 0)
			fail("poll");
		if (!counting && now() >= begin) {
			counting = 1;
			for (int i = 0; i < made; i++)
				flows[i].bytes = 0;
		}
		for (int i = 0; i < made; i++) {
			ssize_t length;
			if (files[2 * i].revents && write(files[2 * i].fd, buffer, sizeof buffer) < 0 && errno != EAGAIN)
				fail("write");
			if (files[2 * i + 1].revents && (length = read(files[2 * i + 1].fd, buffer, sizeof buffer)) > 0)
				flows[i].bytes += length;
		}
	}
	for (int i = 0; i < known; i++) {
		int64_t sum = 0, least = INT64_MAX;
		for (int j = hosts[i].first; j < hosts[i].first + hosts[i].flows; j++) {
			sum += flows[j].bytes;
			if (flows[j].bytes < least)
				least = flows[j].bytes;
		}
		printf("%s %lld least %lld\n", hosts[i].name, (long long)sum, (long long)least);
	}
	return 0;
}

static int run_ping(const char *from, const char *to, int count, int64_t gap)
{
	struct sockaddr_in6 at, ignored, who;
	socklen_t length, other;
	int asks = socket_at(from, 0, SOCK_DGRAM, &ignored, &other);
	int answers = socket_at(to, 7, SOCK_DGRAM, &at, &length);
	int64_t *sent = calloc(count, sizeof *sent), *took = calloc(count, sizeof *took);
	struct sched_param first = { .sched_priority = 50 };
	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
		fail("priority");
	mlockall(MCL_CURRENT | MCL_FUTURE);
	int64_t next = now();
	int number = 0, got;
	while (number < count || now() < next + 1000000) {
		if (number < count && now() >= next) {
			sent[number] = now();
			if (sendto(asks, &number, sizeof number, 0, (struct sockaddr *)&at, length) < 0 && errno != ENOBUFS)
				fail("sendto");
			number++;
			next += gap;
		}
		int64_t left = number < count ? next - now() : 100000;
		struct timespec wait = { .tv_nsec = (left > 0 ? left : 0) * 1000 };
		struct pollfd files[] = { { .fd = asks, .events = POLLIN }, { .fd = answers, .events = POLLIN } };
		ppoll(files, 2, &wait, NULL);
		while (other = sizeof who,
		       recvfrom(answers, &got, sizeof got, 0, (struct sockaddr *)&who, &other) == (ssize_t)sizeof got)
			sendto(answers, &got, sizeof got, 0, (struct sockaddr *)&who, other);
		while (recv(asks, &got, sizeof got, 0) == (ssize_t)sizeof got)
			if (got >= 0 && got < number && !took[got])
				took[got] = now() - sent[got];
	}
	for (int i = 0; i < count; i++)
		if (took[i])
			printf("%lld\n", (long long)took[i]);
		else
			printf("lost\n");
	return 0;
}

/* Sends a packet and its answer; 0 if either was lost. */
static int answered(int asks, int answers, const struct sockaddr_in6 *at, socklen_t length)
{
	struct sockaddr_in6 who;
	socklen_t other = sizeof who;
	struct pollfd asked = { .fd = answers, .events = POLLIN }, got = { .fd = asks, .events = POLLIN };
	int number = 0;
	if (sendto(asks, &number, sizeof number, 0, (struct sockaddr *)at, length) < 0)
		return 0;
	if (poll(&asked, 1, 2000) != 1 ||
	    recvfrom(answers, &number, sizeof number, 0, (struct sockaddr *)&who, &other) < 0 ||
	    sendto(answers, &number, sizeof number, 0, (struct sockaddr *)&who, other) < 0)
		return 0;
	return poll(&got, 1, 2000) == 1 && recv(asks, &number, sizeof number, 0) == (ssize_t)sizeof number;
}

static int run_talk(int count)
{
	char *line = NULL, from[128], to[128];
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		struct sockaddr_in6 at, ignored;
		socklen_t length, other;
		if (sscanf(line, "%127s %127s", from, to) != 2)
			fail("a line is FROM TO");
		int asks = socket_at(from, 0, SOCK_DGRAM, &ignored, &other);
		int answers = socket_at(to, 7, SOCK_DGRAM, &at, &length);
		for (int number = 0; number < count; number++)
			if (!answered(asks, answers, &at, length))
				printf("lost %s %s\n", from, to);
		close(asks);
		close(answers);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "flows"))
		return run_flows(atoll(argv[2]), atoll(argv[3]));
	if (argc == 6 && !strcmp(argv[1], "ping"))
		return run_ping(argv[2], argv[3], atoi(argv[4]), atoll(argv[5]));
	if (argc == 3 && !strcmp(argv[1], "talk"))
		return run_talk(atoi(argv[2]));
	fprintf(stderr, "load: flows WARM SECONDS | ping FROM TO COUNT GAP | talk COUNT\n");
	return 2;
}
