/* Questions to Slurm: squeue for the jobs of this node, scontrol for each one's details (kept while
 * the job stays the same), gres.conf. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/str.h"
#include "device/ask.h"
#include "device/whose_ask.h"

#define SQUEUE_BYTES    ((size_t)4 << 20)
#define SCONTROL_BYTES  ((size_t)1 << 20)
#define DETAILS_A_ROUND 32

struct detail {
	int64_t id, start_ms, at_ms;
	char *text;
	size_t n;
	bool used;
};

struct ask_slurm {
	char *scontrol, *squeue, *node, *proc;
	VEC(struct detail) detail;
	struct str out;
	int64_t node_at_ms; /* when the node was asked for */
	int64_t mps_per_gpu, shards_per_gpu;
};

/* squeue lies beside scontrol. */
static char *path_beside(const char *program, const char *name)
{
	const char *slash = strrchr(program, '/');
	struct str s = { 0 };

	str_add(&s, program, slash ? (size_t)(slash + 1 - program) : 0);
	str_addz(&s, name);
	return s.p;
}

struct ask_slurm *ask_slurm_new(const char *scontrol, const char *node, const char *proc)
{
	struct ask_slurm *s = xcalloc(1, sizeof *s);

	s->scontrol = xstrdup(scontrol);
	s->squeue = path_beside(scontrol, "squeue");
	s->node = xstrdup(node);
	s->proc = xstrdup(proc);
	s->node_at_ms = UNKNOWN_MS;
	return s;
}

void ask_slurm_free(struct ask_slurm *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->detail.n; i++)
		free(s->detail.v[i].text);
	vec_free(&s->detail);
	str_free(&s->out);
	free(s->scontrol);
	free(s->squeue);
	free(s->node);
	free(s->proc);
	free(s);
}

/* ---- details of a job -------------------------------------------------------------------- */

static void ask_details(struct ask_slurm *s, struct ask_answer *t)
{
	char id[24];
	const char *argv[] = { s->scontrol, "show", "job", "-d", id, NULL };
	struct err err;
	size_t asked = 0;

	for (size_t i = 0; i < s->detail.n; i++)
		s->detail.v[i].used = false;
	for (size_t i = 0; i < t->njob; i++) {
		struct slurm_job *j = &t->job[i];
		struct detail *d = NULL;
		for (size_t k = 0; k < s->detail.n && !d; k++)
			if (s->detail.v[k].id == j->id)
				d = &s->detail.v[k];
		if (!d) {
			d = vec_push(&s->detail);
			*d = (struct detail){ .id = j->id, .at_ms = UNKNOWN_MS };
		}
		int64_t age = -1;
		if (d->text)
			age = t->at_ms - d->at_ms;
		d->used = true;
		bool due = d->start_ms != j->start_ms || age < 0 || age >= ASK_KEEP_MS;
		due = due && asked++ < DETAILS_A_ROUND;
		snprintf(id, sizeof id, "%" PRId64, j->id);
		/* without an answer what is known of the job already, stays */
		if (due && ask_run(argv, ASK_LIMIT_MS, SCONTROL_BYTES, &s->out, &err) >= 0) {
			free(d->text);
			d->text = xstrndup(str_z(&s->out), s->out.n);
			d->n = s->out.n;
			d->at_ms = t->at_ms;
			d->start_ms = j->start_ms;
		}
		if (d->text) {
			struct sv text = { arena_strn(&t->mem, d->text, d->n), d->n };
			slurm_scontrol_parse(&t->mem, text, s->node, j);
		}
	}
	size_t n = 0;

	for (size_t i = 0; i < s->detail.n; i++)
		if (s->detail.v[i].used)
			s->detail.v[n++] = s->detail.v[i];
		else
			free(s->detail.v[i].text);
	s->detail.n = n;
}

/* ---- gres.conf and the node -------------------------------------------------------------- */

static bool read_file(const char *path, struct str *out)
{
	char buf[4096];
	size_t n;
	FILE *f = fopen(path, "re");

	str_clear(out);
	if (!f)
		return false;
	while (out->n < SCONTROL_BYTES && (n = fread(buf, 1, sizeof buf, f)) > 0)
		str_add(out, buf, n);
	fclose(f);
	return true;
}

/* Where slurmd has it: beside slurm.conf, or where a configuration that came over the network is
 * kept. */
static bool gres_conf(struct str *out)
{
	static const char *const known[] = { "/etc/slurm/gres.conf", "/etc/slurm-llnl/gres.conf",
					     "/run/slurm/conf/gres.conf",
					     "/var/spool/slurmd/conf-cache/gres.conf",
					     "/var/spool/slurm/conf-cache/gres.conf" };
	const char *conf = getenv("SLURM_CONF");
	bool found = false;

	if (conf) {
		char *path = path_beside(conf, "gres.conf");
		found = read_file(path, out);
		free(path);
		return found;
	}
	for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
		found = read_file(known[i], out);
	return found;
}

/* Gres=gpu:a100:4,mps:a100:400,shard:a100:16 -> 100 and 4 of a GPU. */
static void node_gres(struct ask_slurm *s, struct sv text)
{
	struct slurm_gres g[16];
	int64_t gpu = 0, mps = 0, shard = 0;
	int64_t *const sum[] = { [GRES_GPU] = &gpu, [GRES_MPS] = &mps, [GRES_SHARD] = &shard };

	while (text.p) {
		struct sv line = sv_trim(sv_cut(text, '\n', &text));
		if (!sv_starts(line, SV("Gres=")))
			continue;
		size_t n = slurm_gres_parse(sv_from(line, 5), g, 16);
		for (size_t i = 0; i < n; i++)
			*sum[g[i].kind] += g[i].count;
		break;
	}
	s->mps_per_gpu = gpu ? mps / gpu : 0;
	s->shards_per_gpu = gpu ? shard / gpu : 0;
}

int ask_slurm(struct ask_slurm *s, struct ask_answer *t, struct err *err)
{
	/* jobs that hold this node: running, starting, stopping, suspended (they keep their
	 * GRES) */
	const char *argv[] = {
		s->squeue,           "-h", "-a", "-w", s->node, "-t", "R,CF,CG,S,SI,SO", "-o",
		SLURM_SQUEUE_FORMAT, NULL
	};
	const char *show_node[] = { s->scontrol, "show", "node", s->node, NULL };
	struct err ignored;
	int rc = ask_run(argv, ASK_LIMIT_MS, SQUEUE_BYTES, &s->out, err);

	if (rc < 0)
		return rc;
	struct sv text = { arena_strn(&t->mem, str_z(&s->out), s->out.n), s->out.n };
	t->njob = slurm_squeue_parse(&t->mem, text, &t->job);
	ask_details(s, t);
	struct slurm_device d[SLURM_IDX_MAX];
	struct str conf = { 0 }, caps = { 0 };
	char path[512];

	if (gres_conf(&conf))
		t->ndevice = slurm_gres_conf(str_sv(&conf), s->node, d, SLURM_IDX_MAX);
	t->device = arena_alloc(&t->mem, (t->ndevice + 1) * sizeof *t->device);
	snprintf(path, sizeof path, "%s/driver/nvidia-caps/mig-minors", s->proc);
	read_file(path, &caps);
	for (size_t i = 0; i < t->ndevice; i++) {
		t->device[i] = (struct ask_device){ d[i].minor, -1 };
		if (d[i].cap >= 0 && !slurm_mig_minor(str_sv(&caps), d[i].cap, &t->device[i].minor,
						      &t->device[i].gi))
			t->device[i].minor = -1; /* an instance, but not which */
	}
	str_free(&conf);
	str_free(&caps);
	bool needs_node = false; /* where a job has a part of a GPU: of how many parts? */
	for (size_t i = 0; i < t->njob; i++)
		for (size_t k = 0; k < t->job[i].ngres; k++)
			needs_node |= t->job[i].gres[k].kind != GRES_GPU;
	int64_t age = s->node_at_ms == UNKNOWN_MS ? INT64_MAX : t->at_ms - s->node_at_ms;
	bool due = age < 0 || age >= ASK_KEEP_MS;
	if (needs_node && due &&
	    ask_run(show_node, ASK_LIMIT_MS, SCONTROL_BYTES, &s->out, &ignored) == 0) {
		node_gres(s, str_sv(&s->out));
		s->node_at_ms = t->at_ms;
	}
	t->mps_per_gpu = s->mps_per_gpu;
	t->shards_per_gpu = s->shards_per_gpu;
	snprintf(t->why, sizeof t->why, "%zu job%s on node '%.60s', %s", t->njob, plural(t->njob),
		 s->node,
		 t->ndevice ? "GPUs by the device files of gres.conf"
			    : "no device files in gres.conf: its order is taken for the driver's");
	return 0;
}
