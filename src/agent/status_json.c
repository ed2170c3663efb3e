/* What an agent has kept, as JSON ("tare.agent-status/1"). */
#include <math.h>

#include "agent/docs.h"
#include "agent/status.h"
#include "base/str.h"
#include "model/known.h"
#include "report/col.h"

struct state_row {
	const char *state;
	double seconds;
};
struct gpu_row {
	const char *uuid, *model, *mig_profile;
	int index;
	double p50_pct, p95_pct, mean_pct;
	int64_t readings;
	struct state_row state[STATE_N];
	const struct state_row *states;
	size_t nstate;
};
struct doc {
	const char *dir, *node;
	bool running, has_running, fires_known;
	int64_t from_ms, to_ms, minutes, sent, refused, fires_ms;
	double held_s, bytes_per_sample;
	struct agentdb_raw_size raw;
	const struct agent_fire *fire;
	size_t nfire;
	const struct gpu_row *gpu;
	size_t ngpu;
};

#define INT(key, member, unit, what)                                                   \
	{                                                                              \
		key, COL_INT, offsetof(struct doc, member), unit, what, .always = true \
	}
static const struct col raw_cols[] = {
	INT("samples", raw.samples, "count", "readings kept"),
	INT("bytes", raw.bytes, "bytes", "they take, compressed"),
	INT("file_bytes", raw.file_bytes, "bytes", "of the files they lie in"),
	{ "bytes_per_sample", COL_NUM, offsetof(struct doc, bytes_per_sample), "bytes",
	  "of a reading; null: there are none", .digits = 4 },
	{ 0 },
};
#define FIRE(key, what)                                                      \
	{                                                                    \
#key, COL_TEXT, offsetof(struct agent_fire, key), NULL, what \
	}
static const struct col fire_cols[] = {
	FIRE(rule, "that fires"),
	FIRE(severity, "info, warning or critical"),
	FIRE(summary, "what is so"),
	FIRE(gpu, "card"),
	FIRE(mig, "part of the GPU"),
	FIRE(job, "that holds it"),
	{ "since", COL_TIME, offsetof(struct agent_fire, since_ms), NULL, "when it began to fire" },
	{ 0 },
};
static const struct col state_cols[] = {
	{ "state", COL_TEXT, offsetof(struct state_row, state), NULL, "of a GPU", .always = true },
	{ "seconds", COL_NUM, offsetof(struct state_row, seconds), "s", "in that state",
	  .digits = 3, .always = true },
	{ 0 },
};
#define GPU(member) offsetof(struct gpu_row, member)
static const struct col gpu_cols[] = {
	{ "gpu", COL_TEXT, GPU(uuid), NULL, "the driver's name of the GPU or of its part" },
	{ "index", COL_I32, GPU(index), NULL, "the driver's number of the GPU" },
	{ "gpu_model", COL_TEXT, GPU(model), NULL, "as the catalogue calls it" },
	{ "mig_profile", COL_TEXT, GPU(mig_profile), NULL, "null: a whole GPU" },
	{ "util_p50_pct", COL_NUM, GPU(p50_pct), "percent", "half of the readings are below" },
	{ "util_p95_pct", COL_NUM, GPU(p95_pct), "percent", "95 % of the readings are below" },
	{ "util_mean_pct", COL_NUM, GPU(mean_pct), "percent", "mean of the readings", .digits = 3 },
	{ "readings", COL_INT, GPU(readings), "count", "of utilisation", .always = true },
	{ "seconds", COL_PAIRS(struct gpu_row, states, nstate, state_cols), .unit = "s",
	  .help = "by state; states that did not occur are left out" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "state_dir", COL_TEXT, offsetof(struct doc, dir), NULL, "where it is kept" },
	{ "node", COL_TEXT, offsetof(struct doc, node), NULL, "the machine" },
	{ "running", COL_BOOL, offsetof(struct doc, running), NULL,
	  "an agent is at work there; null: not known",
	  .has_at = offsetof(struct doc, has_running) },
	{ "from", COL_TIME, offsetof(struct doc, from_ms), NULL, "first minute" },
	{ "to", COL_TIME, offsetof(struct doc, to_ms), NULL, "end of the last minute" },
	INT("minutes", minutes, "count", "of GPUs kept"),
	{ "held_seconds", COL_NUM, offsetof(struct doc, held_s), "s",
	  "that wait until the clock has been steady", .digits = 3, .always = true },
	{ "raw", COL_ROW, 0, NULL, "readings kept as they were", .sub = raw_cols },
	INT("sent_batches", sent, "count", "taken by the server"),
	INT("refused_batches", refused, "count", "refused by it, and kept"),
	{ "alerts", COL_LIST(struct doc, fire, nfire, fire_cols),
	  .has_at = offsetof(struct doc, fires_known),
	  .help = "what fires; null: no agent has said so far" },
	{ "alerts_as_of", COL_TIME, offsetof(struct doc, fires_ms), NULL, "when that was so",
	  .has_at = offsetof(struct doc, fires_known) },
	{ "gpus", COL_LIST(struct doc, gpu, ngpu, gpu_cols), .help = "GPUs and parts seen" },
	{ 0 },
};
const struct col_doc agent_status_doc = { "tare.agent-status/1", "agent status",
					  "what an agent has kept on its machine", doc_cols };

static const char *copy_text(struct arena *a, struct sv v)
{
	if (v.p)
		return arena_sv(a, v);
	return NULL;
}

static void fill_gpu(struct arena *a, const struct agent_status_dev *d, struct gpu_row *ret)
{
	*ret = (struct gpu_row){ .uuid = copy_text(a, d->d->uuid),
				 .model = copy_text(a, d->d->model),
				 .index = d->d->index,
				 .p50_pct = rollup_hist_quantile(&d->hist, 0.5),
				 .p95_pct = rollup_hist_quantile(&d->hist, 0.95),
				 .mean_pct = rollup_hist_mean(&d->hist),
				 .readings = (int64_t)d->hist.n,
				 .states = ret->state };
	if (d->d->mig_profile.n)
		ret->mig_profile = copy_text(a, d->d->mig_profile);
	for (int k = 1; k < STATE_N; k++)
		if (d->ms[k])
			ret->state[ret->nstate++] = (struct state_row){ state_name((enum state)k),
									(double)d->ms[k] / 1000 };
}

static struct agent_fire *list_fires(struct arena *a, const struct agent_fires *f)
{
	struct agent_fire *v = arena_zalloc(a, (f->v.n + 1) * sizeof *v);

	for (size_t i = 0; i < f->v.n; i++) {
		const struct agent_fire *x = &f->v.v[i];
		v[i] = (struct agent_fire){ filled_or(x->rule, NULL),
					    filled_or(x->severity, NULL),
					    filled_or(x->summary, NULL),
					    filled_or(x->gpu, NULL),
					    filled_or(x->mig, NULL),
					    filled_or(x->job, NULL),
					    x->since_ms };
	}
	return v;
}

void agent_status_json(const struct agent_status *s, struct str *out)
{
	struct arena mem = { 0 };
	struct gpu_row *gpu = arena_zalloc(&mem, (s->ndev + 1) * sizeof *gpu);
	struct doc d = { .dir = s->dir,
			 .node = s->node,
			 .running = s->running > 0,
			 .has_running = s->running >= 0,
			 .from_ms = i64_if(s->minutes, s->from_ms),
			 .to_ms = i64_if(s->minutes, s->to_ms),
			 .minutes = s->minutes,
			 .held_s = (double)s->held_ms / 1000,
			 .raw = s->raw,
			 .bytes_per_sample = (double)s->raw.bytes / (double)s->raw.samples,
			 .sent = send_state_accepted(&s->sent),
			 .refused = s->sent.refused,
			 .fires_known = s->fires.known,
			 .fires_ms = s->fires.as_of_ms,
			 .fire = list_fires(&mem, &s->fires),
			 .nfire = s->fires.v.n,
			 .gpu = gpu,
			 .ngpu = s->ndev };

	if (!s->raw.samples)
		d.bytes_per_sample = NAN;
	for (size_t i = 0; i < s->ndev; i++)
		fill_gpu(&mem, &s->dev[i], &gpu[i]);
	cols_doc(&agent_status_doc, &d, out);
	arena_free(&mem);
}
