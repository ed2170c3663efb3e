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
	const char *key;               /* of its scope */
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

int sets_mark(struct book *b, struct err *err)
{
	bool posted = b->ledger_from_ms != UNKNOWN_MS;
	int rc = 0;

	for (size_t i = 0; posted && b->sets_before && i < b->sets_before->set.n; i++) {
		const struct machine_set *old = &b->sets_before->set.v[i];
		if (!find_set(b->sets, old->key))
			mark_all(b, old, b->ledger_from_ms, b->ledger_to_ms);
	}
	for (size_t i = 0; b->sets && i < b->sets->set.n && !rc; i++) {
		struct machine_set *m = &b->sets->set.v[i];
		const struct machine_set *old = find_set(b->sets_before, m->key);
		bool same = is_as_before(b, m, old);
		struct span s = { INT64_MAX, INT64_MIN };
		if (!same && posted)
			mark_all(b, m, b->ledger_from_ms, b->ledger_to_ms);
		if (!same && posted && old)
			mark_all(b, old, b->ledger_from_ms, b->ledger_to_ms);
		join_dirty(b, m->key, &s);
		for (size_t k = 0; k < m->member.n; k++)
			join_dirty(b, m->member.v[k].key, &s);
		if (s.from_ms >= s.to_ms)
			continue;
		rc = load_lines(b, m, err);
		for (bool grew = true; grew && !rc;) {
			struct span was = s;
			for (size_t k = 0; k < m->nline; k++) {
				const struct bill_line *l = &m->line[k];
				if (l->from_ms >= s.to_ms || l->to_ms <= s.from_ms)
					continue;
				s.from_ms = min_i64(l->from_ms, s.from_ms);
				s.to_ms = max_i64(l->to_ms, s.to_ms);
			}
			grew = was.from_ms != s.from_ms || was.to_ms != s.to_ms;
		}
		if (!rc)
			mark_all(b, m, s.from_ms, s.to_ms);
	}
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
			*claim -= min_i64(paid_machine_ms(&l, 1), both);
	}
	*claim = max_i64(*claim, 0);
	arena_free(&mem);
	return rc;
}

/* machine_ms: of all machines of the set in this charge period. [nmember + 1] up to where of these
 * each node's time lies. */
static int divide_period(struct book *b, const struct machine_set *m, int64_t from_ms,
			 int64_t to_ms, int64_t machine_ms, int64_t **ret_upto, struct err *err)
{
	size_t n = m->member.n;
	int64_t period = to_ms - from_ms, claimed = 0, room = 0, *claim = NULL, sum = 0, slack = 0;
	int64_t *ret = arena_zalloc(&b->mem, (n + 1) * sizeof *ret), upto = 0;
	int rc = 0;

	*ret_upto = ret;
	claim = arena_zalloc(&b->mem, (n + 1) * sizeof *claim);
	for (size_t k = 0; k < n && !rc; k++) {
		claim[k] = there_ms(&m->member.v[k], from_ms, to_ms);
		if (claim[k] && m->member.v[k].has_lines)
			rc = take_own(b, &m->member.v[k], from_ms, to_ms, &claim[k], err);
		claimed += claim[k];
		if (claim[k])
			slack += paid_slack_ms(period);
		if (claim[k] && !m->member.v[k].recorded)
			room += period - claim[k];
	}
	if (rc || !claimed)
		return rc;
	int64_t over = machine_ms - claimed;
	for (size_t k = 0; k < n && over > 0 && room; k++)
		if (claim[k] && !m->member.v[k].recorded)
			claim[k] += (int64_t)((__int128)min_i64(over, room) * (period - claim[k]) /
					      room);
	for (size_t k = 0; k < n; k++)
		sum += claim[k];
	/* Claims beyond the hours, and hours hardly beyond the claims, as quantities are rounded up
	 * and a machine is billed before it is a node: each has its part of all. */
	bool all = machine_ms - sum <= slack;
	for (size_t k = 0; k < n; k++) {
		upto += claim[k];
		ret[k + 1] = upto;
		if (all)
			ret[k + 1] = (int64_t)((__int128)machine_ms * upto / sum);
	}
	return 0;
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

static int divide_set(struct book *b, struct machine_set *m, struct err *err)
{
	const struct bill_line **u;
	size_t n = 0;

	if (m->divided)
		return 0;
	m->divided = true;
	int rc = load_lines(b, m, err);
	if (rc)
		return rc;
	m->sorted = arena_alloc(&b->mem, (m->nline + 1) * sizeof *m->sorted);
	for (size_t i = 0; i < m->nline; i++)
		m->sorted[i] = &m->line[i];
	sort_items(m->sorted, m->nline, sizeof *m->sorted, by_period_and_purchase);
	u = arena_alloc(&b->mem, (m->nline + 1) * sizeof *u);
	for (size_t i = 0; i < m->nline; i++)
		if (paid_is_usage(m->sorted[i]) && m->sorted[i]->gpu_milli > 0)
			u[n++] = m->sorted[i];
	for (size_t i = 0, same; i < n && !rc; i += same) {
		int64_t ms = 0, *upto;
		size_t first = m->part.n;
		for (same = 1; i + same < n && !by_period(&u[i], &u[i + same]);)
			same++;
		/* an hour of a machine is paid in one way */
		for (size_t at = i, k; at < i + same; at += k) {
			k = paid_alike(u + at, i + same - at);
			int64_t of_way = max_i64(paid_machine_ms(u + at, k), 0);
			if (of_way)
				*vec_push(&m->part) = (struct set_part){
					.from_ms = u[i]->from_ms,
					.to_ms = u[i]->to_ms,
					.purchase = u[at]->purchase,
					.start_ms = ms,
					.all_ms = of_way,
				};
			ms += of_way;
		}
		rc = divide_period(b, m, u[i]->from_ms, u[i]->to_ms, ms, &upto, err);
		for (; first < m->part.n; first++)
			m->part.v[first].upto = upto;
	}
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
		rc = divide_set(b, m, err);
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
