/*
 * Numbered UDP packets through the router, and the fate of each.
 *
 *   stream STEP STOP     sends all flows of standard input at once until the file STOP exists; then prints a line for
 *                        each flow and step
 *
 * A flow is a line `NAME FROM FROM-PORT TO TO-PORT GAP SIZE`. FROM and TO are `NAMESPACE/ADDRESS`. GAP is the time
 * between two packets in microseconds, and SIZE the bytes after the UDP header. The file STEP contains the number of the
 * current step, which is recorded for each packet.
 *
 * One process sends and receives, with priority over all others in the guest. A late packet was therefore late in the
 * kernel. The process never catches up, because a burst would be a load of its own. Output, with times in microseconds
 * since midnight (UTC):
 *
 *   step N at TIME
 *   flow NAME step N sent N lost N reordered N doubled N gap MICROSECONDS late MICROSECONDS from TIME to TIME run N
 *
 * `gap` is the longest time without a packet, and `late` the longest time that a packet took. `from` and `to` are the
 * times at which the first and the last lost packet were sent. `run` is the number of packets from that first to that
 * last one.
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

#define FLOWS 8
#define STEPS 1000

struct packet {
	int64_t sent;
	int64_t came;
	int step;
	char reordered;
	char doubled;
};

struct flow {
	char name[32];
	int from, to, size;
	int64_t gap, next;
	struct sockaddr_in target;
	struct packet *packets;
	size_t sent, room, highest;
	int64_t last;
	int64_t longest[STEPS];
};

static struct flow flows[FLOWS];
static int known;
static int64_t began[STEPS];
static unsigned char buffer[65536];

static void fail(const char *what)
{
	fprintf(stderr, "stream: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* A socket stays in the namespace in which it was made. All flows with the same place and port share one. */
static int open_at(char *place, const char *port, struct sockaddr_in *at)
{
	static char open_places[2 * FLOWS][64];
	static int sockets[2 * FLOWS], count;
	static struct sockaddr_in addresses[2 * FLOWS];
	char path[256], name[64];
	snprintf(name, sizeof name, "%s %s", place, port);
	for (int i = 0; i < count; i++) {
		if (!strcmp(open_places[i], name)) {
			*at = addresses[i];
			return sockets[i];
		}
	}
	char *slash = strchr(place, '/');
	int home = open("/proc/self/ns/net", O_RDONLY);
	if (home < 0 || !slash)
		fail(place);
	*slash = 0;
	snprintf(path, sizeof path, "/run/netns/%s", place);
	int other = open(path, O_RDONLY);
	if (other < 0 || setns(other, CLONE_NEWNET) < 0)
		fail(path);
	close(other);
	int made = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int large = 8 << 20;
	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	if (made < 0 || inet_pton(AF_INET, slash + 1, &at->sin_addr) != 1)
		fail(slash + 1);
	setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &large, sizeof large);
	setsockopt(made, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof large);
	if (bind(made, (struct sockaddr *)at, sizeof *at) < 0 || setns(home, CLONE_NEWNET) < 0)
		fail("bind");
	close(home);
	strcpy(open_places[count], name);
	addresses[count] = *at;
	sockets[count++] = made;
	return made;
}

static void read_flows(void)
{
	char *line = NULL;
	size_t room = 0;
	while (known < FLOWS && getline(&line, &room, stdin) > 0) {
		struct flow *flow = &flows[known++];
		char *words[7];
		for (int i = 0; i < 7; i++) {
			words[i] = strtok(i ? NULL : line, " \n");
			if (!words[i]) {
				fprintf(stderr, "stream: a line is NAME FROM FROM-PORT TO TO-PORT GAP SIZE\n");
				exit(1);
			}
		}
		struct sockaddr_in source;
		snprintf(flow->name, sizeof flow->name, "%s", words[0]);
		flow->from = open_at(words[1], words[2], &source);
		flow->to = open_at(words[3], words[4], &flow->target);
		flow->gap = atoll(words[5]);
		flow->size = atoi(words[6]);
	}
}

static void send_one(struct flow *flow, int step)
{
	if (flow->sent == flow->room) {
		flow->room = flow->room ? 2 * flow->room : 1 << 16;
		flow->packets = realloc(flow->packets, flow->room * sizeof *flow->packets);
		if (!flow->packets)
			fail("memory");
	}
	uint64_t number = flow->sent;
	memcpy(buffer, &number, sizeof number);
	flow->packets[number] = (struct packet){ .sent = now(), .step = step };
	if (sendto(flow->from, buffer, flow->size, 0, (struct sockaddr *)&flow->target, sizeof flow->target) >= 0)
		flow->sent++;
	else if (errno != EAGAIN && errno != ENOBUFS)
		fail("sendto");
}

static void receive_all(struct flow *flow)
{
	uint64_t number;
	ssize_t length;
	while ((length = recv(flow->to, buffer, sizeof buffer, 0)) >= (ssize_t)sizeof number) {
		int64_t time = now();
		memcpy(&number, buffer, sizeof number);
		if (number >= flow->sent)
			continue;
		struct packet *packet = &flow->packets[number];
		if (packet->came) {
			packet->doubled = 1;
			continue;
		}
		packet->came = time;
		packet->reordered = number < flow->highest;
		if (number > flow->highest)
			flow->highest = number;
		if (flow->last && time - flow->last > flow->longest[packet->step])
			flow->longest[packet->step] = time - flow->last;
		flow->last = time;
	}
}

static long long of_day(int64_t time)
{
	return time ? time % 86400000000LL : -1;
}

static void print(struct flow *flow)
{
	for (size_t i = 0; i < flow->sent;) {
		int step = flow->packets[i].step;
		size_t sent = 0, lost = 0, reordered = 0, doubled = 0, first = 0, last = 0;
		int64_t late = 0;
		for (; i < flow->sent && flow->packets[i].step == step; i++, sent++) {
			struct packet *packet = &flow->packets[i];
			if (!packet->came) {
				if (!lost++)
					first = i;
				last = i;
			} else if (packet->came - packet->sent > late) {
				late = packet->came - packet->sent;
			}
			reordered += packet->reordered;
			doubled += packet->doubled;
		}
		printf("flow %s step %d sent %zu lost %zu reordered %zu doubled %zu gap %lld late %lld from %lld to %lld run %zu\n",
		       flow->name, step, sent, lost, reordered, doubled, (long long)flow->longest[step], (long long)late,
		       lost ? of_day(flow->packets[first].sent) : -1, lost ? of_day(flow->packets[last].sent) : -1,
		       lost ? last - first + 1 : 0);
	}
}

/* While the file is being written, it is empty for a moment. */
static int read_step(int file, int step)
{
	char text[16] = "";
	if (pread(file, text, sizeof text - 1, 0) > 0)
		step = atoi(text);
	return step >= 0 && step < STEPS ? step : 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "stream: STEP STOP\n");
		return 2;
	}
	int file = open(argv[1], O_RDONLY);
	if (file < 0)
		fail(argv[1]);
	read_flows();
	struct sched_param first = { .sched_priority = 50 };
	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
		fail("priority");
	mlockall(MCL_CURRENT | MCL_FUTURE);

	int step = 0;
	int64_t end = 0;
	began[0] = now();
	for (int i = 0; i < known; i++)
		flows[i].next = began[0] + i * 300;
	while (!end || now() < end) {
		int was = step;
		step = read_step(file, step);
		if (step != was)
			began[step] = now();
		int64_t time = now(), next = time + 20000;
		if (!end && access(argv[2], F_OK) == 0)
			end = time + 1500000;
		for (int i = 0; i < known; i++) {
			struct flow *flow = &flows[i];
			if (!end && time >= flow->next) {
				send_one(flow, step);
				flow->next += flow->gap;
				if (flow->next < time)
					flow->next = time + flow->gap / 2;
			}
			if (!end && flow->next < next)
				next = flow->next;
		}
		struct pollfd ready[FLOWS];
		for (int i = 0; i < known; i++)
			ready[i] = (struct pollfd){ .fd = flows[i].to, .events = POLLIN };
		int64_t left = next - now();
		struct timespec wait = { .tv_sec = 0, .tv_nsec = (left > 0 ? left : 0) * 1000 };
		ppoll(ready, known, &wait, NULL);
		for (int i = 0; i < known; i++)
			if (ready[i].revents)
				receive_all(&flows[i]);
	}
	for (int i = 0; i < STEPS; i++)
		if (began[i])
			printf("step %d at %lld\n", i, of_day(began[i]));
	for (int i = 0; i < known; i++)
		print(&flows[i]);
	return 0;
}
