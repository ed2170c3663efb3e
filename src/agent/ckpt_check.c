#include "agent/ckpt_check.h"

#include "agent/docs.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

static struct ckpt_checked check_one(struct ckpt_dir *d, const char *id, struct arena *mem)
{
	struct ckpt_checked k = { .id = arena_printf(mem, "%s", id),
				  .step = -1,
				  .time_ms = UNKNOWN_MS,
				  .bytes = UNKNOWN_I64,
				  .files = UNKNOWN_I64,
				  .ranks = UNKNOWN_I64 };
	struct ckpt c = { 0 };
	struct err err = { 0 };
	int r = ckpt_load(d, id, &c, &err);

	if (r >= 0) {
		k.step = c.step;
		k.time_ms = c.time_ms;
		k.bytes = (int64_t)ckpt_bytes(&c);
		k.files = (int64_t)c.file.n;
		k.ranks = c.world;
		r = ckpt_verify(d, &c, &err);
	}
	k.whole = r >= 0;
	if (r < 0)
		k.why = arena_printf(mem, "%s", err.msg);
	ckpt_free(&c);
	return k;
}

int ckpt_check(const char *dir, struct arena *mem, struct ckpt_check *ret, struct err *err)
{
	struct ckpt_opt opt = { .world = 1, .read_only = true };
	struct ckpt_damage damage = { 0 };
	struct ckpt_list list = { 0 };
	struct ckpt_dir *d;
	int r = ckpt_open(dir, &opt, &d, err);

	if (r < 0)
		return r;
	*ret = (struct ckpt_check){ .dir = dir };
	r = ckpt_list(d, &list, err);
	if (r >= 0) {
		struct ckpt_checked *v = arena_zalloc(mem, (list.v.n + 1) * sizeof *v);
		for (size_t i = 0; i < list.v.n; i++) {
			v[i] = check_one(d, list.v.v[i].id, mem);
			ret->ndamaged += !v[i].whole;
			if (!v[i].whole)
				ckpt_damage_add(&damage, v[i].id, false, v[i].why);
		}
		ret->v = v;
		ret->n = list.v.n;
		/* what is damaged is passed over, as the next run does */
		struct ckpt newest = { 0 };
		struct err lost = { 0 };
		int found = ckpt_newest(d, NULL, false, &newest, &damage, &lost);
		if (found > 0)
			ret->resume = arena_printf(mem, "%s", newest.id);
		else if (found < 0)
			ret->lost = arena_printf(mem, "%s", lost.msg);
		ckpt_free(&newest);
	}
	ckpt_damage_free(&damage);
	ckpt_list_free(&list);
	ckpt_close(d);
	if (r < 0)
		return r;
	return 0;
}

/* ---- printing ---------------------------------------------------------------------------- */

static bool get_step(const void *row, union col_value *ret)
{
	ret->n = ((const struct ckpt_checked *)row)->step;
	return ret->n >= 0;
}

#define AT(m) offsetof(struct ckpt_checked, m)
static const struct col checked_cols[] = {
	{ "id", COL_TEXT, AT(id), .help = "of the checkpoint", .always = true },
	{ "step", COL_INT, .get = get_step, .help = "null: its manifest cannot be read" },
	{ "time", COL_TIME, AT(time_ms), .help = "when it was saved" },
	{ "bytes", COL_INT, AT(bytes), "bytes", "of all its files" },
	{ "files", COL_INT, AT(files), "count", "in it" },
	{ "ranks", COL_INT, AT(ranks), "count", "that wrote it" },
	{ "whole", COL_BOOL, AT(whole), .help = "every hash holds" },
	{ "why", COL_TEXT, AT(why), .help = "what is damaged; null: nothing" },
	{ 0 },
};
static const struct col cols[] = {
	{ "dir", COL_TEXT, offsetof(struct ckpt_check, dir), .help = "the folder", .always = true },
	{ "resume", COL_TEXT, offsetof(struct ckpt_check, resume),
	  .help = "id that the next run resumes from; null: none can be used" },
	{ "damaged", COL_SIZE, offsetof(struct ckpt_check, ndamaged), "count", "of them" },
	{ "lost", COL_TEXT, offsetof(struct ckpt_check, lost),
	  .help = "why none can be used though there was one; null" },
	{ "checkpoints", COL_LIST(struct ckpt_check, v, n, checked_cols), .help = "newest first" },
	{ 0 },
};
const struct col_doc ckpt_check_doc = { "tare.run-check/1", "run check",
					"the checkpoints of a folder, and whether they hold",
					cols };

static const char *size_text(struct arena *a, int64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double x = (double)bytes;
	int u = 0;

	for (; x >= 1024 && u < 4; u++)
		x /= 1024;
	return arena_printf(a, u ? "%.1f %s" : "%.0f %s", x, unit[u]);
}

void ckpt_check_print(const struct ckpt_check *k, const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	char at[TM_BUF];

	if (as->format == OUT_JSON) {
		cols_doc(&ckpt_check_doc, k, out);
		return;
	}
	grid_add_col(&g, "checkpoint", GRID_LEFT, false);
	grid_add_figure(&g, "step", GRID_ALWAYS);
	grid_add_col(&g, "saved", GRID_LEFT, false);
	grid_add_figure(&g, "size", 2);
	grid_add_figure(&g, "files", 1);
	grid_add_name(&g, "state");
	for (size_t i = 0; i < k->n; i++) {
		const struct ckpt_checked *x = &k->v[i];
		const char **c = grid_add_row(&g, GRID_PLAIN);
		bool known = x->time_ms != UNKNOWN_MS;
		c[0] = x->id;
		c[1] = text_or_dash(x->step >= 0, arena_printf(&g.mem, "%lld", (long long)x->step));
		c[2] = text_or_dash(
			known, arena_printf(&g.mem, "%s", known ? tm_format(at, x->time_ms) : ""));
		c[3] = text_or_dash(known, size_text(&g.mem, x->bytes));
		c[4] = text_or_dash(known, arena_printf(&g.mem, "%lld", (long long)x->files));
		c[5] = x->whole ? "whole" : "damaged";
	}
	if (k->n) {
		grid_table(&g, as->width, as->colour, out);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].why)
			str_addf(out, "%s\n", k->v[i].why);
	if (k->resume)
		str_addf(out, "The next run resumes from %s", k->resume);
	else if (k->lost)
		str_addf(out, "The next run ends with 125: %s", k->lost);
	else
		str_addf(out, "No checkpoint yet: the next run begins at step 0");
	if (k->ndamaged)
		str_addf(out, " (%zu of %zu damaged)", k->ndamaged, k->n);
	str_addz(out, ".\n");
	grid_free(&g);
}
