/*
 * Sets of machines that a bill names by one id (a scale set of Azure, a managed instance group,
 * what the configuration maps several nodes to) and whose machines are known by name: the nodes of
 * the set are the set's bill (docs/design/0042-sets.md).
 *
 * A charge period of the set has H hours of machines. Each node that was there in it has a claim of
 * as long as it was there; claims of more than H are cut alike. A node that no record tells of may
 * have run for all of the period: what H has over the claims goes to these, up to the period. What
 * is then left is of machines that nobody names, and stays with the set. The hours of each way to
 * pay lie one behind the other, and so do the nodes' claims beside them, each in the order of their
 * names: so few machines are paid in two ways. Of each line of a way a node gets what its claim
 * covers of that way's hours: the parts and what stays are the line, in every basis.
 */
#include "book/sets.h"

#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/in.h"
#include "store/remake.h"

struct set_member {
	struct sv node;
	const char *key;
	uint32_t who;             /* its number among the nodes of all sets */
	bool recorded, has_lines; /* has_lines: of its own, beside those of the set */
	spans there; /* by its records, each open one without an end; else from first to last sign */
};

/* How one way to pay for a charge period is divided: of the period's hours it has [start_ms,
 * start_ms + all_ms), and node i [upto[i], upto[i + 1]). */
struct set_part {
	int64_t from_ms, to_ms;
	struct sv purchase;
	int64_t start_ms, all_ms;
	const int64_t *upto; /* [nmember + 1] */
};

struct machine_set {
	const char *key; /* of its scope */
	size_t up;       /* of its family: towards the first of them, which is its own */
	VEC(struct set_member) member; /* by node */
	struct intern name;            /* [member.n] their keys, once they are in this order */
	bool loaded;
	struct bill_line *line; /* [nline] all that is in force */
	size_t nline;
	const struct bill_line **sorted; /* [nline] by charge period and purchase, once divided */
	bool divided;
	VEC(struct set_part) part; /* by charge periods of usage and by purchase */
};

struct sets {
	struct arena mem;
	VEC(struct machine_set) set;
	struct intern node; /* keys of their members */
	VEC(size_t) nset;   /* [node.n] of how many sets it may be */
};

void sets_free(struct sets *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->set.n; i++) {
		struct machine_set *m = &s->set.v[i];
		for (size_t k = 0; k < m->member.n; k++)
			vec_free(&m->member.v[k].there);
		vec_free(&m->member);
		intern_free(&m->name);
		vec_free(&m->part);
	}
	vec_free(&s->set);
	intern_free(&s->node);
	vec_free(&s->nset);
	arena_free(&s->mem);
	free(s);
}

static struct machine_set *find_set(const struct sets *s, const char *key)
{
	for (size_t i = 0; s && i < s->set.n; i++)
		if (!strcmp(s->set.v[i].key, key))
			return &s->set.v[i];
	return NULL;
}

bool sets_has(const struct sets *s, const char *key)
{
	return find_set(s, key);
}

size_t sets_count(const struct sets *s)
{
	return s->set.n;
}

const char *sets_key(const struct sets *s, size_t set, size_t i)
{
	const struct machine_set *m = &s->set.v[set];

	if (!i)
		return m->key;
	return i <= m->member.n ? m->member.v[i - 1].key : NULL;
}

static struct set_member *member_of(const struct machine_set *m, struct sv key)
{
	int64_t k = intern_find(&m->name, key);

	if (k < 0)
		return NULL;
	return &m->member.v[k];
}

/* ---- which they are ---------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct set_member *x = a, *y = b;

	return sv_cmp(x->node, y->node);
}

static void note_seen(struct set_member *m, int64_t from_ms, int64_t to_ms)
{
	if (m->recorded)
		return;
	if (!m->there.n)
		*vec_push(&m->there) = (struct span){ from_ms, to_ms };
	m->there.v[0].from_ms = min_i64(m->there.v[0].from_ms, from_ms);
	m->there.v[0].to_ms = max_i64(m->there.v[0].to_ms, to_ms);
}

/* When the members were there. */
static int find_there(struct book *b, struct sets *s, struct err *err)
{
	struct arena *mem = &b->mem;
	struct scope_spans job;
	struct series *series;
	struct node *node;
	struct sv *billed;
	size_t n = 0, nseries = 0, nbilled = 0;
	int rc = store_nodes(b->store, NULL, mem, &node, &n, err);

	if (!rc)
		rc = store_bill_scopes(b->store, mem, &billed, &nbilled, err);
	if (!rc)
		rc = store_allocation_spans(b->store, mem, &job, err);
	if (!rc)
		rc = store_series(b->store, NULL, mem, &series, &nseries, err);
	for (size_t i = 0; i < s->set.n && !rc; i++) {
		struct machine_set *m = &s->set.v[i];
		for (size_t k = 0; k < n; k++) {
			struct scope name = scope_node(node[k].node);
			struct set_member *x = member_of(m, sv_of(scope_key_in(&name, mem)));
			int64_t to = node[k].to_ms;
			if (!x)
				continue;
			if (to == UNKNOWN_MS)
				to = INT64_MAX;
			/* a later record holds from its start on */
			if (k + 1 < n && sv_eq(node[k + 1].node, node[k].node))
				to = min_i64(node[k + 1].from_ms, to);
			x->recorded = true;
			if (to > node[k].from_ms)
				*vec_push(&x->there) = (struct span){ node[k].from_ms, to };
		}
		for (size_t k = 0; k < nbilled; k++) {
			struct set_member *x = member_of(m, billed[k]);
			if (x)
				x->has_lines = true;
		}
		for (size_t k = 0; k < job.n; k++) {
			struct set_member *x = member_of(m, sv_of(job.v[k].scope));
			if (x)
				note_seen(x, job.v[k].from_ms, job.v[k].to_ms);
		}
		for (size_t k = 0; k < nseries; k++) {
			struct scope name = scope_node(series[k].key.node);
			struct set_member *x = NULL;
			if (name.name.n)
				x = member_of(m, sv_of(scope_key_in(&name, mem)));
			if (x)
				note_seen(x, series[k].from_ms, series[k].to_ms);
		}
	}
	return rc;
}

/* The first set of its family: of those that have nodes in common, one by one. */
static size_t family_of(const struct sets *s, size_t i)
{
	while (s->set.v[i].up != i)
		i = s->set.v[i].up;
	return i;
}

static void find_families(struct sets *s)
{
	VEC(size_t) first = { 0 };

	for (size_t i = 0; i < s->set.n; i++)
		s->set.v[i].up = i;
	for (size_t i = 0; i < s->set.n; i++)
		for (size_t k = 0; k < s->set.v[i].member.n; k++) {
			struct set_member *x = &s->set.v[i].member.v[k];
			x->who = intern_add(&s->node, sv_of(x->key));
			if (x->who == first.n) {
				*vec_push(&first) = i;
				*vec_push(&s->nset) = 0;
			}
			assert(first.v && x->who < first.n);
			s->nset.v[x->who]++;
			size_t y = family_of(s, i), z = family_of(s, first.v[x->who]);
			if (y < z)
				s->set.v[z].up = y;
			else
				s->set.v[y].up = z;
		}
	vec_free(&first);
}

int sets_find(struct book *b, const struct sets_from *from, struct err *err)
{
	const struct join_node *node = from->node;
	const struct join_resource *res = from->res;
	struct sets *s = b->sets = xcalloc(1, sizeof *s);

	for (size_t i = 0; i < from->nres; i++) {
		struct scope id = { .kind = SCOPE_RESOURCE,
				    .provider = res[i].provider,
				    .name = res[i].resource_id };
		if (!from->match[i].several)
			continue;
		const char *key = scope_key_in(&id, &s->mem);
		/* a resource comes once a scope that it had */
		if (s->set.n && !strcmp(s->set.v[s->set.n - 1].key, key))
			continue;
		struct machine_set *m = vec_push(&s->set);
		*m = (struct machine_set){ .key = key };
		for (size_t k = 0; k < from->nnode; k++) {
			struct scope name = scope_node(node[k].node);
			bool again = k && sv_eq(node[k].node, node[k - 1].node);
			if (!again && join_is_member(b->opt.conf, &node[k], &res[i]))
				*vec_push(&m->member) = (struct set_member){
					.node = node[k].node, .key = scope_key_in(&name, &s->mem)
				};
		}
		sort_items(m->member.v, m->member.n, sizeof *m->member.v, by_node);
		for (size_t k = 0; k < m->member.n; k++)
			intern_add(&m->name, sv_of(m->member.v[k].key));
	}
	if (!s->set.n)
		return 0;
	find_families(s);
	return find_there(b, s, err);
}

/* ---- what is kept of them ---------------------------------------------------------------- */

/* A line each: a set's key, then with a tab before it that of each member, and of one without
 * records from when to when there are signs of it. */
static void write_sets(const struct sets *s, struct str *out)
{
	for (size_t i = 0; i < s->set.n; i++) {
		const struct machine_set *m = &s->set.v[i];
		str_addf(out, "%s\n", m->key);
		for (size_t k = 0; k < m->member.n; k++) {
			const struct set_member *x = &m->member.v[k];
			str_addf(out, "\t%s", x->key);
			if (!x->recorded && x->there.n)
				str_addf(out, "\t%lld\t%lld", (long long)x->there.v[0].from_ms,
					 (long long)x->there.v[0].to_ms);
			str_addc(out, '\n');
		}
	}
}

int sets_stored(struct store *store, struct sets **ret, struct err *err)
{
	struct sets *s = xcalloc(1, sizeof *s);
	const char *text;
	int rc = store_get(store, BOOK_SETS, &s->mem, &text, err);
	struct sv rest = sv_of(rc < 0 ? "" : text_or(text, ""));

	while (rest.n) {
		struct sv line = sv_cut(rest, '\n', &rest), key = sv_cut(line, '\t', &line);
		if (key.n) {
			*vec_push(&s->set) = (struct machine_set){ .key = arena_sv(&s->mem, key) };
			continue;
		}
		if (!s->set.n)
			break;
		struct set_member *x = vec_push(&s->set.v[s->set.n - 1].member);
		struct span seen;
		*x = (struct set_member){ .key = arena_sv(&s->mem, sv_cut(line, '\t', &line)),
					  .recorded = !line.n };
		x->node = scope_of_key(sv_of(x->key), &s->mem).name;
		bool has = !sv_i64(sv_cut(line, '\t', &line), &seen.from_ms);
		if (has && !sv_i64(line, &seen.to_ms))
			*vec_push(&x->there) = seen;
	}
	if (rc < 0)
		sets_free(s);
	else
		*ret = s;
	return min_int(rc, 0);
}

int sets_store(struct book *b, struct err *err)
{
	struct str now = { 0 }, was = { 0 };
	int rc = 0;

	if (b->sets_before)
		write_sets(b->sets_before, &was);
	if (b->sets)
		write_sets(b->sets, &now);
	if (!sv_eq(str_sv(&now), str_sv(&was)))
		rc = store_set(b->store, BOOK_SETS, now.n ? str_z(&now) : NULL, err);
	str_free(&now);
	str_free(&was);
	return rc;
}

/* ---- what of it is touched --------------------------------------------------------------- */

/* Whether a set has the same members as before, which are recorded or not as they were; then what
 * is another time of one that is not is touched. */
static bool is_as_before(struct book *b, const struct machine_set *m, const struct machine_set *old)
{
	bool same = old && m->member.n == old->member.n;

	for (size_t k = 0; k < m->member.n && same; k++)
		same = !strcmp(m->member.v[k].key, old->member.v[k].key) &&
		       m->member.v[k].recorded == old->member.v[k].recorded;
	for (size_t k = 0; k < m->member.n && same; k++) {
		const struct set_member *x = &m->member.v[k], *y = &old->member.v[k];
		if (x->recorded || !x->there.n || !y->there.n)
			continue;
		struct span n = x->there.v[0], o = y->there.v[0];
		if (n.from_ms != o.from_ms)
			dirty_mark_key(&b->dirty, sv_of(m->key), min_i64(n.from_ms, o.from_ms),
				       max_i64(n.from_ms, o.from_ms));
		if (n.to_ms != o.to_ms)
			dirty_mark_key(&b->dirty, sv_of(m->key), min_i64(n.to_ms, o.to_ms),
				       max_i64(n.to_ms, o.to_ms));
	}
	return same;
}

static void mark_all(struct book *b, const struct machine_set *m, int64_t from_ms, int64_t to_ms)
{
	dirty_mark_key(&b->dirty, sv_of(m->key), from_ms, to_ms);
	for (size_t k = 0; k < m->member.n; k++)
		dirty_mark_key(&b->dirty, sv_of(m->member.v[k].key), from_ms, to_ms);
}

static void join_dirty(const struct book *b, const char *key, struct span *ret)
{
	int64_t i = intern_find(&b->dirty.scope, sv_of(key));

	if (i < 0)
		return;
	ret->from_ms = min_i64(b->dirty.span[i].from_ms, ret->from_ms);
	ret->to_ms = max_i64(b->dirty.span[i].to_ms, ret->to_ms);
}

static int load_lines(struct book *b, struct machine_set *m, struct err *err)
{
	if (m->loaded)
		return 0;
	m->loaded = true;
	return store_bill_gpu(b->store, &(struct scope_span){ m->key, INT64_MIN, INT64_MAX },
			      &b->mem, &m->line, &m->nline, err);
}

/* What is touched of a family over whole charge periods of all its sets. */
static int mark_family(struct book *b, size_t first, struct err *err)
{
	struct sets *s = b->sets;
	struct span t = { INT64_MAX, INT64_MIN };
	int rc = 0;

	for (size_t i = first; i < s->set.n; i++) {
		const struct machine_set *m = &s->set.v[i];
		if (family_of(s, i) != first)
			continue;
		join_dirty(b, m->key, &t);
		for (size_t k = 0; k < m->member.n; k++)
			join_dirty(b, m->member.v[k].key, &t);
	}
	if (t.from_ms >= t.to_ms)
		return 0;
	for (bool grew = true; grew && !rc;) {
		struct span was = t;
		for (size_t i = first; i < s->set.n && !rc; i++) {
			struct machine_set *m = &s->set.v[i];
			if (family_of(s, i) != first)
				continue;
			rc = load_lines(b, m, err);
			for (size_t k = 0; k < m->nline && !rc; k++) {
				const struct bill_line *l = &m->line[k];
				if (l->from_ms >= t.to_ms || l->to_ms <= t.from_ms)
					continue;
				t.from_ms = min_i64(l->from_ms, t.from_ms);
				t.to_ms = max_i64(l->to_ms, t.to_ms);
			}
		}
		grew = was.from_ms != t.from_ms || was.to_ms != t.to_ms;
	}
	for (size_t i = first; i < s->set.n && !rc; i++)
		if (family_of(s, i) == first)
			mark_all(b, &s->set.v[i], t.from_ms, t.to_ms);
	return rc;
}

int sets_mark(struct book *b, struct err *err)
{
	bool posted = b->ledger_from_ms != UNKNOWN_MS;
	int rc = 0;

	for (size_t i = 0; posted && b->sets_before && i < b->sets_before->set.n; i++) {
		const struct machine_set *old = &b->sets_before->set.v[i];
		if (!find_set(b->sets, old->key))
			mark_all(b, old, b->ledger_from_ms, b->ledger_to_ms);
	}
	for (size_t i = 0; b->sets && i < b->sets->set.n; i++) {
		struct machine_set *m = &b->sets->set.v[i];
		const struct machine_set *old = find_set(b->sets_before, m->key);
		if (is_as_before(b, m, old) || !posted)
			continue;
		mark_all(b, m, b->ledger_from_ms, b->ledger_to_ms);
		if (old)
			mark_all(b, old, b->ledger_from_ms, b->ledger_to_ms);
	}
	for (size_t i = 0; b->sets && i < b->sets->set.n && !rc; i++)
		if (family_of(b->sets, i) == i)
			rc = mark_family(b, i, err);
	return rc;
}

/* ---- the lines of a scope ---------------------------------------------------------------- */

static int64_t there_ms(const struct set_member *x, int64_t from_ms, int64_t to_ms)
{
	int64_t sum = 0;

	for (size_t i = 0; i < x->there.n; i++) {
		const struct span *s = &x->there.v[i];
		sum += max_i64(min_i64(s->to_ms, to_ms) - max_i64(s->from_ms, from_ms), 0);
	}
	return sum;
}

/* A line of the node's own says that it is not of the set's unnamed machines then. */
static int take_own(struct book *b, const struct set_member *x, int64_t from_ms, int64_t to_ms,
		    int64_t *claim, struct err *err)
{
	struct arena mem = { 0 };
	struct bill_line *line;
	size_t n = 0;
	int rc = store_bill_gpu(b->store, &(struct scope_span){ x->key, from_ms, to_ms }, &mem,
				&line, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct bill_line *l = &line[i];
		int64_t both = min_i64(l->to_ms, to_ms) - max_i64(l->from_ms, from_ms);
		if (paid_is_usage(l) && both > 0)
			*claim -= (int64_t)((__int128)min_i64(paid_machine_ms(&l, 1),
							      l->to_ms - l->from_ms) *
					    both / (l->to_ms - l->from_ms));
	}
	*claim = max_i64(*claim, 0);
	arena_free(&mem);
	return rc;
}

/* What a node claims of a charge period. */
struct claim {
	int64_t there_ms; /* it was there so long */
	int64_t ms, room; /* of that, and of the rest, what is not told elsewhere */
	int64_t got;
	size_t nset;
};

/* A charge period of a set. */
struct set_period {
	struct machine_set *set;
	int64_t from_ms, to_ms;
	int64_t machine_ms;  /* of all machines of the set in it */
	int64_t *upto;       /* [nmember + 1] of these up to where each node's time lies */
	int64_t *when_there; /* [nmember] of what a node has, in the time of its claim */
	size_t turn;         /* in which they are divided */
};

/* Claims in the order of how many sets a node may be of: those of the fewest first. */
static void grant_claims(struct claim *c, size_t n, int64_t machine_ms)
{
	int64_t left = machine_ms;

	for (size_t of = 0, next; left > 0; of = next) {
		int64_t sum = 0;
		next = SIZE_MAX;
		for (size_t k = 0; k < n; k++)
			if (c[k].nset > of && c[k].nset < next)
				next = c[k].nset;
		if (next == SIZE_MAX)
			return;
		for (size_t k = 0; k < n; k++)
			if (c[k].nset == next)
				sum += c[k].ms;
		int64_t part = min_i64(sum, left);
		for (size_t k = 0; k < n && sum; k++)
			if (c[k].nset == next)
				c[k].got = (int64_t)((__int128)c[k].ms * part / sum);
		left -= part;
	}
}

static void divide_period(const struct set_period *p, struct claim *c)
{
	size_t n = p->set->member.n;
	int64_t slack = 0, room = 0, sum = 0, there = 0, upto = 0;

	grant_claims(c, n, p->machine_ms);
	for (size_t k = 0; k < n; k++) {
		sum += c[k].got;
		room += c[k].room;
		there += c[k].there_ms;
		if (c[k].there_ms)
			slack += paid_slack_ms(p->to_ms - p->from_ms);
	}
	int64_t over = min_i64(p->machine_ms - sum, room);
	for (size_t k = 0; k < n && over > 0; k++)
		c[k].got += (int64_t)((__int128)over * c[k].room / room);
	sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += c[k].got;
	/* Claims beyond the hours, and hours hardly beyond the claims, as quantities are rounded up
	 * and a machine is billed before it is a node: each has its part of all. */
	bool all = there && p->machine_ms - sum <= slack;
	for (size_t k = 0; k < n; k++) {
		upto += sum ? c[k].got : c[k].there_ms;
		if (all)
			p->upto[k + 1] =
				(int64_t)((__int128)p->machine_ms * upto / (sum ? sum : there));
		else
			p->upto[k + 1] = p->upto[k] + c[k].got;
		p->when_there[k] = min_i64(p->upto[k + 1] - p->upto[k], c[k].ms);
	}
}

static int by_period(const void *a, const void *b)
{
	const struct bill_line *x = *(const struct bill_line *const *)a,
			       *y = *(const struct bill_line *const *)b;

	if (x->from_ms != y->from_ms)
		return cmp_i64(x->from_ms, y->from_ms);
	return cmp_i64(x->to_ms, y->to_ms);
}

static int by_period_and_purchase(const void *a, const void *b)
{
	const struct bill_line *x = *(const struct bill_line *const *)a,
			       *y = *(const struct bill_line *const *)b;
	int d = by_period(a, b);

	if (!d)
		d = sv_cmp(x->purchase, y->purchase);
	if (d || x == y)
		return d;
	return x < y ? -1 : 1; /* as they came */
}

struct division { /* of a family */
	struct book *b;
	VEC(struct set_period) period;     /* in their turn */
	const struct set_period **by_from; /* [period.n] */
	struct used {
		int64_t there, else_ms;
	} * used; /* [nodes of all sets] in the period at hand, by those before */
};

/* The charge periods of its usage, and how each is paid. */
static int find_periods(struct division *d, struct machine_set *m, struct err *err)
{
	struct arena *mem = &d->b->mem;
	const struct bill_line **u;
	size_t n = 0;
	int rc = load_lines(d->b, m, err);

	m->divided = true;
	if (rc)
		return rc;
	m->sorted = arena_alloc(mem, (m->nline + 1) * sizeof *m->sorted);
	for (size_t i = 0; i < m->nline; i++)
		m->sorted[i] = &m->line[i];
	sort_items(m->sorted, m->nline, sizeof *m->sorted, by_period_and_purchase);
	u = arena_alloc(mem, (m->nline + 1) * sizeof *u);
	for (size_t i = 0; i < m->nline; i++)
		if (paid_is_usage(m->sorted[i]) && m->sorted[i]->gpu_milli > 0)
			u[n++] = m->sorted[i];
	for (size_t i = 0, same; i < n; i += same) {
		struct set_period *p = vec_push(&d->period);
		for (same = 1; i + same < n && !by_period(&u[i], &u[i + same]);)
			same++;
		*p = (struct set_period){
			.set = m,
			.from_ms = u[i]->from_ms,
			.to_ms = u[i]->to_ms,
			.upto = arena_zalloc(mem, (m->member.n + 1) * sizeof *p->upto),
			.when_there = arena_zalloc(mem, (m->member.n + 1) * sizeof *p->when_there),
		};
		/* an hour of a machine is paid in one way */
		for (size_t at = i, k; at < i + same; at += k) {
			k = paid_alike(u + at, i + same - at);
			int64_t of_way = max_i64(paid_machine_ms(u + at, k), 0);
			if (of_way)
				*vec_push(&m->part) = (struct set_part){
					.from_ms = p->from_ms,
					.to_ms = p->to_ms,
					.purchase = u[at]->purchase,
					.start_ms = p->machine_ms,
					.all_ms = of_way,
					.upto = p->upto,
				};
			p->machine_ms += of_way;
		}
	}
	return 0;
}

static int by_turn(const void *a, const void *b)
{
	const struct set_period *x = a, *y = b;
	int64_t n = x->to_ms - x->from_ms, m = y->to_ms - y->from_ms;

	if (n != m)
		return cmp_i64(n, m);
	if (x->from_ms != y->from_ms)
		return cmp_i64(x->from_ms, y->from_ms);
	return strcmp(x->set->key, y->set->key);
}

static int by_start(const void *a, const void *b)
{
	const struct set_period *x = *(const struct set_period *const *)a,
				*y = *(const struct set_period *const *)b;

	if (x->from_ms != y->from_ms)
		return cmp_i64(x->from_ms, y->from_ms);
	return cmp_size(x->turn, y->turn);
}

/* What nodes have of the period by those that were divided before it: none of these is longer. */
static void find_used(struct division *d, const struct set_period *p)
{
	const struct set_period *const *all = d->by_from;
	int64_t from = p->from_ms - (p->to_ms - p->from_ms);
	size_t n = d->period.n;

	memset(d->used, 0, d->b->sets->node.n * sizeof *d->used);
	for (size_t i = first_where(k, n, all[k]->from_ms >= from);
	     i < n && all[i]->from_ms < p->to_ms; i++) {
		const struct set_period *q = all[i];
		int64_t both = min_i64(q->to_ms, p->to_ms) - max_i64(q->from_ms, p->from_ms);
		if (q->turn >= p->turn || both <= 0)
			continue;
		for (size_t k = 0; k < q->set->member.n; k++) {
			struct used *u = &d->used[q->set->member.v[k].who];
			__int128 got = q->upto[k + 1] - q->upto[k], there = q->when_there[k];
			u->there += (int64_t)(there * both / (q->to_ms - q->from_ms));
			u->else_ms += (int64_t)((got - there) * both / (q->to_ms - q->from_ms));
		}
	}
}

static int find_claims(struct division *d, const struct set_period *p, struct claim *c,
		       struct err *err)
{
	int rc = 0;

	find_used(d, p);
	for (size_t k = 0; k < p->set->member.n && !rc; k++) {
		const struct set_member *x = &p->set->member.v[k];
		const struct used *u = &d->used[x->who];
		int64_t there = there_ms(x, p->from_ms, p->to_ms), ms = there;
		if (there && x->has_lines)
			rc = take_own(d->b, x, p->from_ms, p->to_ms, &ms, err);
		c[k] = (struct claim){ .there_ms = ms,
				       .ms = max_i64(ms - u->there, 0),
				       .nset = d->b->sets->nset.v[x->who] };
		if (ms && !x->recorded)
			c[k].room = max_i64(p->to_ms - p->from_ms - ms - u->else_ms, 0);
	}
	return rc;
}

/*
 * A machine is one at a time: of charge periods that overlap, of one set or of several that it may
 * be of, what a node has of one its claim of the next lacks. The shorter come first, which say
 * nearer when it was.
 */
static int divide_family(struct book *b, const struct machine_set *of, struct err *err)
{
	struct sets *s = b->sets;
	struct division d = { .b = b };
	struct claim *c = arena_alloc(&b->mem, (s->node.n + 1) * sizeof *c);
	size_t first = family_of(s, (size_t)(of - s->set.v));
	int rc = 0;

	for (size_t i = first; i < s->set.n && !rc; i++)
		if (family_of(s, i) == first)
			rc = find_periods(&d, &s->set.v[i], err);
	sort_items(d.period.v, d.period.n, sizeof *d.period.v, by_turn);
	d.used = arena_alloc(&b->mem, (s->node.n + 1) * sizeof *d.used);
	d.by_from = arena_alloc(&b->mem, (d.period.n + 1) * sizeof *d.by_from);
	for (size_t i = 0; i < d.period.n; i++) {
		d.period.v[i].turn = i;
		d.by_from[i] = &d.period.v[i];
	}
	sort_items(d.by_from, d.period.n, sizeof *d.by_from, by_start);
	for (size_t i = 0; i < d.period.n && !rc; i++) {
		rc = find_claims(&d, &d.period.v[i], c, err);
		if (!rc)
			divide_period(&d.period.v[i], c);
	}
	vec_free(&d.period);
	return rc;
}

/*
 * What of the line's amounts comes before member i, and how much of all that is: of usage by its
 * charge period; of fees, credits and corrections as the usage of their time is divided.
 */
static int64_t part_before(const struct machine_set *m, const struct bill_line *l, size_t i,
			   int64_t *ret_all)
{
	int64_t before = 0;
	size_t k = 0;
	bool usage = paid_is_usage(l) && l->gpu_milli > 0;

	*ret_all = 0;
	if (usage)
		k = first_where(at, m->part.n, m->part.v[at].from_ms >= l->from_ms);
	for (; k < m->part.n && m->part.v[k].from_ms < l->to_ms; k++) {
		const struct set_part *p = &m->part.v[k];
		bool exactly = p->from_ms == l->from_ms && p->to_ms == l->to_ms &&
			       sv_eq(p->purchase, l->purchase);
		if (p->to_ms <= l->from_ms || (usage && !exactly))
			continue;
		before += max_i64(min_i64(p->upto[i] - p->start_ms, p->all_ms), 0);
		*ret_all += p->all_ms;
	}
	return before;
}

static dec amount_between(dec v, int64_t from, int64_t to, int64_t all)
{
	return dec_muldiv(v, to, all) - dec_muldiv(v, from, all);
}

/* The set's line as that of one member, or of what stays with it (i = all of them). false: there is
 * nothing of it. */
static bool cut_line(const struct machine_set *m, size_t i, struct bill_line *l)
{
	int64_t all, from = part_before(m, l, i, &all), to = all;

	if (i < m->member.n)
		to = part_before(m, l, i + 1, &all);
	else if (!all)
		return true;
	if (!all || from == to)
		return false;
	for (int b = 0; b < BASIS_N; b++)
		l->cost[b] = amount_between(l->cost[b], from, to, all);
	l->contracted = amount_between(l->contracted, from, to, all);
	l->quantity = amount_between(l->quantity, from, to, all);
	return true;
}

int sets_lines(struct book *b, const struct scope_span *of, struct arena *mem,
	       struct bill_line **ret, size_t *ret_n, struct err *err)
{
	struct bill_line *line;
	size_t n = 0, most;
	int rc = store_bill_gpu(b->store, of, mem, ret, ret_n, err);

	for (size_t i = 0; b->sets && i < b->sets->set.n && !rc; i++) {
		struct machine_set *m = &b->sets->set.v[i];
		const struct set_member *x = member_of(m, sv_of(of->scope));
		bool own = !strcmp(m->key, of->scope);
		size_t at = m->member.n;
		if (!x && !own)
			continue;
		if (!m->divided)
			rc = divide_family(b, m, err);
		if (x)
			at = (size_t)(x - m->member.v);
		most = m->nline;
		n = 0;
		if (!own)
			n = *ret_n;
		line = arena_alloc(mem, (n + most + 1) * sizeof *line);
		for (size_t k = 0; k < n; k++)
			line[k] = (*ret)[k];
		for (size_t k = 0; k < most && !rc; k++) {
			line[n] = *m->sorted[k];
			const struct bill_line *l = &line[n];
			/* as the store takes them */
			bool in = l->from_ms < of->to_ms &&
				  (l->to_ms > of->from_ms || l->from_ms >= of->from_ms);
			if (in && cut_line(m, at, &line[n]))
				n++;
		}
		*ret = line;
		*ret_n = n;
	}
	return rc;
}
