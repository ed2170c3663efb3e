/* tare import: bills, job lists, telemetry, price sheets -> the store. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "answer/imported.h"
#include "base/sh.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/import.h"
#include "book/migrate.h"
#include "book/remove.h"
#include "cli/cmds.h"
#include "report/import.h"
#include "report/imports.h"
#include "report/opens.h"

static void on_progress(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
			int64_t size_bytes)
{
	cli_progress(ctx, label, rows, done_bytes, size_bytes);
}

static void on_steps(void *ctx, const char *label, const char *unit, int64_t done, int64_t of)
{
	cli_progress_steps(ctx, label, unit, done, of);
}

struct asked {
	struct book_opt o;
	struct feed_prometheus_opt server;
	const char *map, *undo;
	bool list, repost;
	struct opt_list set, covers;
};

/* --set KEY=VALUE ... */
static int sets_of(struct cli *c, const struct opt_list *l, struct book_opt *o)
{
	struct feed_set *s = arena_alloc(&c->mem, (l->n + 1) * sizeof *s);

	for (size_t i = 0; i < l->n; i++) {
		const char *eq = strchr(l->v[i], '=');
		if (!eq || eq == l->v[i])
			return cli_usage_error(c, "--set wants KEY=VALUE, not '%s'", l->v[i]);
		s[i] = (struct feed_set){ arena_strn(&c->mem, l->v[i], (size_t)(eq - l->v[i])),
					  eq + 1 };
	}
	o->set = s;
	o->nset = l->n;
	return 0;
}

/* Negative with nothing in err: it was said already. */
static int read_asked(struct cli *c, struct asked *x, struct feed_map **map, struct err *err)
{
	struct book_opt *o = &x->o;
	struct feed_prometheus_opt *p = &x->server;
	int rc = cli_read_opts(c, x, err);

	if (rc < 0)
		return rc;
	o->conf = &c->conf;
	o->command = "tare import";
	o->now_ms = c->now_ms;
	o->progress = on_progress;
	o->steps = on_steps;
	o->progress_ctx = c;
	o->said = cli_said;
	/* the server's history over --since to --until */
	p->since_ms = c->since_ms == INT64_MIN ? c->now_ms - 30 * MS_DAY : c->since_ms;
	p->until_ms = c->until_ms == INT64_MAX ? c->now_ms : c->until_ms;
	const char *wrong = NULL;
	if (o->partial && o->whole)
		wrong = "--partial keeps what --whole takes out: say one of them";
	if (o->whole && !o->replace)
		wrong = "--whole goes with --replace";
	if (o->partial && !o->replace)
		wrong = "--partial goes with --replace";
	if (sets_of(c, &x->set, o))
		return -EINVAL;
	if (wrong) {
		cli_usage_error(c, "%s", wrong);
		return -EINVAL;
	}
	if (x->map)
		rc = feed_map_load(x->map, map, err);
	o->map = *map;
	if (rc)
		return rc;
	/* --covers CLUSTER ..., over --since to --until, else as far as the jobs reach. */
	o->covers = x->covers.v;
	o->ncovers = x->covers.n;
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

static void put_word(struct cli *c, struct str *s, const char *option, const char *value)
{
	if (value)
		str_addf(s, " --%s %s", option, sh_show(&c->mem, value));
}

/* How the files are read, whether the command line or a variable says it: book_opt.words. */
static const char *reading_words(struct cli *c, const struct asked *x)
{
	const struct book_opt *o = &x->o;
	struct str s = { 0 };
	char t[TM_BUF];

	put_word(c, &s, "as", o->kind);
	put_word(c, &s, "map", x->map);
	for (size_t i = 0; i < x->set.n; i++)
		put_word(c, &s, "set", x->set.v[i]);
	if (o->at_ms != UNKNOWN_MS)
		put_word(c, &s, "at", tm_format(t, o->at_ms));
	if (o->max_rejects)
		str_addf(&s, " --max-rejects %lld", (long long)o->max_rejects);
	for (size_t i = 0; i < x->covers.n; i++)
		put_word(c, &s, "covers", x->covers.v[i]);
	if (o->covers_from_ms != UNKNOWN_MS)
		put_word(c, &s, "since", tm_format(t, o->covers_from_ms));
	if (o->covers_from_ms != UNKNOWN_MS)
		put_word(c, &s, "until", tm_format(t, o->covers_to_ms));
	const char *words = arena_strn(&c->mem, str_z(&s), s.n);
	str_free(&s);
	return words;
}

/* ---- running ----------------------------------------------------------------------------- */

static int show_imported(struct cli *c, struct store *store, const struct book_file *const *f,
			 size_t n)
{
	struct str out = { 0 };
	struct opens opens;
	struct err err;
	int rc;

	cli_progress(c, NULL, 0, 0, 0);
	if (c->output == OUT_JSON || !c->quiet)
		import_print(f, n, c->dry_run, c->output, &out);
	bool people = c->output == OUT_TABLE && !c->quiet;
	bool tell = n && store && people;
	/* that it cannot be told is no fault of the import, which is done */
	if (tell && answer_opens(store, &c->mem, &opens, &err) == 0) {
		opens.store = cli_store_words(c);
		opens_print(&opens, c->width, &out);
	}
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

/* What is in the store was imported with other settings: they hold for the new rows alone. That it
 * cannot be told is no fault of the import, which is done. */
static void say_settings(struct cli *c, struct store *store, const struct book_file *const *f,
			 size_t n)
{
	struct imported_ask q = { cli_db(c), c->config, store, &c->mem };
	const char *changed;
	struct err err = { 0 };
	bool some = false;

	for (size_t i = 0; i < n; i++)
		some |= !f[i]->already;
	if ((some && imported_keep(&q, &err) < 0) || imported_changed(&q, &changed, &err) < 0)
		return;
	if (changed && !c->quiet)
		fprintf(stderr,
			"tare: settings changed since what is in the store was imported (%s): they hold for what is new;\n"
			"      for the rest: tare import --repost%s\n",
			changed, cli_store_words(c));
}

/* A failed import says so and what is left as it was. */
static int tell_failed(struct cli *c, struct err *err)
{
	cli_progress(c, NULL, 0, 0, 0);
	char hint[sizeof err->hint];
	snprintf(hint, sizeof hint, "%s", err->hint);
	hint[0] = (char)toupper((unsigned char)hint[0]);
	err_hint(err, "Nothing was imported.%s%s", text_if(hint[0], " "), hint);
	return cli_fail(err);
}

/* The store that a dry run looks into; where there is none, nothing is there already. */
static int open_to_look(struct cli *c, bool must, struct store **ret, struct err *err)
{
	int rc = cli_open_store(c, STORE_READ, ret, err);

	if (rc == 0)
		return 0;
	*ret = NULL;
	if (rc != -ENOENT && must)
		return rc;
	if (rc != -ENOENT && !c->quiet)
		fprintf(stderr,
			"tare: what was imported before is not looked at, so files that came already are not told: %s\n",
			err->msg);
	*err = (struct err){ 0 };
	return 0;
}

/* ---- what was imported ------------------------------------------------------------------- */

static int write_said(struct cli *c, struct str *out)
{
	int rc = EXIT_DONE;

	if (c->output == OUT_JSON || !c->quiet)
		rc = cli_write(out);
	str_free(out);
	return rc;
}

static int list_imports(struct cli *c)
{
	struct imported_file *f;
	struct store *store;
	struct str out = { 0 };
	struct err err = { 0 };
	size_t n = 0;
	int rc = cli_open_store(c, STORE_READ, &store, &err);

	if (rc < 0)
		return cli_fail(&err);
	rc = store_imported(store, &c->mem, &f, &n, &err);
	if (rc >= 0)
		rc = store_imported_rows(store, f, n, &err);
	store_close(store);
	if (rc < 0)
		return cli_fail(&err);
	imports_print(f, n, c->output, c->width, c->colour, &out);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static int undo_import(struct cli *c, const struct asked *x)
{
	struct book_removed r = { 0 };
	struct store *store;
	struct str out = { 0 };
	struct err err = { 0 };
	int rc = cli_open_store(c, c->dry_run ? STORE_READ : STORE_WRITE, &store, &err);

	if (rc < 0)
		return cli_fail(&err);
	rc = book_remove(store, &x->o,
			 &(struct book_undo){ x->undo, c->dry_run, cli_store_words(c) }, &c->mem,
			 &r, &err);
	cli_progress(c, NULL, 0, 0, 0);
	store_close(store);
	if (rc < 0)
		return cli_fail(&err);
	undo_print(&r, c->dry_run, c->output, &out);
	return write_said(c, &out);
}

/* The ledger again from what is there, by the settings of now. */
static int repost_ledger(struct cli *c, const struct asked *x)
{
	struct store *store;
	struct err err = { 0 };
	int rc;

	if (c->dry_run)
		return cli_usage_error(c,
				       "--repost has no dry run: see tare doctor for what changed");
	/* one that is not there is not begun */
	rc = cli_open_store(c, STORE_READ, &store, &err);
	if (rc >= 0) {
		store_close(store);
		rc = cli_open_store(c, STORE_WRITE, &store, &err);
	}
	if (rc < 0)
		return cli_fail(&err);
	rc = book_repost(store, &x->o, &err);
	cli_progress(c, NULL, 0, 0, 0);
	struct imported_ask q = { cli_db(c), c->config, store, &c->mem };
	if (rc >= 0)
		rc = imported_keep_all(&q, &err);
	store_close(store);
	return rc < 0 ? cli_fail(&err) : EXIT_DONE;
}

static int run_import(struct cli *c)
{
	struct err err = { 0 };
	struct asked x = { 0 };
	struct book_import in = { .file = (const char *const *)c->arg, .nfile = (size_t)c->narg };
	struct feed_map *map = NULL;
	struct store *store = NULL, *look = NULL;
	struct book *b = NULL;
	const struct book_file **f = arena_alloc(&c->mem, (in.nfile + 1) * sizeof *f);
	size_t n = 0;
	int rc;

	rc = read_asked(c, &x, &map, &err);
	if (rc < 0 && !err.msg[0])
		return EXIT_ERROR; /* said already */
	bool other = x.list || x.undo || x.repost;
	if (!c->narg && !cli_value(c, "prometheus") && !other)
		return cli_usage_error(c, "name the files to import, or - for standard input");
	if (c->narg && other)
		return cli_usage_error(
			c, "--list, --undo and --repost import nothing: '%s' is one too many",
			c->arg[0]);
	if (rc >= 0 && x.list)
		return list_imports(c);
	if (rc >= 0 && x.undo)
		return undo_import(c, &x);
	if (rc >= 0 && x.repost)
		return repost_ledger(c, &x);
	in.opt = x.o;
	in.opt.words = reading_words(c, &x);
	in.prometheus = x.server.url ? &x.server : NULL;
	in.opt.alone = in.nfile == 1 && !in.prometheus;
	if (!rc && !c->dry_run)
		rc = cli_open_store(c, STORE_WRITE, &store, &err);
	else if (!rc)
		rc = open_to_look(c, in.opt.replace, &look, &err);
	in.opt.look = look;
	if (!rc)
		rc = book_import(store, &in, &b, f, &n, &err);
	if (rc >= 0 && store)
		say_settings(c, store, f, n);
	if (rc < 0 && store)
		store_undone(store);
	rc = rc < 0 ? tell_failed(c, &err) : show_imported(c, store, f, n);
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

/* The kinds by group, as the feeds say what they read. */
static void add_kinds(struct str *out)
{
	static const char *const groups[] = { "bills", "jobs", "telemetry", "training",
					      "the rest" };

	str_addz(out, "\nKinds:\n");
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
		const char *head = groups[g];
		for (size_t i = 0; feed_table[i]; i++) {
			const struct feed *f = feed_table[i];
			if (strcmp(f->group, groups[g]))
				continue;
			str_addf(out, "  %-10s %-12s %s\n", head, f->kind, f->about);
			head = "";
		}
	}
	str_addz(out, "\nColumns of the native kinds: man tare-import.\n");
}

/* "|focus|aws-cur...": the words of --as are behind the first bar */
#define FEED(name, kind) "|" kind
static const char KINDS[] =
#include "feed/feeds.def"
	;
#undef FEED

#define AT(m) .at = offsetof(struct asked, m)
static const struct cli_opt opts[] = {
	{ "as", "KIND", "kind of the files; found out when not given (kinds: see below)",
	  .values = &KINDS[1], .type = OPT_TEXT, AT(o.kind) },
	{ "map", "NAME|FILE",
	  "rename columns, give units and defaults: a shipped map or a YAML file (docs/MAPS.md)",
	  .values = "FILE", .words = map_words, .type = OPT_FILE, AT(map) },
	{ "set", "KEY=VALUE", "a constant column, such as gpu_model=A10 or usd_gpu_hour=1.20",
	  .many = true, .type = OPT_LIST, AT(set) },
	{ "at", "T", "time of readings that carry none (dcgm)", .type = OPT_TIME, AT(o.at_ms),
	  .what = "time such as 2026-11-20T12:00:00Z" },
	{ "max-rejects", "N", "leave out up to N rows that cannot be read", .type = OPT_INT,
	  AT(o.max_rejects), .hi = INFINITY, .def = "0", .what = "number of rows" },
	{ "replace", NULL,
	  "take out what was imported before: of bills the rows of the same provider, account and month, in whatever files; of all else the file of the same path, and of what came on standard input that whose time and machines are told again. The same file is read again",
	  .type = OPT_FLAG, AT(o.replace) },
	{ "partial", NULL,
	  "with --replace: the new files are a part of the bill: only rows of sub accounts and days that they have are taken out",
	  .type = OPT_FLAG, AT(o.partial) },
	{ "whole", NULL,
	  "with --replace: the new files are the whole bill: rows of sub accounts and days that they have not are taken out too",
	  .type = OPT_FLAG, AT(o.whole) },
	{ "list", NULL, "list what was imported, and what of it counts", .type = OPT_FLAG,
	  AT(list) },
	{ "undo", "last|BATCH|FILE",
	  "take an import out again: the last one, that of a batch, or a file by its name (see --list); the ledger is posted again without it. What it had replaced stays out, and is named",
	  .type = OPT_TEXT, AT(undo) },
	{ "repost", NULL,
	  "post the ledger again from what was imported, by the settings as they are now; no file is read",
	  .type = OPT_FLAG, AT(repost) },
	{ "covers", "CLUSTER",
	  "the jobs are all that this cluster had (over --since..--until, else as far as they reach): what nobody held then is unallocated",
	  .many = true, .type = OPT_LIST, AT(covers) },
	{ "prometheus", "URL",
	  "read the history of a Prometheus server over --since..--until (default 30d)",
	  .type = OPT_TEXT, AT(server.url) },
	{ "step", "SPAN", "resolution asked of Prometheus (default 60s)", .type = OPT_SPAN,
	  AT(server.step_ms), .lo = 1, .hi = INFINITY, .what = "duration such as 60s" },
	{ "cluster", "NAME", "cluster of series that have no such label (prometheus)",
	  .type = OPT_TEXT, AT(server.cluster) },
	{ 0 },
};

const struct cli_cmd cmd_import_def = {
	.name = "import",
	.group = "bring",
	.summary = "bring in bills, jobs, telemetry, nodes, requests, prices",
	.usage =
		"[--as KIND] [--map MAP.yaml] [--replace [--partial|--whole]] FILE... | --list | --undo WHAT | --repost",
	.examples =
		"tare import november.csv.gz\n"
		"# a cloud bill: FOCUS, AWS CUR, Azure, GCP are told apart by their columns\n"
		"TZ=UTC sacct -a -X -D -P --format=ALL -S 2026-11-01 | tare import --as sacct -\n"
		"tare import --as samples --set gpu_model=A10 --set usd_gpu_hour=1.20 util.csv.zst\n"
		"tare import --map philly philly.csv.gz\n"
		"TZ=UTC sacct -a -X -D -P --format=ALL -S 2026-11-01 | tare import --as sacct --covers hpc -\n"
		"tare import --prometheus http://127.0.0.1:9090 --since 30d\n"
		"tare import --dry-run -o json bill.parquet",
	.about =
		"All files of one call are imported, or none. Importing the same file twice changes nothing.\n"
		"CSV, Parquet and JSON lines are read for the tabular kinds; .gz and .zst as they are.\n"
		"A bearer token for Prometheus comes from TARE_PROMETHEUS_TOKEN or the file TARE_PROMETHEUS_TOKEN_FILE names.\n",
	.more = add_kinds,
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW | CLI_ACT,
	.opt = opts,
	.docs = CLI_DOCS(&import_doc, &imports_doc, &undo_doc),
	.run = run_import,
	.if_stopped =
		"an import is all or nothing: nothing of these files was kept, what was in the store is as it was; start it again as it was",
};
