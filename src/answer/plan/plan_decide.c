#include "answer/plan/plan_decide.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/jw.h"
#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/control.h"

#define KEY_DECISION "plan.decision."

static const char *const word_name[] = { "accepted", "dismissed", "applied" };

const char *plan_word_name(enum plan_word w)
{
	return word_name[w];
}

/* ---- what was decided -------------------------------------------------------------------- */

static const char *json_text(struct arena *a, const json_t *o, const char *key)
{
	const char *z = json_string_value(json_object_get(o, key));

	if (z)
		return arena_sv(a, sv_of(z));
	return "";
}

/* false: no decision that this version knows */
static bool read_mark(const struct control_setting *set, struct arena *mem, struct plan_mark *ret)
{
	json_t *o = json_loads(set->value, 0, NULL);
	const char *word = json_string_value(json_object_get(o, "word")),
		   *at = json_string_value(json_object_get(o, "at"));
	bool found = false;

	*ret = (struct plan_mark){ .id = set->key + strlen(KEY_DECISION),
				   .reason = json_text(mem, o, "reason"),
				   .user = json_text(mem, o, "by") };
	if (json_object_get(o, "words")) {
		const struct plan_said said = { ret->id, json_text(mem, o, "words"),
						json_number_value(json_object_get(o, "amount")) };
		ret->said = arena_copy(mem, &said, 1, sizeof said);
	}
	for (int i = 0; word && at && i < 3; i++)
		if (!strcmp(word_name[i], word) && tm_parse(sv_of(at), 0, &ret->at_ms) == 0) {
			ret->word = (enum plan_word)i;
			found = true;
		}
	ret->accepted = ret->word == PLAN_ACCEPTED ||
			(ret->word == PLAN_APPLIED && json_is_true(json_object_get(o, "accepted")));
	json_decref(o);
	return found;
}

int plan_marks_read(const char *dir, struct arena *mem, struct plan_marks *ret, struct err *err)
{
	struct control_setting *set, *given;
	size_t n, ngiven;
	int r = control_settings(dir, KEY_DECISION, mem, &set, &n, err);

	if (r >= 0)
		r = control_settings(dir, PLAN_KEY_APPLIED, mem, &given, &ngiven, err);
	if (r < 0)
		return r;
	*ret = (struct plan_marks){ .v = arena_alloc(mem, (n + 1) * sizeof *ret->v) };
	for (size_t i = 0; i < n; i++) {
		struct plan_mark *m = &ret->v[ret->n];
		if (!read_mark(&set[i], mem, m))
			continue;
		m->given_out = m->word == PLAN_APPLIED;
		for (size_t k = 0; k < ngiven && !m->given_out; k++)
			m->given_out = !strcmp(given[k].key + strlen(PLAN_KEY_APPLIED), m->id);
		ret->n++;
	}
	return 0;
}

bool plan_marks_has(const struct plan_marks *m, const char *id)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->v[i].id, id))
			return true;
	return false;
}

/* Amounts move a little with every day of history. */
#define SAID_FRAC 0.25

bool plan_marks_hide(const struct plan_marks *m, const struct plan_said *now)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct plan_said *then = m->v[i].said;
		if (m->v[i].word != PLAN_DISMISSED || !then || strcmp(m->v[i].id, now->id) != 0)
			continue;
		return !strcmp(then->words, now->words) &&
		       fabs(now->amount - then->amount) <= SAID_FRAC * then->amount;
	}
	return false;
}

/* ---- deciding ---------------------------------------------------------------------------- */

int plan_subject_any(const struct plan_last *l, const struct plan_marks *m, const char *word,
		     const char **ret_id, const struct plan_said **ret_said, struct err *err)
{
	*ret_said = NULL;
	for (size_t i = 0; i < l->nadvice; i++)
		if (!strcmp(l->advice[i].id, word)) {
			*ret_said = &l->advice[i];
			*ret_id = l->advice[i].id;
			return 0;
		}
	for (size_t i = 0; i < l->nrefused; i++)
		if (!strcmp(l->refused[i].id, word)) {
			*ret_id = l->refused[i].id;
			return 0;
		}
	return plan_subject(l, m, word, ret_id, err);
}

int plan_subject(const struct plan_last *l, const struct plan_marks *m, const char *word,
		 const char **ret_id, struct err *err)
{
	const char *id = plan_last_id(l, word, err);

	if (!id)
		return -ENOENT;
	bool in_list = false;
	for (size_t i = 0; i < l->n && !in_list; i++)
		in_list = !strcmp(l->id[i], id);

	/* The last plan may know it, though it is no item of the list. */
	for (size_t i = 0; !in_list && i < l->nadvice; i++)
		if (!strcmp(l->advice[i].id, id)) {
			err_set(err, -ENOENT,
				"'%s' is advice: it was not replayed, is in no sum and has no lines to carry out",
				id);
			err_hint(
				err,
				"What it rests on: tare explain %s%s; not to see it again: tare plan dismiss %s%s --reason TEXT",
				id, l->store, id, l->store);
			return -ENOENT;
		}
	for (size_t i = 0; !in_list && i < l->nrefused; i++)
		if (!strcmp(l->refused[i].id, id)) {
			err_set(err, -ENOENT, "'%s' is not in the plan: %s", id, l->refused[i].why);
			err_hint(err, "All that was not taken: tare plan --refused%s", l->store);
			return -ENOENT;
		}
	if (!in_list && !plan_marks_has(m, id)) {
		VEC(const char *) ids = { 0 };
		const char *near;

		for (size_t i = 0; i < l->n; i++)
			*vec_push(&ids) = l->id[i];
		for (size_t i = 0; i < l->nadvice; i++)
			*vec_push(&ids) = l->advice[i].id;
		near = ids.n ? near_word(id, ids.v, ids.n) : NULL;
		vec_free(&ids);
		err_set(err, -ENOENT, "the last plan has no '%s'", id);
		if (near)
			err_hint(err, "Did you mean '%s'?", near);
		else
			err_hint(err, "Its ids: tare plan -o csv%s", l->store);
		return -ENOENT;
	}
	*ret_id = id;
	return 0;
}

static int keep_decision(const char *dir, const char *id, const char *value, struct err *err)
{
	struct str key = { 0 };
	int r;

	str_addf(&key, KEY_DECISION "%s", id);
	r = control_set(dir, str_z(&key), value, err);
	str_free(&key);
	return r;
}

int plan_decide(const char *dir, const struct plan_mark *m, struct err *err)
{
	struct arena mem = { 0 };
	struct plan_marks before;
	struct str s = { 0 };
	struct jw w;
	bool accepted = false;
	int r = plan_marks_read(dir, &mem, &before, err);

	for (size_t i = 0; r >= 0 && i < before.n; i++)
		accepted |= before.v[i].accepted && !strcmp(before.v[i].id, m->id);
	arena_free(&mem);
	if (r < 0)
		return r;
	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_put_str(&w, "word", plan_word_name(m->word));
	if (m->word == PLAN_APPLIED && accepted)
		jw_put_bool(&w, "accepted", true);
	jw_put_str(&w, "reason", text_or(m->reason, ""));
	jw_put_str(&w, "by", m->user);
	jw_key(&w, "at");
	jw_time(&w, m->at_ms);
	if (m->said) {
		jw_put_str(&w, "words", m->said->words);
		jw_put_num(&w, "amount", m->said->amount, 6);
	}
	jw_end_obj(&w);
	r = keep_decision(dir, m->id, str_z(&s), err);
	str_free(&s);
	return r;
}

int plan_forget(const char *dir, const struct plan_marks *m, const char *id, bool dry,
		struct err *err)
{
	if (!plan_marks_has(m, id)) {
		/* Numbers are of the last plan, which what was dismissed is no part of: say what
		 * there is. */
		struct str s = { 0 };

		for (size_t i = 0; i < m->n && s.n < 400; i++)
			str_addf(&s, "%s%s", text_if(i, ", "), m->v[i].id);
		err_set(err, -ENOENT, "nothing was decided about '%s'", id);
		if (s.n)
			err_hint(err, "Decided is: %s", str_z(&s));
		str_free(&s);
		return -ENOENT;
	}
	if (dry)
		return 0;
	return keep_decision(dir, id, NULL, err);
}
