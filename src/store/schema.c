/* See schema.h. */
#include "store/schema.h"

/* ---- telemetry.db ------------------------------------------------------------------------ */

/* A block is the samples of a series in an hour, or another span, from one file; chunk.id =
 * block.id * 32 + column: 0 the times, 1 + metric the values. */
static const char telemetry_1[] =
	"CREATE TABLE series (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, node TEXT, gpu TEXT, mig TEXT, job_id TEXT, gpu_model TEXT, "
	"cluster TEXT, user_name TEXT, team TEXT, project TEXT, env TEXT, workload TEXT, currency TEXT, usd_gpu_hour TEXT);"
	"CREATE INDEX series_node ON series (node);"
	"CREATE TABLE block (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, hour INTEGER NOT NULL, src INTEGER NOT NULL, "
	"from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, n INTEGER NOT NULL);"
	"CREATE INDEX block_series ON block (series, hour, src, from_ms, to_ms);"
	"CREATE TABLE chunk (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, min REAL, max REAL, sum REAL, data BLOB NOT NULL);"
	"CREATE TABLE last (batch INTEGER NOT NULL);"
	"INSERT INTO last VALUES (0);";

/* hash: of the block's chunks, see readings.c; NULL until the facts have the sums too. */
static const char telemetry_2[] =
	"ALTER TABLE block ADD COLUMN hash INTEGER; DROP INDEX series_node;";

/* "hour" is where the span begins. */
static const char telemetry_3[] =
	"ALTER TABLE block ADD COLUMN span INTEGER NOT NULL DEFAULT 3600000";

const char *const schema_telemetry[] = { telemetry_1, telemetry_2, telemetry_3 };
const size_t schema_telemetry_n = sizeof schema_telemetry / sizeof *schema_telemetry;

/* ---- control.db -------------------------------------------------------------------------- */

static const char control_1[] =
	"CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE journal (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, command TEXT NOT NULL, batch INTEGER, result TEXT);";

/* sum: of the rows of a table, as they were written; compared before they are read (control.c). */
static const char control_2[] =
	"ALTER TABLE setting RENAME TO setting_1;"
	"CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"INSERT INTO setting SELECT key, value FROM setting_1;"
	"DROP TABLE setting_1;"
	"CREATE TABLE sum (what TEXT PRIMARY KEY, n INTEGER NOT NULL, hash INTEGER NOT NULL) WITHOUT ROWID;" CONTROL_SUM_SETTING
	";" CONTROL_SUM_JOURNAL;

const char *const schema_control[] = { control_1, control_2 };
const size_t schema_control_n = sizeof schema_control / sizeof *schema_control;
