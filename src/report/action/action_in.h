#ifndef TARE_REPORT_ACTION_ACTION_IN_H
#define TARE_REPORT_ACTION_ACTION_IN_H
/* What the files that write lines of actions know of each other: action_text.c has the table of
 * kinds, action_quote.c the names, action_slurm.c, action_kube.c and action_cloud.c an environment
 * each. */
#include "report/action/action_text.h"

struct lines {
	struct arena *mem;
	struct text_list *to;
};
/* A line; a comment that says so, where a name in it cannot be said (sh_line()). */
void line_add(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum quote {
	QUOTE_HOST,    /* of Kubernetes, of hosts and of Slurm */
	QUOTE_CLOUD,   /* of clouds: ids, regions, types */
	QUOTE_BUCKET,  /* of object stores */
	QUOTE_NOTE,    /* in a comment, or in a value that is read by people */
	QUOTE_PATTERN, /* a note in double quotes, in which * stays */
	QUOTE_NODES,   /* hosts in one word of Slurm, where ALL is every node: a,b */
	QUOTE_HOSTS,   /* hosts as words: a b */
	QUOTE_IDS,     /* ids of a cloud as words: a b */
	QUOTE_TAGS,    /* a filter of AWS for the name tag */
	QUOTE_YAML,    /* in double quotes of YAML */
	QUOTE_N
};
/*
 * The only way from a raw_name into a line: names [n] for where they go, `unknown` (a word of ours
 * in capitals, or "") where none is told. Marks what cannot be said, for line_add().
 */
const char *quote_names(struct lines *l, enum quote how, const struct raw_name *names, size_t n,
			const char *unknown);
static inline const char *quoted(struct lines *l, enum quote how, struct raw_name name,
				 const char *unknown)
{
	return quote_names(l, how, &name, 1, unknown);
}
static inline bool name_is(struct raw_name n, const char *z)
{
	return n.z && !strcmp(n.z, z);
}
static inline bool name_is_told(struct raw_name n)
{
	return n.z && *n.z;
}

/* One environment each; `undo`: the way back. Nothing where it has no word for it. */
/* What a job asks for once that is done; undone: what it asked for before. */
static inline const struct submit_ask *submit_asked(const struct action_submit *s, bool undo)
{
	return undo ? &s->was : &s->now;
}

void slurm_submit(struct lines *l, const struct action *a, bool undo);
void slurm_pool(struct lines *l, const struct action_pool *p, bool undo);
void slurm_mig(struct lines *l, const struct action_mig *m, bool undo);

void kube_submit(struct lines *l, const struct action *a, bool undo);
void kube_replicas(struct lines *l, const struct action *a, bool undo);
void kube_spread(struct lines *l, const struct action *a, bool undo);
void kube_rollout(struct lines *l, const struct action *a, bool undo);
void kube_replica_move(struct lines *l, const struct action *a, bool undo);
void kube_mig(struct lines *l, const struct action_mig *m, bool undo);

void cloud_pool(struct lines *l, const struct action_pool *p, bool undo);
/* Fewer machines: each is stopped by an action of its own, this is about the group they may be
 * of. */
void cloud_pool_less(struct lines *l, const struct action_pool *p, bool undo);
void cloud_stop(struct lines *l, const struct action *a, bool undo);
void cloud_timetable(struct lines *l, const struct action *a, bool undo);
void cloud_archive(struct lines *l, const struct action *a, bool undo);
void cloud_expire(struct lines *l, const struct action *a, bool undo);
void cloud_commit(struct lines *l, const struct action *a, bool undo);
#endif
