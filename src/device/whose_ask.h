#ifndef TARE_DEVICE_WHOSE_ASK_H
#define TARE_DEVICE_WHOSE_ASK_H
/*
 * Asking others whose things are: Slurm's programs, the kubelet's pod-resources socket, its /pods
 * or the API server, the engine's socket. A thread asks them in rounds; answers are handed
 * over whole and belongs to who takes it.
 */
#include "device/engine.h"
#include "device/kubepods.h"
#include "device/podres.h"
#include "device/slurm.h"
#include "device/whose.h"

#define ASK_LIMIT_MS 2000 /* of one question */
/* details of a job or container that do not change are asked again after */
#define ASK_KEEP_MS (5 * 60 * 1000LL)

enum ask_source { ASK_SLURM, ASK_PODRES, ASK_PODS, ASK_ENGINE, ASK_N };
const char *ask_source_name(enum ask_source s);

struct ask_device {    /* a device of gres.conf */
	int minor, gi; /* -1 */
};
struct ask_answer {
	struct arena mem;
	bool ok;
	char why[200]; /* what works, or what does not */
	int64_t at_ms;
	struct slurm_job *job; /* of this node */
	size_t njob;
	struct ask_device *device; /* in the order of gres.conf; 0: not known */
	size_t ndevice;
	int64_t mps_per_gpu, shards_per_gpu; /* 0 = not known */
	struct podres *res;
	size_t nres;
	struct kube_pod *pod;
	size_t npod;
	struct engine_container *container;
	size_t ncontainer;
};
void ask_answer_free(struct ask_answer *t); /* NULL is fine */

struct asker;
struct asker *asker_new(const struct whose_opt *opt, const char *node, const char *proc);
void asker_free(struct asker *a);                         /* waits for the question under way */
bool asker_has(const struct asker *a, enum ask_source s); /* there is somebody to ask */
const char *asker_why_not(const struct asker *a, enum ask_source s);
/* Have a round begin (after the one under way); returns its number. The answers of the round get
 * now_ms. */
uint64_t asker_poke(struct asker *a, int64_t now_ms);
uint64_t asker_done(struct asker *a); /* number of the last round that ended */
bool asker_wait(struct asker *a, uint64_t round, int64_t limit_ms);
/* The answer of a source since the last call, or NULL; it is the caller's. */
struct ask_answer *asker_answer(struct asker *a, enum ask_source s);

/* The questions, in whose_slurm.c and whose_kube.c. 0, or an error that stands in *err. */
struct ask_slurm;
struct ask_slurm *ask_slurm_new(const char *scontrol, const char *node, const char *proc);
void ask_slurm_free(struct ask_slurm *s);
int ask_slurm(struct ask_slurm *s, struct ask_answer *t, struct err *err);
struct ask_kube;
struct ask_kube *ask_kube_new(const char *pod_resources, const char *pods_url,
			      const char *token_file, const char *ca_file, const char *engine);
void ask_kube_free(struct ask_kube *k);
int ask_podres(struct ask_kube *k, struct ask_answer *t, struct err *err);
int ask_pods(struct ask_kube *k, struct ask_answer *t, struct err *err);
int ask_engine(struct ask_kube *k, struct ask_answer *t, struct err *err);

#endif
