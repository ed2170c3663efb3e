#include "answer/plan/plan_trial.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/jw.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/control.h"

#define KEY_TRIAL        "plan.trial."
#define RESULT_BYTES_MAX (64 << 20)

/* ---- records ----------------------------------------------------------------------------- */

static const char *json_text(struct arena *a, const json_t *o, const char *key)
{
	const char *z = json_string_value(json_object_get(o, key));

	if (z)
		return arena_sv(a, sv_of(z));
	return "";
}

/* A rate or an amount: above nothing, else not known. */
static double json_amount(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	double x = NAN;

	if (json_is_number(v))
		x = json_number_value(v);
	if (x > 0 && x < 1e18)
		return x;
	return NAN;
}

static double json_num(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_number(v))
		return json_number_value(v);
	return NAN;
}

static bool read_record(const struct control_setting *set, struct arena *mem,
			struct trial_record *ret)
{
	json_t *o = json_loads(set->value, 0, NULL);
	const char *at = json_string_value(json_object_get(o, "at")),
		   *verdict = json_string_value(json_object_get(o, "verdict"));
	bool found = false;

	*ret = (struct trial_record){ .id = json_text(mem, o, "id"),
				      .lever = json_text(mem, o, "lever"),
				      .user = json_text(mem, o, "by"),
				      .why = json_text(mem, o, "why"),
				      .speed_told = json_num(o, "speed_told"),
				      .speed_least = json_num(o, "speed_least"),
				      .speed_frac = json_num(o, "speed_frac"),
				      .memory_bytes = json_num(o, "memory_bytes"),
				      .saving_nano =
					      json_integer_value(json_object_get(o, "saving_nano")),
				      .runs = json_integer_value(json_object_get(o, "runs")) };
	for (int v = TRIAL_OPEN; at && verdict && v <= TRIAL_NO_GO; v++)
		if (!strcmp(verdict, trial_verdict_name((enum trial_verdict)v)) &&
		    tm_parse(sv_of(at), 0, &ret->at_ms) == 0) {
			ret->verdict = (enum trial_verdict)v;
			found = true;
		}
	json_decref(o);
	return found;
}

static int by_time(const void *a, const void *b)
{
	const struct trial_record *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return cmp_i64(x->at_ms, y->at_ms);
	return strcmp(x->id, y->id);
}

int trial_records_read(const char *dir, struct arena *mem, struct trial_records *ret,
		       struct err *err)
{
	struct control_setting *set;
	size_t n;
	int r = control_settings(dir, KEY_TRIAL, mem, &set, &n, err);

	*ret = (struct trial_records){ 0 };
	if (r < 0)
		return r;
	ret->v = arena_alloc(mem, (n + 1) * sizeof *ret->v);
	for (size_t i = 0; i < n; i++)
		ret->n += read_record(&set[i], mem, &ret->v[ret->n]);
	sort_items(ret->v, ret->n, sizeof *ret->v, by_time);
	return 0;
}

int trial_record_keep(const char *dir, const struct trial_record *x, struct err *err)
{
	struct str s = { 0 }, key = { 0 };
	struct jw w;

	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_put_str(&w, "id", x->id);
	jw_put_str(&w, "lever", x->lever);
	jw_put_str(&w, "verdict", trial_verdict_name(x->verdict));
	jw_put_str(&w, "why", text_or(x->why, ""));
	jw_put_str(&w, "by", text_or(x->user, ""));
	jw_key(&w, "at");
	jw_time(&w, x->at_ms);
	jw_put_num(&w, "speed_told", x->speed_told, 6);
	jw_put_num(&w, "speed_least", x->speed_least, 6);
	jw_put_num(&w, "speed_frac", x->speed_frac, 6);
	jw_put_num(&w, "memory_bytes", x->memory_bytes, 0);
	jw_put_int(&w, "saving_nano", x->saving_nano);
	jw_put_int(&w, "runs", x->runs);
	jw_end_obj(&w);

	/* "plan.trial.<id> <time>": one each time. */
	int64_t at_ms = x->at_ms;
	char t[TM_BUF];

	str_addf(&key, KEY_TRIAL "%s %s", x->id, tm_format(t, at_ms));
	int r = control_set(dir, str_z(&key), str_z(&s), err);

	str_free(&s);
	str_free(&key);
	return r;
}

const struct trial_record *trial_record_of(const struct trial_records *all, const char *id)
{
	for (size_t i = all->n; i-- > 0;)
		if (!strcmp(all->v[i].id, id) && all->v[i].verdict != TRIAL_OPEN)
			return &all->v[i];
	return NULL;
}

/* ---- results ----------------------------------------------------------------------------- */

/* One document of tare profile; a run that used no GPU, or several kinds of them, tells nothing. */
static int read_profile(const json_t *o, const char *path, const struct catalog *cat,
			struct arena *mem, struct trial_runs *ret, struct err *err)
{
	const char *schema = json_string_value(json_object_get(o, "schema")), *model = NULL, *z;
	const json_t *gpus = json_object_get(o, "gpus"), *mem_used, *exit_code, *g;
	size_t i;

	if (!schema || strcmp(schema, "tare.profile/1") != 0)
		return err_set(err, -EINVAL,
			       "'%s' is not a profile: its schema is not tare.profile/1", path);
	json_array_foreach((json_t *)gpus, i, g)
	{
		z = json_string_value(json_object_get(g, "gpu_model"));
		bool same = z && model && !strcmp(z, model);
		if (i && !same)
			return err_set(err, -EINVAL, "'%s': it ran on GPUs of different models",
				       path);
		model = z;
	}
	if (!model || !catalog_gpu(cat, sv_of(model)))
		return err_set(err, -EINVAL, "'%s': it used no GPU that the catalogue knows%s%s",
			       path, text_if(model, ": "), text_or(model, ""));
	mem_used = json_object_get(o, "mem_used_bytes");
	exit_code = json_object_get(o, "exit_code");
	json_int_t code = json_is_integer(exit_code) ? json_integer_value(exit_code) : -1;
	if (json_is_integer(exit_code) && (code < 0 || code > 255))
		code = 255;
	struct trial_run r = { .workload = json_text(mem, o, "workload"),
			       .run = json_text(mem, o, "id"),
			       .gpu = catalog_gpu(cat, sv_of(model)),
			       .gpus = (double)json_array_size(gpus),
			       .steps_s = json_amount(o, "steps_s"),
			       .memory_bytes = json_amount(mem_used, "peak"),
			       .seconds = json_amount(o, "elapsed_s"),
			       .exit_code = (int)code,
			       .at_ms = UNKNOWN_MS };
	z = json_string_value(json_object_get(o, "start"));
	if (z && tm_parse(sv_of(z), 0, &r.at_ms) < 0)
		r.at_ms = UNKNOWN_MS;
	*vec_push(&ret->v) = r;
	return 0;
}

static int read_profiles(struct input *in, const struct catalog *cat, struct arena *mem,
			 struct trial_runs *ret, struct err *err)
{
	struct str s = { 0 };
	char buf[65536];
	int64_t n;
	size_t at = 0;
	int r = 0;

	while ((n = input_read(in, buf, sizeof buf, err)) > 0 && s.n < RESULT_BYTES_MAX)
		str_addsv(&s, (struct sv){ buf, (size_t)n });
	if (n)
		r = n < 0 ? (int)n : err_set(err, -E2BIG, "'%s' is too long", input_name(in));
	while (r >= 0 && at < s.n) {
		json_error_t e;
		json_t *o = json_loadb(s.p + at, s.n - at, JSON_DISABLE_EOF_CHECK, &e);
		if (!o) {
			r = err_set(err, -EINVAL, "'%s': %s", input_name(in), e.text);
			break;
		}
		r = read_profile(o, input_name(in), cat, mem, ret, err);
		json_decref(o);
		at += (size_t)e.position;
		while (at < s.n && strchr(" \t\r\n", s.p[at]))
			at++;
	}
	str_free(&s);
	return r;
}

int trial_results_read_from(struct input *in, const struct catalog *cat, struct arena *mem,
			    struct trial_runs *ret, struct err *err)
{
	struct own_speeds s;
	struct sv first;
	int r = input_peek(in, 1, &first, err);

	if (r >= 0 && first.n && *first.p == '{')
		r = read_profiles(in, cat, mem, ret, err);
	else if (r >= 0 && (r = own_speeds_read(in, cat, &s, err)) >= 0) {
		size_t from = ret->v.n;
		for (size_t i = 0; i < s.v.n; i++)
			trial_runs_add(&s.v.v[i], ret);
		for (size_t i = from; i < ret->v.n; i++) {
			ret->v.v[i].workload = arena_sv(mem, sv_of(ret->v.v[i].workload));
			ret->v.v[i].run = arena_sv(mem, sv_of(ret->v.v[i].run));
		}
		own_speeds_free(&s);
	}
	if (r >= 0 && !ret->v.n)
		r = err_set(err, -EINVAL, "'%s' has no run in it", input_name(in));
	return r;
}

int trial_results_read(const char *path, const struct catalog *cat, struct arena *mem,
		       struct trial_runs *ret, struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);

	if (r < 0)
		return r;
	r = trial_results_read_from(in, cat, mem, ret, err);
	input_close(in);
	return r;
}

int trial_results_keep(const char *dir, const struct own_speeds *have, const char *workload,
		       const struct trial_runs *runs, struct err *err)
{
	int r = 0;

	for (size_t i = 0; *workload && i < runs->v.n && r >= 0; i++) {
		const struct trial_run *x = &runs->v.v[i];
		const struct own_speed o = { workload,
					     x->run,
					     x->gpu,
					     x->gpus,
					     x->steps_s,
					     x->steps_s * x->seconds,
					     x->seconds * x->gpus,
					     x->memory_bytes,
					     x->at_ms };
		bool kept = false;
		for (size_t k = 0; k < have->v.n; k++) {
			const struct own_speed *h = &have->v.v[k];
			bool same_run = *x->run && h->run && !strcmp(h->run, x->run);
			bool same_time = !*x->run && h->at_ms == x->at_ms;
			kept |= h->gpu == x->gpu && (same_run || same_time);
		}
		/* a run that failed did not do its steps */
		if (isfinite(x->steps_s) && x->exit_code <= 0 && !kept)
			r = own_speeds_append(dir, &o, err);
	}
	return r;
}

/* ---- scores ------------------------------------------------------------------------------ */

void trial_scores_make(const struct trial_records *all, const struct plan_marks *marks,
		       struct arena *mem, struct trial_scores *ret)
{
	*ret = (struct trial_scores){ .v = arena_zalloc(mem, LEVER_N * sizeof *ret->v) };
	for (int l = 0; l < LEVER_N; l++) {
		struct trial_score s = { .lever = levers[l].name, .realised_ratio = NAN };
		for (size_t i = 0; i < marks->n; i++) {
			size_t n = strlen(s.lever);
			if (strncmp(marks->v[i].id, s.lever, n) || marks->v[i].id[n] != '-')
				continue;
			s.accepted += marks->v[i].accepted;
			s.applied += marks->v[i].given_out;
			s.dismissed += marks->v[i].word == PLAN_DISMISSED;
		}

		double *ratio = xcalloc(all->n + 1, sizeof *ratio);
		size_t n = 0;

		for (size_t i = 0; i < all->n; i++) {
			const struct trial_record *r = &all->v[i];
			if (strcmp(r->lever, s.lever) != 0)
				continue;
			s.go += r->verdict == TRIAL_GO;
			s.no_go += r->verdict == TRIAL_NO_GO;
			s.open += r->verdict == TRIAL_OPEN;
			if (!isfinite(r->speed_frac))
				continue;
			s.measured++;
			s.within += r->speed_frac >= r->speed_least;
			if (r->speed_told > 0)
				ratio[n++] = r->speed_frac / r->speed_told;
		}
		sort_items(ratio, n, sizeof *ratio, rising_double);
		s.speed_ratio = !n ? NAN : (ratio[n / 2] + ratio[(n - 1) / 2]) / 2;
		free(ratio);
		if (s.accepted + s.applied + s.dismissed + s.go + s.no_go + s.open)
			ret->v[ret->n++] = s;
	}
}
