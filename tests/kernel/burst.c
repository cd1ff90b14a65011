/*
 * Downloads or uploads that all start at once, and their effect on a ping.
 *
 *   burst SERVER LAN ADDRESS FLOWS SECONDS [QUIET up|down BURST STEADY]
 *
 * SERVER, LAN and QUIET are namespaces, and ADDRESS is the server's. One process is both ends of everything. A probe of
 * 64 bytes goes from QUIET to the server and back every 10 ms, beginning one second before the flows. The first BURST
 * seconds of the flows are the burst, and the time from second STEADY on is steady. Without these words, the probe goes
 * from LAN, the flows are downloads, and the whole time is the burst. Output, with times in microseconds:
 *
 *   idle p50 N p99 N mean N lost N
 *   burst p50 N p99 N mean N lost N kbit N
 *   steady p50 N p99 N mean N lost N
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PROBES 10000
#define GAP 10000

enum kind { LISTENER, SENDER, RECEIVER, ECHO, PROBE };

static char buffer[1 << 17];
static int64_t sent[PROBES], took[PROBES];
static int poller, up;

static void fail(const char *what)
{
	fprintf(stderr, "burst: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* A socket stays in the namespace in which it was made. */
static int open_in(const char *space, int type)
{
	char path[256];
	snprintf(path, sizeof path, "/run/netns/%s", space);
	int home = open("/proc/self/ns/net", O_RDONLY), other = open(path, O_RDONLY);
	if (home < 0 || other < 0 || setns(other, CLONE_NEWNET) < 0)
		fail(path);
	int made = socket(AF_INET, type | SOCK_NONBLOCK, 0);
	if (made < 0 || setns(home, CLONE_NEWNET) < 0)
		fail("socket");
	close(home);
	close(other);
	return made;
}

static void watch(int file, enum kind kind, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u64 = (uint64_t)kind << 32 | (uint32_t)file };
	if (epoll_ctl(poller, EPOLL_CTL_ADD, file, &event) < 0)
		fail("epoll");
}

static void bound(int file, struct sockaddr_in address, int port)
{
	address.sin_port = htons(port);
	if (bind(file, (struct sockaddr *)&address, sizeof address) < 0)
		fail("bind");
}

static int64_t received;

/* One end of a flow. */
static void sends(int file, int does)
{
	/* Wakes less often than each packet would: only the number of bytes counts. */
	int much = 20000;
	setsockopt(file, SOL_SOCKET, SO_RCVLOWAT, &much, sizeof much);
	watch(file, does ? SENDER : RECEIVER, does ? EPOLLOUT : EPOLLIN);
}

static void ready(int file, enum kind kind)
{
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	ssize_t length;
	switch (kind) {
	case LISTENER:
		for (int made; (made = accept4(file, NULL, NULL, SOCK_NONBLOCK)) >= 0;)
			sends(made, !up);
		break;
	case SENDER:
		while (write(file, buffer, 16384) > 0)
			;
		break;
	case RECEIVER:
		while ((length = read(file, buffer, sizeof buffer)) > 0)
			received += length;
		break;
	case ECHO:
		while ((length = recvfrom(file, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &size)) > 0)
			sendto(file, buffer, length, 0, (struct sockaddr *)&from, size);
		break;
	case PROBE:
		while (recv(file, buffer, sizeof buffer, 0) >= (ssize_t)sizeof(int)) {
			int number;
			memcpy(&number, buffer, sizeof number);
			if (number < PROBES && !took[number])
				took[number] = now() - sent[number];
		}
	}
}

static int larger(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
	return one < other ? -1 : one > other;
}

static void print(const char *name, int first, int end)
{
	static int64_t sorted[PROBES];
	int came = 0, lost = 0;
	int64_t sum = 0;
	for (int i = first; i < end; i++) {
		sum += took[i];
		if (took[i])
			sorted[came++] = took[i];
		else
			lost++;
	}
	qsort(sorted, came, sizeof *sorted, larger);
	printf("%s p50 %lld p99 %lld mean %lld lost %d", name, (long long)(came ? sorted[came / 2] : 0),
	       (long long)(came ? sorted[came * 99 / 100] : 0), (long long)(came ? sum / came : 0), lost);
}

int main(int argc, char **argv)
{
	if (argc != 6 && argc != 10) {
		fprintf(stderr, "burst: SERVER LAN ADDRESS FLOWS SECONDS [QUIET up|down BURST STEADY]\n");
		return 2;
	}
	int flows = atoi(argv[4]), seconds = atoi(argv[5]);
	int burst = argc > 6 ? atoi(argv[8]) : seconds, steady = argc > 6 ? atoi(argv[9]) : seconds;
	const char *quiet = argc > 6 ? argv[6] : argv[2];
	up = argc > 6 && !strcmp(argv[7], "up");
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(5000) };
	inet_pton(AF_INET, argv[3], &server.sin_addr);
	poller = epoll_create1(0);
	int listener = open_in(argv[1], SOCK_STREAM), echo = open_in(argv[1], SOCK_DGRAM);
	int yes = 1;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	bound(listener, server, 5000);
	bound(echo, server, 7);
	if (listen(listener, flows) < 0)
		fail("listen");
	int probe = open_in(quiet, SOCK_DGRAM);
	struct sockaddr_in target = server;
	target.sin_port = htons(7);
	if (connect(probe, (struct sockaddr *)&target, sizeof target) < 0)
		fail("connect");
	watch(listener, LISTENER, EPOLLIN);
	watch(echo, ECHO, EPOLLIN);
	watch(probe, PROBE, EPOLLIN);
	struct sched_param first = { .sched_priority = 50 };
	sched_setscheduler(0, SCHED_FIFO, &first);

	int64_t next = now(), start = next + 1000000, end = start + seconds * 1000000LL, bytes = 0;
	int probes = 0, before = 0, calm = 0, late = 0;
	/* Half a second more, for packets in flight. */
	for (int64_t time; (time = now()) < end + 500000;) {
		if (time < end && time >= next && probes < PROBES) {
			memcpy(buffer, &probes, sizeof probes);
			sent[probes++] = time;
			if (send(probe, buffer, 64, 0) < 0 && errno != EAGAIN && errno != ENOBUFS)
				fail("send");
			next = next + GAP < time ? time + GAP / 2 : next + GAP;
		}
		if (!before && time >= start) {
			before = probes;
			for (int i = 0; i < flows; i++) {
				int made = open_in(argv[2], SOCK_STREAM);
				if (connect(made, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS)
					fail("connect");
				sends(made, up);
			}
		}
		if (!calm && time >= start + burst * 1000000LL)
			calm = probes;
		if (!late && time >= start + steady * 1000000LL)
			late = probes;
		if (time < end)
			bytes = received;
		struct epoll_event events[64];
		/* Never wakes earlier than necessary. In virtual time, asking for the time would otherwise take up all of it. */
		int64_t left = time < end ? next - now() : GAP;
		struct timespec most = { 0, 1000 * (left < 0 ? 0 : left > GAP ? GAP : left) };
		int count = epoll_pwait2(poller, events, 64, &most, NULL);
		for (int i = 0; i < count; i++)
			ready((int)events[i].data.u64, events[i].data.u64 >> 32);
	}
	print("idle", 0, before);
	printf("\n");
	print("burst", before, calm);
	printf(" kbit %lld\n", (long long)(bytes * 8 / (seconds * 1000LL)));
	if (late < probes) {
		print("steady", late, probes);
		printf("\n");
	}
	return 0;
}
