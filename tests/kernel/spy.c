/*
 * Replaces tc, ip, nft and ethtool: counts the steps that a script makes with them, and interrupts it at a given step.
 *
 * A step is a process. If the process reads a batch that changes something, each line of the batch is a step instead.
 * Every step writes a line `TOOL WORDS` to /run/calls. /run/plan has a word and the number of a step:
 *
 *   kill N     after step N, kills all processes of the caller's group; the later lines of a batch are never read
 *   refuse N   step N fails as the tool itself fails; the earlier lines of a batch are done, and the later ones are not
 *   never N    from step N on, every step fails that makes or changes a qdisc, class or filter, or makes a device
 *   hup N      after step N, the caller's group is sent this signal, and the later steps follow; int and term likewise
 *   nothing 0  no step is disturbed
 *
 * The tools themselves are in /run/real.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES 4000

static char *lines[LINES];
static int count;
static const char *tool;
static char real[256];

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static char *slurp(int file)
{
	size_t room = 1 << 16, size = 0;
	char *text = malloc(room + 1);
	ssize_t got;
	while (text && (got = read(file, text + size, room - size)) > 0) {
		size += got;
		if (size == room)
			text = realloc(text, (room *= 2) + 1);
	}
	if (!text)
		fail("memory");
	text[size] = 0;
	return text;
}

static void spill(const char *path, const char *text, int flags)
{
	int file = open(path, O_WRONLY | O_CREAT | flags, 0644);
	if (file < 0 || write(file, text, strlen(text)) < 0)
		fail(path);
	close(file);
}

static int number_in(const char *path)
{
	int file = open(path, O_RDONLY), number = 0;
	if (file >= 0) {
		char *text = slurp(file);
		number = atoi(text);
		free(text);
		close(file);
	}
	return number;
}

static int run(char **argv)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		execv(real, argv);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Returns true for a line that is blank or a comment. */
static int is_idle(const char *line)
{
	line += strspn(line, " \t");
	return *line == 0 || *line == '#';
}

static int has_word(const char *line, const char *word)
{
	const char *end = strstr(line, " # ");
	const char *found = strstr(line, word);
	return found && (!end || found < end);
}

static int changes(const char *line)
{
	return !is_idle(line) && !has_word(line, " show ");
}

static int makes(const char *line)
{
	if (!strcmp(tool, "ip"))
		return has_word(line, "link add ");
	return changes(line) && !has_word(line, " del ");
}

/* Returns a line that the tool itself refuses, with the comment of this line. */
static char *refused(const char *line)
{
	const char *what = !strcmp(tool, "ip") ? "link set dev nosuch up" : "qdisc add dev lo parent ffff:fff1 handle 1: htb";
	const char *comment = strstr(line, " # ");
	char *text = malloc(strlen(what) + strlen(line) + 1);
	sprintf(text, "%s%s", what, comment ? comment : "");
	return text;
}

/* Runs the tool on other lines than those of its batch, and restores these. */
static int run_on(char **argv, const char *path, const char *was, int last)
{
	size_t size = 1;
	for (int i = 0; i < last; i++)
		size += strlen(lines[i]) + 1;
	char *text = calloc(size, 1), *end = text;
	for (int i = 0; i < last; i++)
		end += sprintf(end, "%s\n", lines[i]);
	if (!strcmp(path, "-")) {
		spill("/run/spied", text, O_TRUNC);
		int file = open("/run/spied", O_RDONLY);
		dup2(file, 0);
		close(file);
		return run(argv);
	}
	spill(path, text, O_TRUNC);
	int code = run(argv);
	spill(path, was, O_TRUNC);
	return code;
}

int main(int argc, char **argv)
{
	(void)argc;
	tool = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	snprintf(real, sizeof real, "/run/real/%s", tool);

	int plan = open("/run/plan", O_RDONLY);
	char *wish = plan >= 0 ? slurp(plan) : strdup("nothing 0");
	char *space = strchr(wish, ' ');
	int turn = space ? atoi(space + 1) : 0;
	int done = number_in("/run/count");

	const char *path = NULL;
	char *was = NULL;
	int batch = 0, words = 0;
	char call[1024] = "";
	for (int i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "-batch") && argv[i + 1])
			path = argv[i + 1];
		words += snprintf(call + words, words < 900 ? 100 : 1, " %s", argv[i]);
		if (words > 900)
			words = 900;
	}
	if (path) {
		int file = strcmp(path, "-") ? open(path, O_RDONLY) : 0;
		if (file < 0)
			fail(path);
		was = slurp(file);
		if (file)
			close(file);
		char *text = strdup(was), *line;
		while ((line = strsep(&text, "\n")) && count < LINES) {
			if (text || *line)
				lines[count++] = line;
			batch |= changes(line);
		}
	}

	/* The number of this process's steps, and the line of the step whose turn it is. */
	int steps = 0, here = -1;
	char number[16];
	FILE *calls = fopen("/run/calls", "a");
	if (!calls)
		fail("/run/calls");
	if (batch) {
		for (int i = 0; i < count; i++) {
			if (is_idle(lines[i]))
				continue;
			steps++;
			if (done + steps == turn)
				here = i;
			fprintf(calls, "%s %s\n", tool, lines[i]);
			if (!strncmp(wish, "never", 5) && done + steps >= turn && makes(lines[i]))
				lines[i] = refused(lines[i]);
		}
	} else {
		steps = 1;
		if (done + 1 == turn)
			here = 0;
		fprintf(calls, "%s%s\n", tool, call);
	}
	fclose(calls);
	snprintf(number, sizeof number, "%d", done + steps);
	spill("/run/count", number, O_TRUNC);

	if (here >= 0 && !strncmp(wish, "kill", 4)) {
		if (batch)
			run_on(argv, path, was, here + 1);
		else if (path)
			run_on(argv, path, was, count);
		else
			run(argv);
		kill(0, SIGKILL);
	}
	int signal_here = !strncmp(wish, "hup", 3) ? SIGHUP : !strncmp(wish, "quit", 4) ? SIGQUIT : !strncmp(wish, "int", 3) ? SIGINT : !strncmp(wish, "term", 4) ? SIGTERM : 0;
	if (here >= 0 && signal_here) {
		/* The tool itself has read one batch so far, so the signal comes in the middle of it. */
		if (batch)
			run_on(argv, path, was, here + 1);
		kill(0, signal_here);
		if (!batch)
			return path ? run_on(argv, path, was, count) : run(argv);
		memmove(lines, lines + here + 1, (count - here - 1) * sizeof *lines);
		return run_on(argv, path, was, count - here - 1);
	}
	if (here >= 0 && !strncmp(wish, "refuse", 6)) {
		if (!batch) {
			fprintf(stderr, "%s: refused\n", tool);
			return 1;
		}
		lines[here] = refused(lines[here]);
		return run_on(argv, path, was, count);
	}
	if (!path || (!batch && strcmp(path, "-"))) {
		execv(real, argv);
		fail(real);
	}
	return run_on(argv, path, was, count);
}
