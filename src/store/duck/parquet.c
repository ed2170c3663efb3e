/* Parquet as a table of texts: DuckDB reads, every column is cast to text, rows stream. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/duck/inside.h"

struct parquet {
	struct tab tab;
	duckdb_database db;
	duckdb_connection con;
	struct answer rows;
	struct arena mem;
	char *path;
	struct sv *cell;
};

static void parquet_close(struct tab *t)
{
	struct parquet *p = (struct parquet *)t;
	answer_close(&p->rows);
	if (p->con)
		duck.disconnect(&p->con);
	if (p->db)
		duck.close(&p->db);
	arena_free(&p->mem);
	free(p->path);
	free(p->cell);
	free(p);
}

static int parquet_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	struct parquet *p = (struct parquet *)t;
	int r = answer_next(&p->rows, err);
	if (r <= 0) {
		if (r < 0)
			err_prefix(err, "'%s', after row %lld", p->path, (long long)t->line);
		return r;
	}
	t->line++;
	for (size_t c = 0; c < t->ncol; c++)
		p->cell[c] = answer_sv(&p->rows, c);
	*ret_cell = p->cell;
	return 1;
}

static const struct tab_ops parquet_ops = { .next = parquet_next, .close = parquet_close };

static int open_memory(struct parquet *p, struct err *err)
{
	duckdb_config c = NULL;
	char *msg = NULL;
	const char *threads;
	int r = duck_threads(&threads, err);
	if (r)
		return r;
	duck.create_config(&c);
	duck.set_config(c, "autoinstall_known_extensions", "false");
	duck.set_config(c, "autoload_known_extensions", "false");
	duck.set_config(c, "memory_limit", "600MB");
	if (threads)
		duck.set_config(c, "threads", threads);
	if (duck.open_ext(NULL, &p->db, c, &msg) != DuckDBSuccess) {
		r = sql_error(err, "start the Parquet reader", msg);
		p->db = NULL;
	} else if (duck.connect(p->db, &p->con) != DuckDBSuccess) {
		r = sql_error(err, "start the Parquet reader", "no connection");
	}
	if (r == 0)
		r = sql_exec(p->con, "SET TimeZone = 'UTC'", "start the Parquet reader", err);
	duck.free(msg);
	duck.destroy_config(&c);
	return r;
}

static int describe_parquet(struct parquet *p, struct str *sql, struct err *err)
{
	struct answer r;
	struct str q = { 0 }, from = { 0 };
	VEC(struct sv) col = { 0 };
	str_addz(&from, " FROM read_parquet(");
	sql_quote(&from, sv_of(p->path));
	str_addz(&from, ")");
	str_addf(&q, "DESCRIBE SELECT *%s", from.p);
	int e = answer_open(&r, &(struct sql_query){ p->con, q.p, "read the Parquet file" }, err,
			    "");
	str_clear(sql);
	str_addz(sql, "SELECT ");
	while (e == 0 && (e = answer_next(&r, err)) > 0) {
		if (col.n)
			str_addz(sql, ", ");
		/* A column as text: times in ISO 8601 UTC, nested values as JSON, the rest as
		 * it prints (decimals with all their digits). */
		struct sv name = answer_sv(&r, 0);
		struct sv type = answer_sv(&r, 1);
		struct str quoted = { 0 };
		str_addc(&quoted, '"');
		for (size_t i = 0; i < name.n; i++) {
			if (name.p[i] == '"')
				str_addc(&quoted, '"');
			str_addc(&quoted, name.p[i]);
		}
		str_addc(&quoted, '"');
		if (sv_ends(type, SV("]")) || sv_starts(type, SV("STRUCT")) ||
		    sv_starts(type, SV("MAP")) || sv_starts(type, SV("UNION")))
			str_addf(sql, "CAST(to_json(%s) AS VARCHAR)", quoted.p);
		else if (sv_starts(type, SV("TIMESTAMP")))
			str_addf(sql,
				 "replace(CAST(CAST(%s AS TIMESTAMP) AS VARCHAR), ' ', 'T') || 'Z'",
				 quoted.p);
		else if (sv_is(type, "BLOB"))
			str_addf(sql, "TRY_CAST(decode(%s) AS VARCHAR)", quoted.p);
		else
			str_addf(sql, "CAST(%s AS VARCHAR)", quoted.p);
		str_free(&quoted);
		*vec_push(&col) = answer_text(&r, 0, &p->mem);
		e = 0;
	}
	answer_close(&r);
	str_addsv(sql, str_sv(&from));
	p->tab.ncol = col.n;
	p->tab.col = arena_copy(&p->mem, col.v, col.n, sizeof *col.v);
	vec_free(&col);
	str_free(&q);
	str_free(&from);
	return e;
}

int parquet_open(const char *path, struct tab **ret, struct err *err)
{
	struct str sql = { 0 };
	if (access(path, R_OK))
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	if (strpbrk(path, "*?[")) /* DuckDB would take it as a pattern */
		return err_set(
			err, -EINVAL,
			"cannot read '%s' as Parquet: the name has one of * ? [ in it; rename the file",
			path);
	int r = duck_load(err);
	if (r)
		return r;
	struct parquet *p = xcalloc(1, sizeof *p);
	p->path = xstrdup(path);
	p->tab = (struct tab){ .ops = &parquet_ops, .format = "parquet" };
	r = open_memory(p, err);
	if (r == 0)
		r = describe_parquet(p, &sql, err);
	if (r == 0)
		r = answer_open(&p->rows,
				&(struct sql_query){ p->con, sql.p, "read the Parquet file", true },
				err, "");
	str_free(&sql);
	if (r) {
		err_prefix(err, "'%s'", path);
		parquet_close(&p->tab);
		return r;
	}
	p->cell = xcalloc(p->tab.ncol + 1, sizeof *p->cell);
	*ret = &p->tab;
	return 0;
}
