/* See feeds.h: what a table of no known kind may be. */
#include <pthread.h>
#include <stdlib.h>

#include "base/str.h"
#include "feed/feeds.h"
#include "feed/map.h"

#define MAP_LEAST 3 /* columns that a map must find, to be more than a chance */

static bool has_column(const struct tab *t, const char *column)
{
	return tab_find(t->col, t->ncol, column, false) >= 0;
}

/* Columns of the file that it needs; 0: one is not there. */
static size_t map_fits(const struct feed_map *m, const struct tab *t)
{
	size_t n = 0;

	for (size_t i = 0; i < m->ntarget; i++) {
		const struct map_target *x = &m->target[i];
		if (x->from && !has_column(t, x->from) && !x->optional)
			return 0;
		n += x->from && has_column(t, x->from);
		for (size_t k = 0; k < x->npart; k++)
			if (x->part[k].kind == PART_COLUMN && !has_column(t, x->part[k].text))
				return 0;
	}
	for (size_t i = 0; i < m->nskip; i++)
		for (size_t k = 0; k < m->skip[i].when.n; k++)
			if (!has_column(t, m->skip[i].when.v[k].column))
				return 0;
	if (n >= MAP_LEAST)
		return n;
	return 0;
}

/* The shipped maps that can be read: they are of the program, and read once in its life. */
static struct {
	pthread_once_t once;
	struct arena mem;
	const char **name;     /* [n] */
	struct feed_map **map; /* [n] NULL: it cannot be read */
	size_t n;
} shipped = { .once = PTHREAD_ONCE_INIT };

static void read_shipped(void)
{
	struct err ignored;

	shipped.n = feed_map_names(&shipped.mem, &shipped.name);
	shipped.map = arena_zalloc(&shipped.mem, (shipped.n + 1) * sizeof *shipped.map);
	for (size_t i = 0; i < shipped.n; i++)
		if (feed_map_load(shipped.name[i], &shipped.map[i], &ignored) < 0)
			shipped.map[i] = NULL;
}

/* The shipped maps that find most of their columns here, in out: "'a'", "'a' or 'b'". The same
 * columns may mean one thing to the one, another to the other. Returns the first; NULL: none
 * fits. */
static const char *nearest_maps(const struct tab *t, struct str *out, size_t *ret_n)
{
	const char *best = NULL;
	size_t most = 0;

	*ret_n = 0;
	pthread_once(&shipped.once, read_shipped);
	for (size_t i = 0; i < shipped.n; i++) {
		size_t fits = shipped.map[i] ? map_fits(shipped.map[i], t) : 0;
		if (!fits || fits < most)
			continue;
		if (fits > most) {
			best = shipped.name[i];
			str_clear(out);
			*ret_n = 0;
		}
		str_addf(out, "%s'%s'", text_if(*ret_n > 0, " or "), shipped.name[i]);
		++*ret_n;
		most = fits;
	}
	return best;
}

#define KIND_LEAST 2 /* columns of a kind: one alone, a name or a time, anybody has */

/* Tables of consoles: sums for people, without what a ledger is made of. A column by which each is
 * known, and what to take instead. */
static const struct {
	const char *column[3], *what;
} consoles[] = {
	{ { "Service description", "SKU description", "Usage start date" },
	  "It is the cost table of Google's console, which has neither days nor machines: export the bill to "
	  "BigQuery (detailed usage cost) and bring that table, as CSV or JSON lines" },
	{ { "Service", "Total costs($)" },
	  "It is a table of AWS Cost Explorer, sums of days and services: let Data Exports write a CUR 2.0 or "
	  "FOCUS report, and bring that" },
	{ { "ServiceName", "CostUSD", "UsageDate" },
	  "It is a table of Azure's cost analysis, sums of days and services: let Exports write the cost and "
	  "usage details (actual or FOCUS), and bring that" },
};

static const char *console_of(const struct tab *t)
{
	for (size_t i = 0; i < sizeof consoles / sizeof *consoles; i++) {
		bool all = true;
		for (size_t k = 0; k < 3 && consoles[i].column[k]; k++)
			all &= has_column(t, consoles[i].column[k]);
		if (all)
			return consoles[i].what;
	}
	return NULL;
}

/* The kind of which least is missing, at most half of what it needs. */
static const struct feed *nearest_kind(const struct tab *t)
{
	const struct feed *best = NULL;
	double most = 0.5;

	for (size_t i = 0; feed_table[i]; i++) {
		const char *const *c = feed_table[i]->required;
		double there = 0, all = 0;
		for (; c && *c; c++) {
			all++;
			there += tab_find(t->col, t->ncol, *c, feed_table[i]->bill) >= 0;
		}
		bool enough = there >= KIND_LEAST && there / all >= most;
		if (enough && (!best || there / all > most)) {
			best = feed_table[i];
			most = there / all;
		}
	}
	return best;
}

bool feed_suggest(const char *file, const struct tab *t, struct err *err)
{
	struct str maps = { 0 };
	size_t nmap = 0;
	const char *console = console_of(t), *map = console ? NULL : nearest_maps(t, &maps, &nmap);
	const struct feed *f = NULL;

	if (!map && !console)
		f = nearest_kind(t);
	if (console)
		err_hint(err, "%s.", console);
	else if (map)
		err_hint(err, "Its columns are those of the map%s %s: tare import --map %s '%s'",
			 plural((int64_t)nmap), str_z(&maps), map, file);
	else if (f) {
		struct str missing = { 0 };
		const char *first = NULL;
		size_t n = 0;

		for (const char *const *c = f->required; *c; c++) {
			if (tab_find(t->col, t->ncol, *c, f->bill) >= 0)
				continue;
			if (!first)
				first = *c;
			str_addf(&missing, "%s%s", text_if(n++, ", "), *c);
		}
		if (n)
			err_hint(
				err,
				"Nearest is %s, which needs the column%s %s, called so: a constant is --as %s --set %s=VALUE, another name is told by --map FILE (columns: {%s: NAME}, docs/MAPS.md)",
				f->kind, text_if(n > 1, "s"), str_z(&missing), f->kind, first,
				first);
		else
			err_hint(err, "It has what %s needs: tare import --as %s", f->kind,
				 f->kind);
		str_free(&missing);
	}
	str_free(&maps);
	return console || map || f;
}
