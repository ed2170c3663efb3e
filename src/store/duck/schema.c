#include "store/duck/schema.h"

#include "store/duck/tuples.h"

/*
 * src = batch << 20 | file: which file of which batch a raw row came from; the rows of a file whose
 * src is in `reversal` do not count, nor do lines of bills that `bill_reversal` or
 * `bill_part_reversal` names. kind, state, cause, quality, priced, share_kind and basis hold the
 * numbers of the enums in model.h, which are never renumbered. Amounts: DECIMAL(38,12) as billed,
 * BIGINT nano-units in the ledger. NULL = unknown; texts of the ledger are '' where there is none.
 */
#define BILL_COLUMNS                                                                   \
	"(src BIGINT, scope VARCHAR, provider VARCHAR, account VARCHAR, "              \
	"account_name VARCHAR, sub_account VARCHAR, sub_account_name VARCHAR, "        \
	"invoice VARCHAR, currency VARCHAR, charge_category VARCHAR, "                 \
	"charge_class VARCHAR, charge_frequency VARCHAR, charge_description VARCHAR, " \
	"pricing_category VARCHAR, service_category VARCHAR, service_name VARCHAR, "   \
	"sku_id VARCHAR, sku_price_id VARCHAR, usage_type VARCHAR, "                   \
	"instance_type VARCHAR, region VARCHAR, zone VARCHAR, resource_id VARCHAR, "   \
	"resource_name VARCHAR, resource_type VARCHAR, commitment_id VARCHAR, "        \
	"commitment_type VARCHAR, commitment_status VARCHAR, tags VARCHAR, "           \
	"from_ms BIGINT, to_ms BIGINT, period_from_ms BIGINT, period_to_ms BIGINT, "   \
	"quantity DECIMAL(38,12), unit VARCHAR, billed DECIMAL(38,12), "               \
	"effective DECIMAL(38,12), list DECIMAL(38,12), contracted DECIMAL(38,12), "   \
	"kind TINYINT, gpu_model VARCHAR, gpu_milli BIGINT, purchase VARCHAR);"

/* Columns by how they are written, behind their names: texts of few kinds, each its own, times. */
#define DICT " VARCHAR USING COMPRESSION dictionary, "
#define FSST " VARCHAR USING COMPRESSION fsst, "
#define TIME " BIGINT USING COMPRESSION bitpacking, "

const char *const table_name[T_N] = {
	[T_NODE] = "node",
	[T_ALLOCATION] = "allocation_row",
	[T_REQUEST] = "request",
	[T_PRICE] = "price",
	[T_BILL] = "bill",
	[T_BILL_GPU] = "bill_gpu",
	[T_BILL_SCOPE] = "bill_scope",
	[T_PLACE] = "allocation_place",
	[T_OWNER] = "allocation_owner",
	[T_SHAPE] = "allocation_shape",
	[T_WHAT] = "ledger_what",
	[T_WHAT_BILL] = "ledger_bill",
	[T_WHO] = "ledger_who",
	[T_LEDGER] = "ledger_row",
	[T_REMAINDER] = "remainder",
	[T_PAID] = "paid",
	[T_INCIDENT] = "incident",
	[T_WITNESS] = "witness",
	[T_EXCHANGE_RATE] = "exchange_rate",
	[T_CURVE] = "curve",
	[T_PRESENCE] = "presence",
};

static const char v1[] =
	"CREATE TABLE batch (batch BIGINT, committed_ms BIGINT, command VARCHAR, files BIGINT, version VARCHAR);"
	"CREATE TABLE batch_file (src BIGINT, path VARCHAR, kind VARCHAR, hash VARCHAR, source VARCHAR, report VARCHAR, from_ms BIGINT, "
	"to_ms BIGINT);"
	"CREATE TABLE reversal (batch BIGINT, src BIGINT);"

	"CREATE TABLE node (src BIGINT, node VARCHAR, provider VARCHAR, region VARCHAR, zone VARCHAR, instance_type VARCHAR, "
	"gpu_model VARCHAR, cluster VARCHAR, purchase VARCHAR, resource_id VARCHAR, gpu_ids VARCHAR, currency VARCHAR, gpu_milli BIGINT, "
	"from_ms BIGINT, to_ms BIGINT, usd_hour DECIMAL(38,12));"

	/* How texts and times of jobs are written is known: trying each way on each column takes
	 * DuckDB a seventh of a list's time. What it would choose otherwise somewhere is left to
	 * it. */
	"CREATE TABLE allocation (src BIGINT, scope" DICT "job_id" FSST "user_name" DICT "team" DICT
	"project" DICT "env" DICT "workload" DICT "name VARCHAR, gpu_model" DICT
	"gpu_ids VARCHAR, mig_profile" DICT "state" DICT "node" DICT "cluster" DICT "account" DICT
	"namespace" DICT "queue" DICT "tags VARCHAR, currency" DICT
	"gpus_milli BIGINT, share_kind TINYINT, share_ppb BIGINT, mig_start INTEGER, "
	"submit_ms" TIME "start_ms" TIME "end_ms" TIME
	"open_end TINYINT, limit_ms BIGINT, checkpointable TINYINT, attempt INTEGER, "
	"usd_gpu_hour DECIMAL(38,12));"

	/* A row: the requests of a service in a minute that went well, or did not; latencies in a
	 * histogram (store/hist.h). */
	"CREATE TABLE request (src BIGINT, t_ms BIGINT, service VARCHAR, tenant VARCHAR, ok TINYINT, requests BIGINT, tokens_in BIGINT, "
	"tokens_out BIGINT, gpu_ms BIGINT, latency BLOB);"

	"CREATE TABLE price (src BIGINT, provider VARCHAR, region VARCHAR, zone VARCHAR, instance_type VARCHAR, gpu_model VARCHAR, "
	"purchase VARCHAR, term VARCHAR, currency VARCHAR, source VARCHAR, gpu_milli BIGINT, upfront DECIMAL(38,12), hour DECIMAL(38,12), "
	"from_ms BIGINT, to_ms BIGINT, interruption_lo_pct INTEGER, interruption_hi_pct INTEGER);"

	/* GPU lines apart: the join and the ledger read them again and again, and they are few
	 * among many. */
	"CREATE TABLE bill " BILL_COLUMNS "CREATE TABLE bill_gpu " BILL_COLUMNS
	/* The scope that the join found for a resource; the highest seq holds. */
	"CREATE TABLE bill_scope (batch BIGINT, seq BIGINT, provider VARCHAR, resource_id VARCHAR, scope VARCHAR);"

	"CREATE TABLE ledger (batch BIGINT, hour_ms BIGINT, day INTEGER, month INTEGER, kind TINYINT, state TINYINT, cause TINYINT, "
	"quality TINYINT, priced TINYINT, scope VARCHAR, gpu VARCHAR, node VARCHAR, cluster VARCHAR, provider VARCHAR, region VARCHAR, "
	"zone VARCHAR, gpu_model VARCHAR, purchase VARCHAR, currency VARCHAR, user_name VARCHAR, team VARCHAR, project VARCHAR, "
	"env VARCHAR, workload VARCHAR, job VARCHAR, run VARCHAR, owner_from VARCHAR, tags VARCHAR, ms BIGINT, util_ms BIGINT, "
	"billed_nano BIGINT, effective_nano BIGINT, list_nano BIGINT);"
	"CREATE TABLE remainder (batch BIGINT, scope VARCHAR, currency VARCHAR, basis TINYINT, from_ms BIGINT, to_ms BIGINT, "
	"amount DECIMAL(38,12), pico_ms HUGEINT);";

/* CPU and memory of the host: what machines have and jobs hold beside their GPUs. Rows of before do
 * not know. */
static const char v2[] =
	"ALTER TABLE node ADD COLUMN cpu_milli BIGINT; ALTER TABLE node ADD COLUMN ram_mib BIGINT;"
	"ALTER TABLE allocation ADD COLUMN cpu_milli BIGINT; ALTER TABLE allocation ADD COLUMN ram_mib BIGINT;";

/* What happened to GPUs and machines: agents tell of it. */
static const char v3[] =
	"CREATE TABLE incident (src BIGINT, node VARCHAR, gpu VARCHAR, mig VARCHAR, kind VARCHAR, t_ms BIGINT, code BIGINT);";

/* Who watched which nodes and when (witness.c); NULL node: all of the cluster, NULL cluster: of
 * all that the file's jobs name, NULL times: as far as these reach. */
static const char v4[] =
	"CREATE TABLE witness (src BIGINT, cluster VARCHAR, node VARCHAR, from_ms BIGINT, to_ms BIGINT, quality TINYINT);";

/*
 * Where on the bill an entry stands and which service it served. What store/check.c compares with:
 * the money in entries that no bill gave (rates, energy), and the time that was paid, of GPUs
 * (gpu) or of a pool (''), in spans that end with their day. A batch that changed the rules says
 * which they are now; batches of before such rows had rules 1.
 */
static const char v5[] =
	"CREATE TABLE ledger_rules (batch BIGINT, rules INTEGER);"
	"INSERT INTO ledger_rules SELECT max(batch), 1 FROM batch HAVING count(*) > 0;"
	"CREATE TABLE paid (batch BIGINT, scope VARCHAR, gpu VARCHAR, from_ms BIGINT, to_ms BIGINT, gpus_milli BIGINT);"
	"ALTER TABLE remainder ADD COLUMN rated DECIMAL(38,12) DEFAULT 0;"
	"ALTER TABLE ledger ADD COLUMN service VARCHAR DEFAULT '';"
	"ALTER TABLE ledger ADD COLUMN cloud_service VARCHAR DEFAULT '';"
	"ALTER TABLE ledger ADD COLUMN account VARCHAR DEFAULT '';"
	"ALTER TABLE ledger ADD COLUMN instance_type VARCHAR DEFAULT '';"
	"ALTER TABLE ledger ADD COLUMN commitment VARCHAR DEFAULT '';";

/*
 * Lines of a bill that a newer import of their provider, account and month took out of force, where
 * the file has others that stay: those of the file `of_src` whose billing period (else: charge
 * period) begins in the calendar month [of_from_ms, of_to_ms). A file without any line left has a
 * row in `reversal`.
 */
static const char v6[] =
	"CREATE TABLE bill_reversal (batch BIGINT, of_src BIGINT, of_provider VARCHAR, of_account VARCHAR, of_from_ms BIGINT, of_to_ms BIGINT);";

/* What came of the readings of a file: how many blocks of telemetry.db, and the sum of their hashes
 * modulo 2^64 (readings.c). */
static const char v7[] = "CREATE TABLE reading_sum (src BIGINT, blocks BIGINT, hash BIGINT);";

/*
 * As bill_reversal, for some sub accounts and days alone (`--replace --partial`): lines that begin
 * on the day of_day_ms.
 */
static const char v8[] =
	"CREATE TABLE bill_part_reversal (batch BIGINT, of_src BIGINT, of_provider VARCHAR, of_account VARCHAR, of_sub_account VARCHAR, of_day_ms BIGINT, of_from_ms BIGINT, of_to_ms BIGINT);";

/* What one unit of a currency is in another one, by day. */
static const char v9[] =
	"CREATE TABLE exchange_rate (src BIGINT, from_currency VARCHAR, to_currency VARCHAR, day_ms BIGINT, rate DECIMAL(38,12));";

/* Metrics that training runs logged (duck/curves.c). */
static const char v10[] =
	"CREATE TABLE curve (src BIGINT, run VARCHAR, job VARCHAR, config VARCHAR, metric VARCHAR, better TINYINT, step BIGINT, t_ms BIGINT, value DOUBLE);";

/*
 * A row of the ledger has numbers for what stays the same from row to row: the texts stand once in
 * ledger_what and ledger_who (tuples.h). The view has the columns that the table had.
 */
#define ROW_COLUMNS(l)                                                                       \
	l "batch, " l "hour_ms, " l "day, " l "month, " l "kind, " l "state, " l "cause, " l \
	  "quality, " l "priced"
#define ROW_VALUES(l)                                                                       \
	l "job, " l "run, " l "ms, " l "util_ms, " l "billed_nano, " l "effective_nano, " l \
	  "list_nano"
#define TUPLES_OF(columns)                                             \
	"SELECT CAST(row_number() OVER () AS INTEGER) AS id, " columns \
	" FROM (SELECT DISTINCT " columns " FROM ledger) t;"
#define SAME(c)      "l." c " IS NOT DISTINCT FROM "
#define WHAT(c)      SAME(c) "w." c
#define WHO(c)       SAME(c) "o." c
#define SAME_MACHINE WHAT("scope") " AND " WHAT("gpu") " AND " WHAT("node") " AND " WHAT("cluster")
#define SAME_PLACE   WHAT("provider") " AND " WHAT("region") " AND " WHAT("zone")
#define SAME_PRICE   WHAT("gpu_model") " AND " WHAT("purchase") " AND " WHAT("currency")
#define SAME_CHARGE  WHAT("cloud_service") " AND " WHAT("account") " AND " WHAT("instance_type")
#define SAME_OWNER   WHO("user_name") " AND " WHO("team") " AND " WHO("project") " AND " WHO("env")
#define SAME_TAGS    WHO("workload") " AND " WHO("owner_from") " AND " WHO("tags")
#define JOIN_WHAT                                                                                  \
	" FROM ledger l JOIN ledger_what w ON " SAME_MACHINE " AND " SAME_PLACE " AND " SAME_PRICE \
	" AND " SAME_CHARGE " AND " WHAT("commitment")
#define JOIN_WHO " JOIN ledger_who o ON " SAME_OWNER " AND " SAME_TAGS " AND " WHO("service")
#define ROWS_OF_FLAT                                                                 \
	"SELECT " ROW_COLUMNS("l.") ", w.id AS what, o.id AS who, " ROW_VALUES("l.") \
		JOIN_WHAT JOIN_WHO
#define LEDGER_VIEW                                                                                 \
	"SELECT " ROW_COLUMNS("r.") ", " WHAT_COLUMNS("w.") ", " WHO_COLUMNS("o.") ", " ROW_VALUES( \
		"r.") " FROM ledger_row r JOIN ledger_what w ON w.id = r.what "                     \
		      "JOIN ledger_who o ON o.id = r.who"
const char schema_ledger[] = LEDGER_VIEW;
const char schema_entries[] =
	"(SELECT " ROW_COLUMNS("r.") ", " WHAT_COLUMNS("w.") ", " WHAT_BILL_COLUMNS("w.") ", " WHO_COLUMNS(
		"o.") ", " ROW_VALUES("r.") " FROM ledger_row r JOIN " WHAT_WITH_BILL
					    " w ON w.id = r.what JOIN ledger_who o ON o.id = r.who)";
static const char v11[] =
	"CREATE TABLE ledger_what (id INTEGER, scope VARCHAR, gpu VARCHAR, node VARCHAR, cluster VARCHAR, provider VARCHAR, "
	"region VARCHAR, zone VARCHAR, gpu_model VARCHAR, purchase VARCHAR, currency VARCHAR, cloud_service VARCHAR, account VARCHAR, "
	"instance_type VARCHAR, commitment VARCHAR);"
	"CREATE TABLE ledger_who (id INTEGER, user_name VARCHAR, team VARCHAR, project VARCHAR, env VARCHAR, workload VARCHAR, "
	"owner_from VARCHAR, tags VARCHAR, service VARCHAR);"
	"CREATE TABLE ledger_row (batch BIGINT, hour_ms BIGINT, day INTEGER, month INTEGER, kind TINYINT, state TINYINT, cause TINYINT, "
	"quality TINYINT, priced TINYINT, what INTEGER, who INTEGER, job VARCHAR, run VARCHAR, ms BIGINT, util_ms BIGINT, "
	"billed_nano BIGINT, effective_nano BIGINT, list_nano BIGINT);"
	"INSERT INTO ledger_what " TUPLES_OF(WHAT_COLUMNS("")) "INSERT INTO ledger_who " TUPLES_OF(
		WHO_COLUMNS("")) "INSERT INTO ledger_row " ROWS_OF_FLAT ";"
				 "DROP TABLE ledger;"
				 "CREATE VIEW ledger AS " LEDGER_VIEW ";";

/* What of the requests' time was spent on their input and on their output. From here on a histogram
 * of a server is kept by its own bounds (store/hist.h), which programs of before cannot read. */
static const char v12[] = "ALTER TABLE request ADD COLUMN prefill_ms BIGINT;"
			  "ALTER TABLE request ADD COLUMN decode_ms BIGINT;";

/* More of where on the bill an entry stands, of those of ledger_what that a bill tells it of. How
 * many rows of its file a line of a bill stands for: a row may be several lines. */
static const char v13[] =
	"CREATE TABLE ledger_bill (what INTEGER, invoice VARCHAR, billing_account VARCHAR, charge_category VARCHAR);"
	"ALTER TABLE bill ADD COLUMN file_rows INTEGER DEFAULT 1;"
	"ALTER TABLE bill_gpu ADD COLUMN file_rows INTEGER DEFAULT 1;";

/*
 * As in rows of the ledger, of allocations where, of whom and how stand once; what differs from job
 * to job stays in the row. Here NULL is another text than ''. Numbers and times of rows are written
 * as they are best, which spares DuckDB the trials.
 */
#define AS_NUMBER " INTEGER USING COMPRESSION bitpacking, "
#define JOB_TIMES(r) \
	r "submit_ms, " r "start_ms, " r "end_ms, " r "limit_ms, " r "cpu_milli, " r "ram_mib"
#define JOB_TUPLES_OF(columns)                                         \
	"SELECT CAST(row_number() OVER () AS INTEGER) AS id, " columns \
	" FROM (SELECT DISTINCT " columns " FROM allocation) t;"
#define IN_JOB(c)   "a." c " IS NOT DISTINCT FROM "
#define PLACE(c)    IN_JOB(c) "p." c
#define OWNER(c)    IN_JOB(c) "o." c
#define SHAPE(c)    IN_JOB(c) "s." c
#define SAME_NODE   PLACE("scope") " AND " PLACE("node") " AND " PLACE("cluster")
#define SAME_PLACE_ SAME_NODE " AND " PLACE("namespace") " AND " PLACE("gpu_ids")
#define SAME_USER   OWNER("user_name") " AND " OWNER("team") " AND " OWNER("project")
#define SAME_OWNER_ \
	SAME_USER " AND " OWNER("env") " AND " OWNER("workload") " AND " OWNER("account")
#define SAME_GPU     SHAPE("gpu_model") " AND " SHAPE("mig_profile") " AND " SHAPE("state")
#define SAME_SHARE   SHAPE("gpus_milli") " AND " SHAPE("share_kind") " AND " SHAPE("share_ppb")
#define SAME_ATTEMPT SHAPE("open_end") " AND " SHAPE("checkpointable") " AND " SHAPE("attempt")
#define SAME_RATE    SHAPE("queue") " AND " SHAPE("currency") " AND " SHAPE("usd_gpu_hour")
#define SAME_SHAPE                                                                  \
	SAME_GPU " AND " SAME_SHARE " AND " SHAPE("mig_start") " AND " SAME_ATTEMPT \
							       " AND " SAME_RATE
#define ROWS_OF_JOBS                                                                            \
	"SELECT a.src, p.id AS place, o.id AS owner, s.id AS shape, a.job_id, a.name, "         \
	"a.tags, " JOB_TIMES("a.") " FROM allocation a JOIN allocation_place p "                \
				   "ON " SAME_PLACE_ " JOIN allocation_owner o ON " SAME_OWNER_ \
				   " JOIN allocation_shape s ON " SAME_SHAPE
#define ALLOCATION_TUPLES PLACE_COLUMNS("p.") ", " OWNER_COLUMNS("o.") ", " SHAPE_COLUMNS("s.")
#define ALLOCATION_VIEW                                                                  \
	"SELECT r.src, r.place, r.owner, r.shape, r.job_id, r.name, r.tags, " JOB_TIMES( \
		"r.") ", " ALLOCATION_TUPLES " FROM allocation_row r "                   \
		      "JOIN allocation_place p ON p.id = r.place "                       \
		      "JOIN allocation_owner o ON o.id = r.owner "                       \
		      "JOIN allocation_shape s ON s.id = r.shape"
const char schema_allocation[] = ALLOCATION_VIEW;
static const char v14[] =
	"CREATE TABLE allocation_place (id INTEGER, scope VARCHAR, node VARCHAR, cluster VARCHAR, namespace VARCHAR, gpu_ids VARCHAR);"
	"CREATE TABLE allocation_owner (id INTEGER, user_name VARCHAR, team VARCHAR, project VARCHAR, env VARCHAR, workload VARCHAR, "
	"account VARCHAR);"
	"CREATE TABLE allocation_shape (id INTEGER, gpu_model VARCHAR, mig_profile VARCHAR, state VARCHAR, queue VARCHAR, "
	"currency VARCHAR, gpus_milli BIGINT, share_kind TINYINT, share_ppb BIGINT, mig_start INTEGER, open_end TINYINT, "
	"checkpointable TINYINT, attempt INTEGER, usd_gpu_hour DECIMAL(38,12));"
	"CREATE TABLE allocation_row (src" TIME "place" AS_NUMBER "owner" AS_NUMBER
	"shape" AS_NUMBER "job_id" FSST "name VARCHAR, tags VARCHAR, submit_ms" TIME "start_ms" TIME
	"end_ms" TIME "limit_ms" TIME "cpu_milli" TIME
	"ram_mib BIGINT USING COMPRESSION bitpacking);"
	"INSERT INTO allocation_place " JOB_TUPLES_OF(PLACE_COLUMNS("")) "INSERT INTO allocation_owner " JOB_TUPLES_OF(
		OWNER_COLUMNS(
			"")) "INSERT INTO allocation_shape " JOB_TUPLES_OF(SHAPE_COLUMNS("")) "INSERT INTO allocation_row " ROWS_OF_JOBS
											      ";"
											      "DROP TABLE allocation;"
											      "CREATE VIEW allocation AS " ALLOCATION_VIEW
											      ";";

/* When jobs that hold no GPU were on which machine (witness.c). */
#define PRESENCE_COLUMNS \
	"(src BIGINT, cluster VARCHAR, node VARCHAR, from_ms BIGINT, to_ms BIGINT, goes_on TINYINT);"
static const char v15[] = "CREATE TABLE presence " PRESENCE_COLUMNS;

/* Lines of bills know the reservation of capacity that they are of. */
static const char v16[] = "ALTER TABLE bill ADD COLUMN capacity_id VARCHAR;"
			  "ALTER TABLE bill ADD COLUMN capacity_status VARCHAR;"
			  "ALTER TABLE bill_gpu ADD COLUMN capacity_id VARCHAR;"
			  "ALTER TABLE bill_gpu ADD COLUMN capacity_status VARCHAR;";

const char *const schema_facts[] = { v1, v2,  v3,  v4,  v5,  v6,  v7,  v8,
				     v9, v10, v11, v12, v13, v14, v15, v16 };
const size_t schema_facts_n = sizeof schema_facts / sizeof *schema_facts;

#define HOST_VIEW(t)                                                                              \
	"CREATE TEMP VIEW " t " AS SELECT *, NULL::BIGINT AS cpu_milli, NULL::BIGINT AS ram_mib " \
	"FROM facts.main." t ";"

const char *const schema_facts_view[] = {
	"", /* there is no store of version 0 */
	HOST_VIEW("node") HOST_VIEW("allocation"),
	"CREATE TEMP TABLE incident (src BIGINT, node VARCHAR, gpu VARCHAR, mig VARCHAR, kind VARCHAR, t_ms BIGINT, code BIGINT);",
	"CREATE TEMP TABLE witness (src BIGINT, cluster VARCHAR, node VARCHAR, from_ms BIGINT, to_ms BIGINT, quality TINYINT);",
	"CREATE TEMP TABLE ledger_rules AS SELECT 0::BIGINT AS batch, 1 AS rules;"
	"CREATE TEMP TABLE paid (batch BIGINT, scope VARCHAR, gpu VARCHAR, from_ms BIGINT, to_ms BIGINT, gpus_milli BIGINT);"
	"CREATE TEMP VIEW remainder AS SELECT *, 0::DECIMAL(38,12) AS rated FROM facts.main.remainder;"
	"CREATE TEMP VIEW ledger AS SELECT *, '' AS service, '' AS cloud_service, '' AS account, '' AS instance_type, '' AS commitment "
	"FROM facts.main.ledger;",
	"CREATE TEMP TABLE bill_reversal (batch BIGINT, of_src BIGINT, of_provider VARCHAR, of_account VARCHAR, of_from_ms BIGINT, of_to_ms BIGINT);",
	"CREATE TEMP TABLE reading_sum (src BIGINT, blocks BIGINT, hash BIGINT);",
	"CREATE TEMP TABLE bill_part_reversal (batch BIGINT, of_src BIGINT, of_provider VARCHAR, of_account VARCHAR, of_sub_account VARCHAR, of_day_ms BIGINT, of_from_ms BIGINT, of_to_ms BIGINT);",
	"CREATE TEMP TABLE exchange_rate (src BIGINT, from_currency VARCHAR, to_currency VARCHAR, day_ms BIGINT, rate DECIMAL(38,12));",
	"CREATE TEMP TABLE curve (src BIGINT, run VARCHAR, job VARCHAR, config VARCHAR, metric VARCHAR, better TINYINT, step BIGINT, t_ms BIGINT, value DOUBLE);",
	"CREATE TEMP TABLE ledger_what AS " TUPLES_OF(WHAT_COLUMNS("")) "CREATE TEMP TABLE ledger_who AS " TUPLES_OF(
		WHO_COLUMNS("")) "CREATE TEMP VIEW ledger_row AS " ROWS_OF_FLAT ";",
	"CREATE TEMP VIEW request AS SELECT *, NULL::BIGINT AS prefill_ms, NULL::BIGINT AS decode_ms FROM facts.main.request;",
	/* file_rows is asked of lines where the schema has it */
	"CREATE TEMP TABLE ledger_bill (what INTEGER, invoice VARCHAR, billing_account VARCHAR, charge_category VARCHAR);",
	"CREATE TEMP TABLE allocation_place AS " JOB_TUPLES_OF(PLACE_COLUMNS("")) "CREATE TEMP TABLE allocation_owner AS " JOB_TUPLES_OF(
		OWNER_COLUMNS(
			"")) "CREATE TEMP TABLE allocation_shape AS " JOB_TUPLES_OF(SHAPE_COLUMNS("")) "CREATE TEMP VIEW allocation_row AS " ROWS_OF_JOBS
												       ";",
	"CREATE TEMP TABLE presence " PRESENCE_COLUMNS,
	"", /* lines of bills are read as they are */
};
_Static_assert(sizeof schema_facts_view == sizeof schema_facts, "a view for each step");
