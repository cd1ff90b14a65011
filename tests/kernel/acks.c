/*
 * Real TCP connections through the router, and the packets of them that filters take.
 *
 *   acks LABEL FAMILY SCENARIO <FILTERS     lets Linux's TCP act out a scenario in IPv4 (4) or IPv6 (6)
 *
 * FILTERS has a line `up|down 4|6 OFFSET VALUE MASK ...` for each u32 filter. The client is in the namespace `lan`, the
 * server in `net`. One process controls both ends, so no step waits for another process. It also reads each packet where
 * it arrives, behind the shaper. LAN, WAN, SERVER4 and SERVER6 in the environment name the devices and addresses.
 *
 * Output, one line for each direction:
 *
 *   LABEL up acks N missed N pushed N data N taken N least BYTES most BYTES wrong N lost N
 *
 * `acks` have ACK, no SYN, FIN or RST, and no payload. `missed` are those that no filter takes, and `pushed` those with
 * PSH. `data` are packets with payload. `taken` are those that a filter takes, with their least and most payload.
 * `wrong` are other packets that a filter takes. `lost` are packets that this process could not read.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 7000
#define FILTERS 64
#define WORDS 12
#define PATIENCE 300000

enum { FIN = 0x01, SYN = 0x02, RST = 0x04, PSH = 0x08, ACK = 0x10 };

struct filter {
	int count;
	struct {
		unsigned offset;
		uint32_t value, mask;
	} words[WORDS];
};

/* A direction: where its packets arrive, its filters and its counts. */
struct direction {
	const char *name;
	int capture;
	int filters;
	struct filter filter[FILTERS];
	long acks, missed, pushed, data, taken, least, most, wrong;
};

/* An end of the connection. */
struct end {
	int fd, idle, closed;
	/* Bytes that are still to be written, in writes of `least` to `most` bytes. */
	long to_write, least, most;
	long got;
};

static struct direction up = { .name = "up" }, down = { .name = "down" };
static struct end client, server;
static unsigned char buffer[1 << 17];
static int six;

static void fail(const char *what)
{
	fprintf(stderr, "acks: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* A sequence without a pattern, the same in each run. */
static long between(long least, long most)
{
	static uint64_t state = 88172645463325252ULL;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return least + (long)(state % (uint64_t)(most - least + 1));
}

static void enter(const char *space)
{
	char path[64];
	snprintf(path, sizeof path, "/run/netns/%s", space);
	int fd = open(path, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
		fail(path);
	close(fd);
}

static void read_filters(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		char *name = strtok(line, " \n"), *family = strtok(NULL, " \n"), *word;
		if (atoi(family) != (six ? 6 : 4))
			continue;
		struct direction *of = strcmp(name, "up") ? &down : &up;
		struct filter *filter = &of->filter[of->filters++];
		while ((word = strtok(NULL, " \n"))) {
			if (filter->count == WORDS || of->filters == FILTERS) {
				fprintf(stderr, "acks: too many words or filters\n");
				exit(1);
			}
			filter->words[filter->count].offset = strtoul(word, NULL, 0);
			filter->words[filter->count].value = strtoul(strtok(NULL, " \n"), NULL, 0);
			filter->words[filter->count++].mask = strtoul(strtok(NULL, " \n"), NULL, 0);
		}
	}
}

static int takes(const struct filter *filter, const unsigned char *packet, unsigned length)
{
	for (int i = 0; i < filter->count; i++) {
		uint32_t word;
		if (filter->words[i].offset + 4 > length)
			return 0;
		memcpy(&word, packet + filter->words[i].offset, 4);
		if ((ntohl(word) & filter->words[i].mask) != filter->words[i].value)
			return 0;
	}
	return 1;
}

static void count(struct direction *of, const unsigned char *packet, unsigned length)
{
	unsigned header = six ? 40 : 4 * (packet[0] & 15);
	if (packet[six ? 6 : 9] != IPPROTO_TCP)
		return;
	unsigned total = six ? 40 + (packet[4] << 8 | packet[5]) : packet[2] << 8 | packet[3];
	const unsigned char *tcp = packet + header;
	unsigned payload = total - header - 4 * (tcp[12] >> 4), flags = tcp[13];
	int taken = 0;
	for (int i = 0; i < of->filters; i++)
		taken |= takes(&of->filter[i], packet, length);
	if ((flags & (ACK | SYN | FIN | RST)) == ACK && payload == 0) {
		of->acks++;
		of->pushed += !!(flags & PSH);
		of->missed += !taken;
	} else if ((flags & (ACK | SYN | FIN | RST)) == ACK) {
		of->data++;
		if (taken) {
			of->least = of->taken++ && of->least < payload ? of->least : payload;
			of->most = of->most > payload ? of->most : payload;
		}
	} else {
		of->wrong += taken;
	}
}

static void capture(struct direction *of, const char *space, const char *device)
{
	enter(space);
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	int large = 64 << 20;
	at.sll_protocol = htons(six ? ETH_P_IPV6 : ETH_P_IP);
	at.sll_ifindex = if_nametoindex(device);
	of->capture = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	setsockopt(of->capture, SOL_SOCKET, SO_RCVBUFFORCE, &large, sizeof large);
	if (bind(of->capture, (struct sockaddr *)&at, sizeof at) < 0)
		fail(device);
}

static void drain(struct direction *of)
{
	struct sockaddr_ll from;
	socklen_t size = sizeof from;
	ssize_t length;
	while ((length = recvfrom(of->capture, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &size)) > 0) {
		if (from.sll_pkttype != PACKET_OUTGOING)
			count(of, buffer, length);
		size = sizeof from;
	}
}

static void set(struct end *end, int level, int option, int value)
{
	if (setsockopt(end->fd, level, option, &value, sizeof value) < 0)
		fail("setsockopt");
}

static void act(struct end *end, short events)
{
	ssize_t n;
	while (!end->idle && !end->closed && (events & (POLLIN | POLLHUP | POLLERR))) {
		n = read(end->fd, buffer, sizeof buffer);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			fail("read");
		end->closed = n == 0;
		end->got += n;
	}
	while (end->to_write > 0 && (events & POLLOUT)) {
		long size = between(end->least, end->most);
		n = send(end->fd, buffer, size < end->to_write ? size : end->to_write, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			fail("send");
		end->to_write -= n;
	}
}

/* Waits for something to happen, but no longer than until `until`, and does what is due. */
static void turn(int64_t until)
{
	struct pollfd polled[4] = { { up.capture, POLLIN, 0 }, { down.capture, POLLIN, 0 } };
	struct end *ends[2] = { &client, &server };
	for (int i = 0; i < 2; i++) {
		short events = (ends[i]->idle || ends[i]->closed ? 0 : POLLIN) | (ends[i]->to_write > 0 ? POLLOUT : 0);
		polled[2 + i] = (struct pollfd){ events ? ends[i]->fd : -1, events, 0 };
	}
	int64_t left = until - now();
	if (poll(polled, 4, left < 0 ? 0 : left) < 0)
		fail("poll");
	drain(&up);
	drain(&down);
	for (int i = 0; i < 2; i++)
		if (polled[2 + i].fd >= 0 && polled[2 + i].revents)
			act(ends[i], polled[2 + i].revents);
}

static void rest(int milliseconds)
{
	for (int64_t until = now() + milliseconds; now() < until;)
		turn(until);
}

/* Waits until an end has read this many bytes. */
static void hear(struct end *end, long bytes)
{
	int64_t until = now() + PATIENCE;
	while (end->got < bytes) {
		if (now() >= until) {
			fprintf(stderr, "acks: %ld of %ld bytes came\n", end->got, bytes);
			exit(1);
		}
		turn(until);
	}
}

static struct end *other(struct end *end)
{
	return end == &client ? &server : &client;
}

/* Writes bytes at once. */
static void say(struct end *end, long bytes, int flags)
{
	while (send(end->fd, buffer, bytes, flags | MSG_NOSIGNAL) < 0) {
		if (errno != EAGAIN)
			fail("send");
		turn(now() + 10);
	}
}

static void begin(struct end *end, long bytes, long least, long most)
{
	end->to_write = bytes;
	end->least = least;
	end->most = most;
}

/* Writes bytes, and waits until they have arrived. */
static void flow(struct end *from, long bytes, long least, long most)
{
	long all = other(from)->got + bytes;
	begin(from, bytes, least, most);
	hear(other(from), all);
}

static void both(long bytes, long least, long most)
{
	long at_server = server.got + bytes, at_client = client.got + bytes;
	begin(&client, bytes, least, most);
	begin(&server, bytes, least, most);
	hear(&server, at_server);
	hear(&client, at_client);
}

/* Lowers the router's MTU for an address. */
static void narrow(const char *device, const char *address, int mtu)
{
	char line[256];
	enter("../../proc/1/ns/net");
	snprintf(line, sizeof line, "ip route replace %s dev \"$%s\" mtu lock %d", address, device, mtu);
	if (system(line) != 0)
		fail(line);
}

static void bulk(void)
{
	flow(&client, 200000, 65536, 65536);
	flow(&server, 200000, 65536, 65536);
	both(200000, 65536, 65536);
}

/* Segments end anywhere. */
static void odd(void)
{
	for (int undelayed = 0; undelayed < 2; undelayed++) {
		set(&client, IPPROTO_TCP, TCP_NODELAY, undelayed);
		set(&server, IPPROTO_TCP, TCP_NODELAY, undelayed);
		flow(&client, 60000, 1, 3000);
		flow(&server, 60000, 1, 3000);
		both(60000, 1, 3000);
	}
}

static void requests(void)
{
	for (int i = 0; i < 200; i++) {
		long all = server.got, size = between(1, 300);
		say(&client, size, 0);
		hear(&server, all + size);
		all = client.got;
		size = between(1, 1000);
		say(&server, size, 0);
		hear(&client, all + size);
	}
}

/* Single bytes with an echo, as in a remote shell, and single bytes without a pause. */
static void keys(void)
{
	for (int undelayed = 0; undelayed < 2; undelayed++) {
		set(&client, IPPROTO_TCP, TCP_NODELAY, undelayed);
		set(&server, IPPROTO_TCP, TCP_NODELAY, undelayed);
		for (int i = 0; i < 60; i++) {
			long heard = client.got;
			say(&client, 1, 0);
			rest(between(1, 80));
			say(&server, between(1, 40), 0);
			rest(between(1, 80));
			hear(&client, heard + 1);
		}
		flow(&client, 200, 1, 1);
		flow(&server, 200, 1, 1);
	}
}

/* A message in pieces, of which only the last has no MSG_MORE. */
static void more(void)
{
	for (int i = 0; i < 50; i++) {
		for (int piece = 0; piece < 5; piece++)
			say(i % 2 ? &client : &server, between(1, 60), piece < 4 ? MSG_MORE : 0);
		rest(20);
	}
}

/* Pieces with MSG_MORE that nothing follows in time. */
static void abandoned(void)
{
	for (int i = 0; i < 20; i++) {
		say(i % 2 ? &client : &server, between(1, 60), MSG_MORE);
		rest(600);
	}
}

static void cork(void)
{
	for (int i = 0; i < 50; i++) {
		struct end *end = i % 2 ? &client : &server;
		set(end, IPPROTO_TCP, TCP_CORK, 1);
		for (int piece = 0; piece < 4; piece++)
			say(end, between(1, 60), 0);
		/* A cork holds for 200 ms. */
		rest(i < 40 ? 0 : 600);
		set(end, IPPROTO_TCP, TCP_CORK, 0);
		rest(20);
	}
}

/* The reader sleeps until the window is zero and probes have come. Then it reads a little at a time. */
static void window(void)
{
	struct end *ends[2] = { &client, &server };
	for (int i = 0; i < 2; i++) {
		struct end *from = ends[i], *to = other(from);
		long all = to->got + 30000;
		set(to, SOL_SOCKET, SO_RCVBUF, 4000);
		to->idle = 1;
		begin(from, 30000, 1, 3000);
		rest(20000);
		for (int64_t until = now() + PATIENCE; to->got < all && now() < until; rest(2)) {
			ssize_t n = read(to->fd, buffer, 500);
			to->got += n > 0 ? n : 0;
		}
		to->idle = 0;
		hear(to, all);
	}
}

static void keepalive(void)
{
	struct end *ends[2] = { &client, &server };
	for (int i = 0; i < 2; i++) {
		set(ends[i], SOL_SOCKET, SO_KEEPALIVE, 1);
		set(ends[i], IPPROTO_TCP, TCP_KEEPIDLE, 1 + i);
		set(ends[i], IPPROTO_TCP, TCP_KEEPINTVL, 1);
	}
	rest(10000);
}

static void urgent(void)
{
	set(&server, SOL_SOCKET, SO_OOBINLINE, 1);
	set(&client, SOL_SOCKET, SO_OOBINLINE, 1);
	for (int i = 0; i < 40; i++) {
		struct end *end = i % 2 ? &client : &server;
		say(end, between(1, 60), 0);
		say(end, 1, MSG_OOB);
		rest(10);
	}
	flow(&client, 1000, 1, 100);
}

static void file(void)
{
	int fd = memfd_create("file", 0);
	if (fd < 0 || ftruncate(fd, 1 << 20) < 0)
		fail("memfd");
	struct end *ends[2] = { &client, &server };
	for (int i = 0; i < 40; i++) {
		struct end *from = ends[i % 2];
		long left = between(1, 30000), all = other(from)->got + left;
		off_t offset = between(0, 1 << 16);
		while (left > 0) {
			ssize_t n = sendfile(from->fd, fd, &offset, left);
			if (n < 0 && errno != EAGAIN)
				fail("sendfile");
			left -= n > 0 ? n : 0;
			turn(now() + (left > 0));
		}
		hear(other(from), all);
	}
	close(fd);
}

/* The path MTU falls while both ends send. */
static void path(void)
{
	long all = server.got + 300000;
	begin(&client, 300000, 65536, 65536);
	begin(&server, 300000, 65536, 65536);
	hear(&server, 50000);
	hear(&client, 50000);
	narrow("WAN", six ? "2001:db8:ffff::1" : "198.51.100.1", 1333);
	narrow("LAN", six ? "2001:db8:1::10" : "192.168.1.10", 1301);
	hear(&server, all);
	hear(&client, all);
}

/* The smallest segments that Linux offers. */
static void smallest(void)
{
	flow(&client, 40000, 65536, 65536);
	flow(&server, 40000, 65536, 65536);
	both(40000, 1, 3000);
}

static const struct {
	const char *name;
	void (*act)(void);
} scenarios[] = {
	{ "bulk", bulk },     { "odd", odd },	    { "requests", requests },	{ "keys", keys },
	{ "more", more },     { "abandoned", abandoned }, { "cork", cork },	{ "window", window },
	{ "keepalive", keepalive }, { "urgent", urgent }, { "file", file },	{ "path", path },
	{ "smallest", smallest },
};

/* Opens a connection, as in the namespaces that the captures are in. */
static void connection(int least)
{
	const char *address = getenv(six ? "SERVER6" : "SERVER4");
	struct sockaddr_in6 at6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	struct sockaddr_in at4 = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct sockaddr *at = six ? (struct sockaddr *)&at6 : (struct sockaddr *)&at4;
	socklen_t size = six ? sizeof at6 : sizeof at4;
	int one = 1, segment = 88;
	if (!address || inet_pton(at->sa_family, address, six ? (void *)&at6.sin6_addr : (void *)&at4.sin_addr) != 1)
		fail("address");
	enter("net");
	int listener = socket(at->sa_family, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (least)
		setsockopt(listener, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
	if (bind(listener, at, size) < 0 || listen(listener, 1) < 0)
		fail("listen");
	enter("lan");
	client.fd = socket(at->sa_family, SOCK_STREAM, 0);
	if (least)
		setsockopt(client.fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
	if (connect(client.fd, at, size) < 0)
		fail("connect");
	server.fd = accept(listener, NULL, NULL);
	if (server.fd < 0)
		fail("accept");
	close(listener);
	fcntl(client.fd, F_SETFL, O_NONBLOCK);
	fcntl(server.fd, F_SETFL, O_NONBLOCK);
}

static void end(void)
{
	struct linger abrupt = { 1, 0 };
	shutdown(client.fd, SHUT_WR);
	shutdown(server.fd, SHUT_WR);
	for (int64_t until = now() + PATIENCE; !(client.closed && server.closed) && now() < until;)
		turn(until);
	/* No end says anything after this process has counted. */
	setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
	setsockopt(server.fd, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
	close(client.fd);
	close(server.fd);
	client = server = (struct end){ .fd = -1, .closed = 1 };
	rest(1000);
}

int main(int arguments, char **argument)
{
	if (arguments != 4) {
		fprintf(stderr, "acks LABEL FAMILY SCENARIO <FILTERS\n");
		return 1;
	}
	six = atoi(argument[2]) == 6;
	read_filters();
	capture(&down, "lan", getenv("LAN"));
	capture(&up, "net", getenv("WAN"));
	connection(!strcmp(argument[3], "smallest"));
	size_t all = sizeof scenarios / sizeof *scenarios, i;
	for (i = 0; i < all && strcmp(scenarios[i].name, argument[3]); i++)
		;
	if (i == all) {
		fprintf(stderr, "acks: no scenario %s\n", argument[3]);
		return 1;
	}
	scenarios[i].act();
	end();
	struct direction *directions[2] = { &up, &down };
	for (i = 0; i < 2; i++) {
		struct direction *of = directions[i];
		struct tpacket_stats stats = { 0 };
		socklen_t size = sizeof stats;
		if (getsockopt(of->capture, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0)
			fail("statistics");
		printf("%s %s acks %ld missed %ld pushed %ld data %ld taken %ld least %ld most %ld wrong %ld lost %u\n",
		       argument[1], of->name, of->acks, of->missed, of->pushed, of->data, of->taken, of->least, of->most,
		       of->wrong, stats.tp_drops);
	}
	return 0;
}
