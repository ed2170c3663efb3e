/* The thread that asks; see whose_ask.h. */
#include "device/whose_ask.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "net/http.h"
#include "base/thread.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

struct asker {
	pthread_t thread;
	bool threaded;
	pthread_mutex_t lock;
	pthread_cond_t change;
	/* under the lock */
	bool stop, busy;
	uint64_t want, done;
	int64_t now_ms;
	struct ask_answer *fresh[ASK_N];
	/* never changed after asker_new() */
	bool has[ASK_N];
	char why_not[ASK_N][200];
	struct ask_slurm *slurm;
	struct ask_kube *kube;
};

const char *ask_source_name(enum ask_source s)
{
	static const char *const names[ASK_N] = { "Slurm", "pod devices", "pods", "containers" };

	return names[s];
}

void ask_answer_free(struct ask_answer *t)
{
	if (!t)
		return;
	arena_free(&t->mem);
	free(t);
}

/* ---- whom there is to ask ---------------------------------------------------------------- */

static bool on_path(const char *name)
{
	const char *path = getenv("PATH");
	struct sv rest = sv_of(text_or(path, "/usr/local/bin:/usr/bin:/bin"));
	char file[1024];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	while (rest.p) {
		struct sv dir = sv_cut(rest, ':', &rest);
		if (snprintf(file, sizeof file, "%.*s/%s", SVF(dir), name) < (int)sizeof file &&
		    access(file, X_OK) == 0)
			return true;
	}
	return false;
}

static const char *first_there(const char *given, const char *const *known)
{
	if (given)
		return filled_or(given, NULL);
	for (; *known; known++)
		if (access(*known, F_OK) == 0)
			return *known;
	return NULL;
}

/* The address asked for pods: /pods of a kubelet as it is, an API server with the pods of this
 * node. */
static void pods_url(struct str *out, const char *given, const char *node)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST"),
		   *port = getenv("KUBERNETES_SERVICE_PORT");

	if (given && (!*given || sv_ends(sv_of(given), SV("/pods")) ||
		      sv_ends(sv_of(given), SV("/pods/")))) {
		str_addz(out, given);
		return;
	}
	if (given)
		str_addsv(out, sv_ends(sv_of(given), SV("/"))
				       ? (struct sv){ given, strlen(given) - 1 }
				       : sv_of(given));
	else if (host && *host)
		str_addf(out, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host,
			 filled_or(port, "443"));
	else
		return;
	str_addz(out, "/api/v1/pods?fieldSelector=spec.nodeName%3D");
	http_quote(out, sv_of(node));
}

static void set_source(struct asker *a, enum ask_source s, bool has, const char *why_not)
{
	a->has[s] = has;
	snprintf(a->why_not[s], sizeof a->why_not[s], "%s", why_not);
}

/* ---- a round ----------------------------------------------------------------------------- */

static struct ask_answer *run_ask(struct asker *a, enum ask_source s, int64_t now_ms)
{
	struct ask_answer *t = xcalloc(1, sizeof *t);
	struct err err = { 0 };
	int rc = -ENOSYS;

	t->at_ms = now_ms;
	switch (s) {
	case ASK_SLURM: rc = ask_slurm(a->slurm, t, &err); break;
	case ASK_PODRES: rc = ask_podres(a->kube, t, &err); break;
	case ASK_PODS: rc = ask_pods(a->kube, t, &err); break;
	case ASK_ENGINE: rc = ask_engine(a->kube, t, &err); break;
	case ASK_N: break;
	}
	t->ok = rc >= 0;
	if (rc < 0)
		snprintf(t->why, sizeof t->why, "%.*s", (int)sizeof t->why - 1, err.msg);
	return t;
}

static void *asker_main(void *ctx)
{
	struct asker *a = ctx;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (a->done == a->want) {
			pthread_cond_wait(&a->change, &a->lock);
			continue;
		}
		uint64_t number = a->want;
		int64_t now_ms = a->now_ms;
		a->busy = true;
		for (int s = 0; s < ASK_N && !a->stop; s++) {
			if (!a->has[s])
				continue;
			pthread_mutex_unlock(&a->lock);
			struct ask_answer *t = run_ask(a, (enum ask_source)s, now_ms);
			pthread_mutex_lock(&a->lock);
			ask_answer_free(a->fresh[s]);
			a->fresh[s] = t;
		}
		a->busy = false;
		a->done = number;
		pthread_cond_broadcast(&a->change);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* ---- from outside ------------------------------------------------------------------------ */

struct asker *asker_new(const struct whose_opt *opt, const char *node, const char *proc)
{
	static const char *const podres[] = { "/var/lib/kubelet/pod-resources/kubelet.sock", NULL };
	static const char *const engines[] = { "/var/run/docker.sock", "/run/podman/podman.sock",
					       NULL };
	struct asker *a = xcalloc(1, sizeof *a);
	const char *scontrol = text_or(opt->scontrol, "scontrol"),
		   *sock = first_there(opt->pod_resources, podres),
		   *engine = first_there(opt->docker, engines), *ca_file = opt->kube_ca_file;
	struct str url = { 0 };

	/* what there is to ask, and why not where there is none */
	pods_url(&url, opt->kubelet, node);
	set_source(a, ASK_SLURM, *scontrol && on_path(scontrol),
		   "no scontrol on PATH: jobs are known by cgroup and environment alone");
	set_source(
		a, ASK_PODRES, sock != NULL,
		"no pod-resources socket of a kubelet: devices of pods are known by their processes alone");
	set_source(a, ASK_PODS, url.n > 0,
		   "no API server in the environment: names and labels of pods are not known");
	set_source(a, ASK_ENGINE, engine != NULL,
		   "no socket of Docker or Podman: containers are known by their id alone");
	if (a->has[ASK_SLURM])
		a->slurm = ask_slurm_new(scontrol, node, proc);
	if (!ca_file && access(ACCOUNT "ca.crt", R_OK) == 0)
		ca_file = ACCOUNT "ca.crt";
	a->kube = ask_kube_new(sock, str_z(&url), text_or(opt->kube_token_file, ACCOUNT "token"),
			       ca_file, engine);
	str_free(&url);

	pthread_mutex_init(&a->lock, NULL);
	thread_cond_init(&a->change);
	for (int s = 0; s < ASK_N; s++)
		a->threaded |= a->has[s];
	if (a->threaded)
		a->threaded = thread_start(&a->thread, 0, asker_main, a) == 0;
	for (int s = 0; s < ASK_N; s++)
		a->has[s] &= a->threaded;
	return a;
}

void asker_free(struct asker *a)
{
	if (!a)
		return;
	if (a->threaded) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_broadcast(&a->change);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	for (int s = 0; s < ASK_N; s++)
		ask_answer_free(a->fresh[s]);
	ask_slurm_free(a->slurm);
	ask_kube_free(a->kube);
	pthread_cond_destroy(&a->change);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

bool asker_has(const struct asker *a, enum ask_source s)
{
	return a->has[s];
}

const char *asker_why_not(const struct asker *a, enum ask_source s)
{
	return a->why_not[s];
}

uint64_t asker_poke(struct asker *a, int64_t now_ms)
{
	uint64_t number;

	if (!a->threaded)
		return 0;
	pthread_mutex_lock(&a->lock);
	if (a->want == a->done + (a->busy ? 1 : 0)) /* none waits to begin: that one would do */
		a->want++;
	number = a->want;
	a->now_ms = now_ms;
	pthread_cond_broadcast(&a->change);
	pthread_mutex_unlock(&a->lock);
	return number;
}

uint64_t asker_done(struct asker *a)
{
	pthread_mutex_lock(&a->lock);
	uint64_t d = a->done;
	pthread_mutex_unlock(&a->lock);
	return d;
}

bool asker_wait(struct asker *a, uint64_t number, int64_t limit_ms)
{
	struct timespec until = thread_until(limit_ms);

	pthread_mutex_lock(&a->lock);
	while (a->threaded && a->done < number &&
	       pthread_cond_timedwait(&a->change, &a->lock, &until) == 0)
		;
	bool done = a->done >= number;
	pthread_mutex_unlock(&a->lock);
	return done;
}

struct ask_answer *asker_answer(struct asker *a, enum ask_source s)
{
	pthread_mutex_lock(&a->lock);
	struct ask_answer *t = a->fresh[s];
	a->fresh[s] = NULL;
	pthread_mutex_unlock(&a->lock);
	return t;
}
