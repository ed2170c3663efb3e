/* tare import: bills, job lists, telemetry, price sheets -> the store. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/tm.h"
#include "book/book.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "feed/prometheus.h"
#include "report/text.h"

static void on_progress(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
			int64_t size_bytes)
{
	cli_progress(ctx, label, rows, done_bytes, size_bytes);
}

/* --set KEY=VALUE ... */
static int sets_of(struct cli *c, struct feed_set **ret, size_t *ret_n)
{
	const char **v;
	size_t n = cli_values(c, "set", &v);
	struct feed_set *s = arena_alloc(&c->mem, (n + 1) * sizeof *s);

	for (size_t i = 0; i < n; i++) {
		const char *eq = strchr(v[i], '=');
		if (!eq || eq == v[i])
			return cli_usage_error(c, "--set wants KEY=VALUE, not '%s'", v[i]);
		s[i] = (struct feed_set){ arena_strn(&c->mem, v[i], (size_t)(eq - v[i])), eq + 1 };
	}
	*ret = s;
	*ret_n = n;
	return 0;
}

/* --covers CLUSTER ..., over --since to --until, else as far as the jobs reach. */
static int covers_of(struct cli *c, struct book_opt *o, struct err *err)
{
	o->ncovers = cli_values(c, "covers", &o->covers);
	o->covers_from_ms = o->covers_to_ms = UNKNOWN_MS;
	if (!o->ncovers || (c->since_ms == INT64_MIN && c->until_ms == INT64_MAX))
		return 0;
	if (c->since_ms == INT64_MIN) {
		err_set(err, -EINVAL, "--covers with --until wants --since too");
		return -EINVAL;
	}
	o->covers_from_ms = c->since_ms;
	o->covers_to_ms = c->until_ms == INT64_MAX ? c->now_ms : c->until_ms;
	return 0;
}

static int options_of(struct cli *c, struct book_opt *o, struct feed_map **map, struct err *err)
{
	const char *rejects = cli_value(c, "max-rejects"), *at = cli_value(c, "at"),
		   *name = cli_value(c, "map");
	struct feed_set *set = NULL;
	int rc = 0;

	*o = (struct book_opt){ .conf = &c->conf,
				.command = "tare import",
				.kind = cli_value(c, "as"),
				.at_ms = UNKNOWN_MS,
				.now_ms = c->now_ms,
				.replace = cli_flag(c, "replace"),
				.partial = cli_flag(c, "partial"),
				.whole = cli_flag(c, "whole"),
				.progress = on_progress,
				.progress_ctx = c,
				.said = cli_said };
	if (sets_of(c, &set, &o->nset))
		return -EINVAL;
	if ((o->partial || o->whole) && !o->replace) {
		cli_usage_error(c, o->partial ? "--partial goes with --replace"
					      : "--whole goes with --replace");
		return -EINVAL;
	}
	if (o->partial && o->whole) {
		cli_usage_error(c, "--partial keeps what --whole takes out: say one of them");
		return -EINVAL;
	}
	o->set = set;
	if (rejects && (sv_i64(sv_of(rejects), &o->max_rejects) < 0 || o->max_rejects < 0))
		return err_set(err, -EINVAL, "--max-rejects: '%s' is no number of rows", rejects);
	if (at && tm_parse(sv_of(at), 0, &o->at_ms) < 0)
		return err_set(err, -EINVAL, "--at: '%s' is no time such as 2026-11-20T12:00:00Z",
			       at);
	if (o->kind && !feed_find(o->kind)) {
		err_set(err, -EINVAL, "--as: '%s' is no kind", o->kind);
		err_hint(err, "See the kinds: tare import --help");
		return -EINVAL;
	}
	if (name)
		rc = feed_map_load(name, map, err);
	o->map = *map;
	return rc ? rc : covers_of(c, o, err);
}

/* ---- what was done ----------------------------------------------------------------------- */

static void print_json(struct str *out, const struct book_file *const *f, size_t n, bool dry_run)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.import/1");
	if (dry_run) {
		jw_key(&w, "dry_run");
		jw_bool(&w, true);
	}
	jw_key(&w, "files");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		struct sv json = sv_of(f[i]->json);
		if (f[i]->already) {
			/* the same object with one key more, so that a script sees that nothing
			 * changed */
			struct str again = { 0 };
			str_addf(&again, "%.*s,\"already\":true,\"batch\":%lld}", (int)json.n - 1,
				 json.p, (long long)f[i]->batch);
			jw_raw(&w, str_sv(&again));
			str_free(&again);
		} else {
			jw_raw(&w, json);
		}
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_people(struct arena *a, struct str *out, const struct book_file *const *files,
			 size_t n, bool dry_run)
{
	for (size_t i = 0; i < n; i++) {
		const struct book_file *f = files[i];
		const struct feed_report *r = &f->report;
		char buf[DEC_BUF];
		const char *name = text_line(a, sv_of(r->file), 0);
		if (f->already) {
			str_addf(
				out,
				"%s: already imported (batch %lld); nothing changed (--replace reads it again)\n",
				name, (long long)f->batch);
			continue;
		}
		str_addf(out, "%s: %s, %lld row%s %s", name, r->kind, (long long)r->rows_kept,
			 r->rows_kept == 1 ? "" : "s", dry_run ? "would be kept" : "kept");
		if (r->rows_skipped)
			str_addf(out, ", %lld skipped", (long long)r->rows_skipped);
		if (r->rows_rejected)
			str_addf(out, ", %lld rejected", (long long)r->rows_rejected);
		if (f->gpu_seconds > 0)
			str_addf(out, ", %s GPU·h",
				 dec_format_people(buf, dec_from_double(f->gpu_seconds / 3600), 2));
		str_addc(out, '\n');
		for (size_t k = 0; k < r->sums.n; k++) {
			str_addf(out, "    %-16s %s", r->sums.v[k].name,
				 dec_format(buf, r->sums.v[k].sum));
			if (r->sums.v[k].unknown)
				str_addf(out, "   (%lld row%s without)",
					 (long long)r->sums.v[k].unknown,
					 r->sums.v[k].unknown == 1 ? "" : "s");
			str_addc(out, '\n');
		}
		for (size_t k = 0; k < r->skip_reasons.n; k++)
			str_addf(out, "    skipped: %lld, %s\n",
				 (long long)r->skip_reasons.v[k].rows,
				 text_line(a, sv_of(r->skip_reasons.v[k].reason), 0));
		for (size_t k = 0; k < r->rejects.n && k < 10; k++)
			str_addf(out, "    rejected: line %lld, %s: %s\n",
				 (long long)r->rejects.v[k].line,
				 text_line(a, sv_of(r->rejects.v[k].field), 0),
				 text_line(a, sv_of(r->rejects.v[k].reason), 0));
		if (r->rejects.n > 10)
			str_addf(out, "    ... and %zu more: see -o json\n", r->rejects.n - 10);
		for (size_t k = 0; k < r->notes.n; k++)
			str_addf(out, "    note: %s\n", text_line(a, sv_of(r->notes.v[k]), 0));
	}
	if (!dry_run && n)
		str_addz(out, "Next: tare report\n");
}

static int show(struct cli *c, const struct book_file *const *f, size_t n)
{
	struct str out = { 0 };
	int rc;

	cli_progress(c, NULL, 0, 0, 0);
	if (c->output == OUT_JSON)
		print_json(&out, f, n, c->dry_run);
	else if (!c->quiet)
		print_people(&c->mem, &out, f, n, c->dry_run);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

/* ---- running ----------------------------------------------------------------------------- */

struct prom {
	struct cli *cli;
	struct feed_prometheus_opt opt;
};

static int run_prom(void *ctx, const struct feed_sink *sink, struct feed_report *report,
		    struct err *err)
{
	struct prom *p = ctx;

	return feed_prometheus_run(&p->opt, sink, report, err);
}

static void on_steps(void *ctx, const char *label, int64_t done, int64_t of)
{
	struct prom *p = ctx;
	char text[80];

	snprintf(text, sizeof text, "%s, %lld of %lld steps", label, (long long)done,
		 (long long)of);
	cli_progress(p->cli, text, done, 0, -1);
}

static int add_prometheus(struct cli *c, struct book *b, const char *url,
			  const struct book_file **ret, struct err *err)
{
	struct prom p = { .cli = c };
	const char *step = cli_value(c, "step"), *cluster = cli_value(c, "cluster");

	p.opt.url = url;
	p.opt.cluster = cluster;
	p.opt.progress = on_steps;
	p.opt.progress_ctx = &p;
	p.opt.since_ms = c->since_ms == INT64_MIN ? c->now_ms - 30 * MS_DAY : c->since_ms;
	p.opt.until_ms = c->until_ms == INT64_MAX ? c->now_ms : c->until_ms;
	if (step && tm_parse_span(sv_of(step), &p.opt.step_ms) < 0)
		return err_set(err, -EINVAL, "--step: '%s' is no span such as 60s", step);
	return book_add_rows(b, url, "prometheus", run_prom, &p, ret, err);
}

static int read_all(struct cli *c, struct book *b, const struct book_file **f, size_t *n,
		    struct err *err)
{
	const char *url = cli_value(c, "prometheus");
	int rc = 0;

	for (int i = 0; i < c->narg && !rc; i++) {
		rc = book_add_file(b, c->arg[i], &f[*n], err);
		if (!rc)
			++*n;
	}
	if (!rc && url && !(rc = add_prometheus(c, b, url, &f[*n], err)))
		++*n;
	return rc;
}

static int parquet(void *ctx, const char *path, struct tab **ret, struct err *err)
{
	(void)ctx;
	return store_parquet_open(path, ret, err);
}

/* A failed import says so and what is left as it was. */
static int failed(struct cli *c, struct err *err)
{
	cli_progress(c, NULL, 0, 0, 0);
	char hint[sizeof err->hint];
	snprintf(hint, sizeof hint, "%s", err->hint);
	hint[0] = (char)toupper((unsigned char)hint[0]);
	err_hint(err, "Nothing was imported.%s%s", hint[0] ? " " : "", hint);
	return cli_fail(err);
}

/* The store that a dry run of --replace looks into; where there is none, nothing would go. */
static int open_to_look(struct cli *c, struct store **ret, struct err *err)
{
	int rc = cli_open_store(c, STORE_READ, ret, err);

	if (rc != -ENOENT)
		return rc;
	*ret = NULL;
	*err = (struct err){ 0 };
	return 0;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct book_opt o;
	struct feed_map *map = NULL;
	struct store *store = NULL, *look = NULL;
	struct book *b = NULL;
	const struct book_file **f = arena_alloc(&c->mem, ((size_t)c->narg + 2) * sizeof *f);
	size_t n = 0;
	int rc;

	if (!c->narg && !cli_value(c, "prometheus"))
		return cli_usage_error(c, "name the files to import, or - for standard input");
	rc = options_of(c, &o, &map, &err);
	if (rc < 0 && !err.msg[0])
		return EXIT_ERROR; /* said already */
	o.open_parquet = parquet;
	if (!rc && !c->dry_run)
		rc = cli_open_store(c, STORE_WRITE, &store, &err);
	if (!rc && c->dry_run && o.replace)
		rc = open_to_look(c, &look, &err);
	o.look = look;
	rc = rc ? rc : book_begin(store, &o, &b, &err);
	rc = rc ? rc : read_all(c, b, f, &n, &err);
	rc = rc ? rc : book_commit(b, &err);
	rc = rc < 0 ? failed(c, &err) : show(c, f, n);
	book_free(b);
	if (store)
		store_close(store);
	if (look)
		store_close(look);
	feed_map_free(map);
	return rc;
}

static const struct cli_opt opts[] = {
	{ "as", "KIND", "kind of the files; found out when not given (kinds: see below)", 0, false,
	  "focus|aws-cur|azure-cost|gcp-billing|opencost|sacct|nvidia-smi|skypilot|samples|allocations|nodes|requests|prices|dcgm" },
	{ "map", "NAME|FILE",
	  "rename columns, give units and defaults: a shipped map or a YAML file (docs/MAPS.md)", 0,
	  false, "FILE" },
	{ "set", "KEY=VALUE", "a constant column, such as gpu_model=A10 or usd_gpu_hour=1.20", 0,
	  true, NULL },
	{ "at", "T", "time of readings that carry none (dcgm)", 0, false, NULL },
	{ "max-rejects", "N", "leave out up to N rows that cannot be read (default 0)", 0, false,
	  NULL },
	{ "replace", NULL,
	  "take out what was imported before: of bills the rows of the same provider, account and month, in whatever files; of all else the file of the same name. The same file is read again",
	  0, false, NULL },
	{ "partial", NULL,
	  "with --replace: the new files are a part of the bill: only rows of sub accounts and days that they have are taken out",
	  0, false, NULL },
	{ "whole", NULL,
	  "with --replace: the new files are the whole bill: rows of sub accounts and days that they have not are taken out too",
	  0, false, NULL },
	{ "covers", "CLUSTER",
	  "the jobs are all that this cluster had (over --since..--until, else as far as they reach): what nobody held then is unallocated",
	  0, true, NULL },
	{ "prometheus", "URL",
	  "read the history of a Prometheus server over --since..--until (default 30d)", 0, false,
	  NULL },
	{ "step", "SPAN", "resolution asked of Prometheus (default 60s)", 0, false, NULL },
	{ "cluster", "NAME", "cluster of series that have no such label (prometheus)", 0, false,
	  NULL },
	{ 0 },
};

const struct cli_cmd cmd_import_def = {
	.name = "import",
	.group = "bring",
	.summary = "bring in bills, jobs, telemetry, nodes, requests, prices",
	.usage = "[--as KIND] [--map MAP.yaml] [--replace [--partial|--whole]] FILE...",
	.examples =
		"tare import november.csv.gz\n"
		"# a cloud bill: FOCUS, AWS CUR, Azure, GCP are told apart by their columns\n"
		"sacct -a -X -P --format=ALL -S 2026-11-01 | tare import --as sacct -\n"
		"tare import --as samples --set gpu_model=A10 --set usd_gpu_hour=1.20 util.csv.zst\n"
		"tare import --map philly philly.csv.gz\n"
		"sacct -a -X -P --format=ALL -S 2026-11-01 | tare import --as sacct --covers hpc -\n"
		"tare import --prometheus http://127.0.0.1:9090 --since 30d\n"
		"tare import --dry-run -o json bill.parquet",
	.about =
		"All files of one call are imported, or none. Importing the same file twice changes nothing.\n"
		"CSV, Parquet and JSON lines are read for the tabular kinds; .gz and .zst as they are.\n"
		"A bearer token for Prometheus comes from TARE_PROMETHEUS_TOKEN or the file TARE_PROMETHEUS_TOKEN_FILE names.\n\n"
		"Kinds:\n"
		"  bills      focus (1.0 to 1.3), aws-cur (2.0 and legacy), azure-cost, gcp-billing\n"
		"  jobs       sacct (sacct -P), opencost (allocation JSON), allocations\n"
		"  telemetry  dcgm (OpenMetrics text), nvidia-smi (CSV logs), samples\n"
		"  the rest   nodes, requests, prices, skypilot (catalogue CSV)\n"
		"Columns of the native kinds: man tare-import.",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW | CLI_ACT,
	.opt = opts,
	.run = run,
};
