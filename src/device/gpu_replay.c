/*
 * A recording of native samples, played in time: the first poll is its first moment, and each later
 * one is as far into the recording as the clock went on (TARE_GPU_REPLAY_SPEED times faster where
 * that is set). After its end there are no readings any more. Processes are not recorded.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/feed.h"
#include "device/gpu_src.h"

#define ROWS_MAX \
	1000000 /* 200 MB: a recording to look at, not a store; of a longer one its start */

struct track { /* of a device */
	char *key;
	VEC(struct sample) row;
	size_t at; /* row at or before the moment */
};

struct replay {
	struct gpu_set set;
	VEC(struct track) track; /* as set.dev */
	struct intern keys;      /* "node gpu mig" -> position in the order of appearance */
	VEC(struct gpu_info) seen;
	VEC(struct track) read; /* in the order of appearance */
	size_t rows;
	int64_t first_ms, last_ms, end_ms, start_mono_ms;
	int64_t until_ms; /* of a longer recording only what is before is played; UNKNOWN_MS: all */
	double speed;
	bool started;
};

static size_t find_device(struct replay *r, const struct sample_key *k, bool instance)
{
	struct str key = { 0 };
	size_t id;

	str_addf(&key, "%.*s\t%.*s", SVF(k->node), SVF(k->gpu));
	if (instance)
		str_addf(&key, "\t%.*s", SVF(k->mig));
	id = intern_add(&r->keys, str_sv(&key));
	if (id == r->seen.n) {
		struct gpu_info *c = vec_push(&r->seen);
		int64_t index;
		gpu_info_init(c);
		gpu_text(c->node, sizeof c->node, k->node);
		gpu_text(c->name, sizeof c->name, k->gpu_model);
		c->index = -1;
		if (sv_i64(k->gpu, &index) == 0 && within_i64(index, 0, 4095))
			c->index = (int)index;
		if (instance)
			c->parent = 0; /* set when all are known */
		if (instance && !sv_starts(k->mig, SV("MIG-")))
			gpu_text(c->mig_profile, sizeof c->mig_profile, k->mig);
		else if (instance || c->index < 0)
			gpu_text(c->uuid, sizeof c->uuid, instance ? k->mig : k->gpu);
		*vec_push(&r->read) = (struct track){ .key = xstrdup(str_z(&key)) };
	}
	str_free(&key);
	return id;
}

/* Keep the earlier half of the time there is; what comes later is not taken any more. */
static int halve_time(struct replay *r, struct err *err)
{
	size_t kept = 0;

	r->until_ms = r->first_ms + (r->last_ms - r->first_ms) / 2;
	if (r->until_ms <= r->first_ms)
		return err_set(err, -E2BIG, "the recording has more than %d devices", ROWS_MAX);
	for (size_t i = 0; i < r->read.n; i++) {
		struct track *t = &r->read.v[i];
		size_t n = 0;
		for (size_t k = 0; k < t->row.n; k++)
			if (t->row.v[k].t_ms < r->until_ms)
				t->row.v[n++] = t->row.v[k];
		t->row.n = n;
		kept += n;
	}
	r->rows = kept;
	r->last_ms = r->until_ms;
	r->end_ms = r->until_ms;
	return 0;
}

static int take_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		       struct err *err)
{
	struct replay *r = ctx;
	size_t gpu = find_device(r, k, false), id = gpu;

	if (r->until_ms != UNKNOWN_MS && s->t_ms >= r->until_ms)
		return 0;
	if (++r->rows > ROWS_MAX && halve_time(r, err) < 0)
		return -E2BIG;
	if (r->until_ms != UNKNOWN_MS && s->t_ms >= r->until_ms)
		return 0;
	if (k->mig.n) {
		r->seen.v[gpu].mig_enabled = true;
		id = find_device(r, k, true);
	}
	if (r->first_ms == UNKNOWN_MS || s->t_ms < r->first_ms)
		r->first_ms = s->t_ms;
	if (r->last_ms == UNKNOWN_MS || s->t_ms > r->last_ms)
		r->last_ms = s->t_ms;
	if (r->end_ms == UNKNOWN_MS || s->t_ms + s->step_ms > r->end_ms)
		r->end_ms = s->t_ms + s->step_ms;
	*vec_push(&r->read.v[id].row) = *s;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return cmp_i64(x->t_ms, y->t_ms);
}

static void place_device(struct replay *r, size_t id, int parent)
{
	struct gpu_dev *g = vec_push(&r->set.dev);
	struct track *t = vec_push(&r->track);

	*t = r->read.v[id];
	r->read.v[id] = (struct track){ 0 };
	if (t->row.n)
		sort_items(t->row.v, t->row.n, sizeof *t->row.v, by_time);
	*g = (struct gpu_dev){ .info = r->seen.v[id], .present = true };
	g->info.parent = parent;
	if (parent >= 0)
		g->info.index = r->set.dev.v[parent].info.index;
	else if (g->info.index < 0)
		g->info.index = (int)id;
	gpu_dev_clear(g);
}

/* GPUs in the order of their appearance, each followed by its instances. */
static void place_all(struct replay *r)
{
	for (size_t i = 0; i < r->seen.n; i++) {
		int at = (int)r->set.dev.n;
		size_t n;
		char *key;
		if (r->seen.v[i].parent >= 0)
			continue;
		place_device(r, i, -1);
		key = r->track.v[at].key;
		n = strlen(key);
		for (size_t j = 0; j < r->seen.n; j++)
			if (r->seen.v[j].parent >= 0 && r->read.v[j].key &&
			    !strncmp(r->read.v[j].key, key, n) && r->read.v[j].key[n] == '\t')
				place_device(r, j, at);
	}
	/* Of one machine alone a GPU needs no name of it. Of several the index names two GPUs:
	 * what keeps or tells of them by it would take them for one. */
	bool many = false;
	for (size_t i = 1; i < r->set.dev.n; i++)
		many |= strcmp(r->set.dev.v[i].info.node, r->set.dev.v[0].info.node) != 0;
	for (size_t i = 0; i < r->set.dev.n; i++) {
		struct gpu_info *c = &r->set.dev.v[i].info;
		if (!many)
			c->node[0] = 0;
		else if (c->parent < 0 && !*c->uuid)
			snprintf(c->uuid, sizeof c->uuid, "%s/%d", c->node, c->index);
	}
}

static int load_file(struct replay *r, const char *path, struct err *err)
{
	struct feed_sink sink = { .ctx = r, .sample = take_sample };
	struct feed_file_opt o = {
		.kind = "samples", .at_ms = UNKNOWN_MS, .now_ms = 0, .max_rejects = 0
	};
	struct feed_report report = { 0 };
	struct err ignored;
	struct input *in;
	struct sv head;
	int rc = input_open(path, &in, err);

	if (rc < 0)
		return rc;
	/* native samples; a log of nvidia-smi is told by its own names of columns */
	if (input_peek(in, 4096, &head, &ignored) >= 0 && sv_has(head, SV("utilization.gpu")))
		o.kind = "nvidia-smi";
	rc = feed_run_file(in, &o, &sink, &report, err);
	feed_report_free(&report);
	input_close(in);
	if (rc < 0) {
		err_prefix(err, "cannot play '%s'", path);
		err_hint(
			err,
			"A recording is a table of samples (its columns: man tare-import) or a log of nvidia-smi");
	} else if (!r->rows)
		rc = err_set(err, -ENODATA, "the recording '%s' has no samples", path);
	if (rc < 0)
		return rc;
	return 0;
}

static void replay_close(void *self)
{
	struct replay *r = self;

	for (size_t i = 0; i < r->track.n; i++) {
		free(r->track.v[i].key);
		vec_free(&r->track.v[i].row);
	}
	for (size_t i = 0; i < r->read.n; i++) {
		free(r->read.v[i].key);
		vec_free(&r->read.v[i].row);
	}
	vec_free(&r->track);
	vec_free(&r->read);
	vec_free(&r->seen);
	vec_free(&r->set.dev);
	str_free(&r->set.problem);
	intern_free(&r->keys);
	free(r);
}

static int replay_open(const struct gpu_feed_opt *opt, void **ret, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof *r);
	const char *speed = getenv("TARE_GPU_REPLAY_SPEED");
	int rc;

	r->first_ms = r->last_ms = r->end_ms = r->until_ms = UNKNOWN_MS;
	r->speed = 1;
	if (speed && (sv_f64(sv_of(speed), &r->speed) < 0 || r->speed <= 0 || r->speed > 1e6)) {
		free(r);
		return err_set(err, -EINVAL,
			       "TARE_GPU_REPLAY_SPEED is '%s'; it must be a number above 0", speed);
	}
	if ((rc = load_file(r, opt->replay, err)) < 0) {
		replay_close(r);
		return rc;
	}
	place_all(r);
	r->set.generation = 1;
	snprintf(r->set.driver, sizeof r->set.driver, "replay %s", opt->replay);
	*ret = r;
	return 0;
}

static void play_until(struct gpu_dev *g, struct track *t, int64_t t_ms)
{
	const struct sample *s;

	gpu_dev_clear(g);
	while (t->at + 1 < t->row.n && t->row.v[t->at + 1].t_ms <= t_ms)
		t->at++;
	if (!t->row.n || t->row.v[t->at].t_ms > t_ms ||
	    t->row.v[t->at].t_ms + t->row.v[t->at].step_ms <= t_ms)
		return; /* a gap */
	s = &t->row.v[t->at];
	for (int m = 0; m < METRIC_N; m++)
		g->value[m] = s->value[m];
	if (!isnan(s->value[METRIC_MEM_TOTAL_BYTES]))
		g->info.mem_total_bytes = s->value[METRIC_MEM_TOTAL_BYTES];
}

static int poll_replay(void *self, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	struct replay *r = self;
	char at[TM_BUF];
	int64_t t_ms;

	(void)now_ms;
	(void)err;
	if (!r->started)
		r->start_mono_ms = mono_ms;
	r->started = true;
	t_ms = r->first_ms + (int64_t)((double)(mono_ms - r->start_mono_ms) * r->speed);
	for (size_t i = 0; i < r->set.dev.n; i++)
		play_until(&r->set.dev.v[i], &r->track.v[i], t_ms);
	str_clear(&r->set.problem);
	if (t_ms < r->end_ms)
		return 0;
	if (r->until_ms == UNKNOWN_MS)
		str_addz(&r->set.problem, "the recording has ended");
	else
		str_addf(
			&r->set.problem,
			"played up to %s: of a recording of more than %d rows the beginning is kept",
			tm_format(at, r->until_ms), ROWS_MAX);
	return 0;
}

static const struct gpu_set *replay_set(const void *self)
{
	return &((const struct replay *)self)->set;
}

const struct gpu_src_ops gpu_src_replay = { .name = "replay",
					    .open = replay_open,
					    .poll = poll_replay,
					    .set = replay_set,
					    .close = replay_close };
