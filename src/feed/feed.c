/* The table of feeds, which of them a file is for, and the reading of one file. */
#include <errno.h>
#include <stdio.h>

#include "base/among.h"
#include "base/near.h"
#include "base/str.h"
#include "feed/readings/curves.h"
#include "feed/feed.h"
#include "feed/feeds.h"
#include "feed/rows.h"

/* looked at to find the kind: a header and a few rows of anything real */
#define HEAD_BYTES  (128 * 1024)
#define SURE_ENOUGH 30 /* of 100: below it nobody's guess counts */

#define FEED(name, kind) &feed_##name,
const struct feed *const feed_table[] = {
#include "feed/feeds.def"
	NULL,
};
#undef FEED

const struct feed *feed_find(const char *kind)
{
	for (size_t i = 0; feed_table[i]; i++)
		if (!strcmp(feed_table[i]->kind, kind))
			return feed_table[i];
	return NULL;
}

/* ---- which kind -------------------------------------------------------------------------- */

enum shape { SHAPE_TEXT, SHAPE_CSV, SHAPE_JSONL, SHAPE_PARQUET };

struct look { /* at the first bytes */
	enum shape shape;
	struct sv head;
	struct input *mem; /* reader over the head, for its column names */
	struct tab *tab;
	struct err why; /* the header could not be read */
};

static struct sv first_line(struct sv head)
{
	struct sv rest;

	return sv_cut(head, '\n', &rest);
}

/* A table's first line, and no prose, markup or metrics: at least one separator and no control
 * characters. */
static bool looks_csv(struct sv line)
{
	bool sep = false;

	for (size_t i = 0; i < line.n; i++) {
		unsigned char c = (unsigned char)line.p[i];
		if (c < ' ' && c != '\t' && c != '\r')
			return false;
		sep |= char_among((char)c, ",;\t|");
	}
	return sep && line.p[0] != '#' && line.p[0] != '<';
}

static void look_close(struct look *l)
{
	tab_close(l->tab);
	if (l->mem)
		input_close(l->mem);
}

/* Zero bytes are in no text, packed or not: a device, an archive, a program. Told from the first
 * bytes, as a device has no end. */
static int no_text(const struct input *in, struct sv head, struct err *err)
{
	err_set(err, -EINVAL, "'%s' is neither text nor a Parquet file", input_name(in));
	if (sv_starts(head, SV("\xff\xfe")) || sv_starts(head, SV("\xfe\xff")))
		err_hint(err,
			 "It looks like UTF-16: write it as UTF-8, with iconv -f UTF-16 -t UTF-8");
	else if (sv_starts(head, SV("PK\x03\x04")))
		err_hint(
			err,
			"It looks like a zip archive or a workbook (.xlsx): unpack it, or save the sheet as CSV (UTF-8)");
	else if (sv_starts(head, SV("\x1f\x8b")))
		err_hint(err, "It is packed twice: unpack it once, with gzip -dc FILE > once.gz");
	else
		err_hint(err,
			 "CSV, JSON lines and Parquet are read, plain or packed by gzip or zstd");
	return -EINVAL;
}

/* What the file looks like; the columns are read with the same readers as the rows will be, from
 * the bytes at hand. */
static int look_at(struct input *in, struct look *l, struct err *err)
{
	struct err ignored;
	int rc = input_peek(in, HEAD_BYTES, &l->head, err);

	if (rc < 0)
		return rc;
	struct sv text = l->head, line;
	if (sv_starts(text, SV("PAR1"))) {
		l->shape = SHAPE_PARQUET;
		return 0;
	}
	if (tfevents_is(text))
		return 0;
	if (text.n && memchr(text.p, 0, text.n))
		return no_text(in, text, err);
	if (sv_starts(text, SV("\xef\xbb\xbf")))
		text = sv_from(text, 3);
	while (text.n && char_among(*text.p, "\n\r ")) {
		text.p++;
		text.n--;
	}
	line = first_line(text);
	if (line.n && line.p[0] == '{')
		l->shape = SHAPE_JSONL;
	else if (line.n && line.p[0] != '[' && looks_csv(line))
		l->shape = SHAPE_CSV;
	else
		return 0;
	/* more than the first line: a quoted name may hold a line feed, and a JSON row leaves out
	 * what it has no value for */
	if (input_from_memory(input_name(in), text.p, text.n, &l->mem, &ignored) < 0)
		return 0;
	/* a header that the reader refuses gives no columns: the reason is told if no feed wants
	 * the file for its first bytes */
	if (l->shape == SHAPE_CSV)
		tab_csv_open(l->mem, &(struct tab_csv_opt){ .ragged = true }, &l->tab, &l->why);
	else
		tab_jsonl_open(l->mem, &l->tab, &ignored);
	return 0;
}

static const struct feed *detect_feed(const struct look *l, const struct tab *t)
{
	static const struct tab none;
	const struct feed *best = NULL;
	int best_sure = SURE_ENOUGH - 1;

	if (!t)
		t = &none;
	for (size_t i = 0; feed_table[i]; i++) {
		const struct feed *f = feed_table[i];
		int sure = 0;
		if (f->detect)
			sure = f->detect(l->head, t->col, t->ncol);
		if (sure > best_sure) {
			best_sure = sure;
			best = f;
		}
	}
	return best;
}

#define TITLE_LINES 10 /* above a header: what a table is called, of when, by whom */

/* The line that is the header of a known kind, below a title; 0: none is. */
static size_t header_line(const struct input *in, const struct look *l)
{
	struct sv text = l->head, line;
	struct err ignored;

	for (size_t at = 2; at < TITLE_LINES; at++) {
		struct look below = { .shape = SHAPE_CSV };
		sv_cut(text, '\n', &text);
		line = first_line(text);
		if (!text.n || !looks_csv(line))
			continue;
		below.head = text;
		bool found = input_from_memory(input_name(in), text.p, text.n, &below.mem,
					       &ignored) == 0 &&
			     tab_csv_open(below.mem, &(struct tab_csv_opt){ .ragged = true },
					  &below.tab, &ignored) == 0 &&
			     detect_feed(&below, below.tab);
		look_close(&below);
		if (found)
			return at;
	}
	return 0;
}

/* What clusters print of themselves, by the first bytes, and what to bring instead. */
static bool hint_cluster(struct sv head, struct err *err)
{
	bool kubectl = sv_starts(head, SV("apiVersion:")) ||
		       (sv_has(head, SV("\"apiVersion\"")) && sv_has(head, SV("\"kind\"")));

	if (kubectl)
		err_hint(
			err,
			"It is what kubectl prints, which has no history and no cost. Pods: tare import --prometheus URL "
			"(kube-state-metrics, DCGM), or OpenCost: curl 'http://opencost:9003/allocation?window=30d&aggregate=pod' | "
			"tare import --as opencost -. Machines: a cloud bill, or a nodes.csv of node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour");
	else if (sv_starts(head, SV("NodeName=")))
		err_hint(
			err,
			"It is scontrol show node, which does not say since when machines are paid and at what price. With a day for FROM "
			"(and a price, or owned: in the settings) this makes a list to import: "
			"(echo node,gpu_model,gpu_count,from,provider,region,purchase,usd_hour; scontrol show node -o | "
			"sed -nE 's/^NodeName=([^ ]+).* Gres=gpu:(([^:, ]+):)?([0-9]+).*/\\1,\\3,\\4,FROM,onprem,local,owned,/p') > nodes.csv");
	else if (sv_starts(head, SV("JobId=")))
		err_hint(err, "It is scontrol show job, which forgets: bring what sacct has, "
			      "TZ=UTC sacct -a -X -D -P --format=ALL | tare import --as sacct -");
	else
		return false;
	return true;
}

/* What to do where nothing is like the file. */
static void hint_unlike(const struct input *in, const struct look *l, const char *kinds,
			struct err *err)
{
	struct sv head = sv_trim(l->head);
	size_t at = header_line(in, l);

	if (at)
		err_hint(
			err,
			"The header seems to be line %zu: take the lines above it out, tail -n +%zu '%s' | "
			"tare import -",
			at, at, input_name(in));
	else if (head.n && head.p[0] == '[')
		err_hint(
			err,
			"It is one JSON array; JSON lines are read: jq -c '.[]' '%s' | tare import -",
			input_name(in));
	else
		err_hint(
			err,
			"Name the kind with --as (%s), or the columns with --map. The columns of each: man "
			"tare-import.",
			kinds);
}

static int unknown_kind(const struct input *in, const struct look *l, struct err *err)
{
	struct str kinds = { 0 };
	bool empty = l->head.n == 0;

	for (size_t i = 0; feed_table[i]; i++)
		str_addf(&kinds, "%s%s", text_if(i, ", "), feed_table[i]->kind);
	if (empty)
		err_set(err, -EINVAL, "'%s' is empty", input_name(in));
	else if (l->why.msg[0])
		*err = l->why;
	else
		err_set(err, -EINVAL, "'%s' is of no kind that can be told from its %s",
			input_name(in), l->tab ? "columns" : "first bytes");
	bool readable = !empty && !l->why.msg[0], told = hint_cluster(sv_trim(l->head), err);
	if (!told)
		told = readable && l->tab && feed_suggest(input_name(in), l->tab, err);
	if (readable && !told)
		hint_unlike(in, l, str_z(&kinds), err);
	str_free(&kinds);
	return -EINVAL;
}

static int choose_feed(struct input *in, const struct feed_file_opt *o, const struct look *l,
		       const struct tab *t, const struct feed **ret, struct err *err)
{
	const char *kind = o->kind;

	if (o->map)
		kind = feed_map_kind(o->map);
	if (o->map && o->kind && strcmp(o->kind, kind)) {
		err_set(err, -EINVAL, "the map makes rows of kind '%s', not '%s'", kind, o->kind);
		err_hint(err, "Leave --as out.");
		return -EINVAL;
	}
	*ret = kind ? feed_find(kind) : detect_feed(l, t);
	if (*ret)
		return 0;
	if (kind)
		return err_set(err, -EINVAL, "'%s' is not a kind of input", kind);
	return unknown_kind(in, l, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

static int check_required(const struct feed *f, const struct feed_run *r, struct err *err)
{
	struct str missing = { 0 };
	int n = 0;

	for (const char *const *c = f->required; c && *c; c++) {
		bool given = tab_find(r->tab->col, r->tab->ncol, *c, f->bill) >= 0 ||
			     feed_set_get(r, *c);
		if (!given)
			str_addf(&missing, "%s%s", text_if(n++, ", "), *c);
	}
	if (n) {
		err_set(err, -EINVAL, "'%s' has no column%s %s, which %s needs", r->report->file,
			text_if(n > 1, "s"), str_z(&missing), f->kind);
		err_hint(
			err,
			"Give a constant with --set NAME=VALUE, or the columns' names with --map (docs/MAPS.md).");
	}
	str_free(&missing);
	if (n)
		return -EINVAL;
	return 0;
}

static int open_parquet(struct input *in, const struct feed_file_opt *o, struct tab **ret,
			struct err *err)
{
	const char *path = input_path(in);

	if (!o->open_parquet)
		return err_set(err, -ENOTSUP,
			       "'%s' is a Parquet file, which this program cannot read",
			       input_name(in));
	if (!path) {
		err_set(err, -EINVAL, "'%s': Parquet cannot be read from a stream or a packed file",
			input_name(in));
		err_hint(err, "Unpack it into a file first.");
		return -EINVAL;
	}
	return o->open_parquet(o->parquet_ctx, path, ret, err);
}

static int open_table(struct input *in, const struct feed *f, const struct look *l,
		      struct tab **ret, struct err *err)
{
	if (sv_starts(sv_trim(l->head), SV("[{")) || sv_starts(sv_trim(l->head), SV("[\n{"))) {
		err_set(err, -EINVAL,
			"'%s' is one JSON array; tables are read as JSON lines, one object a line",
			input_name(in));
		err_hint(err, "Turn it with: jq -c '.[]'");
		return -EINVAL;
	}
	if (l->shape == SHAPE_JSONL)
		return tab_jsonl_open(in, ret, err);
	return tab_csv_open(in, &(struct tab_csv_opt){ .ragged = f->ragged }, ret, err);
}

static int run_feed(const struct feed *f, struct feed_run *r, struct err *err)
{
	struct feed_report *p = r->report;
	int rc = f->run(r, err);

	if (rc < 0)
		return rc;
	if (p->rows_rejected > r->max_rejects)
		return feed_too_many(r, true, err);
	if (r->tab && !p->rows_read)
		feed_note(p, "a header and no rows");
	rows_note_clocks(r);
	if (!p->rows_kept) /* feeds whose rows are the file's rows do not count them */
		p->rows_kept = p->rows_read - p->rows_rejected - p->rows_skipped;
	if (r->progress)
		r->progress(r->progress_ctx, p->rows_read, input_packed_read(r->in),
			    input_packed_size(r->in));
	return 0;
}

static int run_tabular(const struct feed *f, const struct look *l, struct tab *t,
		       struct feed_run *r, struct err *err)
{
	struct tab *own = NULL, *mapped = NULL;
	int rc = 0;

	if (!t && !(rc = open_table(r->in, f, l, &own, err)))
		t = own;
	if (!rc && r->map && !(rc = feed_map_wrap(r->map, r, t, &mapped, err)))
		t = mapped;
	r->tab = t;
	if (!rc)
		rc = check_required(f, r, err);
	if (!rc)
		rc = run_feed(f, r, err);
	tab_close(mapped);
	tab_close(own);
	return rc;
}

int feed_run_file(struct input *in, const struct feed_file_opt *opt, const struct feed_sink *sink,
		  struct feed_report *p, struct err *err)
{
	struct feed_run r = { .in = in,
			      .sink = sink,
			      .report = p,
			      .set = opt->set,
			      .nset = opt->nset,
			      .alone = opt->alone,
			      .account_team = opt->account_team,
			      .map = opt->map,
			      .at_ms = opt->at_ms,
			      .now_ms = opt->now_ms,
			      .max_rejects = opt->max_rejects,
			      .progress = opt->progress,
			      .progress_ctx = opt->progress_ctx };
	struct look l = { 0 };
	struct tab *parquet = NULL;
	const struct feed *f = NULL;
	int rc;

	p->file = arena_sv(&p->mem, sv_of(input_name(in)));
	p->kind = "";
	p->from_ms = p->to_ms = UNKNOWN_MS;
	rc = look_at(in, &l, err);
	if (!rc && l.shape == SHAPE_PARQUET)
		rc = open_parquet(in, opt, &parquet, err);
	if (!rc)
		rc = choose_feed(in, opt, &l, parquet ? parquet : l.tab, &f, err);
	if (!rc) {
		p->kind = f->kind;
		rc = f->tabular ? run_tabular(f, &l, parquet, &r, err) : run_feed(f, &r, err);
	}
	tab_close(parquet);
	look_close(&l);
	/* errors name the file, whoever they come from */
	if (rc < 0 && err && !strstr(err->msg, p->file))
		err_prefix(err, "'%s'", p->file);
	return rc;
}
