#ifndef TARE_STORE_DUCK_SPILL_H
#define TARE_STORE_DUCK_SPILL_H
/*
 * Where DuckDB puts what does not fit the memory: a folder beside the facts, for each process that
 * has them open a folder of its own. Two that read would take each other's files for theirs, as
 * DuckDB names them alike in each process.
 *
 *   facts.duckdb.new.tmp      of the one who writes
 *   facts.duckdb.tmp-PID-N    of who reads
 */
#include "store/duck/inside.h"

/* A name nobody else has. The folder is made when it is needed. The caller frees. */
char *spill_path(const struct facts *f);
/* Folders that killed commands left; for the one who writes, with nothing open. */
void spill_sweep(const struct facts *f);

#endif
