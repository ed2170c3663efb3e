/* libtare under `tare run`: its requests to save and stop, and what is reported to it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tm.h"
#include "lib/lib.h"

/*
 * The line to `tare run`. One socket a process, opened when first needed and never closed: what
 * `tare run` says arrives in it without a thread of ours, and is read when the program asks. A line
 * that breaks is the end of it: the program goes on alone.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int line = -1;
static pid_t line_pid; /* a child after fork() has no line of its own */
static bool tried;
static atomic_int stop, save;
static _Atomic int64_t deadline_ms = INT64_MIN; /* by a clock that nobody sets */
/* not before so many steps are done; done here, -1 = never told */
static _Atomic int64_t stop_at = -1, save_at = -1, my_step = -1;
static volatile sig_atomic_t termed;
static atomic_int my_world = 1;
static _Atomic int64_t nano_hour = -1;
/* SIGTERM to all ranks at once: the supervisor has it too, and says at which step all of them
 * end */
#define TERM_WAIT_MS 3000

static int line_get(void)
{
	const char *path = getenv("TARE_RUN_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = -1;

	if (tried && line_pid != getpid())
		line = -1;
	if (tried || !path)
		return line;
	tried = true;
	line_pid = getpid();
	if (*path && strlen(path) < sizeof a.sun_path) {
		memcpy(a.sun_path, path, strlen(path));
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	}
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
		close(fd);
		fd = -1;
	}
	line = fd;
	return line;
}

#define LOOK_MS 1000 /* an open and a read of a few bytes over the network */

/*
 * The word of a `tare run` on another machine, from its file in the folder of checkpoints
 * (run/runmsg.h): true where there is a new one. Looks once a second. Not for two threads at once.
 */
static bool read_far_word(struct runmsg *ret)
{
	static int64_t looked = -LOOK_MS, heard;
	const char *dir = getenv("TARE_CHECKPOINT_DIR"), *attempt = getenv("TARE_ATTEMPT");
	char path[4200], text[RUNMSG_FILE_MAX];
	int64_t now = tm_steady_ms(), seq = 0;

	if (!dir || !attempt || !getenv("TARE_RUN_SOCKET"))
		return false;
	if (now < looked + LOOK_MS)
		return false;
	looked = now;
	if (snprintf(path, sizeof path, "%s/" RUNMSG_FILE, dir) >= (int)sizeof path)
		return false;
	/* opened again each time: that is when NFS looks at the server */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = -1;
	if (fd >= 0)
		n = read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	if (n <= 0 || runmsg_file_parse((struct sv){ text, (size_t)n }, attempt, &seq, ret) != 1 ||
	    seq <= heard)
		return false;
	heard = seq;
	return true;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

/* A child must not inherit it locked by a thread that it has not got. */
static void lock_line(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&lock);
}

void lib_tell(const struct runmsg *m)
{
	char packet[RUNMSG_MAX];
	size_t n = runmsg_write(m, packet);
	int fd;

	if (m->kind == RUN_HELLO)
		my_world = m->world;
	lock_line();
	fd = line_get();
	if (fd >= 0) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		bool full = send(fd, packet, n, MSG_NOSIGNAL) < 0 && errno == EAGAIN;
		if (full && m->kind != RUN_STEP && poll(&p, 1, 1000) > 0)
			(void)!send(fd, packet, n, MSG_NOSIGNAL);
	}
	pthread_mutex_unlock(&lock);
}

static void hear_message(const struct runmsg *m)
{
	if (m->kind == RUN_PRICE)
		nano_hour = m->nano_hour;
	if (m->kind != RUN_SAVE && m->kind != RUN_STOP)
		return;
	if (m->deadline_ms != INT64_MIN)
		deadline_ms = tm_steady_ms() + (m->deadline_ms - tm_now_ms());
	if (m->kind == RUN_STOP) {
		stop_at = m->step;
		stop = 1;
	} else {
		save_at = m->step;
		save = 1;
	}
}

static void listen_now(void)
{
	char packet[RUNMSG_MAX];
	struct runmsg m;
	ssize_t n;
	int fd;

	lock_line();
	while ((fd = line_get()) >= 0 && (n = recv(fd, packet, sizeof packet, 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (runmsg_parse((struct sv){ packet, (size_t)n }, &m) == 0)
			hear_message(&m);
	}
	if (line < 0 && read_far_word(&m))
		hear_message(&m);
	pthread_mutex_unlock(&lock);
}

static void on_term(int sig)
{
	termed = 1;
}

/* Children that only fork (workers that load data) are ended by SIGTERM as ever: they never ask
 * whether to stop. */
static void uncatch_in_child(void)
{
	struct sigaction now, usual = { .sa_handler = SIG_DFL };

	if (sigaction(SIGTERM, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
	    now.sa_handler == on_term)
		sigaction(SIGTERM, &usual, NULL);
}

static void catch_term(void)
{
	struct sigaction was, mine = { .sa_handler = on_term, .sa_flags = SA_RESTART };

	if (sigaction(SIGTERM, NULL, &was) < 0)
		return;
	bool unused = !(was.sa_flags & SA_SIGINFO) && was.sa_handler == SIG_DFL;
	if (unused && sigaction(SIGTERM, &mine, NULL) == 0)
		pthread_atfork(NULL, NULL, uncatch_in_child);
}

/* SIGTERM is a word to stop now, but for a rank with a line to the supervisor: ranks that end at
 * different steps have no checkpoint together. */
static bool termed_alone(void)
{
	static _Atomic int64_t since;
	int64_t now = tm_steady_ms(), first = 0;

	if (!termed)
		return false;
	/* one whose socket is elsewhere reads the file */
	if (my_world < 2 || my_step < 0)
		return true;
	if (line < 0 && !getenv("TARE_RUN_SOCKET"))
		return true;
	if (atomic_compare_exchange_strong(&since, &first, now))
		first = now;
	return !stop && now - first >= TERM_WAIT_MS;
}

int tare_should_stop(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, catch_term);
	listen_now();
	bool reached = my_step < 0 || my_step >= stop_at;
	return (stop && reached) || termed_alone();
}

int tare_should_save(void)
{
	listen_now();
	return (my_step < 0 || my_step >= save_at) && atomic_exchange(&save, 0);
}

int64_t tare_notice_left_ms(void)
{
	int64_t at, left;

	listen_now();
	at = deadline_ms;
	if (at == INT64_MIN)
		return -1;
	left = at - tm_steady_ms();
	return max_i64(left, 0);
}

int64_t tare_usd_hour_nano(void)
{
	listen_now();
	return nano_hour;
}

void tare_step(int64_t step)
{
	struct runmsg m = { .kind = RUN_STEP, .step = step };

	my_step = step;
	lib_tell(&m);
}
