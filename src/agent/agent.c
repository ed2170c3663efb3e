/* The loop of the agent: one thread for ticks and requests, one that writes, one that sends. */
#include "agent/agent.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/account.h"
#include "alerts/alerts.h"
#include "agent/expo.h"
#include "agent/recover.h"
#include "agent/send.h"
#include "agent/watchdog.h"
#include "agent/wire.h"
#include "base/num.h"
#include "base/str.h"
#include "device/place.h"
#include "net/httpd.h"

#define COVER_TICKS 5 /* a reading stands for at most so many intervals that were missed */
/* a call that takes so long hangs: the slowest of eight GPUs take a tenth of it */
#define STUCK_MS 10000
/* and for this long at least: a machine under load is late now and then */
#define COVER_MIN_MS 5000

struct agent {
	struct agent_opt *opt;
	struct watch *watch;
	struct account account;
	struct agentdb *db;
	struct agent_write *write;
	struct sender *sender;
	struct httpd *httpd;
	struct expo_sums *sums;
	struct watchdog *dog;
	struct agent_alerts *alerts;
	struct alerts_conf *alerts_now, *alerts_next; /* read at SIGHUP: in use, to be used; NULL */
	const struct watch_view *view;
	struct agent_self self;
	int timer_fd, signal_fd, epoll_fd;
	double speed; /* tests let time run faster; 1 */
	int64_t base_wall_ms, base_mono_us, due_us, flushed_us, until_us;
	int64_t now_ms, looked_ms; /* of the last look: booked by; by the boot clock */
	char resource_id[288];     /* as the provider's bill has the machine, "" */
	/* that a driver has not answered, as of the last look; reported from STUCK_MS on */
	int64_t stuck_ms;
	bool stop;
};

/* ---- clocks ------------------------------------------------------------------------------ */

static int64_t clock_us(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* Wall clock of the machine; with TARE_AGENT_SPEED (tests: an hour in a minute) that many times as
 * fast from base_wall_ms on. */
static int64_t wall_ms(const struct agent *a)
{
	int64_t us = clock_us(CLOCK_REALTIME);
	if (a->speed == 1)
		return us / 1000;
	return a->base_wall_ms + (int64_t)((double)(us - a->base_wall_ms * 1000) / 1000 * a->speed);
}

/* Since the machine was started, also while it slept. */
static int64_t boot_ms(const struct agent *a)
{
	return (int64_t)((double)clock_us(CLOCK_BOOTTIME) / 1000 * a->speed);
}

static int64_t mono_ms(const struct agent *a)
{
	int64_t us = clock_us(CLOCK_MONOTONIC);

	if (a->speed == 1)
		return us / 1000;
	return (int64_t)((double)(us - a->base_mono_us) / 1000 * a->speed) + 1;
}

double agent_jitter_ms(const struct agent_self *s, double q)
{
	int64_t n = 0, seen = 0;
	for (int i = 0; i < 1024; i++)
		n += s->jitter_us[i];
	for (int i = 0; i < 1024; i++)
		if (n && (seen += s->jitter_us[i]) >= (int64_t)ceil(q * (double)n))
			return (i + 1) / 10.0;
	return NAN;
}

/* ---- a tick ------------------------------------------------------------------------------ */

static void flush_jobs(struct agent *a, struct tally_out job[ACCOUNT_JOBS])
{
	for (int i = 0; i < ACCOUNT_JOBS; i++)
		write_push(a->write, &job[i], a->now_ms);
	a->flushed_us = clock_us(CLOCK_MONOTONIC);
}

static void heed_clock(struct agent *a, const struct clock_ruling *now)
{
	struct tally_out job[ACCOUNT_JOBS];
	const struct clock_judge *clock = &a->account.clock;
	if (now->ends) {
		account_settle(&a->account, now, job);
		flush_jobs(a, job);
	}
	if (now->begins) {
		account_hold(&a->account, now, wall_ms(a), job);
		flush_jobs(a, job);
	}
	if (now->jump_ms)
		tally_clock_set(a->account.tally, now->t_ms, now->jump_ms);
	a->self.held_ms = clock->held ? a->looked_ms - clock->begun_ms : 0;
}

static void drop_alerts(struct alerts_conf **c)
{
	if (*c)
		alerts_conf_free(*c);
	free(*c);
	*c = NULL;
}

static int64_t interval_us(const struct agent *a)
{
	return (int64_t)((double)a->opt->conf.interval_ms * 1000 / a->speed);
}

static int poll_watch(struct agent *a, int64_t now_ms, struct err *err)
{
	watchdog_in(a->dog);
	int r = watch_poll(a->watch, now_ms, mono_ms(a), &a->view, err);
	watchdog_out(a->dog);
	if (r >= 0) {
		/* A driver that hangs (device/gpu_apart.h holds nobody up for it), and that it
		 * answers again. */
		int64_t ms = a->view->gpus->stuck_ms, before = a->stuck_ms;

		a->stuck_ms = ms;
		if (before < STUCK_MS && ms >= STUCK_MS)
			fprintf(stderr,
				"tare agent: the GPU driver has not answered for %lld s, and its call cannot be called off; its GPUs are unknown until it does, all else is "
				"watched on\n",
				(long long)(ms / 1000));
		else if (before >= STUCK_MS && ms < before)
			fprintf(stderr, "tare agent: the GPU driver answers again after %lld s\n",
				(long long)((before + 500) / 1000));
	}
	return r;
}

/* Ticks are absolute times of the steady clock: lateness does not add up. */
static int arm_timer(struct agent *a, struct err *err)
{
	int64_t step = interval_us(a), now = clock_us(CLOCK_MONOTONIC);
	/* On whole intervals of the time that is booked, so that minutes end on a tick. */
	int64_t booked = boot_ms(a) + a->account.clock.offset_ms, every = a->opt->conf.interval_ms;
	int64_t into = (int64_t)((double)((booked % every + every) % every) * 1000 / a->speed);
	a->due_us = now + step - into;
	struct itimerspec t = { .it_interval = { step / 1000000, step % 1000000 * 1000 },
				.it_value = { a->due_us / 1000000, a->due_us % 1000000 * 1000 } };
	if (timerfd_settime(a->timer_fd, TFD_TIMER_ABSTIME, &t, NULL))
		return err_set(err, -errno, "cannot set a timer: %s", strerror(errno));
	return 0;
}

static int run_tick(struct agent *a, struct err *err)
{
	int64_t begin_us = clock_us(CLOCK_MONOTONIC),
		before = tally_counts(a->account.tally)->minutes, last_ms = a->looked_ms;
	struct clock_ruling now;
	a->looked_ms = boot_ms(a);
	clock_look(&a->account.clock, wall_ms(a), a->looked_ms, &now);
	a->now_ms = now.t_ms;
	heed_clock(a, &now);
	int r = poll_watch(a, now.t_ms, err);
	if (r < 0)
		return r;
	tally_tick(a->account.tally, a->view);
	if (a->alerts) {
		agent_alerts_view(a->alerts, a->view);

		/* Settings of alerts that are in use by now make those before them free. */
		if (a->alerts_next && agent_alerts_conf(a->alerts) == a->alerts_next) {
			drop_alerts(&a->alerts_now);
			a->alerts_now = a->alerts_next;
			a->alerts_next = NULL;
		}
	}
	if (a->self.ticks)
		expo_sums_add(a->sums, a->view, a->looked_ms - last_ms);
	a->self.ticks++;
	if (tally_counts(a->account.tally)->minutes != before ||
	    begin_us - a->flushed_us >=
		    (int64_t)((double)a->opt->conf.flush_ms * 1000 / a->speed)) {
		struct tally_out out;
		account_take(&a->account, &out);
		write_push(a->write, &out, a->now_ms);
		a->flushed_us = begin_us;
	}
	if (now.ends) /* minutes end elsewhere now */
		arm_timer(a, err);
	double ms = (double)(clock_us(CLOCK_MONOTONIC) - begin_us) / 1000;
	a->self.tick_ms_sum += ms;
	a->self.tick_ms_max = max_double(ms, a->self.tick_ms_max);
	return 0;
}

static int on_timer(struct agent *a, struct err *err)
{
	uint64_t n = 0;
	if (read(a->timer_fd, &n, sizeof n) != (ssize_t)sizeof n || n == 0)
		return 0;
	int64_t late = clock_us(CLOCK_MONOTONIC) - a->due_us - (int64_t)(n - 1) * interval_us(a);
	a->due_us += (int64_t)n * interval_us(a);
	a->self.missed += (int64_t)n - 1;
	int64_t bin = 0;
	if (late >= 0)
		bin = late / 100;
	a->self.jitter_us[min_i64(bin, 1023)]++;
	return run_tick(a, err);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void serve_metrics(void *ctx, const struct httpd_req *req, struct httpd_res *res)
{
	struct agent *a = ctx;
	struct write_stats stats;
	bool late = !a->view ||
		    clock_us(CLOCK_MONOTONIC) - a->due_us > 3 * interval_us(a) + 5000000;
	if (!strcmp(req->path, "/healthz")) {
		res->status = late ? 503 : 200;
		str_addz(&res->body, late ? "no look at the machine for a while\n" : "ok\n");
		return;
	}
	if (strcmp(req->path, "/metrics")) {
		res->status = 404;
		str_addz(&res->body, "there are /metrics and /healthz\n");
		return;
	}
	write_stats_of(a->write, &stats);
	struct send_stat sent = sender_stat(a->sender);
	struct expo_in in = { .view = a->view,
			      .sums = a->sums,
			      .self = &a->self,
			      .counts = tally_counts(a->account.tally),
			      .write = &stats,
			      .alerts = a->alerts,
			      .send = a->opt->conf.server ? &sent : NULL,
			      .dcgm_names = a->opt->conf.dcgm_names,
			      .openmetrics = strstr(req->accept, "application/openmetrics-text") !=
					     NULL };
	if (in.openmetrics)
		res->content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
	else
		res->content_type = "text/plain; version=0.0.4; charset=utf-8";
	expo_write(&in, &res->body);
}

static int add_fd(struct agent *a, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
	if (epoll_ctl(a->epoll_fd, EPOLL_CTL_ADD, fd, &e))
		return -errno;
	return 0;
}

static int listen_where_told(struct agent *a, struct err *err)
{
	const char *at = a->opt->conf.listen;
	if (!*at || !strcmp(at, "none"))
		return 0;
	char own[HOST_NAME_MAX + 1] = "";
	struct str hosts = { 0 };
	gethostname(own, sizeof own - 1);
	str_addf(&hosts, "%s,%s", own, text_or(a->opt->conf.hosts, ""));
	struct httpd_opt opt = {
		.listen = at, .hosts = str_z(&hosts), .fn = serve_metrics, .ctx = a
	};
	int r = httpd_open(&opt, &a->httpd, err);
	str_free(&hosts);
	if (r >= 0)
		r = add_fd(a, httpd_fd(a->httpd));
	if (r >= 0 && !a->opt->quiet)
		fprintf(stderr, "tare agent: /metrics on port %d of %.*s\n", httpd_port(a->httpd),
			(int)(strrchr(at, ':') - at), at);
	return r;
}

/* ---- settings again ----------------------------------------------------------------------- */

static void use_conf(struct agent *a)
{
	const struct agent_conf *c = &a->opt->conf;
	int64_t cover = COVER_TICKS * c->interval_ms;
	tally_set_cover(a->account.tally, max_i64(cover, COVER_MIN_MS));
	write_set(a->write, &(struct write_opt){ .raw_keep_ms = c->raw_keep_ms,
						 .roll_keep_ms = c->roll_keep_ms });
}

/* Interval, retention, server, names and alerts change at once; where it keeps and listens, and
 * what it watches, stay until it is started again. */
static void reload_settings(struct agent *a)
{
	struct agent_conf fresh;
	struct err err = { 0 };
	if (!a->opt->reload || a->opt->reload(a->opt->ctx, &fresh, &err) < 0) {
		if (err.msg[0])
			fprintf(stderr, "tare agent: the settings stay as they are: %s\n", err.msg);
		return;
	}
	struct agent_conf old = a->opt->conf;
	fresh.listen = arena_sv(&fresh.mem, sv_of(old.listen));
	fresh.state_dir = old.state_dir ? arena_sv(&fresh.mem, sv_of(old.state_dir)) : NULL;
	a->opt->conf = fresh;
	if (a->sender)
		sender_set(a->sender, &a->opt->conf);
	agent_conf_free(&old);
	use_conf(a);
	arm_timer(a, &err);
	if (a->alerts && a->opt->reload_alerts) {
		struct alerts_conf *alerts = xcalloc(1, sizeof *alerts);
		err_clear(&err);
		if (a->opt->reload_alerts(a->opt->ctx, alerts, &err) >= 0) {
			/* instead of what waits to be used, if there is any */
			agent_alerts_use(a->alerts, alerts);
			drop_alerts(&a->alerts_next);
			a->alerts_next = alerts;
		} else {
			if (err.msg[0])
				fprintf(stderr, "tare agent: the alerts stay as they are: %s\n",
					err.msg);
			free(alerts);
		}
	}
	a->self.reloads++;
	tally_event(a->account.tally, a->now_ms, "settings", 0, 0, "read again");
}

static void on_signal(struct agent *a)
{
	struct signalfd_siginfo s;
	while (read(a->signal_fd, &s, sizeof s) == (ssize_t)sizeof s) {
		if (s.ssi_signo == SIGHUP)
			reload_settings(a);
		else
			a->stop = true;
	}
}

/* ---- start and end ----------------------------------------------------------------------- */

static int open_fds(struct agent *a, struct err *err)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL); /* the threads started from here on inherit it */
	a->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	a->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	bool opened = a->signal_fd >= 0 && a->timer_fd >= 0 && a->epoll_fd >= 0;
	if (!opened || add_fd(a, a->signal_fd) < 0 || add_fd(a, a->timer_fd) < 0)
		return err_set(err, -errno, "cannot wait for ticks: %s", strerror(errno));
	return 0;
}

static int keep_node(struct agent *a, struct err *err)
{
	const struct agent_conf *c = &a->opt->conf;
	const struct watch_rate *w = &a->view->rate;
	char price[DEC_BUF];
	const struct {
		const char *key, *value;
	} facts[] = {
		{ "node", a->view->node },
		{ "provider", w->provider },
		{ "region", w->region },
		{ "zone", w->zone },
		{ "instance_type", w->instance_type },
		{ "purchase", w->purchase },
		{ "currency", w->currency },
		{ "cluster", text_or(c->cluster, "") },
		{ "usd_gpu_hour", w->known ? dec_format(price, w->usd_gpu_hour) : "" },
		{ "driver", text_or(a->view->gpus->driver, "") },
		{ "version", TARE_VERSION },
		{ "resource_id", a->resource_id },
	};
	int r = agentdb_begin(a->db, err);
	for (size_t i = 0; r >= 0 && i < sizeof facts / sizeof *facts; i++)
		r = agentdb_set(a->db, facts[i].key, facts[i].value, err);
	if (r >= 0)
		return agentdb_commit(a->db, err);
	agentdb_rollback(a->db);
	return r;
}

static void fill_text(char *to, size_t size, const char *from)
{
	if (!*to)
		snprintf(to, size, "%s", from);
}

/* What the settings do not say of the machine, its cloud may. */
static void find_place(struct agent *a)
{
	struct watch_rate *w = &a->opt->conf.rate;
	struct place p = { 0 };
	struct err ignored;
	if (*w->provider || place_find(&(struct place_opt){ 0 }, &p, &ignored) < 0 || !p.known)
		return;
	fill_text(w->provider, sizeof w->provider, p.provider);
	fill_text(w->region, sizeof w->region, p.region);
	fill_text(w->zone, sizeof w->zone, p.zone);
	fill_text(w->instance_type, sizeof w->instance_type, p.instance_type);
	fill_text(w->purchase, sizeof w->purchase, p.purchase);
	memcpy(a->resource_id, p.resource_id, sizeof a->resource_id);
}

static void say_stuck(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "tare agent: %s\n", text);
}

static int open_account(struct agent *a, struct clock_ruling *ret, struct err *err)
{
	char boot[72];

	/* Which start of the machine that counts from, and which namespace of time it is seen
	 * from. */
	char id[40] = "";
	struct stat st = { 0 };
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (f && !fgets(id, sizeof id, f))
		*id = 0;
	if (f)
		fclose(f);
	if (stat("/proc/self/ns/time", &st) < 0)
		st.st_ino = 0;
	clock_boot_name(id, st.st_ino, boot);

	a->looked_ms = boot_ms(a);
	const struct account_start at = { .boot = boot,
					  .wall_ms = wall_ms(a),
					  .boot_ms = a->looked_ms };
	int r = account_open(&a->account, a->db, &at, ret, err);
	a->now_ms = ret->t_ms;
	return r;
}

static int open_all(struct agent *a, struct err *err)
{
	struct agent_conf *c = &a->opt->conf;
	struct arena mem = { 0 };
	struct clock_ruling first = { 0 };
	const char *dir = agent_state_dir(c, &mem);
	find_place(a);
	struct watch_opt w = { .gpu = { .want_pcie = c->pcie,
					.want_gpm = c->gpm,
					.want_procs = true,
					.scrape = c->scrape },
			       .serving = c->serving,
			       .conf = a->opt->ledger,
			       .catalog = a->opt->catalog,
			       .rate = c->rate };
	int r = agentdb_open(dir, true, &a->db, err);
	if (r >= 0 && *err->msg) { /* what is damaged was quarantined */
		fprintf(stderr, "tare agent: %s%s%s\n", err->msg, text_if(*err->hint, ": "),
			err->hint);
		err_clear(err);
	}
	if (r >= 0)
		r = wire_agent_id(a->db, err);
	if (r >= 0)
		r = recover_minute(a->db, err);
	a->account.tally = tally_new(COVER_MIN_MS);
	a->dog = watchdog_new("a look at this machine (schedulers, exporter, processes)", STUCK_MS,
			      say_stuck, NULL);
	a->sums = expo_sums_new();
	if (r >= 0)
		r = open_account(a, &first, err);
	if (r >= 0)
		r = watch_open(&w, &a->watch, err);
	if (r >= 0)
		r = open_fds(a, err);
	/* The facts of the machine are known after the first look, which takes the longest. */
	if (r >= 0)
		r = poll_watch(a, a->now_ms, err);
	if (r >= 0)
		r = keep_node(a, err);
	if (r >= 0)
		r = write_start(a->db,
				&(struct write_opt){ .raw_keep_ms = c->raw_keep_ms,
						     .roll_keep_ms = c->roll_keep_ms },
				&a->write, err);
	if (r >= 0) {
		first.ends = false; /* that is done */
		heed_clock(a, &first);
	}
	if (r >= 0)
		r = sender_start(dir, c, &a->sender, err);
	if (r >= 0 && a->opt->alerts) {
		struct agent_alerts_opt o = { .conf = a->opt->alerts,
					      .catalog = a->opt->catalog,
					      .dir = dir,
					      .db = c->silences };
		r = agent_alerts_open(&o, wall_ms(a), mono_ms(a), &a->alerts, err);
		if (r >= 0 && err->msg[0])
			fprintf(stderr, "tare agent: %s\n", err->msg);
	}
	if (r >= 0)
		r = listen_where_told(a, err);
	arena_free(&mem);
	return r;
}

static void say_what_is_seen(const struct agent *a)
{
	size_t gpus = 0;
	for (size_t i = 0; i < a->view->ndev; i++)
		gpus += !a->view->dev[i].parent;
	if (a->opt->quiet)
		return;
	fprintf(stderr, "tare agent: %zu GPU%s on %s every %lld ms, kept in '%s'\n", gpus,
		plural(gpus), a->view->node, (long long)a->opt->conf.interval_ms,
		agentdb_dir(a->db));
	if (a->view->gpus->problem)
		fprintf(stderr, "tare agent: %s\n", a->view->gpus->problem);
	if (!gpus) {
		fprintf(stderr,
			"tare agent: it goes on and looks for them again; tare doctor says what is missing, TARE_GPU_REPLAY=samples.csv plays a recording instead\n");
		return;
	}
	if (!a->view->rate.known)
		fprintf(stderr,
			"tare agent: what a GPU costs here is not known; say it with --usd-gpu-hour, or with node: usd_gpu_hour in the section agent: of the settings\n");
}

static int run_loop(struct agent *a, struct err *err)
{
	struct epoll_event e[8];
	int r = arm_timer(a, err);
	while (r >= 0 && !a->stop) {
		int64_t wait = a->httpd ? httpd_timeout_ms(a->httpd) : -1;
		int n = epoll_wait(a->epoll_fd, e, 8, wait < 0 || wait > 10000 ? 10000 : (int)wait);
		if (n < 0 && errno != EINTR)
			return err_set(err, -errno, "cannot wait for ticks: %s", strerror(errno));
		for (int i = 0; i < n && r >= 0; i++) {
			if (e[i].data.fd == a->timer_fd)
				r = on_timer(a, err);
			else if (e[i].data.fd == a->signal_fd)
				on_signal(a);
		}
		if (a->httpd)
			httpd_run(a->httpd);
		a->stop |= a->until_us && clock_us(CLOCK_MONOTONIC) >= a->until_us;
	}
	return r;
}

static int close_all(struct agent *a, struct err *err)
{
	int r = 0;

	if (a->write) {
		struct tally_out out;
		tally_close(a->account.tally);
		account_take(&a->account, &out);
		write_push(a->write, &out, a->now_ms);
		r = write_stop(a->write, err);
	}
	if (a->alerts)
		agent_alerts_close(a->alerts, wall_ms(a), mono_ms(a), 2000);
	drop_alerts(&a->alerts_next);
	drop_alerts(&a->alerts_now);
	sender_stop(a->sender);
	httpd_close(a->httpd);
	watchdog_free(a->dog);
	watch_close(a->watch);
	tally_free(a->account.tally);
	expo_sums_free(a->sums);
	agentdb_close(a->db);
	for (int i = 0; i < 3; i++) {
		int fd = (int[]){ a->timer_fd, a->signal_fd, a->epoll_fd }[i];
		if (fd >= 0)
			close(fd);
	}
	return r;
}

int agent_run(struct agent_opt *opt, struct err *err)
{
	const char *speed = getenv("TARE_AGENT_SPEED");
	struct agent a = {
		.opt = opt, .timer_fd = -1, .signal_fd = -1, .epoll_fd = -1, .speed = 1
	};
	/* Small and steady: one heap for all threads, what is freed goes back. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, 65536);
	mallopt(M_MMAP_THRESHOLD, 65536);
	a.base_mono_us = clock_us(CLOCK_MONOTONIC);
	a.base_wall_ms = clock_us(CLOCK_REALTIME) / 1000;

	/* "60", or "60@MS": as if time had run so fast since then, so that a second start goes on
	 * where the first would be. */
	struct sv since, times = sv_cut(sv_of(speed), '@', &since);
	int64_t then;
	if (!speed || sv_f64(times, &a.speed) < 0 || !within_double(a.speed, 1, 1000))
		a.speed = 1;
	if (a.speed != 1 && since.n && sv_i64(since, &then) == 0)
		a.base_wall_ms = then;

	a.flushed_us = a.base_mono_us;
	if (opt->run_ms)
		a.until_us = a.base_mono_us + (int64_t)((double)opt->run_ms * 1000 / a.speed);
	a.self.started_ms = wall_ms(&a);
	int r = open_all(&a, err);
	if (r >= 0) {
		use_conf(&a);
		tally_event(a.account.tally, a.now_ms, "start", 0, 0, NULL);
		say_what_is_seen(&a);
		r = run_loop(&a, err);
	}
	struct err lost = { 0 };
	int kept = close_all(&a, &lost);
	if (r >= 0 && kept < 0) {
		*err = lost;
		return kept;
	}
	return r;
}
