#ifndef TARE_STORE_DUCK_DUCK_H
#define TARE_STORE_DUCK_DUCK_H
/*
 * DuckDB's C API as a table of function pointers, loaded when the first store or Parquet file is
 * opened. The library is large and C++, so it is taken in with RTLD_LOCAL: none of its 58,000
 * symbols can meet ours, and programs that open no store never pay for it.
 *
 * The types come from the prototypes of duckdb.h: a name that is not there or used wrongly does not
 * compile.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <duckdb.h>
#pragma GCC diagnostic pop
#include "base/err.h"
#include "base/str.h"

/* clang-format off */
#define DUCK_FUNCTIONS(X) \
	X(library_version) X(create_config) X(set_config) X(destroy_config) X(open_ext) \
	X(close) X(connect) X(disconnect) X(destroy_result) X(result_error) \
	X(result_error_type) X(column_count) X(column_name) X(column_type) \
	X(column_logical_type) X(rows_changed) X(free) X(fetch_chunk) X(destroy_data_chunk) \
	X(prepare) X(prepare_error) X(destroy_prepare) X(bind_int64) X(bind_null) \
	X(bind_varchar_length) X(pending_prepared) X(pending_prepared_streaming) \
	X(pending_execute_task) X(execute_pending) \
	X(pending_error) X(destroy_pending) \
	X(create_logical_type) X(create_decimal_type) X(destroy_logical_type) X(get_type_id) \
	X(decimal_internal_type) X(create_data_chunk) X(data_chunk_reset) \
	X(data_chunk_get_size) X(data_chunk_set_size) X(data_chunk_get_vector) \
	X(vector_get_data) X(vector_get_validity) X(vector_ensure_validity_writable) \
	X(vector_size) X(appender_create_ext) X(appender_column_count) X(appender_column_type) \
	X(append_data_chunk) X(appender_flush) X(appender_close) X(appender_destroy) \
	X(appender_error) X(create_table_function) X(destroy_table_function) \
	X(table_function_set_name) X(table_function_set_extra_info) X(table_function_set_bind) \
	X(table_function_set_init) X(table_function_set_local_init) \
	X(table_function_set_function) X(register_table_function) X(bind_get_extra_info) \
	X(bind_add_result_column) X(init_get_extra_info) X(init_set_init_data) \
	X(init_set_max_threads) X(function_get_extra_info) X(function_get_local_init_data) \
	X(function_set_error) X(extract_statements) X(extract_statements_error) \
	X(prepare_extracted_statement) X(destroy_extracted) X(prepared_statement_type) \
	X(decimal_scale) X(interrupt)
/* clang-format on */

struct duck_api {
#define X(name) __typeof__(&duckdb_##name) name;
	DUCK_FUNCTIONS(X)
#undef X
};
extern struct duck_api duck;

/*
 * Load the library once: $TARE_LIBDUCKDB, <folder of the program>/../lib/tare/, <folder of the
 * program>/, the build's deps/lib, the system's own. -ENOENT with a hint to tools/setup if none can
 * be loaded. Thread-safe.
 */
int duck_load(struct err *err);
const char *duck_path(void); /* what was loaded, or "" */

static inline __int128 duck_huge(duckdb_hugeint h)
{
	return (__int128)(((unsigned __int128)(uint64_t)h.upper << 64) | h.lower);
}
static inline duckdb_hugeint duck_of_huge(__int128 v)
{
	return (duckdb_hugeint){ .lower = (uint64_t)v, .upper = (int64_t)(v >> 64) };
}
static inline struct sv duck_sv(const duckdb_string_t *s)
{
	uint32_t n = s->value.inlined.length;
	return (struct sv){ n <= 12 ? s->value.inlined.inlined : s->value.pointer.ptr, n };
}

#endif
