#ifndef TARE_FEED_READINGS_PROM_KUBE_H
#define TARE_FEED_READINGS_PROM_KUBE_H
/* What the two files that read kube-state-metrics share: prom_kube.c (pods), prom_nodes.c (the
 * nodes that carry GPUs). Nobody else includes it. */
#include "base/mem.h"
#include "feed/jobs/presences.h"
#include "feed/readings/prom.h"
#include "feed/tags.h"

struct pod {
	struct sv namespace_, name, controller, controller_kind, phase;
	struct tags tags;
	int64_t created_ms;
	/* asked for, of all containers; 0 = not said. gpus: of all its holds */
	double cpus, ram_bytes, gpus;
	bool has_phase; /* some step said what phase it is in */
};

struct hold { /* a container's request of one resource */
	uint32_t pod;
	struct sv container, node, resource, cluster;
	double gpus;
	/* of each GPU, as HAMi's resources beside the count say; 0 = not said */
	double cores_pct, mem_pct;
	bool sliced;            /* has such resources */
	int64_t from_ms, to_ms; /* of steps in which it held them; from UNKNOWN_MS = none yet */
	int64_t seen_from_ms, seen_to_ms; /* of steps in which the request was there */
};

struct interval {
	int64_t from_ms, to_ms;
};
struct cut { /* instances of a profile that a machine offers under its name */
	struct sv profile;
	double n;
};
struct machine {
	struct sv node, cluster, type, region, zone, capacity, model, provider_id;
	struct sv mig; /* profile of what it offers as GPUs, where all are cut alike */
	double gpus;
	VEC(struct cut) cuts; /* beside these */
	bool shared;          /* it also offers some that several have each of */
	/* what a label says the machine has, 0 = nothing: sharing plug-ins multiply the capacity */
	int64_t real_gpus;
	double cpus, ram_bytes; /* that pods may have, 0 = not said */
	VEC(struct interval) paid;
};

struct kube {
	struct prom *p;
	struct intern pods, holds, machines;
	VEC(struct pod *) pod;
	VEC(struct hold) hold;
	VEC(struct machine) machine;
	VEC(struct interval) scraped; /* when the exporter was, as long as it tells of any node */
	struct presences presences;   /* pods without GPUs on machines with some */
	struct str text;
	int64_t nodes_seen_ms; /* end of the last step in which any node was there */
	int64_t rows;
};

/* Of a machine with GPUs: what it offers of them, whole, shared or cut. */
#define KUBE_CAPACITY \
	"kube_node_status_capacity{resource=~\"(nvidia|amd)_com_(gpu|gpu_shared|mig_.*)\"}"

/* v in memory that lives as long as the run. */
struct sv kube_keep(struct kube *k, struct sv v);
struct sv kube_cluster(struct kube *k, const struct prom_series *l);
/* "nvidia_com_mig_1g_10gb_me" -> "1g.10gb.me"; {NULL,0} = no instance. */
struct sv kube_mig_profile(struct kube *k, struct sv resource);
/* kube-state-metrics' own labels may have been renamed by a clash with those of its target. */
struct sv kube_label(const struct prom_series *l, const char *name, const char *exported);
#define LABEL(l, name) kube_label(l, name, "exported_" name)

/* prom_nodes.c: a window for prom_walk(), and what all of them make. */
int kube_nodes_window(void *ctx, struct span of, struct err *err);
/* What it offers -> GPUs that it has: after all windows, and after the readings. */
int kube_count_gpus(const struct kube *k, struct machine *m, struct err *err);
int kube_give_machine(struct kube *k, const struct machine *m, struct err *err);
#endif
