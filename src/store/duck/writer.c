#include "store/duck/writer.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/duck/inside.h"

#define QUEUED_MAX ((size_t)64 << 20) /* bytes of slabs under way over all tables */
/* a statement is started for no less: small ones cost DuckDB more */
#define START_MIN ((size_t)24 << 20)
/* a statement that has run dry ends for another table's slabs of so much */
#define SWITCH_MIN ((size_t)48 << 20)
/* Two row groups of DuckDB. A statement that ends with one leaves no part of one behind, which
 * would stay in memory as it is until the commit; and DuckDB's allocator gives back what it holds
 * when a statement ends. */
#define STATEMENT_SLABS ((size_t)2 * 122880 / SLAB_ROWS)
#define SPARE_MAX       8
/* What DuckDB has written stays in its memory up to the limit, and no INSERT reads it again. A row
 * group of a bill and its parts of others take 200 MB. */
#define LIMIT_WRITING "SET memory_limit = '256MB'"
#define LIMIT_ASKING  "SET memory_limit = '" DUCK_MEMORY "'"

struct lane {
	struct writer *w;
	struct lane *next;
	char *types, *sql, function[48];
	struct slab *head, *tail;
	size_t queued; /* bytes */
	size_t taken;  /* slabs, by the statement under way */
	size_t slab_bytes;
	struct slab *spare;
	size_t nspare;
};

struct writer {
	duckdb_connection con;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more; /* slabs came, or an order */
	pthread_cond_t less; /* slabs went, a statement ended */
	struct lane *lanes;
	size_t queued;
	bool running;              /* a statement is under way */
	bool waiting;              /* the caller waits for room */
	bool pause;                /* the caller has the connection, until it gives the next slab */
	const struct lane *wanted; /* while pausing: the lane that must be written first */
	bool stop, drop;
	int failed; /* negative errno */
	struct err err;
};

/* ---- called by DuckDB's threads ---------------------------------------------------------- */

static void bind_lane(duckdb_bind_info info)
{
	const struct lane *l = duck.bind_get_extra_info(info);
	char name[16];
	for (size_t c = 0; l->types[c]; c++) {
		duckdb_logical_type t = slab_type(l->types[c]);
		snprintf(name, sizeof name, "c%zu", c);
		duck.bind_add_result_column(info, name, t);
		duck.destroy_logical_type(&t);
	}
}

static void init_lane(duckdb_init_info info)
{
	duck.init_set_max_threads(info, 1); /* see writer.h */
}

/* What a thread has in hand: DuckDB reads the texts of a slab until it asks for the next. */
struct hand {
	struct lane *lane;
	struct slab *slab;
};

static void give_back(struct lane *l, struct slab *k)
{
	slab_clear(k, l->types);
	pthread_mutex_lock(&l->w->lock);
	bool keep = l->nspare < SPARE_MAX;
	if (keep) {
		k->next = l->spare;
		l->spare = k;
		l->nspare++;
	}
	pthread_mutex_unlock(&l->w->lock);
	if (!keep)
		slab_free(k, l->types);
}

static void hand_free(void *p)
{
	struct hand *h = p;
	if (h->slab)
		give_back(h->lane, h->slab);
	free(h);
}

static void init_hand(duckdb_init_info info)
{
	struct hand *h = xcalloc(1, sizeof *h);
	h->lane = duck.init_get_extra_info(info);
	duck.init_set_init_data(info, h, hand_free);
}

/* There is no slab and one may come yet. */
static bool waits_for_slab(const struct lane *l)
{
	const struct writer *w = l->w;
	bool wanted = w->pause || w->waiting || w->stop;

	return !wanted && !l->head && w->queued < SWITCH_MIN;
}

/* The next slab; NULL when the statement is to end, or to fail. */
static struct slab *take_slab(struct lane *l, bool *ret_drop)
{
	struct writer *w = l->w;
	struct slab *k = NULL;
	pthread_mutex_lock(&w->lock);
	while (l->taken < STATEMENT_SLABS && waits_for_slab(l))
		pthread_cond_wait(&w->more, &w->lock);
	if (l->head && !w->drop && l->taken < STATEMENT_SLABS) {
		k = l->head;
		l->taken++;
		l->head = k->next;
		if (!l->head)
			l->tail = NULL;
		l->queued -= k->bytes;
		w->queued -= k->bytes;
		pthread_cond_broadcast(&w->less);
	}
	*ret_drop = w->drop;
	pthread_mutex_unlock(&w->lock);
	return k;
}

static void next_chunk(duckdb_function_info info, duckdb_data_chunk out)
{
	struct hand *h = duck.function_get_local_init_data(info);
	bool drop;
	if (h->slab)
		give_back(h->lane, h->slab);
	h->slab = take_slab(h->lane, &drop);
	if (drop)
		duck.function_set_error(info, "dropped");
	else if (h->slab)
		slab_fill(h->slab, h->lane->types, out);
	else
		duck.data_chunk_set_size(out, 0);
}

/* ---- the thread that runs the statements ------------------------------------------------- */

/* The lane to write now, or NULL. */
static struct lane *choose_lane(const struct writer *w)
{
	struct lane *best = NULL;
	if (w->failed || w->drop)
		return NULL;
	for (struct lane *l = w->lanes; l; l = l->next)
		if (l->head && (w->pause ? l == w->wanted : !best || l->queued > best->queued))
			best = l;
	if (best && (w->pause || w->waiting || best->queued >= START_MIN))
		return best;
	return NULL;
}

static void *run_writer(void *p)
{
	struct writer *w = p;
	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct lane *l = choose_lane(w);
		if (!l) {
			if (w->stop)
				break;
			pthread_cond_wait(&w->more, &w->lock);
			continue;
		}
		struct err err;
		l->taken = 0;
		w->running = true;
		pthread_mutex_unlock(&w->lock);
		/* Not where the user says how much memory there is. */
		bool limited = !duck_memory();
		int r = 0;
		if (limited)
			r = sql_exec(w->con, LIMIT_WRITING, "write to the store", &err);
		if (!r)
			r = sql_exec(w->con, l->sql, "write to the store", &err);
		if (r == 0 && limited)
			r = sql_exec(w->con, LIMIT_ASKING, "write to the store", &err);
		pthread_mutex_lock(&w->lock);
		w->running = false;
		if (r && !w->failed) {
			w->failed = r;
			w->err = err;
		}
		pthread_cond_broadcast(&w->less);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct writer *writer_new(duckdb_connection con)
{
	struct writer *w = xcalloc(1, sizeof *w);
	w->con = con;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	pthread_cond_init(&w->less, NULL);
	if (pthread_create(&w->thread, NULL, run_writer, w)) {
		free(w);
		return NULL;
	}
	return w;
}

static void lane_free(struct lane *l)
{
	struct slab *list[] = { l->head, l->spare };
	for (int i = 0; i < 2; i++)
		for (struct slab *k = list[i], *after; k; k = after) {
			after = k->next;
			slab_free(k, l->types);
		}
	free(l->types);
	free(l->sql);
	free(l);
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	w->drop = w->queued > 0 || w->running;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	for (struct lane *l = w->lanes, *after; l; l = after) {
		after = l->next;
		lane_free(l);
	}
	pthread_cond_destroy(&w->more);
	pthread_cond_destroy(&w->less);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* ---- the caller's side ------------------------------------------------------------------- */

static int writer_outcome(const struct writer *w, struct err *err)
{
	if (w->failed && err)
		*err = w->err;
	return w->failed;
}

int writer_quiet(struct writer *w, const struct lane *l, struct err *err)
{
	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->pause = true;
	w->wanted = l;
	pthread_cond_broadcast(&w->more);
	while (w->running || (l && l->queued && !w->failed))
		pthread_cond_wait(&w->less, &w->lock);
	w->wanted = NULL;
	int r = writer_outcome(w, err);
	pthread_mutex_unlock(&w->lock);
	return r;
}

static int register_function(struct lane *l, struct err *err)
{
	static int serial; /* names last as long as the transaction, so each lane has its own */
	snprintf(l->function, sizeof l->function, "tare_slabs_%d",
		 __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
	duckdb_table_function f = duck.create_table_function();
	duck.table_function_set_name(f, l->function);
	duck.table_function_set_extra_info(f, l, NULL);
	duck.table_function_set_bind(f, bind_lane);
	duck.table_function_set_init(f, init_lane);
	duck.table_function_set_local_init(f, init_hand);
	duck.table_function_set_function(f, next_chunk);
	duckdb_state ok = duck.register_table_function(l->w->con, f);
	duck.destroy_table_function(&f);
	if (ok == DuckDBSuccess)
		return 0;
	return err_set(err, -EIO, "cannot write to the store: DuckDB takes no table function");
}

int writer_lane(struct writer *w, const char *table, const char *types, struct lane **ret,
		struct err *err)
{
	struct lane *l = xcalloc(1, sizeof *l);
	struct str sql = { 0 };
	l->w = w;
	l->types = xstrdup(types);
	for (const char *t = types; *t; t++)
		l->slab_bytes += SLAB_ROWS * slab_width(*t);
	int r = register_function(l, err);
	if (r) {
		lane_free(l);
		return r;
	}
	str_addf(&sql, "INSERT INTO %s SELECT * FROM %s()", table, l->function);
	l->sql = sql.p;
	pthread_mutex_lock(&w->lock);
	l->next = w->lanes;
	w->lanes = l;
	pthread_mutex_unlock(&w->lock);
	*ret = l;
	return 0;
}

int lane_push(struct lane *l, struct slab **slab, struct err *err)
{
	struct writer *w = l->w;
	struct slab *k = *slab, *empty = NULL;
	k->bytes = l->slab_bytes + slab_text_bytes(k);
	k->next = NULL;
	pthread_mutex_lock(&w->lock);
	w->pause = false;
	while (w->queued > QUEUED_MAX && !w->failed) {
		w->waiting = true;
		pthread_cond_broadcast(&w->more);
		pthread_cond_wait(&w->less, &w->lock);
	}
	w->waiting = false;
	int r = writer_outcome(w, err);
	if (r == 0) {
		if (l->tail)
			l->tail->next = k;
		else
			l->head = k;
		l->tail = k;
		l->queued += k->bytes;
		w->queued += k->bytes;
		empty = l->spare;
		if (empty) {
			l->spare = empty->next;
			l->nspare--;
		}
		pthread_cond_broadcast(&w->more);
	}
	pthread_mutex_unlock(&w->lock);
	if (r == 0)
		*slab = empty ? empty : slab_new(l->types);
	return r;
}
