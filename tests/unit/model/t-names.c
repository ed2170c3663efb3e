#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

/* Every value has a name of its own, and the name leads back to it. */
#define ROUND_TRIP(what, n)                                                            \
	do {                                                                           \
		for (int i_ = 0; i_ < (n); i_++) {                                     \
			const char *z_ = what##_name((enum what)i_);                   \
			assert_non_null(z_);                                           \
			assert_int_equal(what##_of(sv_of(z_)), i_);                    \
			for (const char *p_ = z_; *p_; p_++)                           \
				assert_true((*p_ >= 'a' && *p_ <= 'z') || *p_ == '_'); \
		}                                                                      \
		assert_int_equal(what##_of(SV("no such name")), -1);                   \
	} while (0)

static void names_lead_back(void **state)
{
	ROUND_TRIP(kind, KIND_N);
	ROUND_TRIP(state, STATE_N);
	ROUND_TRIP(cause, CAUSE_N);
	ROUND_TRIP(quality, QUALITY_N);
	ROUND_TRIP(share_kind, SHARE_N);
	ROUND_TRIP(metric, METRIC_N);
}

/* People script against these. */
static void names_of_the_contract(void **state)
{
	assert_string_equal(kind_name(KIND_COMMITMENT_UNUSED), "commitment_unused");
	assert_string_equal(state_name(STATE_IDLE_HELD), "idle_held");
	assert_string_equal(state_name(STATE_NONE), "");
	assert_string_equal(cause_name(CAUSE_NONE), "");
	assert_string_equal(cause_name(CAUSE_WARM_SERVER), "warm_server");
	assert_string_equal(quality_name(QUALITY_ASSUMED), "assumed");
	assert_string_equal(basis_name(BASIS_EFFECTIVE), "effective");
	assert_string_equal(priced_name(PRICED_NOT), "");
	assert_string_equal(priced_name(PRICED_CATALOG), "catalog");
	assert_string_equal(metric_name(METRIC_PCIE_RX_BYTES_S), "pcie_rx_bytes_s");
	assert_string_equal(owner_field_name(OWNER_USER), "user");
	assert_string_equal(owner_field_name(OWNER_RUN), "run");
	assert_int_equal(share_kind_of(SV("timeslice")), SHARE_TIMESLICE);
	assert_true(purchase_is_known(SV("reserved_3y")) && purchase_is_known(SV("owned")));
	assert_false(purchase_is_known(SV("Spot")));
	assert_false(purchase_is_known(SV_NULL));
	assert_true(workload_is_known(SV("inference")));
	assert_false(workload_is_known(SV("serving")));
}

/* Every spelling that FOCUS files and the four kinds of bills use. */
static void terms(void **state)
{
	(void)state;
	static const struct {
		const char *word;
		enum commitment commitment;
		int years;
	} w[] = {
		{ "on_demand", COMMITMENT_NONE, 0 },
		{ "spot", COMMITMENT_NONE, 0 },
		{ "owned", COMMITMENT_NONE, 0 },
		{ "", COMMITMENT_NONE, 0 },
		{ "enterprise", COMMITMENT_NONE, 0 },
		{ "reserved_1y", COMMITMENT_RESERVATION, 1 },
		{ "reserved_3y", COMMITMENT_RESERVATION, 3 },
		{ "reserved", COMMITMENT_RESERVATION, 0 },
		{ "Reserved Instance", COMMITMENT_RESERVATION, 0 },
		{ "RESERVATION", COMMITMENT_RESERVATION, 0 },
		{ "Standard RI", COMMITMENT_RESERVATION, 0 },
		{ "Azure Reserved VM Instances", COMMITMENT_RESERVATION, 0 },
		{ "committed_1y", COMMITMENT_USE, 1 },
		{ "Committed", COMMITMENT_USE, 0 },
		{ "Committed use discount", COMMITMENT_USE, 0 },
		{ "Compute Flexible CUD", COMMITMENT_USE, 0 },
		{ "committed (Flex Slots)", COMMITMENT_USE, 0 },
		{ "savings_plan", COMMITMENT_SAVINGS_PLAN, 0 },
		{ "SavingsPlan", COMMITMENT_SAVINGS_PLAN, 0 },
		{ "Compute Savings Plans", COMMITMENT_SAVINGS_PLAN, 0 },
	};

	for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
		struct purchase_terms t = purchase_terms(sv_of(w[i].word));
		if (t.commitment != w[i].commitment || t.years != w[i].years)
			fail_msg("'%s': %d, %d years", w[i].word, (int)t.commitment, t.years);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(terms),
					    cmocka_unit_test(names_lead_back),
					    cmocka_unit_test(names_of_the_contract) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
