#include "report/cost/report.h"

#include <errno.h>

#include "base/near.h"
#include "report/cost/compare.h"
#include "report/cost/cube.h"
#include "report/cost/cube_build.h"
#include "report/formats.h"
#include "report/cost/pivot.h"
#include "report/text.h"
#include "report/cost/view.h"

int report_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err)
{
	static void (*const print[])(const struct report_in *, const struct cube *,
				     struct str *) = {
		[OUT_TABLE] = report_table, [OUT_JSON] = report_json, [OUT_CSV] = report_csv,
		[OUT_MD] = report_md,       [OUT_HTML] = report_html,
	};
	static void (*const compare[])(const struct report_in *, const struct cube *,
				       struct str *) = {
		[OUT_TABLE] = compare_table, [OUT_JSON] = report_json, [OUT_CSV] = compare_csv,
		[OUT_MD] = compare_md,       [OUT_HTML] = report_html,
	};
	static void (*const pivot[])(const struct report_in *, const struct cube *,
				     struct str *) = {
		[OUT_TABLE] = pivot_table, [OUT_JSON] = report_json, [OUT_CSV] = pivot_csv,
		[OUT_MD] = pivot_md,       [OUT_HTML] = report_html,
	};
	struct cube c;
	int r;

	if (f == OUT_XLSX)
		return report_xlsx(in, out, err);
	r = cube_build(in, false, &c, err);
	if (r < 0)
		return r;
	if (in->compare)
		compare[f](in, &c, out);
	else if (in->pivot)
		pivot[f](in, &c, out);
	else
		print[f](in, &c, out);
	cube_free(&c);
	return 0;
}

void report_say_span(const struct report_answer *a, struct str *out)
{
	struct arena mem = { 0 };

	if (a->ledger_from_ms != UNKNOWN_MS)
		str_addf(out, "\nThe ledger holds %s.\n",
			 text_window(&mem, a->ledger_from_ms, a->ledger_to_ms));
	if (a->near_value)
		str_addf(out, "No %s is '%s'. Did you mean '%s'?\n", a->unknown_dim,
			 text_line(&mem, sv_of(a->unknown_value), 0),
			 text_line(&mem, sv_of(a->near_value), 0));
	else if (a->unknown_dim)
		str_addf(out, "No %s is '%s'. Those that there are: tare report --by %s\n",
			 a->unknown_dim, text_line(&mem, sv_of(a->unknown_value), 0),
			 text_line(&mem, sv_of(a->unknown_dim), 0));
	arena_free(&mem);
}

void report_say_shared(const struct report_in *in, struct str *out)
{
	struct arena mem = { 0 };
	const char **team = arena_alloc(&mem, (in->ncell + 1) * sizeof *team);
	bool by_team = in->ndim && !strcmp(in->dim[0], "team") && !in->where;

	for (size_t i = 0; by_team && i < in->ncell; i++)
		team[i] = in->cell[i].dim[0];
	for (size_t k = 0; by_team && k < in->conf->shared_teams.n; k++) {
		const char *name = in->conf->shared_teams.v[k],
			   *near = near_word(name, team, in->ncell);
		bool there = false;
		for (size_t i = 0; i < in->ncell && near && !there; i++)
			there = !strcmp(team[i], name);
		if (near && !there)
			str_addf(
				out,
				"tare: shared_teams has '%s', which no team is: did you mean '%s'? Its cost is not shared out.\n",
				text_line(&mem, sv_of(name), 0), text_line(&mem, sv_of(near), 0));
	}
	arena_free(&mem);
}

#define TAGS_NAMED 12

void report_say_tags(const struct report_answer *a, struct str *out)
{
	struct arena mem = { 0 };

	if (!a->unknown_tag)
		return;
	str_addf(out, "tare: nothing has a tag '%s'", text_line(&mem, sv_of(a->unknown_tag), 0));
	if (a->near_tag)
		str_addf(out, ": did you mean tag:%s?", text_line(&mem, sv_of(a->near_tag), 0));
	str_addz(out, "\n      Tags that there are: ");
	for (size_t i = 0; i < a->ntag_key && i < TAGS_NAMED; i++)
		str_addf(out, "%s%s", text_if(i, ", "), text_line(&mem, sv_of(a->tag_key[i]), 0));
	if (!a->ntag_key)
		str_addz(out, "none");
	if (a->ntag_key > TAGS_NAMED)
		str_addf(out, " and %zu more", a->ntag_key - TAGS_NAMED);
	str_addc(out, '\n');
	arena_free(&mem);
}

void report_say_uncosted(const struct report_in *in, struct str *out)
{
	struct arena a = { 0 };

	for (size_t i = 0; i < in->nreconcile; i++)
		if (in->reconcile[i].lines_unknown)
			str_addf(out, "tare: %s", view_uncosted(&a, in, &in->reconcile[i]));
	arena_free(&a);
}

void report_say_currencies(const struct report_in *in, struct str *out)
{
	const char *first = NULL;
	bool several = false;

	for (size_t i = 0; i < in->ncell; i++) {
		const char *own = cube_currency(in, in->cell[i].currency);
		if (!in->cell[i].cost)
			continue;
		first = first ? first : own;
		several |= strcmp(first, own) != 0;
	}
	if (several && !in->exchanged_to)
		str_addf(
			out,
			"\nCurrencies are not added. All in one: --currency %s, with the exchange rates of tare import --as rates.\n",
			report_currency(in));
}
