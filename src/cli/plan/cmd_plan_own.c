/* tare plan own: rent or buy a GPU. */
#include <errno.h>

#include "cli/cmds.h"
#include "report/plan/plan_own.h"

static int read_ask(const struct cli *c, struct own_ask *a, struct err *err)
{
	int r = cli_read_opts(c, a, err);

	if (r >= 0 && a->power_w > 0 && !cli_value(c, "usd-kwh"))
		r = err_set(err, -EINVAL,
			    "--power-w needs --usd-kwh: what a kilowatt-hour costs is not known");
	return r;
}

static int run_plan_own(struct cli *c)
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
	{ "purchase", "USD", "price of a GPU with its share of the machine", .type = OPT_MONEY,
	  .at = offsetof(struct own_ask, purchase), .hi = 1e9 },
	{ "residual", "USD", "what it is worth at the end of its life", .type = OPT_MONEY,
	  .at = offsetof(struct own_ask, residual), .hi = 1e9, .def = "0" },
	{ "years", "Y", "its life", .type = OPT_NUM, .at = offsetof(struct own_ask, years),
	  .lo = 0.1, .hi = 50, .def = "4" },
	{ "power-w", "W",
	  "power it and its share of the machine draw when used (default: 0, not counted)",
	  .type = OPT_NUM, .at = offsetof(struct own_ask, power_w), .hi = 1e6, .def = "0" },
	{ "idle-power-w", "W", "and when not (default: the same)", .type = OPT_NUM,
	  .at = offsetof(struct own_ask, idle_power_w), .hi = 1e6 },
	{ "pue", "F", "power of the house for each watt of the machine", .type = OPT_NUM,
	  .at = offsetof(struct own_ask, pue), .lo = 1, .hi = 10, .def = "1.4" },
	{ "usd-kwh", "USD", "price of a kilowatt-hour", .type = OPT_MONEY,
	  .at = offsetof(struct own_ask, usd_kwh), .hi = 100 },
	{ "other-month", "USD", "space, network and staff, a month for each GPU", .type = OPT_MONEY,
	  .at = offsetof(struct own_ask, staff_space_month), .hi = 1e9, .def = "0" },
	{ "wacc", "F", "cost of capital a year", .type = OPT_FRAC,
	  .at = offsetof(struct own_ask, wacc_frac), .def = "0" },
	{ "cloud", "USD", "rent of such a GPU for an hour, as it would be bought",
	  .type = OPT_MONEY, .at = offsetof(struct own_ask, cloud_hour), .hi = 1e6 },
	{ "util", "F", "share of all hours it is used, 0 to 1", .type = OPT_NUM,
	  .at = offsetof(struct own_ask, util_frac), .hi = 1 },
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
	.docs = CLI_DOCS(&plan_own_doc),
	.run = run_plan_own,
};
