/* See notice.h. The queue, the threads of the sources, what was said already. */
#include "base/num.h"
#include "base/str.h"
#include "run/notice_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/thread.h"
#include "base/tm.h"

#define QUEUE    32
#define SOURCES  12
#define ACK_S    3
#define BODY_MAX ((size_t)4 << 20) /* a node of Kubernetes with all its images is some 100 kB */

struct notice_watch {
	pthread_mutex_t mu;
	pthread_cond_t wake;
	int refs, fd;
	bool stop, ack;
	size_t told; /* sources that have acknowledged */
	struct notice_opt opt;
	struct arena mem;
	struct notice queue[QUEUE];
	size_t n;
	struct notice_src src[SOURCES];
	size_t nsrc;
	char problem[320], shown[320];
	const struct notice_src *who; /* has the problem */
};

int64_t notice_told_ms(const struct notice_src *s, int64_t at_ms)
{
	struct timespec t;
	int64_t date;

	if (s && tm_parse_http(str_sv(&s->res.header), &date) == 0)
		return tm_steady_ms() + (at_ms - date);
	clock_gettime(CLOCK_REALTIME, &t);
	int64_t ahead = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 - tm_steady_ms();
	if (ahead > MS_SECOND)
		return at_ms - ahead;
	return at_ms;
}

const struct notice_opt *notice_options(const struct notice_src *s)
{
	return &s->w->opt;
}

bool notice_stopped(const struct notice_src *s)
{
	pthread_mutex_lock(&s->w->mu);
	bool stop = s->w->stop;
	pthread_mutex_unlock(&s->w->mu);
	return stop;
}

static void wake_watch(struct notice_watch *w)
{
	uint64_t one = 1;
	while (write(w->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

void notice_say(struct notice_src *s, enum notice_kind kind, int64_t at_ms, struct sv key,
		const char *what)
{
	struct notice n = { kind, at_ms, tm_steady_ms(), "", "" };

	if (kind == NOTICE_NONE) {
		if (!s->said.n)
			return;
		n.kind = NOTICE_GONE;
		str_clear(&s->said);
	} else {
		if (sv_eq(str_sv(&s->said), key))
			return;
		str_clear(&s->said);
		str_addsv(&s->said, key);
	}
	snprintf(n.source, sizeof n.source, "%s", s->ops->name);
	sv_clean(sv_of(what), n.what, sizeof n.what);
	/* none was told, or one that has passed while we are here: a clock is wrong */
	if (n.kind == NOTICE_STOP && at_ms <= n.seen_ms)
		n.at_ms = n.seen_ms + (s->w->opt.usual_ms > 0 && s->ops->by_user
					       ? s->w->opt.usual_ms
					       : s->ops->usual_ms);
	pthread_mutex_lock(&s->w->mu);
	if (s->w->n == QUEUE) { /* nobody listens: the oldest says least */
		memmove(s->w->queue, s->w->queue + 1, (QUEUE - 1) * sizeof *s->w->queue);
		s->w->n--;
	}
	s->w->queue[s->w->n++] = n;
	pthread_mutex_unlock(&s->w->mu);
	wake_watch(s->w);
}

int64_t notice_trouble(struct notice_src *s, const char *fmt, ...)
{
	char text[256], clean[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	sv_clean(sv_of(text), clean, sizeof clean);
	pthread_mutex_lock(&s->w->mu);
	snprintf(s->w->problem, sizeof s->w->problem, "%s: %s", s->ops->name, clean);
	s->w->who = s;
	pthread_mutex_unlock(&s->w->mu);
	return http_backoff_ms(s->failures < 8 ? s->failures++ : 8, -1);
}

void notice_fine(struct notice_src *s)
{
	s->failures = 0;
	pthread_mutex_lock(&s->w->mu);
	if (s->w->who == s) {
		*s->w->problem = 0;
		s->w->who = NULL;
	}
	pthread_mutex_unlock(&s->w->mu);
}

int notice_get(struct notice_src *s, const char *path, const char *const *header, size_t nheader,
	       const char *keep, int64_t timeout_ms)
{
	struct str url = { 0 };
	struct err err = { 0 };
	int r;

	str_addf(&url, "%s%s", s->base, path);
	r = http_do(s->http,
		    &(struct http_req){ .url = str_z(&url),
					.header = header,
					.nheader = nheader,
					.keep_header = keep,
					.connect_timeout_ms = 2000,
					.timeout_ms = timeout_ms,
					.body_max = BODY_MAX },
		    &s->res, &err);
	str_free(&url);
	if (r < 0) {
		notice_trouble(s, "%s", err.msg);
		return 0;
	}
	return s->res.status;
}

/* ---- threads ----------------------------------------------------------------------------- */

static void drop_watch(struct notice_watch *w)
{
	pthread_mutex_lock(&w->mu);
	int left = --w->refs;
	pthread_mutex_unlock(&w->mu);
	if (left)
		return;
	for (size_t i = 0; i < w->nsrc; i++) {
		struct notice_src *s = &w->src[i];
		http_free(s->http);
		http_res_free(&s->res);
		str_free(&s->token);
		str_free(&s->etag);
		str_free(&s->me);
		str_free(&s->said);
		str_free(&s->ids);
		if (s->fd >= 0)
			close(s->fd);
	}
	close(w->fd);
	arena_free(&w->mem);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->mu);
	free(w);
}

/* Wait, but not beyond the end of the watch or a word to acknowledge. */
static void rest_source(struct notice_src *s, int64_t ms)
{
	struct notice_watch *w = s->w;
	struct timespec t = thread_until(ms);

	pthread_mutex_lock(&w->mu);
	while (!w->stop && !(w->ack && s->ops->ack && !s->acked))
		if (pthread_cond_timedwait(&w->wake, &w->mu, &t) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&w->mu);
}

static void *run_source(void *ctx)
{
	struct notice_src *s = ctx;
	int64_t wait = 0;

	while (wait >= 0 && !notice_stopped(s)) {
		pthread_mutex_lock(&s->w->mu);
		bool wanted = s->w->ack;
		pthread_mutex_unlock(&s->w->mu);
		if (wanted && s->ops->ack && !s->acked) {
			s->acked = true;
			s->ops->ack(s);
			pthread_mutex_lock(&s->w->mu);
			s->w->told++;
			pthread_cond_broadcast(&s->w->wake);
			pthread_mutex_unlock(&s->w->mu);
		}
		wait = s->ops->ask(s);
		if (wait > 0)
			rest_source(s, wait);
	}
	drop_watch(s->w);
	return NULL;
}

static int add_source(struct notice_watch *w, const struct notice_ops *ops, const char *base,
		      const char *usual, const struct http_opt *http, struct err *err)
{
	struct notice_src *s = &w->src[w->nsrc];
	const char *url = text_or(base, usual);

	if (w->nsrc == SOURCES)
		return 0;
	*s = (struct notice_src){ .w = w, .ops = ops, .fd = -1 };
	if (url) {
		size_t n = strlen(url);
		while (n && url[n - 1] == '/')
			n--;
		s->base = arena_strn(&w->mem, url, n);
		int r = http_new(http, &s->http, err);
		if (r < 0)
			return r;
	}
	w->nsrc++;
	return 0;
}

/* ---- which ------------------------------------------------------------------------------- */

/* What the firmware says of the machine. */
static bool firmware_has(const char *file, const char *word)
{
	char path[64], buf[256];
	snprintf(path, sizeof path, "/sys/class/dmi/id/%s", file);
	FILE *f = fopen(path, "re");
	size_t n = 0;
	if (f)
		n = fread(buf, 1, sizeof buf, f);
	if (f)
		fclose(f);
	return sv_has((struct sv){ buf, n }, sv_of(word));
}

static bool list_names(const char *list, const char *word)
{
	struct sv rest = sv_of(list);
	while (rest.p)
		if (sv_is(sv_trim(sv_cut(rest, ',', &rest)), word))
			return true;
	return false;
}

static bool is_wanted(const struct notice_opt *o, const char *name, bool here)
{
	return list_names(o->sources, name) || (list_names(o->sources, "auto") && here);
}

static int check_names(const struct notice_opt *o, struct err *err)
{
	static const char *const known[] = { "auto",  "none",       "aws",  "gcp",    "azure",
					     "slurm", "kubernetes", "file", "command" };
	struct sv rest = sv_of(o->sources);

	while (rest.p) {
		struct sv item = sv_trim(sv_cut(rest, ',', &rest));
		bool ok = false;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			ok |= sv_is(item, known[i]);
		if (!ok) {
			err_set(err, -EINVAL, "'%.*s' is not a source of notices",
				(int)min_size(item.n, 60), item.n ? item.p : "");
			err_hint(err,
				 "they are auto none aws gcp azure slurm kubernetes file command");
			return -EINVAL;
		}
	}
	return 0;
}

/* link-local addresses are never behind a proxy */
#define CLOUD() (&(struct http_opt){ .proxy = "" })
#define SA      "/var/run/secrets/kubernetes.io/serviceaccount/"

static int add_kube(struct notice_watch *w, struct err *err)
{
	struct notice_opt *o = &w->opt;
	const char *host = getenv("KUBERNETES_SERVICE_HOST"),
		   *port = getenv("KUBERNETES_SERVICE_PORT");
	static const char *const names[] = { "NODE_NAME", "K8S_NODE_NAME", "KUBE_NODE_NAME",
					     "MY_NODE_NAME" };

	for (size_t i = 0; !o->node && i < sizeof names / sizeof *names; i++)
		o->node = getenv(names[i]);
	if (!o->kube_token_file)
		o->kube_token_file = SA "token";
	if (!o->kube_ca_file && access(SA "ca.crt", R_OK) == 0)
		o->kube_ca_file = SA "ca.crt";
	if (!o->kube_url && host)
		o->kube_url = arena_printf(&w->mem,
					   strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s",
					   host, text_or(port, "443"));
	if (o->kube_url && o->node)
		return add_source(w, &notice_kubernetes, o->kube_url, NULL,
				  &(struct http_opt){ .ca_file = o->kube_ca_file, .proxy = "" },
				  err);
	if (!list_names(o->sources, "kubernetes"))
		return 0; /* SIGTERM alone tells, as in most pods */
	err_set(err, -EINVAL, "kubernetes: %s",
		o->kube_url ? "which node this is is not known" : "no API server is known here");
	err_hint(
		err,
		o->kube_url
			? "give the pod NODE_NAME from fieldRef spec.nodeName"
			: "inside a pod it is found by itself; elsewhere give --kube-url and --kube-node");
	return -EINVAL;
}

static int add_all(struct notice_watch *w, struct err *err)
{
	const struct notice_opt *o = &w->opt;
	int r = 0;

	if (is_wanted(o, "aws", o->aws || firmware_has("sys_vendor", "Amazon EC2")))
		r = add_source(w, &notice_aws, o->aws, "http://169.254.169.254", CLOUD(), err);
	if (r >= 0 && is_wanted(o, "gcp", o->gcp || firmware_has("sys_vendor", "Google"))) {
		r = add_source(w, &notice_gcp_preempted, o->gcp, "http://metadata.google.internal",
			       CLOUD(), err);
		if (r >= 0)
			r = add_source(w, &notice_gcp_maintenance, o->gcp,
				       "http://metadata.google.internal", CLOUD(), err);
	}
	/* Azure's own tag: other machines of Microsoft's hypervisor have the vendor too */
	bool azure = o->azure ||
		     firmware_has("chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77");
	if (r >= 0 && is_wanted(o, "azure", azure))
		r = add_source(w, &notice_azure, o->azure, "http://169.254.169.254", CLOUD(), err);
	if (r >= 0 && is_wanted(o, "kubernetes", o->kube_url || getenv("KUBERNETES_SERVICE_HOST")))
		r = add_kube(w, err);
	if (r >= 0 && is_wanted(o, "slurm", getenv("SLURM_JOB_ID") != NULL))
		r = add_source(w, &notice_slurm, NULL, NULL, NULL, err);
	if (r >= 0 && o->file && is_wanted(o, "file", true))
		r = add_source(w, &notice_file, NULL, NULL, NULL, err);
	if (r >= 0 && o->command && is_wanted(o, "command", true))
		r = add_source(w, &notice_command, NULL, NULL, NULL, err);
	return r;
}

int notice_open(const struct notice_opt *opt, int64_t now_ms, struct notice_watch **ret,
		struct err *err)
{
	struct notice_watch *w;
	int r;

	(void)now_ms;
	w = xcalloc(1, sizeof *w);
	w->opt = *opt;
	if (!w->opt.sources)
		w->opt.sources = "auto";
	if ((r = check_names(&w->opt, err)) < 0) {
		free(w);
		return r;
	}
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0) {
		free(w);
		return err_set(err, -errno, "no eventfd: %s", strerror(errno));
	}
	w->refs = 1;
	pthread_mutex_init(&w->mu, NULL);
	thread_cond_init(&w->wake);
	r = add_all(w, err);
	for (size_t i = 0; i < w->nsrc && r >= 0; i++) {
		pthread_t th;
		pthread_mutex_lock(&w->mu);
		w->refs++;
		pthread_mutex_unlock(&w->mu);
		/* Small stacks: a source is a few frames and libcurl; 8 MiB each would only look
		 * bad. */
		r = thread_start(&th, 256 << 10, run_source, &w->src[i]);
		if (r == 0) {
			pthread_detach(th);
			continue;
		}
		drop_watch(w);
		r = err_set(err, -r, "cannot start a thread for notices: %s", strerror(r));
	}
	if (r < 0) {
		notice_close(w);
		return r;
	}
	*ret = w;
	return 0;
}

int notice_fd(const struct notice_watch *w)
{
	return w->fd;
}

int notice_next(struct notice_watch *w, int64_t now_ms, struct notice *ret, struct err *err)
{
	uint64_t n;
	int r;

	(void)now_ms;
	(void)err;
	while (read(w->fd, &n, sizeof n) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&w->mu);
	r = w->n > 0;
	if (r) {
		*ret = w->queue[0];
		memmove(w->queue, w->queue + 1, --w->n * sizeof *w->queue);
	}
	pthread_mutex_unlock(&w->mu);
	return r;
}

void notice_ack(struct notice_watch *w, int64_t now_ms)
{
	struct timespec t = thread_until(ACK_S * 1000);
	size_t wanted = 0;

	(void)now_ms;
	for (size_t i = 0; i < w->nsrc; i++)
		wanted += w->opt.ack && w->src[i].ops->ack;
	pthread_mutex_lock(&w->mu);
	w->ack = w->opt.ack;
	pthread_cond_broadcast(&w->wake);
	while (w->told < wanted && pthread_cond_timedwait(&w->wake, &w->mu, &t) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&w->mu);
}

const char *notice_problem(const struct notice_watch *cw)
{
	struct notice_watch *w = (struct notice_watch *)cw;
	pthread_mutex_lock(&w->mu);
	memcpy(w->shown, w->problem, sizeof w->shown);
	pthread_mutex_unlock(&w->mu);
	return filled_or(w->shown, NULL);
}

size_t notice_sources(const struct notice_watch *w, const char *ret[], size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < w->nsrc; i++)
		if (n < max && (!n || strcmp(ret[n - 1], w->src[i].ops->name) != 0))
			ret[n++] = w->src[i].ops->name;
	return n;
}

void notice_close(struct notice_watch *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->mu);
	w->stop = true;
	pthread_cond_broadcast(&w->wake);
	pthread_mutex_unlock(&w->mu);
	drop_watch(w); /* a source in a request ends it and frees the rest */
}
