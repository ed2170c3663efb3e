#include "store/schema.h"

/* A block is the samples of a series in an hour from one file; chunk.id = block.id * 32 + column: 0 the times, 1 + metric the values. */
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
const char *const schema_telemetry[] = { telemetry_1 };
const size_t schema_telemetry_n = sizeof schema_telemetry / sizeof *schema_telemetry;

static const char control_1[] =
	"CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE journal (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, command TEXT NOT NULL, batch INTEGER, result TEXT);";
const char *const schema_control[] = { control_1 };
const size_t schema_control_n = sizeof schema_control / sizeof *schema_control;
