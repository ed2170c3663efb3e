#ifndef TARE_STORE_SQL_WORDS_H
#define TARE_STORE_SQL_WORDS_H
#include <stdbool.h>

/* What people call things that the views of tare sql call otherwise, or do not have. */

/* Of a word that is no column: "cost" -> "the columns are effective_cost, ..."; NULL: none is
 * known. */
const char *sql_word_meant(const char *word);
/*
 * Does the statement ask for the engine's own user where the column user_name is meant: the bare
 * word `user`, no text, name in quotes, comment or alias? SELECT user has no error: it says
 * "duckdb" in each row.
 */
bool sql_asks_engine_user(const char *sql);
#endif
