/* tare plan own: rent or buy a GPU; see opt/own.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "opt/own.h"
#include "report/text.h"

static int number(const struct cli *c, const char *name, double other, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	return z && sv_f64(sv_of(z), ret) < 0
		       ? err_set(err, -EINVAL, "--%s: '%s' is no number", name, z)
		       : 0;
}

static int amount(const struct cli *c, const char *name, dec *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = 0;
	return z && dec_parse(sv_of(z), DEC_GROUPED, ret) < 0
		       ? err_set(err, -EINVAL, "--%s: '%s' is no amount", name, z)
		       : 0;
}

static int read_ask(const struct cli *c, struct own_ask *a, struct err *err)
{
	const struct {
		const char *name;
		double other, *to;
	} n[] = { { "years", 4, &a->years },
		  { "power-w", 0, &a->power_w },
		  { "idle-power-w", NAN, &a->idle_power_w },
		  { "pue", 1.4, &a->pue },
		  { "wacc", 0, &a->wacc_frac },
		  { "util", NAN, &a->util_frac } };
	const struct {
		const char *name;
		dec *to;
	} m[] = { { "purchase", &a->purchase },
		  { "residual", &a->residual },
		  { "usd-kwh", &a->usd_kwh },
		  { "other-month", &a->staff_space_month },
		  { "cloud", &a->cloud_hour } };
	int r = 0;
	for (size_t i = 0; i < sizeof n / sizeof *n && r >= 0; i++)
		r = number(c, n[i].name, n[i].other, n[i].to, err);
	for (size_t i = 0; i < sizeof m / sizeof *m && r >= 0; i++)
		r = amount(c, m[i].name, m[i].to, err);
	if (r >= 0 && a->power_w > 0 && !cli_value(c, "usd-kwh"))
		r = err_set(err, -EINVAL,
			    "--power-w needs --usd-kwh: what a kilowatt-hour costs is not known");
	return r;
}

static void money(struct jw *w, const char *key, double v)
{
	jw_key(w, key);
	if (isnan(v) || isinf(v))
		jw_null(w);
	else
		jw_dec(w, (dec)roundl((long double)v * 1e6L) * 1000000);
}

static void print_json(const struct own_ask *a, const struct own_result *r, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-own/1");
	jw_key(&w, "month_hours");
	jw_int(&w, (int64_t)OWN_MONTH_H);
	money(&w, "own_fixed_month", r->fixed_month);
	money(&w, "own_hour_full", r->hour_full);
	jw_key(&w, "rent_hour");
	jw_dec(&w, a->cloud_hour);
	jw_put_num(&w, "break_even_util_frac", r->break_even_util_frac, 6);
	jw_put_num(&w, "break_even_hours_month", r->break_even_hours_month, 6);
	jw_put_num(&w, "util_frac", a->util_frac, 6);
	money(&w, "own_month", r->own_month);
	money(&w, "rent_month", r->rent_month);
	money(&w, "saving_month", r->saving_month);
	money(&w, "own_hour_used", r->own_hour_used);
	jw_put_num(&w, "payback_months", r->payback_months, 6);
	jw_key(&w, "answer");
	jw_str(&w, isnan(a->util_frac) ? NULL : r->saving_month > 0 ? "own" : "rent");
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static char *usd(struct arena *m, double v, int digits)
{
	return text_money(m, dec_from_double(v), digits);
}

static void print_text(const struct own_ask *a, const struct own_result *r, struct str *out)
{
	struct arena m = { 0 };
	char rent[DEC_BUF];
	str_addf(out, "Own    %s $/month (730 h) whether used or not", usd(&m, r->fixed_month, 2));
	if (r->use_hour > 0)
		str_addf(out, ", and %s $ for each hour used", usd(&m, r->use_hour, 4));
	str_addf(out, "\n       %s $/h when it never stops\nRent   %s $/h\n\n",
		 usd(&m, r->hour_full, 4), dec_format(rent, a->cloud_hour));
	if (r->break_even_util_frac > 1)
		str_addz(out, "Renting costs less, even for a card that never stops.\n");
	else
		str_addf(out, "Owning costs less above %.1f %% use (%.0f h a month).\n",
			 r->break_even_util_frac * 100, r->break_even_hours_month);
	if (!isnan(a->util_frac)) {
		str_addf(out, "Used %.0f %%: own %s, rent %s $/month: %s saves %s.\n",
			 a->util_frac * 100, usd(&m, r->own_month, 2), usd(&m, r->rent_month, 2),
			 r->saving_month > 0 ? "owning" : "renting",
			 usd(&m, fabs(r->saving_month), 2));
		if (isinf(r->payback_months))
			str_addf(out, "The purchase is not paid back within %g years.\n", a->years);
		else
			str_addf(out, "The purchase is paid back after %.1f months.\n",
				 r->payback_months);
	}
	arena_free(&m);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct own_ask a = { 0 };
	struct own_result r;
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "purchase") || !cli_value(c, "cloud"))
		return cli_usage_error(c, "--purchase and --cloud are needed");
	if (read_ask(c, &a, &err) < 0 || own_compare(&a, &r, &err) < 0)
		return cli_fail(&err);
	if (c->output == OUT_JSON)
		print_json(&a, &r, &out);
	else
		print_text(&a, &r, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "purchase", "USD", "price of a GPU with its share of the machine", 0, false, NULL },
	{ "residual", "USD", "what it is worth at the end of its life (default: 0)", 0, false,
	  NULL },
	{ "years", "Y", "its life (default: 4)", 0, false, NULL },
	{ "power-w", "W",
	  "power it and its share of the machine draw when used (default: 0, not counted)", 0,
	  false, NULL },
	{ "idle-power-w", "W", "and when not (default: the same)", 0, false, NULL },
	{ "pue", "F", "power of the house for each watt of the machine (default: 1.4)", 0, false,
	  NULL },
	{ "usd-kwh", "USD", "price of a kilowatt-hour", 0, false, NULL },
	{ "other-month", "USD", "space, network and staff, a month for each GPU (default: 0)", 0,
	  false, NULL },
	{ "wacc", "F", "cost of capital a year (default: 0)", 0, false, NULL },
	{ "cloud", "USD", "rent of such a GPU for an hour, as it would be bought", 0, false, NULL },
	{ "util", "F", "share of all hours it is used, 0 to 1", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_own_def = {
	.name = "plan own",
	.group = "",
	.summary = "rent or own a GPU: from which use on, and when it is paid back",
	.usage = "--purchase USD --cloud USD [--util F] ...",
	.examples =
		"# an H100 at 30,000, 4 years, 700 W, against 3.50 an hour, used 60 % of the time\n"
		"tare plan own --purchase 30000 --residual 3000 --years 4 --power-w 700 --idle-power-w 100 --usd-kwh 0.12 --other-month 150 --cloud 3.5 --util 0.6\n"
		"# with money at 8 % a year\n"
		"tare plan own --purchase 30000 --cloud 2.2 --wacc 0.08",
	.about =
		"What is not given counts as nothing, so an answer is only as good as what goes in: power, space and people are easily a third. Prices to rent:\n"
		"tare price --gpu H100.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
