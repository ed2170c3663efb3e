/* The peer in the benches: runs SQL statements in DuckDB and nothing else: duck DATABASE THREADS
 * MEMORY SQL... Prints the rows of each. */
#include <duckdb.h>
#include <stdio.h>

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "duck: %s: %s\n", what, why ? why : "failed");
	return 1;
}

int main(int argc, char **argv)
{
	duckdb_config config;
	duckdb_database db;
	duckdb_connection c;
	char *why = NULL;

	if (argc < 4)
		return fail("usage", "duck DATABASE THREADS MEMORY SQL...");
	if (duckdb_create_config(&config) || duckdb_set_config(config, "threads", argv[2]) ||
	    duckdb_set_config(config, "memory_limit", argv[3]))
		return fail("config", NULL);
	if (duckdb_open_ext(argv[1], &db, config, &why) || duckdb_connect(db, &c))
		return fail(argv[1], why);
	for (int i = 4; i < argc; i++) {
		duckdb_result r;
		if (duckdb_query(c, argv[i], &r))
			return fail(argv[i], duckdb_result_error(&r));
		unsigned long long rows = 0;
		for (duckdb_data_chunk k; (k = duckdb_fetch_chunk(r));
		     duckdb_destroy_data_chunk(&k))
			rows += duckdb_data_chunk_get_size(k);
		printf("%llu rows\n", rows);
		duckdb_destroy_result(&r);
	}
	duckdb_disconnect(&c);
	duckdb_close(&db);
	duckdb_destroy_config(&config);
	return 0;
}
