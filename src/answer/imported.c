#include "answer/imported.h"

#include <string.h>

#include "answer/config.h"
#include "base/sort.h"
#include "base/str.h"
#include "ledger/conf.h"
#include "store/control.h"
#include "store/store.h"

#define KEY "import.settings"

/* What acts when the ledger is written. */
static const char *const acts[] = { "mig_share",    "infer_workload", "thresholds", "tags.alias",
				    "virtual_tags", "nodes",          "owned" };

static int lines_of(const char *file, struct arena *mem, const char **ret, struct err *err)
{
	struct config_ask q = { .file = file,
				.top = conf_settings,
				.want = acts,
				.nwant = sizeof acts / sizeof *acts,
				.changed = true,
				.mem = mem };
	struct config_answer a;
	struct str s = { 0 };
	int r = answer_config(&q, &a, err);

	for (size_t i = 0; r >= 0 && i < a.n; i++)
		str_addf(&s, "%s %s\n", a.row[i].key, text_or(a.row[i].value, ""));
	*ret = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return r;
}

/* Settings under which batches were imported, until the next of these. */
struct kept {
	int64_t since; /* the first batch */
	const char *lines;
};
typedef VEC(struct kept) kept_list;

static int cmp_kept(const void *pa, const void *pb)
{
	const struct kept *a = pa, *b = pb;

	return (a->since > b->since) - (a->since < b->since);
}

/* All, by their first batch. A store of before has one, without a batch: it holds from the
 * first. */
static int read_kept(const struct imported_ask *q, kept_list *ret, struct err *err)
{
	struct control_setting *v;
	size_t n;
	int r = control_settings(q->dir, KEY, q->mem, &v, &n, err);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct kept k = { .lines = v[i].value };
		const char *batch = v[i].key + strlen(KEY);
		if (!*batch || (*batch == '.' && !sv_i64(sv_of(batch + 1), &k.since)))
			*vec_push(ret) = k;
	}
	sort_items(ret->v, ret->n, sizeof *ret->v, cmp_kept);
	return r;
}

/* NULL: nothing was kept yet when it came. */
static const char *lines_at(const kept_list *k, int64_t batch)
{
	size_t n = k->n;

	while (n && k->v[n - 1].since > batch)
		n--;
	if (!n)
		return NULL;
	return k->v[n - 1].lines;
}

static int64_t batch_of(const struct imported_file *f)
{
	return f->src >> STORE_FILE_BITS;
}

/* The files of the store, and the settings that each was imported with. */
static int read_files(const struct imported_ask *q, struct imported_file **ret_f, size_t *ret_n,
		      kept_list *ret_kept, struct err *err)
{
	int r = store_imported(q->store, q->mem, ret_f, ret_n, err);

	if (r >= 0)
		r = read_kept(q, ret_kept, err);
	return r;
}

int imported_keep(const struct imported_ask *q, struct err *err)
{
	struct imported_file *f = NULL;
	kept_list k = { 0 };
	const char *now, *last;
	size_t n = 0;
	int r = lines_of(q->config, q->mem, &now, err);

	if (r >= 0)
		r = read_files(q, &f, &n, &k, err);
	if (r >= 0 && n) {
		int64_t batch = batch_of(&f[n - 1]);
		last = lines_at(&k, batch);
		if (!last || strcmp(last, now))
			r = control_set(q->dir, arena_printf(q->mem, KEY ".%lld", (long long)batch),
					now, err);
	}
	vec_free(&k);
	return r;
}

int imported_keep_all(const struct imported_ask *q, struct err *err)
{
	struct control_setting *v = NULL;
	const char *now;
	size_t n = 0;
	int r = lines_of(q->config, q->mem, &now, err);

	if (r >= 0)
		r = control_settings(q->dir, KEY, q->mem, &v, &n, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = control_set(q->dir, v[i].key, NULL, err);
	if (r >= 0)
		r = control_set(q->dir, KEY, now, err);
	return r;
}

/* The sections of lines that the other text has not, each once. */
static void add_changed(struct sv lines, struct sv other, struct str *out)
{
	while (lines.n) {
		struct sv line = sv_cut(lines, '\n', &lines);
		struct sv name = { line.p, strcspn(line.p, ".[ \n") };
		bool there = memmem(str_z(out), out->n, name.p, name.n);
		for (struct sv rest = other; rest.n && !there;)
			there = sv_eq(sv_cut(rest, '\n', &rest), line);
		if (!there)
			str_addf(out, "%s%.*s", text_if(out->n, ", "), SVF(name));
	}
}

/* Does what changed, a list of sections, act on files of this kind? Tags and rules of owners do on
 * bills, jobs and readings alone. */
static bool acts_on(const char *sections, const char *kind)
{
	if (!strcmp(kind, "prices") || !strcmp(kind, "rates") || !strcmp(kind, "requests"))
		return false;
	return strcmp(kind, "nodes") != 0 || strstr(sections, "nodes") || strstr(sections, "owned");
}

int imported_changed(const struct imported_ask *q, const char **ret, struct err *err)
{
	struct imported_file *f = NULL;
	kept_list k = { 0 };
	const char *now, *was;
	struct str s = { 0 }, of_file = { 0 };
	size_t n = 0;
	int r = lines_of(q->config, q->mem, &now, err);

	*ret = NULL;
	if (r >= 0)
		r = read_files(q, &f, &n, &k, err);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		was = f[i].in_force ? lines_at(&k, batch_of(&f[i])) : NULL;
		if (!was || !strcmp(was, now))
			continue;
		str_clear(&of_file);
		add_changed(sv_of(now), sv_of(was), &of_file);
		add_changed(sv_of(was), sv_of(now), &of_file);
		if (!acts_on(str_z(&of_file), f[i].file.kind))
			continue;
		add_changed(sv_of(now), sv_of(was), &s);
		add_changed(sv_of(was), sv_of(now), &s);
	}
	if (r >= 0 && s.n)
		*ret = arena_strn(q->mem, s.p, s.n);
	vec_free(&k);
	str_free(&of_file);
	str_free(&s);
	return r;
}
