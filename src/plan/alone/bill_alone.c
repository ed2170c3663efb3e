/*
 * What a bill says by itself: what it is for, what changed since the month before, what nobody's
 * name stands on. Machines, commitments and storage of it are in bill_machines.c.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/bill_seen.h"
#include "plan/told.h"
#include "plan/workload.h"

#define BIGGEST      5  /* services that are named in evidence; two of them in a title */
#define SAME_FRAC    50 /* a month that differs by less than a fiftieth has not changed */
#define NO_TEAM_PCT  5  /* of the cost without a team: below it is well tagged */
#define KEY_FRAC     10 /* a tag on fewer than a tenth of them means no team */
#define KEYS_SHOWN   8
#define TRAFFIC_FRAC 50 /* a fiftieth of the bill is worth a word */
#define GROWS_FRAC   10 /* storage grew by a tenth */
#define GROWS_MS     (28 * MS_DAY)

static const char *service_name(const struct bill_service *s)
{
	return filled_or(s->name, "(no service)");
}

static const char *days_of(const struct lever_in *in, int64_t from_ms, int64_t to_ms)
{
	return arena_printf(in->mem, "%.0f", (double)(to_ms - from_ms) / (double)MS_DAY);
}

/* ---- what it is for ---------------------------------------------------------------------- */

struct part { /* a service, by an amount */
	const char *name;
	dec v, size;
};

static int by_size(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	if (a->size != b->size)
		return cmp_dec(b->size, a->size);
	return strcmp(a->name, b->name);
}

static void sort_parts(struct part *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].size = v[i].v < 0 ? -v[i].v : v[i].v;
	if (n)
		sort_items(v, n, sizeof *v, by_size);
}

/* What a service is of the bill; where credits make that smaller than its parts, what it costs. */
static const char *part_text(const struct lever_in *in, const struct bill_seen *b,
			     const struct part *p)
{
	if (b->gpu.cost > b->all.cost)
		return told_money(in, p->v);
	return told_percent(in, p->v, b->all.cost);
}

static void tell_shares(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b)
{
	struct rec *r = told_new(in, out, ADVICE_BILL_SHARES, "bill-shares");
	struct part *v = arena_zalloc(in->mem, (b->service.n + 1) * sizeof *v);
	size_t n = b->service.n;
	dec lowered = b->gpu.cost - b->all.cost;
	const char *gpu = "0 % of the bill is GPU time";

	if (b->gpu.rows)
		gpu = arena_printf(in->mem, "%s of the bill is GPU time",
				   told_percent(in, b->gpu.cost, b->all.cost));
	if (b->no_cost_gpu)
		gpu = arena_printf(
			in->mem,
			"what the GPU time costs is not known, %s lines of it have no effective cost",
			told_count(in, b->no_cost_gpu));
	else if (lowered > 0)
		gpu = arena_printf(
			in->mem,
			"the GPU time costs %s more than the whole bill, which credits and refunds lower",
			told_money(in, lowered));
	for (size_t i = 0; i < n; i++)
		v[i] = (struct part){ service_name(&b->service.v[i]), b->service.v[i].all.cost, 0 };
	sort_parts(v, n);
	told_cost(r, bill_month_of(b, b->all.cost, in->conf->month_hours));
	r->title = arena_printf(in->mem, "%s; the most: %s %s%s%s%s", gpu, v[0].name,
				part_text(in, b, &v[0]), text_if(n > 1, ", "),
				n > 1 ? v[1].name : "",
				n > 1 ? arena_printf(in->mem, " %s", part_text(in, b, &v[1])) : "");
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "lines of the bill", .source = "bill" },
		     "%s", told_count(in, b->all.rows));
	if (b->from_ms != UNKNOWN_MS)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "days it speaks of", .unit = "d",
						.source = "bill" },
			     "%s", days_of(in, b->from_ms, b->to_ms));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "all of it", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, b->all.cost));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "GPU time", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, b->gpu.cost));
	for (size_t i = 0; i < n && i < BIGGEST; i++)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, v[i].name, .unit = told_sign(in),
						.source = "bill, effective cost" },
			     "%s", told_amount(in, v[i].v));
	if (b->other_rows)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"lines in other currencies, left out",
						.source = "bill" },
			     "%lld", (long long)b->other_rows);
}

/* ---- month over month -------------------------------------------------------------------- */

/* A month of which the first and the last day are there. */
static bool is_whole(const struct bill_month *m)
{
	return m->from_ms != UNKNOWN_MS && m->from_ms < m->month_ms + MS_DAY &&
	       m->to_ms > tm_month_start(m->month_ms, 1) - MS_DAY;
}

static const char *month_name(const struct lever_in *in, int64_t month_ms)
{
	struct civil c = tm_civil(month_ms);

	return arena_printf(in->mem, "%04d-%02d", c.year, c.month);
}

static const char *signed_money(const struct lever_in *in, dec v)
{
	return arena_printf(in->mem, "%s%s", text_if(v > 0, "+"), told_money(in, v));
}

static void tell_change(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b)
{
	size_t now = SIZE_MAX, n = b->service.n;

	/* The last whole month that follows a whole one. */
	for (size_t i = b->month.n; i-- > 1 && now == SIZE_MAX;)
		if (is_whole(&b->month.v[i]) && is_whole(&b->month.v[i - 1]) &&
		    tm_month_start(b->month.v[i - 1].month_ms, 1) == b->month.v[i].month_ms)
			now = i;

	if (now == SIZE_MAX && workload_jobs_are_known(in->fleet))
		return;
	if (now == SIZE_MAX) {
		plan_note(
			in,
			"month over month: the bill has no two whole months that follow each other; import the month before too");
		return;
	}
	const struct bill_month *m = &b->month.v[now], *before = m - 1;
	struct rec *r = told_new(in, out, ADVICE_BILL_CHANGE, "bill-change");
	struct part *v = arena_zalloc(in->mem, (n + 1) * sizeof *v);
	dec diff = m->all.cost - before->all.cost, size = diff;

	if (diff < 0)
		size = -diff;
	for (size_t i = 0; i < n; i++)
		v[i].name = service_name(&b->service.v[i]);
	for (size_t i = 0; i < b->cell.n; i++) {
		const struct bill_cell *c = &b->cell.v[i];
		if (c->month == now)
			v[c->service].v += c->cost;
		if (c->month + 1 == now)
			v[c->service].v -= c->cost;
	}
	sort_parts(v, n);
	told_cost(r, diff);
	const char *how = "cheaper than";
	if (diff > 0)
		how = "more expensive than";
	if (size * SAME_FRAC < before->all.cost)
		how = diff > 0 ? "a little more expensive than" : "a little cheaper than";
	r->title = arena_printf(
		in->mem, "%s was %s (%s) %s %s: %s %s%s%s%s", month_name(in, m->month_ms),
		told_money(in, size), told_percent(in, size, before->all.cost), how,
		month_name(in, before->month_ms), v[0].name, signed_money(in, v[0].v),
		text_if(n > 1, ", "), n > 1 ? v[1].name : "",
		n > 1 ? arena_printf(in->mem, " %s", signed_money(in, v[1].v)) : "");
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, month_name(in, before->month_ms),
					.unit = told_sign(in), .source = "bill, effective cost" },
		     "%s", told_amount(in, before->all.cost));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, month_name(in, m->month_ms),
					.unit = told_sign(in), .source = "bill, effective cost" },
		     "%s", told_amount(in, m->all.cost));
	for (size_t i = 0; i < n && i < BIGGEST && v[i].size; i++)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, v[i].name, .unit = told_sign(in),
						.source = "bill, effective cost" },
			     "%s%s", text_if(v[i].v > 0, "+"), told_amount(in, v[i].v));
}

/* ---- no name on it ----------------------------------------------------------------------- */

/* Keys that people use for a team or a project, the likeliest first; compared without case and
 * - _ . and blanks. */
static const char *const team_keys[] = {
	"businessunit", "bu",    "costcenter", "costcentre",   "department",   "costdepartment",
	"squad",        "tribe", "org",        "organisation", "organization", "division",
	"group",        "owner", "teamname",   "ownerteam"
};
static const char *const project_keys[] = { "application", "app",       "appname", "product",
					    "projectname", "projectid", "system",  "workstream" };

static bool is_same_key(const char *key, const char *plain)
{
	for (; *key; key++) {
		char c = *key;
		if (strchr("-_. /:", c))
			continue;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (*plain++ != c)
			return false;
	}
	return !*plain;
}

/* The tag on most of the lines that name no team: of those that are called like one. NULL. */
static const struct bill_tag *best_key(const struct bill_seen *b, const char *const *plain,
				       size_t n)
{
	const struct bill_tag *best = NULL;

	for (size_t i = 0; i < b->tag.n; i++) {
		const struct bill_tag *t = &b->tag.v[i];
		bool named = false;
		for (size_t k = 0; k < n && t->nobody.rows; k++)
			named |= is_same_key(t->key, plain[k]);
		if (named && (!best || t->nobody.rows > best->nobody.rows))
			best = t;
	}
	if (best && best->nobody.rows * KEY_FRAC >= b->no_team.rows)
		return best;
	return NULL;
}

static void tell_no_team(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b)
{
#define BEST(keys) best_key(b, keys, sizeof(keys) / sizeof *(keys))
	const struct bill_tag *team = BEST(team_keys), *project = BEST(project_keys);
#undef BEST
	const char *part = told_percent(in, b->no_team.cost, b->all.cost);

	if (b->no_team.cost <= 0 || b->no_team.cost * 100 < b->all.cost * NO_TEAM_PCT)
		return;
	struct rec *r = told_new(in, out, ADVICE_BILL_NO_TEAM, "bill-no-team");
	told_cost(r, bill_month_of(b, b->no_team.cost, in->conf->month_hours));
	if (team)
		r->title = arena_printf(
			in->mem,
			"%s of the bill names no team, but the tag '%s' stands on %s of its %s lines: let it mean the team",
			part, team->key, told_count(in, team->nobody.rows),
			told_count(in, b->no_team.rows));
	else
		r->title = arena_printf(
			in->mem,
			"%s of the bill names no team, and no tag on a tenth of it is called like one",
			part);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "lines without a team", .source = "bill" },
		"%s of %s", told_count(in, b->no_team.rows), told_count(in, b->all.rows));
	for (size_t i = 0; i < b->tag.n && i < KEYS_SHOWN; i++)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(in->mem, "lines with the tag %s",
							     b->tag.v[i].key),
						.source = "bill" },
			     "%s with %zu values", told_count(in, b->tag.v[i].all.rows),
			     b->tag.v[i].values);
	if (b->tag.n > KEYS_SHOWN)
		rec_evidence(
			in, r,
			(struct evidence){ QUALITY_MEASURED, "further tags", .source = "bill" },
			"%zu", b->tag.n - KEYS_SHOWN);
	if (team)
		rec_action(r, ACTION_TAG_ALIAS)->tag_alias = (struct action_tag_alias){
			.team = raw_name(team->key),
			.project = raw_name(project ? project->key : ""),
			.team_before = b->team_key,
			.project_before = b->project_key,
			.nteam_before = b->nteam_key,
			.nproject_before = b->nproject_key,
		};
}

/* ---- traffic and storage ----------------------------------------------------------------- */

static void tell_traffic(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b)
{
	dec egress = b->kind[KIND_EGRESS].cost, zones = b->kind[KIND_CROSS_ZONE].cost,
	    all = egress + zones;

	if (all <= 0 || all * TRAFFIC_FRAC < b->all.cost)
		return;
	struct rec *r = told_new(in, out, ADVICE_BILL_TRAFFIC, "bill-traffic");
	told_cost(r, bill_month_of(b, all, in->conf->month_hours));
	r->title = arena_printf(in->mem, "%s of the bill is traffic: %s out, %s between zones",
				told_percent(in, all, b->all.cost), told_money(in, egress),
				told_money(in, zones));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "egress", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, egress));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "between zones", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, zones));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "other network", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, b->kind[KIND_NETWORK].cost));
}

static void tell_storage(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b)
{
	struct part *v = arena_zalloc(in->mem, (b->storage.n + 1) * sizeof *v);
	dec early = 0, late = 0;
	size_t n = 0;

	/* The bill speaks of all of the window: its first and last quarter can be compared. */
	const struct fleet *f = in->fleet;

	if (b->from_ms == UNKNOWN_MS || b->from_ms > f->bill_since_ms + MS_DAY)
		return;
	if (b->to_ms < f->until_ms - 2 * MS_DAY || f->until_ms - f->bill_since_ms < GROWS_MS)
		return;

	for (size_t i = 0; i < b->storage.n; i++) {
		const struct bill_storage *s = &b->storage.v[i];
		early += s->early;
		late += s->late;
		if (s->late > s->early)
			v[n++] = (struct part){ filled_or(s->resource, s->service),
						s->late - s->early, 0 };
	}
	if (!n || (late - early) * GROWS_FRAC < early || (late - early) * 1000 < b->all.cost)
		return;
	sort_parts(v, n);
	dec grown = dec_muldiv(late - early, llround(in->conf->month_hours * (double)MS_HOUR),
			       b->quarter_ms);
	struct rec *r = told_new(in, out, ADVICE_BILL_STORAGE, "bill-storage");
	told_cost(r, grown);
	r->title = arena_printf(
		in->mem, "storage grew by %s in %s days, most of it '%s': see what may expire",
		early > 0 ? told_percent(in, late - early, early) : told_money(in, late - early),
		days_of(in, b->from_ms, b->to_ms), v[0].name);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "in the first quarter of the time",
					.unit = told_sign(in), .source = "bill, effective cost" },
		     "%s", told_amount(in, early));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "in the last quarter",
					.unit = told_sign(in), .source = "bill, effective cost" },
		     "%s", told_amount(in, late));
	for (size_t i = 0; i < n && i < BIGGEST; i++)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, v[i].name, .unit = told_sign(in),
						.source = "bill, last quarter less first" },
			     "+%s", told_amount(in, v[i].v));
}

/* Of what all that the bill says is not. */
static void tell_left_out(const struct lever_in *in, const struct bill_seen *b)
{
	struct str list = { 0 };

	if (!b->other_rows)
		return;
	for (size_t i = 0; i < b->other.n; i++)
		str_addf(&list, "%s%s", text_if(i, ", "), filled_or(b->other.v[i], "no currency"));
	plan_note(
		in,
		"what the bill says is of its lines in %s alone: %s lines in %s are left out, no exchange rate to %s is known of their days (tare import --as rates)",
		in->fleet->currency, told_count(in, b->other_rows), str_z(&list),
		in->fleet->currency);
	str_free(&list);
}

void bill_alone(const struct lever_in *in, struct rec_list *out)
{
	const struct bill_seen *b = in->fleet->bill;

	if (!b)
		return;
	if (b->no_cost)
		plan_note(
			in,
			"%s lines of the bill have no effective cost, as in an export of actual cost, which has reservations and plans where they were bought: %s were billed and %s are planned; the amortised export has the rest",
			told_count(in, b->no_cost), told_money(in, b->billed),
			told_money(in, b->all.cost));
	tell_left_out(in, b);
	tell_shares(in, out, b);
	tell_change(in, out, b);
	tell_no_team(in, out, b);
	tell_traffic(in, out, b);
	tell_storage(in, out, b);
}
