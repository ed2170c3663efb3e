/*
 * The supervisor: one loop over signals, notices, the socket and the threads that save. It makes
 * events of what it hears (machine.h decides what follows) and has the actions carried out
 * (run_do.c); nothing here waits for a disk or a network.
 */
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/run_loop.h"
#include "run/run_priv.h"

#define DEAF_MS 8000 /* nobody answers: a few requests, not one that was lost */

/* ---- the socket: packets in and out, nothing waits -------------------------------------- */

#define DIR_NAME "tare-run."
#define STALE_S  60 /* a folder so old was bound and locked, or never will be */

/* Does somebody listen there? Where that cannot be known, yes. */
static bool is_heard(int dir_fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, r;

	if (fstatat(dir_fd, "socket", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT;
	if (!S_ISSOCK(st.st_mode))
		return true; /* not ours */
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/socket", dir_fd);
	r = fd < 0 ? 0 : connect(fd, (struct sockaddr *)&a, sizeof a);
	bool dead = r < 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return !dead;
}

/* A supervisor that was killed leaves its folder. It goes when it is this user's, no link, nobody
 * holds it locked and nobody listens in it; what else lies in it stays, and it too. */
static void sweep_sockets(const char *base)
{
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (e = readdir(dir))) {
		bool named = !strncmp(e->d_name, DIR_NAME, strlen(DIR_NAME));
		if (!named || (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
			continue;
		int left = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct stat st;
		if (left < 0)
			continue;
		bool ours = fstat(left, &st) == 0 && st.st_uid == geteuid() &&
			    time(NULL) - st.st_mtim.tv_sec > STALE_S;
		if (ours && flock(left, LOCK_EX | LOCK_NB) == 0 && !is_heard(left)) {
			unlinkat(left, "socket", 0);
			unlinkat(fd, e->d_name, AT_REMOVEDIR);
		}
		close(left);
	}
	if (dir)
		closedir(dir);
}

/* A folder of its own, as everybody may write into /tmp; not in the folder of checkpoints, which
 * may be on a network and have a long name. Locked as long as we live. */
static int make_socket_dir(struct run_sock *s)
{
	const char *base[] = { getenv("XDG_RUNTIME_DIR"), "/tmp" };

	for (size_t i = 0; i < 2; i++) {
		if (!base[i] || *base[i] != '/' || strlen(base[i]) > 30)
			continue;
		sweep_sockets(base[i]);
		snprintf(s->dir, sizeof s->dir, "%s/" DIR_NAME "XXXXXX", base[i]);
		if (!mkdtemp(s->dir))
			continue;
		s->dir_fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (s->dir_fd >= 0)
			flock(s->dir_fd, LOCK_EX | LOCK_NB);
		return 0;
	}
	return -errno;
}

static int sock_open(struct run_sock *s, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	s->fd = s->dir_fd = -1;
	int r = make_socket_dir(s);

	if (r < 0) {
		*s->dir = 0;
		return err_set(err, r, "cannot make a folder for the socket in /tmp: %s",
			       strerror(-r));
	}
	snprintf(s->path, sizeof s->path, "%s/socket", s->dir);
	memcpy(a.sun_path, s->path, strlen(s->path) + 1);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(s->fd, 128) < 0)
		return err_set(err, -errno, "no socket at '%s': %s", s->path, strerror(errno));
	return 0;
}

static void sock_close(struct run_sock *s)
{
	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0)
			close(s->client.v[i].fd);
	vec_free(&s->client);
	if (s->fd >= 0)
		close(s->fd);
	if (*s->dir) {
		unlink(s->path);
		rmdir(s->dir);
		if (s->dir_fd >= 0)
			close(s->dir_fd);
	}
	s->fd = s->dir_fd = -1;
}

static void sock_accept(struct run_sock *s)
{
	int fd;

	while ((fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (s->client.n >= RUN_CLIENTS)
			close(fd);
		else
			*vec_push(&s->client) = (struct run_client){ .fd = fd };
	}
}

int run_sock_say(struct run_sock *s, const struct runmsg *m)
{
	char buf[RUNMSG_MAX];
	size_t n = runmsg_write(m, buf);
	int told = 0;

	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0 && s->client.v[i].hello)
			told += send(s->client.v[i].fd, buf, n, MSG_NOSIGNAL | MSG_DONTWAIT) ==
				(ssize_t)n;
	return told;
}

/* The next packet of client i: 1, 0 (none), -1 (gone; closed, slot freed by sock_sweep()). Rubbish
 * is passed over. */
static int sock_next(struct run_sock *s, size_t i, struct runmsg *ret)
{
	struct run_client *c = &s->client.v[i];
	char buf[RUNMSG_MAX];

	while (c->fd >= 0) {
		ssize_t n = recv(c->fd, buf, sizeof buf, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0) {
			close(c->fd);
			c->fd = -1;
			return -1;
		}
		if (runmsg_parse((struct sv){ buf, (size_t)n }, ret) < 0)
			continue;
		if (ret->kind == RUN_HELLO) {
			c->hello = true;
			c->rank = ret->rank;
			c->world = ret->world;
		}
		return 1;
	}
	return -1;
}

static void sock_sweep(struct run_sock *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->client.n; i++)
		if (s->client.v[i].fd >= 0)
			s->client.v[n++] = s->client.v[i];
	s->client.n = n;
}

static void feed_at(struct run *r, const struct run_event *e, int64_t now)
{
	struct run_actions to_do;

	run_trace_event(r->trace, e, now);
	run_step(&r->m, e, now, &to_do);
	for (int i = 0; i < to_do.n && r->rc >= 0; i++) {
		run_trace_action(r->trace, &to_do.v[i]);
		run_do(r, &to_do.v[i]);
	}
}

void run_feed(struct run *r, const struct run_event *e)
{
	feed_at(r, e, tm_mono_ms());
}

/* ---- heard ------------------------------------------------------------------------------ */

static void take_packets(struct run *r)
{
	struct run_event e = { .kind = RUN_EV_MESSAGE };

	sock_accept(&r->sock);
	for (size_t i = 0; i < r->sock.client.n; i++)
		/* one that floods the socket must not keep us from the rest */
		for (int turn = 0; turn < 64 && sock_next(&r->sock, i, &e.msg) > 0; turn++)
			run_feed(r, &e);
	sock_sweep(&r->sock);
}

static void take_result(struct run *r, struct run_save *from)
{
	struct run_result x;

	if (!run_save_take(from, &x))
		return;
	run_say_damage(r, &x.damage);
	run_feed(r, &(struct run_event){ .kind = RUN_EV_RESULT,
					 .result = { .job = x.job,
						     .rc = x.rc,
						     .changed = x.changed,
						     .step = x.step,
						     .took_ms = x.took_ms,
						     .bytes = x.bytes,
						     .written_bytes = x.written_bytes,
						     .id = x.id,
						     .problem = x.rc < 0 ? x.err.msg : NULL } });
	ckpt_damage_free(&x.damage);
}

static void take_results(struct run *r)
{
	struct run_result *x = &r->restored;

	if (r->m.phase != RUN_RESTORING) {
		take_result(r, &r->save);
		if (r->o->store)
			take_result(r, &r->away);
		return;
	}
	/* one that is ended meanwhile says nothing of what was found */
	if (r->m.quit_signal || r->m.why || !run_save_take(&r->save, x))
		return;
	run_say_damage(r, &x->damage);
	if (x->rc < 0) {
		*r->err = x->err;
		err_prefix(r->err, "cannot bring the newest checkpoint back");
		r->rc = x->rc;
	}
	run_feed(r, &(struct run_event){ .kind = RUN_EV_RESTORED,
					 .restored = { x->rc, x->step, x->pulled, x->id } });
	ckpt_damage_free(&x->damage);
}

/* Sent by the command itself or what it started (kill of the whole group). */
static bool from_inside(pid_t pid)
{
	static pid_t tree[4096];
	size_t n = 0;

	if (pid > 1)
		n = run_tree(tree, 4096);
	while (n--)
		if (tree[n] == pid)
			return true;
	return false;
}

static void take_signals(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof si) == sizeof si) {
		struct run_event e = { .kind = RUN_EV_SIGNAL };
		pid_t by = (pid_t)si.ssi_pid;
		e.signal.sig = (int)si.ssi_signo;
		if (e.signal.sig == SIGCHLD)
			continue;
		e.signal.terminal = si.ssi_code == SI_KERNEL;
		e.signal.by_command = by == r->child.pid;
		if (run_machine_is_notice(&r->m, e.signal.sig))
			e.signal.by_tree = from_inside(by);
		run_feed(r, &e);
	}
	if (r->m.phase == RUN_RESTORING || r->m.phase == RUN_FLUSH)
		return;
	run_reap(&r->child);
	if (r->child.ended)
		run_feed(r, &(struct run_event){
				    .kind = RUN_EV_ENDED,
				    .ended = { run_code(&r->child), WIFEXITED(r->child.status) } });
}

/* ---- the loop --------------------------------------------------------------------------- */

static void wait_once(struct run *r, int ms)
{
	bool ends = r->m.phase == RUN_FLUSH; /* then nobody is left who would say anything */
	VEC(struct pollfd) p = { 0 };

	*vec_push(&p) = (struct pollfd){ r->sigfd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->save.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->o->store ? r->away.fd : -1, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : notice_fd(r->notices), POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : r->price.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : r->sock.fd, POLLIN, 0 };
	for (size_t i = 0; i < r->sock.client.n && !ends; i++)
		*vec_push(&p) = (struct pollfd){ r->sock.client.v[i].fd, POLLIN, 0 };
	bool some = poll(p.v, p.n, ms) > 0;
	if (some && p.v[3].revents) {
		struct notice n;
		struct err err;

		while (notice_next(r->notices, tm_steady_ms(), &n, &err) > 0) {
			struct run_notice heard = { n.kind, INT64_MAX, n.source, n.what };
			if (n.kind == NOTICE_STOP)
				heard.at = n.at_ms - r->wall_ms;
			run_feed(r, &(struct run_event){ .kind = RUN_EV_NOTICE, .notice = heard });
		}
	}
	if (some && p.v[0].revents)
		take_signals(r);
	if (some && p.v[4].revents) {
		struct run_event e = { .kind = RUN_EV_PRICE };
		struct err err;
		int rc = run_price_take(&r->price, &e.price.nano_hour, &err);
		if (rc < 0)
			e.price.problem = err.msg;
		if (rc)
			run_feed(r, &e);
	}
	vec_free(&p);
	if (some || ends)
		take_results(r);
	if (some && !ends)
		take_packets(r);
	if (!ends && r->m.phase == RUN_FLUSH)
		take_packets(r); /* its last words */
}

static void loop_events(struct run *r)
{
	struct run_event tick = { .kind = RUN_EV_TICK };

	run_feed(r, &(struct run_event){ .kind = RUN_EV_OPEN });
	while (r->m.phase != RUN_OVER) {
		int64_t now = tm_mono_ms();
		tick.spent_nano = run_book_spent(&r->book, run_wall(r, now));
		feed_at(r, &tick, now);
		if (r->m.phase == RUN_OVER)
			break;
		int ms = run_machine_wait_ms(&r->m, now);
		run_trace_wait(r->trace, ms);
		wait_once(r, ms);
	}
}

static bool close_all(struct run *r)
{
	run_price_close(&r->price);
	notice_close(r->notices);
	ckpt_damage_free(&r->told.damage);
	bool done = run_save_close(&r->save);
	done = run_save_close(&r->away) && done;
	sock_close(&r->sock);
	run_book_close(&r->book);
	vec_free(&r->child.fd);
	run_folder_free(r);
	run_trace_close(r->trace);
	if (r->sigfd >= 0)
		close(r->sigfd);
	pthread_sigmask(SIG_SETMASK, &r->child.old_mask, NULL);
	return done;
}

static struct run_rules rules_of(const struct run_opt *o)
{
	int64_t poll_ms = o->notice.poll_ms;

	return (struct run_rules){
		.watch = o->watch != NULL,
		.store = o->store != NULL,
		.notice_signal = o->notice_signal,
		.notice_signal_ms = o->notice_signal_ms,
		.grace_ms = o->grace_ms,
		.every_ms = o->every_ms,
		.budget_nano = o->budget_nano,
		.max_hourly_nano = o->max_hourly_nano,
		.usd_hour_nano = o->usd_hour_nano,
		.deaf_ms = poll_ms > 0 ? min_i64(10 * poll_ms, DEAF_MS) : DEAF_MS,
		.mtbi_h = o->mtbi_h,
	};
}

int run_supervise(const struct run_opt *o, struct run_end *ret, struct err *err)
{
	struct run *r = xcalloc(1, sizeof *r);
	struct run_rules rules = rules_of(o);

	*ret = (struct run_end){ .code = 125, .why = "failed", .step = -1 };
	*r = (struct run){ .o = o,
			   .end = ret,
			   .err = err,
			   .wall_ms = tm_steady_ms() - tm_mono_ms(),
			   .sigfd = -1,
			   .sock.fd = -1,
			   .book = { .lock_fd = -1, .dir_fd = -1 },
			   .folder.look_fd = -1,
			   .deadline_ms = INT64_MAX,
			   .save.fd = -1,
			   .away.fd = -1,
			   .price.fd = -1 };
	run_inherited(&r->child);
	r->child.pipe_ignored = o->pipe_ignored;
	r->child.xfsz_ignored = o->xfsz_ignored;
	r->trace = run_trace_open(&rules, o->drill, tm_mono_ms());
	r->rc = run_signals(&r->child, &r->sigfd, err);
	if (r->rc >= 0)
		r->rc = run_book_open(&r->book, o, tm_steady_ms(), err);
	if (r->rc >= 0)
		r->rc = sock_open(&r->sock, err);
	if (r->rc >= 0)
		r->rc = run_save_open(&r->save, o, r->book.token, err);
	if (r->rc >= 0 && o->store)
		r->rc = run_save_open(&r->away, o, r->book.token, err);
	if (r->rc >= 0)
		r->rc = run_price_open(&r->price, &o->price, err);
	if (r->rc >= 0)
		r->rc = notice_open(&o->notice, tm_steady_ms(), &r->notices, err);
	run_machine_init(&r->m, &rules, o->drill, tm_mono_ms());
	if (r->rc >= 0)
		loop_events(r);
	int rc = r->rc;
	if (rc < 0)
		run_say_not_run(r, err->msg);
	/* else a thread is in the middle of something: the process ends, and its memory with it */
	if (close_all(r))
		free(r);
	return rc;
}
