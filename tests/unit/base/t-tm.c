#include <errno.h>
#include <time.h>

#include "base/random.h"
#include "base/tm.h"
#include "test.h"

static void check(const char *in, int offset_s, const char *out)
{
	int64_t ms;
	char buf[TM_BUF];
	int rc = tm_parse(sv_of(in), offset_s, &ms);
	if (rc)
		fail_msg("'%s': %d", in, rc);
	assert_string_equal(tm_format(buf, ms), out);
}

static void reads_instants(void **state)
{
	check("2024-09-18T22:00:00Z", 0, "2024-09-18T22:00:00Z");
	check("2024-09-18 22:00:00.123+02:00", 0, "2024-09-18T20:00:00.123Z");
	check("2024-09-18 22:00:00.1239-0230", 0, "2024-09-19T00:30:00.123Z");
	check("2024-09-18 22:00:00+00", 0, "2024-09-18T22:00:00Z");
	check("2024-09-18", 0, "2024-09-18T00:00:00Z");
	check("2024-09-18", 7200, "2024-09-17T22:00:00Z");
	check("2024-09-18T22:00Z", 7200, "2024-09-18T22:00:00Z");
	check("2024-09-18T22:00:00", -3600, "2024-09-18T23:00:00Z");
	check("2024-09-18t22:00:00z", 0, "2024-09-18T22:00:00Z");
	check("2024-09-18 22:00:00 UTC", 3600, "2024-09-18T22:00:00Z");
	check("2024/09/18 22:00:00.5", 0, "2024-09-18T22:00:00.500Z");
	check("2024-02-29T23:59:59.999999999Z", 0, "2024-02-29T23:59:59.999Z");
	check("0001-01-01T00:00:00Z", 0, "0001-01-01T00:00:00Z");
	check("9999-12-31T23:59:59Z", 0, "9999-12-31T23:59:59Z");
	check("1969-12-31T23:59:59.5Z", 0, "1969-12-31T23:59:59.500Z");
}

static void refuses(void **state)
{
	static const char *const bad[] = {
		"",
		"2023-02-01T30:00:00Z",
		"2023-02-01T24:00:00Z",
		"2023-02-29",
		"2100-02-29",
		"2023-13-01",
		"2023-00-10",
		"2023-04-31",
		"2023-01-00",
		"2023-01-01T00:60:00Z",
		"2023-01-01T00:00:60Z",
		"2023-01-01T00:00:00ZZ",
		"2023-01-01T00:00:00Z ",
		" 2023-01-01",
		"2023-1-1",
		"0000-01-01",
		"2023-01-01T",
		"2023-01-01T5:00",
		"2023-01-01T05",
		"2023-01-01T05:00:00.",
		"2023-01-01T05:00:00+",
		"2023-01-01T05:00:00+2",
		"2023-01-01T05:00:00+24:00",
		"2023-01-01T05:00:00+01:60",
		"2023-01-01T05:00:00+01:",
		"2023-01-01T05:00:00 CET",
		"2023-01/01",
		"2023-01-01X05:00:00",
		"2023-01-01T05-00-00",
		"2023-01-01T05:00:0",
		"20230101",
		"1672531200",
		"-023-01-01",
		"2023-01-01T-5:00:00",
		"2023-0a-01T00:00:00Z",
		"2023-01-01T00:00:0xZ",
		"202\xff-01-01T00:00:00Z",
		"today",
	};
	int64_t ms = 42;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (tm_parse(sv_of(bad[i]), 0, &ms) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(tm_parse(SV_NULL, 0, &ms), -EINVAL);
	assert_int_equal(ms, 42);
}

/* Against the C library, and back. */
static void calendar(void **state)
{
	uint64_t r = 9;
	char buf[TM_BUF];
	for (int i = 0; i < 100000; i++) {
		int64_t ms = (int64_t)(random_next(&r) %
				       (uint64_t)(253402300800000LL + 62135596800000LL)) -
			     62135596800000LL,
			back;
		time_t t = (time_t)(tm_floor(ms, 1000) / 1000);
		struct tm g;
		gmtime_r(&t, &g);
		struct civil c = tm_civil(ms);
		assert_true(c.year == g.tm_year + 1900 && c.month == g.tm_mon + 1 &&
			    c.day == g.tm_mday && c.hour == g.tm_hour && c.minute == g.tm_min &&
			    c.second == g.tm_sec && c.ms == ms - tm_floor(ms, 1000));
		assert_true(tm_from_civil(c) == ms);
		assert_int_equal(tm_parse(sv_of(tm_format(buf, ms)), 5000, &back), 0);
		assert_true(back == ms);
		assert_int_equal(tm_day(ms), c.year * 10000 + c.month * 100 + c.day);
		assert_int_equal(tm_month(ms), tm_day(ms) / 100);
	}
	tm_format(buf, INT64_MIN); /* no text for it is right; it must only be safe */
	tm_format(buf, INT64_MAX);
	assert_string_equal(tm_format_date(buf, 86400000 - 1), "1970-01-01");
	assert_true(tm_floor(-1, MS_HOUR) == -MS_HOUR && tm_floor(MS_HOUR, MS_HOUR) == MS_HOUR &&
		    tm_floor(-MS_HOUR, MS_HOUR) == -MS_HOUR);
}

static void check_slashed(const char *in, int day_first, const char *out)
{
	int64_t ms;
	char buf[TM_BUF];
	if (tm_parse_slashed(sv_of(in), day_first, 0, &ms))
		fail_msg("'%s' was not taken", in);
	assert_string_equal(tm_format(buf, ms), out);
}

static void slashed(void **state)
{
	check_slashed("1/1/23", 0, "2023-01-01T00:00:00Z");
	check_slashed("31.10.2026 23:00", 1, "2026-10-31T23:00:00Z");
	check_slashed("2/1/2023 0:00", 0, "2023-02-01T00:00:00Z");
	check_slashed("2/1/2023", 1, "2023-01-02T00:00:00Z");
	check_slashed("02/01/2023 05:06:07", 0, "2023-02-01T05:06:07Z");
	check_slashed("12/31/2023 11:59 PM", 0, "2023-12-31T23:59:00Z");
	check_slashed("12/31/2023 12:00 am", 0, "2023-12-31T00:00:00Z");
	static const char *const bad[] = { "",
					   "13/1/2023",
					   "2/30/2023",
					   "1/1/203",
					   "1/1",
					   "1/1/",
					   "1-1-2023",
					   "1/1/2023 ",
					   "1/1/2023 24:00",
					   "1/1/2023 5",
					   "1/1/2023 5:00 XM",
					   "1/1/2023 13:00 PM",
					   "1/1/2023 0:00 AM",
					   "123/1/2023",
					   "1/1/20231" };
	int64_t ms;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (tm_parse_slashed(sv_of(bad[i]), 0, 0, &ms) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(tm_parse_slashed(SV("1/1/1970"), 0, 3600, &ms), 0);
	assert_true(ms == -3600000);
}

static void numbers(void **state)
{
	int64_t ms;
	assert_int_equal(tm_parse_number(SV("1662858720.0"), 0, 1000, &ms), 0);
	assert_true(ms == 1662858720000LL);
	assert_int_equal(tm_parse_number(SV("12537496"), 1000000, 1000, &ms), 0);
	assert_true(ms == 12538496000LL);
	assert_int_equal(tm_parse_number(SV("1.5"), 0, MS_HOUR, &ms), 0);
	assert_true(ms == 5400000);
	assert_int_equal(tm_parse_number(SV("1.6628587201e9"), 0, 1000, &ms), 0);
	assert_true(ms == 1662858720100LL);
	assert_int_equal(tm_parse_number(SV("-5"), 0, 1, &ms), 0);
	assert_true(ms == -5);
	assert_int_equal(tm_parse_number(SV("x"), 0, 1, &ms), -EINVAL);
	assert_int_equal(tm_parse_number(SV("1e17"), 0, 1, &ms), -ERANGE);
	assert_int_equal(tm_parse_number(SV("99999999999999"), 0, MS_HOUR, &ms), -ERANGE);
}

static void spans(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = { { "7d", 7 * MS_DAY },
		     { "12h", 12 * MS_HOUR },
		     { "90m", 90 * MS_MINUTE },
		     { "30s", 30000 },
		     { "250ms", 250 },
		     { "2w", 14 * MS_DAY },
		     { "1y", 365 * MS_DAY },
		     { "1h30m", 90 * MS_MINUTE },
		     { "720h", 30 * MS_DAY },
		     { "1.5h", 90 * MS_MINUTE },
		     { "0.5s", 500 } };
	int64_t ms;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(tm_parse_span(sv_of(good[i].text), &ms), 0);
		assert_true(ms == good[i].ms);
	}
	static const char *const bad[] = { "",    "0s", "7",     "d",  "7x",  "-7d",
					   "7d ", "7D", "1h-5m", ".h", "1e3s" };
	for (size_t i = 0; i < COUNT(bad); i++)
		if (tm_parse_span(sv_of(bad[i]), &ms) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(tm_parse_span(SV("99999999y"), &ms), -ERANGE);
	char buf[TM_BUF];
	assert_string_equal(tm_format_span(buf, 0), "0 s");
	assert_string_equal(tm_format_span(buf, 250), "250 ms");
	assert_string_equal(tm_format_span(buf, 45999), "45 s");
	assert_string_equal(tm_format_span(buf, 724000), "12 min 04 s");
	assert_string_equal(tm_format_span(buf, 3 * MS_HOUR + 5 * MS_MINUTE), "3 h 05 min");
	assert_string_equal(tm_format_span(buf, 9 * MS_DAY + 4 * MS_HOUR), "9 d 4 h");
	assert_string_equal(tm_format_span(buf, -MS_HOUR), "-1 h 00 min");
	tm_format_span(buf, INT64_MIN);
}

static void slurm_spans(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = { { "1-00:00:00", MS_DAY },
		     { "00:10:00", 600000 },
		     { "05:30", 330000 },
		     { "90", 5400000 },
		     { "2-12", 60 * MS_HOUR },
		     { "1-02:03", 93780000 },
		     { "100:00:00", 100 * MS_HOUR },
		     { "00:00:00", 0 },
		     { "00:01.500", 1500 },
		     { "365-00:00:00", 365 * MS_DAY } };
	int64_t ms;
	for (size_t i = 0; i < COUNT(good); i++) {
		int rc = tm_parse_slurm_span(sv_of(good[i].text), &ms);
		if (rc || ms != good[i].ms)
			fail_msg("'%s': %d, %lld", good[i].text, rc, (long long)ms);
	}
	static const char *const bad[] = { "",        "x",        "1-",       "1-2-3",
					   "1:2:3:4", "00:60:00", "00:00:60", "1-24:00:00",
					   "1:",      ":1",       "-1",       "1-00:00:00x",
					   "INVALID", "1-02:03.5" };
	for (size_t i = 0; i < COUNT(bad); i++)
		if (tm_parse_slurm_span(sv_of(bad[i]), &ms) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(tm_parse_slurm_span(SV("UNLIMITED"), &ms), -ERANGE);
	assert_int_equal(tm_parse_slurm_span(SV("Partition_Limit"), &ms), -ERANGE);
}

static int64_t at(const char *z)
{
	int64_t ms;
	assert_int_equal(tm_parse(sv_of(z), 0, &ms), 0);
	return ms;
}

static void check_window(const char *since, const char *until, const char *from, const char *to)
{
	int64_t a, b;
	struct err e;
	if (tm_window(since, until, at("2024-03-15T10:30:00Z"), &a, &b, &e))
		fail_msg("%s", e.msg);
	assert_true(a == (from ? at(from) : INT64_MIN));
	assert_true(b == (to ? at(to) : INT64_MAX));
}

static void windows(void **state)
{
	check_window(NULL, NULL, NULL, NULL);
	check_window("7d", NULL, "2024-03-08T10:30:00Z", NULL);
	check_window("today", NULL, "2024-03-15", "2024-03-16");
	check_window("yesterday", NULL, "2024-03-14", "2024-03-15");
	check_window("month", NULL, "2024-03-01", "2024-04-01");
	check_window("lastmonth", NULL, "2024-02-01", "2024-03-01");
	check_window("lastmonth", "month", "2024-02-01", "2024-03-01");
	check_window("lastmonth", "2024-02-10", "2024-02-01", "2024-02-10");
	check_window("2024-01-01T00:00:00+01:00", "1h", "2023-12-31T23:00:00Z",
		     "2024-03-15T09:30:00Z");
	check_window(NULL, "yesterday", NULL, "2024-03-14");
	int64_t a = 1, b = 2;
	struct err e;
	assert_int_equal(tm_window("soon", NULL, 0, &a, &b, &e), -EINVAL);
	assert_has(e.msg, "soon");
	assert_has(e.msg, "--since");
	assert_int_equal(tm_window(NULL, "2023-02-30", 0, &a, &b, &e), -EINVAL);
	assert_has(e.msg, "--until");
	assert_int_equal(tm_window("2024-01-02", "2024-01-01", 0, &a, &b, &e), -EINVAL);
	assert_int_equal(tm_window("2024-01-01", "2024-01-01", 0, &a, &b, &e), -EINVAL);
	assert_true(a == 1 && b == 2);
	char buf[TM_BUF];
	assert_int_equal(tm_window("lastmonth", NULL, at("2024-01-31T12:00:00Z"), &a, &b, &e), 0);
	assert_string_equal(tm_format_date(buf, a), "2023-12-01");
	assert_int_equal(tm_window("month", NULL, at("2024-12-31T12:00:00Z"), &a, &b, &e), 0);
	assert_string_equal(tm_format_date(buf, b), "2025-01-01");
}

static void periods(void **state)
{
	check_window("2024-02", NULL, "2024-02-01", "2024-03-01");
	check_window("2024-12", NULL, "2024-12-01", "2025-01-01");
	check_window("2024-W38", NULL, "2024-09-16", "2024-09-23");
	check_window("2020w53", NULL, "2020-12-28", "2021-01-04");
	check_window("2024-Q1", NULL, "2024-01-01", "2024-04-01");
	check_window("2024q4", NULL, "2024-10-01", "2025-01-01");
	check_window("2024", NULL, "2024-01-01", "2025-01-01");
	check_window("2024-01", "2024-03", "2024-01-01", "2024-03-01");
	check_window(NULL, "2024-Q1", NULL, "2024-01-01");
	/* 2024-03-15 is a Friday */
	check_window("week", NULL, "2024-03-11", "2024-03-18");
	check_window("lastweek", NULL, "2024-03-04", "2024-03-11");
	check_window("This quarter", NULL, "2024-01-01", "2024-04-01");
	check_window("last-quarter", NULL, "2023-10-01", "2024-01-01");
	check_window("previous year", NULL, "2023-01-01", "2024-01-01");
	check_window("Last_Month", "now", "2024-02-01", "2024-03-15T10:30:00Z");
}

static void check_hint(const char *since, const char *hint)
{
	int64_t a, b;
	struct err e = { 0 };

	assert_int_equal(tm_window(since, NULL, at("2024-03-15T10:30:00Z"), &a, &b, &e), -EINVAL);
	assert_has(e.msg, since);
	assert_has(e.hint, hint);
}

/* What can be read two ways, or nearly, is told how to write it. */
static void unclear(void **state)
{
	check_hint("01/02/2024", "Day or month first?");
	check_hint("01.02.2024", "Day or month first?");
	check_hint("2024-1", "'2024-01'");
	check_hint("02/2024", "'2024-02'");
	check_hint("October 2023", "'2023-10'");
	check_hint("oct", "'2024-10'");
	check_hint("Q3", "'2024-Q3'");
	check_hint("W7", "'2024-W07'");
	check_hint("lastmoth", "'lastmonth'");
	check_hint("3 days", "'3d'");
	check_hint("2024-13", "2024-09");
	check_hint("2024-W53", "2024-W38");
	check_hint("2024-Q5", "2024-Q3");
	check_hint("12", "2024-09");
	check_hint("", "2024-09");
	int64_t a, b;
	struct err e = { 0 };
	assert_int_equal(tm_window("2024-02", "2024-02", at("2024-03-15"), &a, &b, &e), -EINVAL);
	assert_has(e.hint, "--since 2024-02 alone");
}

static void now(void **state)
{
	setenv("TARE_NOW", "2024-03-15T10:30:00Z", 1);
	assert_true(tm_now_ms() == at("2024-03-15T10:30:00Z"));
	unsetenv("TARE_NOW");
	assert_true(tm_now_ms() > at("2024-01-01"));
	int64_t first = tm_steady_ms();
	assert_true(first > at("2024-01-01") && llabs(first - tm_now_ms()) < 60000);
	assert_true(tm_steady_ms() >= first);
}

static void http(void **state)
{
	static const char *const good[] = { "Sun, 06 Nov 1994 08:49:37 GMT",
					    "Sun, 06 Nov 1994 08:49:37 UTC",
					    "Sunday, 06-Nov-94 08:49:37 GMT",
					    "Sun Nov  6 08:49:37 1994" };
	static const char *const bad[] = { "",
					   "1994-11-06",
					   "Sun, 06 Nov 1994 08:49:37",
					   "Sun, 06 Nov 1994 08:49:37 GMT x",
					   "Sun, 06 Nov 1994 08:49:37 PST",
					   "Sun, 36 Nov 1994 08:49:37 GMT",
					   "Sun, 06 ovD 1994 08:49:37 GMT",
					   "Sun, 06 Nov 1994 24:49:37 GMT",
					   "Sun, 06 Nov 1969 08:49:37 GMT" };
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(tm_parse_http(sv_of(good[i]), &ms), 0);
		assert_true(ms == at("1994-11-06T08:49:37Z"));
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(tm_parse_http(sv_of(bad[i]), &ms), -EINVAL);
	assert_int_equal(tm_parse_http(SV("Saturday, 01-Jan-22 00:00:00 GMT"), &ms), 0);
	assert_true(ms == at("2022-01-01"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_instants), cmocka_unit_test(refuses),
		cmocka_unit_test(calendar),       cmocka_unit_test(slashed),
		cmocka_unit_test(numbers),        cmocka_unit_test(spans),
		cmocka_unit_test(slurm_spans),    cmocka_unit_test(windows),
		cmocka_unit_test(periods),        cmocka_unit_test(unclear),
		cmocka_unit_test(http),           cmocka_unit_test(now),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
