/*
 * Sends given packets byte by byte, and prints packets that a device sends or receives. The tests build and read the
 * packets.
 *
 *   packets send                 for each line of standard input, sends COUNT packets
 *   packets flood MS GAP         for MS milliseconds, sends one packet of each line, and then waits GAP microseconds
 *   packets sweep ROUNDS         sends one packet of each line, ROUNDS times, over one socket; prints the nanoseconds
 *   packets receive PLACE MS     for MS milliseconds, prints packets that a device receives and sends, each as a line
 *                                `in|out PROTOCOL HEX`
 *
 * A line is `PLACE PROTOCOL HEX COUNT MARK`. PLACE is a device, or `NAMESPACE/DEVICE`. PROTOCOL is the EtherType in hex.
 * HEX is the packet from its network header on. A device with a hardware header adds one with the broadcast address.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct order {
	int socket;
	int length;
	int count;
	unsigned mark;
	struct sockaddr_ll to;
	/* The kernel wants room for the device's address, which has 16 bytes for a tunnel over IPv6. */
	char room[24];
	unsigned char *packet;
};

static void fail(const char *what)
{
	fprintf(stderr, "packets: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/*
 * A socket stays in the namespace in which it was made. Every order has its own socket, so that a full device does not
 * delay the others.
 */
static int open_at(char *place, int *device)
{
	char path[256];
	char *slash = strchr(place, '/');
	int home = open("/proc/self/ns/net", O_RDONLY);
	if (home < 0)
		fail("own namespace");
	if (slash) {
		*slash = 0;
		snprintf(path, sizeof path, "/run/netns/%s", place);
		int other = open(path, O_RDONLY);
		if (other < 0 || setns(other, CLONE_NEWNET) < 0)
			fail(path);
		close(other);
		place = slash + 1;
	}
	int made = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	*device = if_nametoindex(place);
	if (made < 0 || !*device)
		fail(place);
	if (setns(home, CLONE_NEWNET) < 0)
		fail("back home");
	close(home);
	return made;
}

/* Reads an order from a line. It gets its own socket, unless it shares that of `like`. */
static struct order read_order(char *line, const struct order *like)
{
	struct order order = { 0 };
	char *place = strtok(line, " "), *protocol = strtok(NULL, " "), *hex = strtok(NULL, " ");
	char *count = strtok(NULL, " "), *mark = strtok(NULL, " \n");
	if (!mark) {
		fprintf(stderr, "packets: a line is PLACE PROTOCOL HEX COUNT MARK\n");
		exit(1);
	}
	if (like) {
		order.socket = like->socket;
		order.to.sll_ifindex = like->to.sll_ifindex;
	} else {
		order.socket = open_at(place, &order.to.sll_ifindex);
	}
	order.to.sll_family = AF_PACKET;
	order.to.sll_protocol = htons(strtol(protocol, NULL, 16));
	order.to.sll_halen = 6;
	memset(order.to.sll_addr, 0xff, 6);
	order.mark = strtoul(mark, NULL, 10);
	if (!like && setsockopt(order.socket, SOL_SOCKET, SO_MARK, &order.mark, sizeof order.mark) < 0)
		fail("mark");

	order.length = strlen(hex) / 2;
	order.packet = malloc(order.length + 1);
	for (int i = 0; i < order.length; i++)
		sscanf(hex + 2 * i, "%2hhx", order.packet + i);
	order.count = atoi(count);
	return order;
}

/* Returns 1 if the device had the packet, even if it dropped it (ENOBUFS), and 0 if the socket had no room. */
static int send_one(const struct order *order)
{
	socklen_t size = sizeof order->to + sizeof order->room;
	if (sendto(order->socket, order->packet, order->length, 0, (struct sockaddr *)&order->to, size) >= 0)
		return 1;
	if (errno != EAGAIN && errno != ENOBUFS)
		fail("sendto");
	return errno == ENOBUFS;
}

static void send_all(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		struct order order = read_order(line, NULL);
		for (int sent = 0; sent < order.count;) {
			if (send_one(&order))
				sent++;
			else
				usleep(200);
		}
		free(order.packet);
		close(order.socket);
	}
}

static void flood(long long milliseconds, int gap)
{
	static struct order orders[1000];
	char *line = NULL;
	size_t room = 0;
	int known = 0;
	while (known < 1000 && getline(&line, &room, stdin) > 0)
		orders[known++] = read_order(line, NULL);
	long long end = now() + milliseconds * 1000;
	while (now() < end) {
		for (int i = 0; i < known; i++)
			send_one(&orders[i]);
		usleep(gap);
	}
}

/* A router forwards no IPv4 packet whose header checksum is wrong (RFC 1071). */
static void add_up(unsigned char *header)
{
	unsigned sum = 0;
	for (int i = 0; i < 4 * (header[0] & 15); i += 2)
		sum += header[i] << 8 | header[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	header[10] = ~sum >> 8;
	header[11] = ~sum;
}

static void sweep(int rounds)
{
	struct order *orders = NULL;
	char *line = NULL;
	size_t room = 0;
	int known = 0;
	while (getline(&line, &room, stdin) > 0) {
		orders = realloc(orders, (known + 1) * sizeof *orders);
		if (!orders)
			fail("room for all lines");
		orders[known] = read_order(line, known ? orders : NULL);
		if (orders[known].packet[0] >> 4 == 4)
			add_up(orders[known].packet);
		known++;
	}
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int sent = 0; sent < rounds * known; sent++) {
		struct order *order = &orders[sent % known];
		struct iovec packet = { .iov_base = order->packet, .iov_len = order->length };
		union {
			char room[CMSG_SPACE(sizeof order->mark)];
			struct cmsghdr aligned;
		} beside = { { 0 } };
		struct msghdr message = {
			.msg_name = &order->to,
			.msg_namelen = sizeof order->to + sizeof order->room,
			.msg_iov = &packet,
			.msg_iovlen = 1,
			.msg_control = beside.room,
			.msg_controllen = sizeof beside.room,
		};
		struct cmsghdr *mark = CMSG_FIRSTHDR(&message);
		mark->cmsg_level = SOL_SOCKET;
		mark->cmsg_type = SO_MARK;
		mark->cmsg_len = CMSG_LEN(sizeof order->mark);
		memcpy(CMSG_DATA(mark), &order->mark, sizeof order->mark);
		if (sendmsg(order->socket, &message, 0) < 0)
			fail("sendmsg");
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
}

static void receive(char *place, long long milliseconds)
{
	static unsigned char packet[65536];
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int listener = open_at(place, &at.sll_ifindex);
	if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0)
		fail("bind");
	long long end = now() + milliseconds * 1000;
	while (now() < end) {
		struct pollfd wait = { .fd = listener, .events = POLLIN };
		struct sockaddr_ll from;
		socklen_t size = sizeof from;
		poll(&wait, 1, 20);
		int length = recvfrom(listener, packet, sizeof packet, 0, (struct sockaddr *)&from, &size);
		if (length <= 0)
			continue;
		printf("%s %04x ", from.sll_pkttype == PACKET_OUTGOING ? "out" : "in", ntohs(from.sll_protocol));
		for (int i = 0; i < length; i++)
			printf("%02x", packet[i]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "send"))
		send_all();
	else if (!strcmp(what, "flood") && argc == 4)
		flood(atoll(argv[2]), atoi(argv[3]));
	else if (!strcmp(what, "sweep") && argc == 3)
		sweep(atoi(argv[2]));
	else if (!strcmp(what, "receive") && argc == 4)
		receive(argv[2], atoll(argv[3]));
	else {
		fprintf(stderr, "packets: send, flood MS GAP, sweep ROUNDS or receive PLACE MS\n");
		return 2;
	}
	return 0;
}
