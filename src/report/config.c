#include "report/config.h"

#include "base/num.h"
#include "base/str.h"
#include "report/grid.h"
#include "report/text.h"

#define AT(member) offsetof(struct config_row, member)

static const struct col row_cols[] = {
	{ "key", COL_TEXT, AT(key), NULL, "name of the setting; [0]: of the first item of a list",
	  0 },
	{ "value", COL_TEXT, AT(value), NULL, "what holds, as one would write it in the file", 0 },
	{ "unit", COL_TEXT, AT(unit), NULL, "of the value", 0 },
	{ "source", COL_TEXT, AT(source), NULL, "default, file or variable", 0 },
	{ "at", COL_TEXT, AT(at), NULL, "file and line, or the name of the variable", 0 },
	{ "line", COL_INT, AT(line), NULL, "line of the file", 0 },
	{ "default", COL_TEXT, AT(def), NULL, "what holds if nothing is said", 0 },
	{ "if_not_set", COL_TEXT, AT(none), NULL, "in words, where the default is not a value", 0 },
	{ "kind", COL_TEXT, AT(kind), NULL, "what kind of value it is", 0 },
	{ "range", COL_TEXT, AT(range), NULL, "what it may be", 0 },
	{ "option", COL_TEXT, AT(option), NULL, "option of a command that wins over the file", 0 },
	{ "variable", COL_TEXT, AT(variable), NULL, "variable that wins over the file", 0 },
	{ "meaning", COL_TEXT, AT(help), NULL, "what it does", 0 },
	{ 0 },
};
static const struct col cols[] = {
	{ "file", COL_TEXT, offsetof(struct config_answer, file), NULL,
	  "the settings' file; null: there is none", 0 },
	{ "settings", COL_LIST(struct config_answer, row, n, row_cols),
	  .help = "in the order of the file's sections" },
	{ 0 },
};
const struct col_doc config_doc = { "tare.config/1", "config",
				    "the settings, what each is, and where that comes from", cols };

#define VALUE_MAX   26 /* columns; longer ones lose their middle, and stand in full in -o csv */
#define MEANING_MIN 30 /* with less room there is no meaning */
#define GAP         2

/* "730 h", "(no limit)", "-"; of what items may have, the default. */
static const char *value_cell(struct arena *a, const struct config_row *r)
{
	const char *v = r->value;

	if (r->field)
		v = r->def;
	if (!v)
		return text_or_dash(r->none, arena_printf(a, "(%s)", r->none));
	if (!*v)
		return "\"\"";
	if (r->unit)
		return arena_printf(a, "%s %s", v, r->unit);
	return v;
}

/* max: of a value, 0 = any; width: of a line, 0 = any. */
static void fill_grid(const struct config_answer *a, int max, int width, struct grid *g)
{
	const char *(*row)[4] = arena_alloc(&g->mem, (a->n + 1) * sizeof *row);
	int used[3] = { 7, 5, 4 }; /* the heads */

	for (size_t i = 0; i < a->n; i++) {
		const struct config_row *r = &a->row[i];
		row[i][0] = text_line(&g->mem, sv_of(r->key), 0);
		row[i][1] = text_line(&g->mem, sv_of(value_cell(&g->mem, r)), max);
		const char *source_cell;
		if (r->line != UNKNOWN_I64)
			source_cell = arena_printf(&g->mem, "line %lld", (long long)r->line);
		else
			source_cell = text_or(r->at, r->source);
		row[i][2] = text_line(&g->mem, sv_of(source_cell), 0);
		row[i][3] = r->help;
		for (int k = 0; k < 3; k++) {
			int cell = text_width(sv_of(row[i][k]));
			used[k] = max_int(cell, used[k]);
		}
	}
	int room = width - used[0] - used[1] - used[2] - 3 * GAP;
	bool meaning = !width || room >= MEANING_MIN;
	grid_add_col(g, "setting", GRID_LEFT, false);
	grid_add_col(g, "value", GRID_LEFT, grid_fits_lines());
	grid_worth(g, GRID_ALWAYS);
	grid_add_col(g, "from", GRID_LEFT, false);
	if (meaning)
		grid_add_col(g, "meaning", GRID_LEFT, false);
	for (size_t i = 0; i < a->n; i++) {
		const char **cell = grid_add_row(g, GRID_PLAIN);
		memcpy(cell, row[i], 3 * sizeof *cell);
		if (meaning)
			cell[3] = text_line_head(&g->mem, sv_of(row[i][3]), width ? room : 0);
	}
}

static void add_fact(struct str *out, const char *what, const char *is)
{
	struct arena mem = { 0 };

	if (is)
		str_addf(out, "  %-10s %s\n", what, text_line(&mem, sv_of(is), 0));
	arena_free(&mem);
}

void config_print(const struct config_answer *a, bool single, const struct out_as *as,
		  struct str *out)
{
	if (as->format == OUT_JSON)
		cols_doc(&config_doc, a, out);
	else if (as->format == OUT_CSV)
		cols_csv(row_cols, a->row, a->n, sizeof *a->row, out);
	else if (as->format == OUT_MD || as->format == OUT_HTML) {
		struct grid g = { 0 };

		fill_grid(a, 0, 0, &g);
		grid_md(&g, out);
		grid_free(&g);
	} else if (single && a->n == 1) {
		const struct config_row *r = a->row;
		struct arena mem = { 0 };
		const char *def = text_or(r->def, r->none);

		str_addf(out, "%s: %s\n\n", r->key, r->help);
		if (!r->field) {
			add_fact(out, "value", value_cell(&mem, r));
			add_fact(out, "from", text_or(r->at, r->source));
		}
		add_fact(out, "default", def);
		add_fact(out, "kind", r->kind);
		add_fact(out, "unit", r->unit);
		add_fact(out, "may be", r->range);
		if (r->option)
			add_fact(out, "option", arena_printf(&mem, "--%s", r->option));
		add_fact(out, "variable", r->variable);
		arena_free(&mem);
	} else {
		struct grid g = { 0 };
		size_t set = 0;

		for (size_t i = 0; i < a->n; i++)
			set += a->row[i].line != UNKNOWN_I64;
		if (a->file)
			str_addf(out, "Settings; '%s' says %zu of these %zu.\n",
				 text_line(&g.mem, sv_of(a->file), 0), set, a->n);
		else
			str_addz(out, "Settings; there is no file.\n");
		if (!a->n) {
			str_addz(out, "All of them are as by default.\n");
			grid_free(&g);
			return;
		}
		str_addc(out, '\n');
		fill_grid(a, VALUE_MAX, as->width, &g);
		grid_table(&g, as->width, as->colour, out);
		str_addz(out, "\nOne in full: tare config KEY\n");
		grid_free(&g);
	}
}
