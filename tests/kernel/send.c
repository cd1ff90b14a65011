/*
 * Sends packets, byte for byte as told: the kernel tests build them, this only hands them to a device.
 *
 *   send                  each line once, COUNT packets of it
 *   send MILLISECONDS GAP all lines in turn, one packet of each and then GAP microseconds, for that long
 *
 * A line on standard input is `PLACE PROTOCOL HEX COUNT MARK`: a device, or `NAMESPACE/DEVICE`; the EtherType in hex;
 * the packet from its network header on; how often; the firewall mark. Devices with a hardware header get one, to
 * everybody.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
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
	struct sockaddr_ll to;
	unsigned char *packet;
};

static void fail(const char *what)
{
	fprintf(stderr, "send: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Sockets stay in the namespace that they were made in; one per device and line, so that a full one holds up no other. */
static int open_in(const char *namespace)
{
	static int home = -1;
	char path[256];
	if (home < 0 && (home = open("/proc/self/ns/net", O_RDONLY)) < 0)
		fail("own namespace");
	if (*namespace) {
		snprintf(path, sizeof path, "/run/netns/%s", namespace);
		int other = open(path, O_RDONLY);
		if (other < 0 || setns(other, CLONE_NEWNET) < 0)
			fail(path);
		close(other);
	}
	return home;
}

static struct order read_order(char *line)
{
	struct order order = { 0 };
	char *place = strtok(line, " "), *protocol = strtok(NULL, " "), *hex = strtok(NULL, " ");
	char *count = strtok(NULL, " "), *mark = strtok(NULL, " \n");
	if (!mark) {
		fprintf(stderr, "send: a line is PLACE PROTOCOL HEX COUNT MARK\n");
		exit(1);
	}
	char *slash = strchr(place, '/');
	if (slash)
		*slash = 0;
	int home = open_in(slash ? place : "");
	const char *device = slash ? slash + 1 : place;

	order.socket = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	order.to.sll_family = AF_PACKET;
	order.to.sll_protocol = htons(strtol(protocol, NULL, 16));
	order.to.sll_ifindex = if_nametoindex(device);
	order.to.sll_halen = 6;
	memset(order.to.sll_addr, 0xff, 6);
	unsigned marked = strtoul(mark, NULL, 10);
	if (order.socket < 0 || !order.to.sll_ifindex)
		fail(device);
	if (setsockopt(order.socket, SOL_SOCKET, SO_MARK, &marked, sizeof marked) < 0)
		fail("mark");
	if (slash && setns(home, CLONE_NEWNET) < 0)
		fail("back home");

	order.length = strlen(hex) / 2;
	order.packet = malloc(order.length + 1);
	for (int i = 0; i < order.length; i++)
		sscanf(hex + 2 * i, "%2hhx", order.packet + i);
	order.count = atoi(count);
	return order;
}

/* 1 when it went out, 0 when there was no room for it. */
static int send_one(const struct order *order)
{
	if (sendto(order->socket, order->packet, order->length, 0, (struct sockaddr *)&order->to, sizeof order->to) >= 0)
		return 1;
	if (errno != EAGAIN && errno != ENOBUFS)
		fail("sendto");
	return 0;
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	static struct order orders[4096];
	char *line = NULL;
	size_t room = 0;
	int known = 0;
	while (getline(&line, &room, stdin) > 0) {
		struct order order = read_order(line);
		if (argc > 2) {
			if (known == 4096) {
				fprintf(stderr, "send: too many lines\n");
				return 1;
			}
			orders[known++] = order;
			continue;
		}
		for (int sent = 0; sent < order.count;) {
			if (send_one(&order))
				sent++;
			else
				usleep(200);
		}
		free(order.packet);
		close(order.socket);
	}
	if (argc > 2) {
		long long end = now() + atoll(argv[1]) * 1000;
		while (now() < end) {
			for (int i = 0; i < known; i++)
				send_one(&orders[i]);
			usleep(atoi(argv[2]));
		}
	}
	return 0;
}
