/* tare import: bills, job lists, telemetry, price sheets -> the store. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "base/tm.h"
#include "book/import.h"
#include "cli/cmds.h"
#include "report/import.h"

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

/* The server's history over --since to --until. */
static int prometheus_of(struct cli *c, struct feed_prometheus_opt *p, struct err *err)
{
	const char *step = cli_value(c, "step");

	p->url = cli_value(c, "prometheus");
	p->cluster = cli_value(c, "cluster");
	p->since_ms = c->since_ms == INT64_MIN ? c->now_ms - 30 * MS_DAY : c->since_ms;
	p->until_ms = c->until_ms == INT64_MAX ? c->now_ms : c->until_ms;
	if (p->url && step && tm_parse_span(sv_of(step), &p->step_ms) < 0)
		return err_set(err, -EINVAL, "--step: '%s' is no span such as 60s", step);
	return 0;
}

/* ---- running ----------------------------------------------------------------------------- */

static int show(struct cli *c, const struct book_file *const *f, size_t n)
{
	struct str out = { 0 };
	int rc;

	cli_progress(c, NULL, 0, 0, 0);
	if (c->output == OUT_JSON || !c->quiet)
		import_print(f, n, c->dry_run, c->output, &out);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
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

static int open_stores(struct cli *c, struct book_opt *o, struct store **ret, struct store **look,
		       struct err *err)
{
	int rc = 0;

	if (!c->dry_run)
		rc = cli_open_store(c, STORE_WRITE, ret, err);
	else if (o->replace)
		rc = open_to_look(c, look, err);
	o->look = *look;
	return rc;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct feed_prometheus_opt server = { 0 };
	struct book_import in = { .file = (const char *const *)c->arg, .nfile = (size_t)c->narg };
	struct feed_map *map = NULL;
	struct store *store = NULL, *look = NULL;
	struct book *b = NULL;
	const struct book_file **f = arena_alloc(&c->mem, (in.nfile + 1) * sizeof *f);
	size_t n = 0;
	int rc;

	if (!c->narg && !cli_value(c, "prometheus"))
		return cli_usage_error(c, "name the files to import, or - for standard input");
	rc = options_of(c, &in.opt, &map, &err);
	if (rc < 0 && !err.msg[0])
		return EXIT_ERROR; /* said already */
	rc = rc ? rc : prometheus_of(c, &server, &err);
	in.prometheus = server.url ? &server : NULL;
	rc = rc ? rc : open_stores(c, &in.opt, &store, &look, &err);
	rc = rc ? rc : book_import(store, &in, &b, f, &n, &err);
	rc = rc < 0 ? failed(c, &err) : show(c, f, n);
	book_free(b);
	if (store)
		store_close(store);
	if (look)
		store_close(look);
	feed_map_free(map);
	return rc;
}

static void map_words(struct str *out)
{
	struct arena mem = { 0 };
	const char **names;
	size_t n = feed_map_names(&mem, &names);

	for (size_t i = 0; i < n; i++)
		str_addf(out, "%s ", names[i]);
	arena_free(&mem);
}

static const struct cli_opt opts[] = {
	{ "as", "KIND", "kind of the files; found out when not given (kinds: see below)", 0, false,
	  "focus|aws-cur|azure-cost|gcp-billing|opencost|sacct|nvidia-smi|skypilot|samples|allocations|nodes|requests|prices|dcgm" },
	{ "map", "NAME|FILE",
	  "rename columns, give units and defaults: a shipped map or a YAML file (docs/MAPS.md)",
	  .values = "FILE", .words = map_words },
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
