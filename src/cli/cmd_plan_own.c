/* tare plan own: rent or buy a GPU. */
#include <errno.h>
#include <math.h>

#include "cli/cmds.h"
#include "report/plan_own.h"

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

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct own_ask a = { 0 };
	struct own_result r;
	struct out_as as = cli_out_as(c);

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "purchase") || !cli_value(c, "cloud"))
		return cli_usage_error(c, "--purchase and --cloud are needed");
	if (read_ask(c, &a, &err) < 0 || answer_plan_own(&a, &r, &err) < 0)
		return cli_fail(&err);
	plan_own_print(&a, &r, &as, &out);
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
