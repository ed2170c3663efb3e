/* tare report: who spent what, on what. Loads from the store (answer/report.h), prints with the
 * report room. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "answer/centers.h"
#include "answer/views.h"
#include "base/outfile.h"
#include "base/str.h"
#include "base/tm.h"
#include "cli/cmds.h"
#include "cli/report_beside.h"
#include "cli/report_saved.h"
#include "cli/report_views.h"
#include "report/invoice/chargeback.h"
#include "report/cost/energy.h"
#include "report/formats.h"
#include "report/cost/hidden.h"
#include "report/invoice/invoice.h"
#include "report/cost/kpi.h"
#include "report/cost/serving.h"
#include "report/saved.h"
#include "report/tags.h"

/* a page with more is no page; the rest is summed in a line, --limit changes it */
#define HTML_ROWS 1000

/* A report being made. */
struct report_load {
	struct cli *c;
	struct report_ask q; /* its store is open */
	struct report_exchange exchange;
};

static void dim_words(struct str *out)
{
	for (int i = 0; i < DIM_N; i++)
		if (i != DIM_TAG)
			str_addf(out, "%s ", dim_name(i));
}

static int fail_report(struct cli *c, struct err *err)
{
	if (!err->hint[0])
		err_hint(err, "See: tare %s --help", c->cmd->name);
	return cli_fail(err);
}

/* ---- writing ----------------------------------------------------------------------------- */

int report_emit(struct cli *c, const char *file, const struct str *out)
{
	struct err err = { 0 };

	if (!file || !strcmp(file, "-"))
		return cli_write(out);
	if (outfile_write(file, str_sv(out), &err) < 0)
		return cli_fail(&err);
	if (!c->quiet)
		fprintf(stderr, "Wrote %s (%zu KiB)\n", file, (out->n + 1023) / 1024);
	return EXIT_DONE;
}

/* ---- options ----------------------------------------------------------------------------- */

struct options {
	struct report_dims dims;
	size_t shown;
	const char *by;
	struct opt_list where;
	int basis, split, sort; /* enum basis, idle_split, report_sort */
	struct report_beside beside;
	const char *save, *forget;
	bool views;
	bool sort_given, showback, chargeback, kpi, tags, energy, serving, by_tenant, hidden;
	int64_t limit;
	const char *currency;
	const char *html, *focus; /* file or "-", NULL = not asked */
};

#define AT(m) .at = offsetof(struct options, m)
/* words in the order of their enums */
static const struct cli_opt opts[] = {
	{ "by", "DIM[,DIM...]",
	  "rows by: kind team project env workload user job run service cluster node provider region zone gpu_model gpu "
	  "instance_type purchase commitment cloud_service account billing_account invoice charge_category state cause quality hour day week month quarter or tag:KEY",
	  .words = dim_words, .type = OPT_TEXT, AT(by), .def = "team" },
	{ "cost", "BASIS", "billed, effective (default) or list", .values = "billed|effective|list",
	  .type = OPT_CHOICE, AT(basis), .def = "effective" },
	{ "currency", "CODE",
	  "all amounts in this one, at the rates of their days (tare import --as rates); default: each as it is",
	  .type = OPT_TEXT, AT(currency) },
	{ "split-idle", "HOW",
	  "who pays for what nobody used: none (default), proportional, owner or rule",
	  .values = "none|proportional|owner|rule", .type = OPT_CHOICE, AT(split), .def = "none" },
	{ "where", "DIM=VALUE[,...]",
	  "only these; DIM!=VALUE leaves them out; several must all hold", .many = true,
	  .type = OPT_LIST, AT(where) },
	{ "sort", "KEY", "cost (default), gpu_seconds, name or waste",
	  .values = "cost|gpu_seconds|name|waste", .type = OPT_CHOICE, AT(sort),
	  .has = offsetof(struct options, sort_given), .def = "cost" },
	{ "limit", "N", "show the first N rows and the sum of the rest", .type = OPT_INT, AT(limit),
	  .lo = 1, .hi = INFINITY, .what = "number above 0" },
	{ "compare", "WINDOW",
	  "beside an earlier window: previous, lastmonth, lastquarter, lastyear, or a duration (7d) by which it is earlier",
	  .words = report_compare_words, .type = OPT_TEXT, AT(beside.compare) },
	{ "pivot", "DIM", "the values of DIM as columns: the cost of each row in each of them",
	  .words = dim_words, .type = OPT_TEXT, AT(beside.pivot) },
	{ "top", "N", "the first N rows, and one row of the rest, in every format", .type = OPT_INT,
	  AT(beside.top), .lo = 1, .hi = INFINITY, .what = "number above 0" },
	{ "trend", NULL, "the cost of each row over time (on a terminal with room also without it)",
	  .type = OPT_FLAG, AT(beside.trend) },
	{ "save", "NAME", "keep these options as the view @NAME", .type = OPT_TEXT, AT(save) },
	{ "forget", "NAME", "the view @NAME no more", .type = OPT_TEXT, AT(forget) },
	{ "views", NULL, "list the views that there are", .type = OPT_FLAG, AT(views) },
	{ "showback", NULL, "per team: direct, share of idle and of shared cost", .type = OPT_FLAG,
	  AT(showback) },
	{ "chargeback", NULL,
	  "the same as invoice lines; -o csv is a journal, --html a page a team", .type = OPT_FLAG,
	  AT(chargeback) },
	{ "kpi", NULL, "cost per job, request and token, utilisation, time-to-value, lost work",
	  .type = OPT_FLAG, AT(kpi) },
	{ "tags", NULL, "what part of the cost has the required tags", .type = OPT_FLAG, AT(tags) },
	{ "hidden", NULL,
	  "what is paid beside the GPUs, and the total over bare compute: storage, transfer ...",
	  .type = OPT_FLAG, AT(hidden) },
	{ "serving", NULL,
	  "requests, latency, tokens and cost of services; --by service or service,tenant",
	  .type = OPT_FLAG, AT(serving) },
	{ "energy", NULL,
	  "kWh and kgCO2e beside dollars: measured, estimated, unknown; by who, where and what machine",
	  .type = OPT_FLAG, AT(energy) },
	{ "html", "FILE", "write one self-contained page", .values = "FILE", .type = OPT_FILE,
	  AT(html) },
	{ "focus", "FILE", "write FOCUS 1.3 rows, split by job, as CSV", .values = "FILE",
	  .type = OPT_FILE, AT(focus) },
	{ 0 },
};

/* What a view has no use for would else be left out in silence. */
static int check_used(struct cli *c, const struct options *o, struct err *err)
{
	static const char *const kpi[] = { "by", "split-idle", "sort", "limit", NULL };
	static const char *const tags[] = { "by", "split-idle", "sort", NULL };
	static const char *const energy[] = { "cost", "split-idle", "sort", NULL };
	static const char *const serving[] = { "split-idle", "sort", "limit", NULL };
	static const char *const focus[] = { "by", "cost", "split-idle", "sort", "limit", NULL };
	static const char *const lists[] = { "by",    "cost", "currency", "split-idle",
					     "where", "sort", "limit",    "compare",
					     "pivot", "top",  "trend",    NULL };
	const struct {
		bool asked;
		const char *view, *why;
		const char *const *unused;
	} view[] = {
		{ o->kpi, "kpi", "has one line for each figure", kpi },
		{ o->tags, "tags", "has one line for each required tag", tags },
		{ o->energy, "energy", "has effective cost, most energy first", energy },
		{ o->serving, "serving", "has all services, or their tenants", serving },
		{ o->focus != NULL, "focus", "writes every charge with all its costs", focus },
		{ o->views, "views", "lists the saved views", lists },
	};

	for (size_t i = 0; i < sizeof view / sizeof *view; i++)
		for (const char *const *p = view[i].unused; view[i].asked && *p; p++) {
			if (!cli_value(c, *p) && !cli_flag(c, *p))
				continue;
			const char *variable = cli_variable(c, *p);
			if (variable)
				continue; /* it is for reports at large */
			return err_set(err, -EINVAL, "--%s %s: --%s has no meaning there",
				       view[i].view, view[i].why, *p);
		}
	return 0;
}

static int read_outputs(struct cli *c, struct options *o, struct err *err)
{
	const char *output = cli_value(c, "output");
	int views;

	if (output && !strcmp(output, "html") && !o->html)
		o->html = "-";
	if (output && !strcmp(output, "focus") && !o->focus)
		o->focus = "-";
	views = o->showback + o->chargeback + o->kpi + o->tags + o->energy + o->serving +
		o->hidden + (o->html != NULL) + (o->focus != NULL) - (o->chargeback && o->html);
	if (views > 1)
		return err_set(
			err, -EINVAL,
			"only one of --showback, --chargeback, --kpi, --tags, --energy, --serving, --hidden, --html and --focus at a time");
	if (check_used(c, o, err) < 0)
		return -EINVAL;
	int lines = o->chargeback && !o->html;
	if (c->output == OUT_XLSX && views > lines)
		return err_set(
			err, -EINVAL,
			"-o xlsx writes the rows of a report or a --chargeback, no other view");
	if (c->output == OUT_XLSX && isatty(STDOUT_FILENO)) {
		err_set(err, -EINVAL, "an xlsx file is nothing for a terminal");
		err_hint(err, "Write it to a file: tare report -o xlsx > report.xlsx");
		return -EINVAL;
	}
	if (o->focus && o->where.n)
		return err_set(err, -EINVAL, "--focus writes whole charges and takes no --where");
	if (o->currency && (o->focus || o->energy))
		return err_set(err, -EINVAL, "--%s has amounts as they are billed: no --currency",
			       o->focus ? "focus" : "energy");
	const char *piped = text_or(o->html, o->focus);
	bool fits = !output || !strcmp(output, "html") || !strcmp(output, "focus");
	if (output && !strcmp(output, "table"))
		fits = true;
	if (piped && !strcmp(piped, "-") && !fits)
		return err_set(err, -EINVAL,
			       "--%s - writes to standard output, where -o %s would: leave one out",
			       o->html ? "html" : "focus", output);
	bool page = o->html && !o->chargeback;
	if (o->beside.top && views && !page)
		return err_set(
			err, -EINVAL,
			"--top is of the rows of a report: this view has no row of the rest");
	return report_beside_fits(&o->beside, &o->dims, (enum idle_split)o->split, views > 0,
				  o->limit, err);
}

/* A request has no other dimension: no filter, and its own --by. */
static int read_serving(struct cli *c, struct options *o, struct err *err)
{
	if (o->where.n)
		return err_set(err, -EINVAL,
			       "--serving is of all requests of the window and takes no --where");
	return report_serving_by(cli_value(c, "by") ? o->by : "service", &o->by_tenant, err);
}

static int read_options(struct cli *c, struct options *o, struct report_load *l, struct err *err)
{
	int r = cli_read_opts(c, o, err);

	if (r >= 0 && o->serving)
		r = read_serving(c, o, err);
	else if (r >= 0)
		r = report_dims_add(&o->dims, o->by, &c->mem, err);
	o->shown = o->dims.n;
	l->q.basis = (enum basis)o->basis;
	for (size_t i = 0; r >= 0 && i < o->where.n; i++)
		r = report_filter_add(&l->q.filter, o->where.v[i], &c->mem, err);
	if (r >= 0)
		r = report_filter_fits(&l->q.filter, (enum idle_split)o->split, err);
	if (r < 0)
		return r;
	return read_outputs(c, o, err);
}

/* Accounts have their names beside them, but in a table for people where no bill says one. */
static int add_names(struct report_load *l, struct options *o, struct err *err)
{
	int r = report_find_accounts(&l->q, &o->dims, err);
	bool people = l->c->output == OUT_TABLE || l->c->output == OUT_MD || o->html;

	if (r >= 0 && (!people || accounts_named(&l->q.accounts)))
		r = report_dims_add_names(&o->dims, err);
	o->shown = o->dims.n;
	return r;
}

/* ---- the views --------------------------------------------------------------------------- */

/* What the commands that are proposed say themselves. */
static const char *const own[] = { "by",       "sort",       "limit",   "split-idle",
				   "showback", "chargeback", "compare", "pivot",
				   "trend",    "top",        "save",    NULL };

static struct report_in report_of(const struct report_load *l, const struct options *o,
				  const struct report_answer *a)
{
	return (struct report_in){
		.dim = o->dims.name,
		.ndim = o->shown,
		.nattr = o->dims.n - o->shown,
		.cell = a->cell,
		.ncell = a->ncell,
		.reconcile = a->reconcile,
		.nreconcile = l->q.exchange ? 0 : a->nreconcile,
		.ends_untold = a->ends_untold,
		.accounts_teamless = a->accounts_teamless,
		.nameless = a->nameless,
		.exchanged_to = l->q.exchange ? l->q.exchange->to : NULL,
		.exchanged = a->exchanged,
		.nexchanged = a->nexchanged,
		.since_ms = l->q.since_ms,
		.until_ms = l->q.until_ms,
		.data_until_ms = l->q.data_until_ms,
		.basis = l->q.basis,
		.split = (enum idle_split)o->split,
		.conf = &l->c->conf,
		.where = l->q.filter.words.n ? str_z(&l->q.filter.words) : NULL,
		.again = cli_again(l->c, own),
		.sort = (enum report_sort)o->sort,
		.sort_given = o->sort_given,
		.limit = (size_t)o->limit,
		.colour = l->c->colour,
		.width = l->c->width,
		.now_ms = l->c->now_ms,
	};
}

/* What the direct cost of a page is of: the same question by INVOICE_DETAIL too, as far as there is
 * room for them beside --by and the kind. */
static int view_invoice(struct report_load *l, const struct options *o, struct report_in *in,
			struct str *out, struct err *err)
{
	struct options by = { 0 };
	struct report_answer a;
	struct report_in detail;
	struct arena *mem = &l->c->mem;
	struct sv rest = SV(INVOICE_DETAIL);
	int r = 0;

	for (size_t i = 0; i < o->shown; i++)
		if (r >= 0)
			r = report_dims_add(&by.dims, o->dims.name[i], mem, err);
	while (rest.p && r >= 0) {
		const char *name = arena_sv(mem, sv_cut(rest, ',', &rest));
		bool room = by.dims.n < REPORT_DIMS_ASKED - 1;
		if (room && !report_dims_has(&by.dims, name))
			r = report_dims_add(&by.dims, name, mem, err);
	}
	if (r >= 0)
		r = report_find_accounts(&l->q, &by.dims, err);
	if (r >= 0 && by.dims.n < REPORT_DIMS_ASKED - 1)
		r = report_dims_add_names(&by.dims, err);
	by.shown = by.dims.n;
	if (r >= 0)
		r = report_dims_add_split(&by.dims, SPLIT_PROPORTIONAL, &l->c->conf, mem, err);
	if (r >= 0)
		r = answer_report(&l->q, &by.dims, &a, err);
	if (r < 0)
		return r;
	detail = report_of(l, &by, &a);
	return invoice_print(in, &detail, out, err);
}

static int view_report(struct report_load *l, struct options *o, struct str *out, struct err *err)
{
	struct report_answer a;
	struct report_in in;
	struct cli *c = l->c;
	bool by_line = o->showback || o->chargeback;
	int r = 0;

	if (o->split == SPLIT_RULE && !c->conf.idle_rules.n && !c->quiet)
		fprintf(stderr,
			"tare: the settings have no idle_rules: what nobody used stays a row of its own (docs/CONFIG.md)\n");
	if (o->chargeback)
		r = centers_load(&c->conf, err);
	/* What the split has to know beside the rows' own dimensions. */
	bool split = o->split != SPLIT_NONE || by_line || o->hidden;
	if (r >= 0 && split)
		r = report_dims_add_split(&o->dims, (enum idle_split)o->split, &c->conf, &c->mem,
					  err);
	if (r >= 0)
		r = report_beside_window(&o->beside, &l->q, err);
	if (r >= 0)
		r = answer_report(&l->q, &o->dims, &a, err);
	if (r < 0)
		return r;
	in = report_of(l, o, &a);
	struct str uncosted = { 0 }; /* what has no place in the rows of a CSV: on stderr */
	if (l->c->output == OUT_CSV && !l->c->quiet)
		report_say_uncosted(&in, &uncosted);
	if (!l->c->quiet)
		report_say_tags(&a, &uncosted);
	if (by_line && !l->c->quiet)
		report_say_shared(&in, &uncosted);
	if (uncosted.n)
		fputs(str_z(&uncosted), stderr);
	str_free(&uncosted);
	if (o->hidden)
		return hidden_print(&in, l->c->output, out, err);
	if (o->chargeback && o->html)
		return view_invoice(l, o, &in, out, err);
	if (by_line)
		return chargeback_print(&in, o->chargeback ? CHARGE_CHARGEBACK : CHARGE_SHOWBACK,
					l->c->output, out, err);
	if (o->html) {
		r = answer_report_days(&l->q, &in.day, &in.nday, err);
		if (r < 0)
			return r;
		in.limit = o->limit ? (size_t)o->limit : HTML_ROWS;
		in.top = (size_t)o->beside.top;
		return report_print(&in, OUT_HTML, out, err);
	}
	r = report_beside_ask(&o->beside, l->c, &l->q, &o->dims, &in, err);
	if (r >= 0)
		r = report_print(&in, l->c->output, out, err);
	if (r == 0 && l->c->output == OUT_TABLE && !l->c->quiet) {
		report_say_span(&a, out);
		report_say_currencies(&in, out);
	}
	return r;
}

static int view_kpi(struct report_load *l, struct str *out, struct err *err)
{
	struct kpi_in in = {
		.since_ms = l->q.since_ms,
		.until_ms = l->q.until_ms,
		.data_until_ms = l->q.data_until_ms,
		.basis = l->q.basis,
		.conf = &l->c->conf,
		.colour = l->c->colour,
		.width = l->c->width,
		.where = l->q.filter.words.n ? str_z(&l->q.filter.words) : NULL,
	};
	int r = answer_kpi(&l->q, &in.of, err);

	if (r < 0)
		return r;
	return kpi_print(&in, l->c->output, out, err);
}

static int view_tags(struct report_load *l, size_t limit, struct str *out, struct err *err)
{
	struct tags_in in = {
		.since_ms = l->q.since_ms,
		.until_ms = l->q.until_ms,
		.data_until_ms = l->q.data_until_ms,
		.basis = l->q.basis,
		.conf = &l->c->conf,
		.limit = limit,
		.colour = l->c->colour,
		.width = l->c->width,
	};
	int r = answer_tags(&l->q, &in.of, err);

	if (r < 0)
		return r;
	return tags_print(&in, l->c->output, out, err);
}

static int view_energy(struct report_load *l, const struct options *o, struct str *out,
		       struct err *err)
{
	struct energy_answer a;
	struct catalog *cat;
	struct out_as as = cli_out_as(l->c);
	int r = catalog_open(NULL, &cat, err);

	if (r < 0)
		return r;
	r = answer_energy(&l->q, &o->dims, cat, &a, err);
	if (r >= 0 && a.nother && as.format == OUT_CSV && !l->c->quiet)
		fprintf(stderr,
			"tare: what is charged in other currencies than %s is left out: no exchange rate is known (tare import --as rates)\n",
			a.currency);
	if (r >= 0)
		energy_print(&a, o->dims.name, o->shown, (size_t)o->limit, &as, out);
	catalog_free(cat);
	return r;
}

static int show_view(struct report_load *l, struct options *o, struct str *out, struct err *err)
{
	if (o->kpi)
		return view_kpi(l, out, err);
	if (o->serving)
		return report_view_serving(l->c, &l->q, o->by_tenant, out, err);
	if (o->tags)
		return view_tags(l, (size_t)o->limit, out, err);
	if (o->energy)
		return view_energy(l, o, out, err);
	return view_report(l, o, out, err);
}

/* What --currency could not bring to it, on stderr. 0, or EXIT_INCOMPLETE where there is such. */
static int say_missing_rates(struct report_load *l)
{
	struct report_dims kind = { 0 };
	struct report_answer a;
	struct err err = { 0 };
	char from[TM_BUF], to[TM_BUF], amount[DEC_BUF];
	int rc = EXIT_DONE;

	if (report_dims_add(&kind, "kind", &l->c->mem, &err) < 0 ||
	    answer_report(&l->q, &kind, &a, &err) < 0)
		return cli_fail(&err);
	for (size_t i = 0; i < a.nexchanged; i++) {
		const struct report_exchanged *x = &a.exchanged[i];
		if (x->left_from_ms == UNKNOWN_MS)
			continue;
		tm_format_date(from, x->left_from_ms);
		fprintf(stderr,
			"tare: no exchange rate of %s to %s is known of %s to %s: %s %s are not added\n"
			"      Bring it in: tare import --as rates FILE, a CSV of date,from,to,rate such as %s,%s,%s,RATE\n",
			x->currency, l->exchange.to, from, tm_format_date(to, x->left_to_ms),
			dec_format_people(amount, x->left, 2), x->currency, from, x->currency,
			l->exchange.to);
		rc = EXIT_INCOMPLETE;
	}
	return rc;
}

static int run_views(struct report_load *l, struct options *o)
{
	struct err err = { 0 };
	struct str out = { 0 };
	int64_t bill_lines = 0;
	bool empty = false;
	int rc;

	if (report_window(&l->q, &empty, &err) < 0 ||
	    (empty && report_bill_lines(&l->q, &bill_lines, &err) < 0))
		return cli_fail(&err);
	if (empty && !o->serving) { /* request logs alone say how fast it was */
		if (!l->c->quiet && bill_lines)
			fprintf(stderr,
				"tare: the ledger in '%s' is empty: no line of its bills (%lld) says a cost other than 0.\n"
				"      An export of amortised cost may: tare import FILE...\n",
				cli_db(l->c), (long long)bill_lines);
		else if (!l->c->quiet)
			fprintf(stderr,
				"tare: the ledger in '%s' is empty.\n"
				"      Bring in a bill, a job list or telemetry: tare import FILE...   Or see it at work first: tare demo\n",
				cli_db(l->c));
		if (!bill_lines && l->c->output == OUT_TABLE && !o->html && !o->focus)
			return EXIT_DONE;
	}
	if (o->focus)
		return report_view_focus(l->c, &l->q, o->focus);
	if (!o->energy && add_names(l, o, &err) < 0)
		return fail_report(l->c, &err);
	if (o->currency) {
		if (report_exchange_load(&l->q, o->currency, &l->exchange, &err) < 0)
			return fail_report(l->c, &err);
		l->q.exchange = &l->exchange;
	}
	rc = show_view(l, o, &out, &err);
	if (rc == -ENODATA) {
		cli_fail(&err);
		rc = EXIT_INCOMPLETE;
	} else {
		rc = rc < 0 ? fail_report(l->c, &err) : report_emit(l->c, o->html, &out);
	}
	if (l->q.exchange && rc == EXIT_DONE)
		rc = say_missing_rates(l);
	str_free(&out);
	return rc;
}

static int list_views(struct cli *c)
{
	const char *output = cli_value(c, "output");
	struct options o = { .views = true };
	struct err err = { 0 };

	bool page = output && (!strcmp(output, "html") || !strcmp(output, "focus"));
	if (page || (output && c->output == OUT_XLSX))
		return cli_usage_error(c, "-o %s writes the rows of a report, not --views", output);
	return check_used(c, &o, &err) < 0 ? fail_report(c, &err) : report_list_views(c);
}

static int run_report(struct cli *c)
{
	struct report_load l = { .c = c };
	struct options o = { 0 };
	struct store *store = NULL;
	struct err err = { 0 };
	int rc;

	if (c->narg)
		return cli_usage_error(
			c, "report takes no argument but the name of a view, @NAME: '%s'",
			c->arg[0]);
	if (cli_flag(c, "views"))
		return list_views(c);
	if (cli_value(c, "forget"))
		return report_forget_view(c, cli_value(c, "forget"));
	const char *save = cli_value(c, "save");
	if (read_options(c, &o, &l, &err) < 0 || (save && views_check_name(save, "save", &err) < 0))
		rc = fail_report(c, &err);
	else if (cli_open_store(c, STORE_READ, &store, &err) < 0)
		rc = cli_fail(&err);
	else {
		l.q.ask = cli_ask(c, store, NULL);
		rc = run_views(&l, &o);
		if (o.save && rc == EXIT_DONE)
			rc = report_save_view(c, o.save);
	}
	if (store)
		store_close(store);
	report_ask_free(&l.q);
	return rc;
}

const struct cli_cmd cmd_report_def = {
	.name = "report",
	.group = "see",
	.summary = "who spent what, on what",
	.usage =
		"[@VIEW] [--by DIM[,DIM...]] [--cost BASIS] [--split-idle HOW] [--where DIM=VALUE] ...",
	.examples =
		"tare report --by team --since 30d\n"
		"tare report --by team,state --where env=prod --sort waste\n"
		"tare report --since month --compare lastmonth\n"
		"tare report --by team --pivot week --top 10\n"
		"tare report --by team --since lastmonth --compare lastmonth --save monthly\n"
		"tare report @monthly -o csv\n"
		"tare report --by tag:cost-center -o csv > november.csv\n"
		"tare report --chargeback --split-idle proportional --since lastmonth -o csv\n"
		"tare report --chargeback --split-idle proportional --since lastmonth --html invoices.html\n"
		"tare report --by team --since lastmonth --currency EUR\n"
		"tare report --kpi -o json\n"
		"tare report --by team,job --hidden --limit 20\n"
		"tare report --energy --by team,region\n"
		"tare report --by service,tenant --serving --since 7d\n"
		"tare report --html report.html\n"
		"tare report --by team,project --since lastmonth -o xlsx > november.xlsx\n"
		"tare report --focus focus.csv",
	.about =
		"Amounts are exact. 'billed' adds up to invoices, 'effective' to what the use cost (fees spread over their\n"
		"term), 'list' is for comparison. '-' is unknown, never zero. Currencies are not added: each has its block, or see --currency.\n"
		"Shares are of the row's paid GPU time. An empty value in --where is 'nobody': --where team=",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_WINDOW | CLI_HOURS,
	.opt = opts,
	.docs = CLI_DOCS(&kpi_doc, &report_doc, &chargeback_doc, &showback_doc, &hidden_doc,
			 &serving_doc, &tags_doc, &energy_doc, &saved_doc),
	.before = report_take_view,
	.run = run_report,
};
