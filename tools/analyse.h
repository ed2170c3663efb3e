/*
 * What analysers cannot see, for tools/analyse, which includes it before every source: err_set()
 * returns the number that it is given, which is below 0 (but where a caller writes 0, for a sentence
 * that is no failure); memory is never NULL; a text that a table knows has a number below its count,
 * and a new one gets the count; inline functions with a branch for NULL do not say that every caller
 * may have it.
 */
#include <errno.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define err_set(e, code, ...)                              \
	({                                                 \
		const int code_ = (code);                  \
		(err_set)((e), code_, __VA_ARGS__);        \
		if (code_ > 0)                             \
			__builtin_unreachable();           \
		if (!code_ && !__builtin_constant_p(code)) \
			__builtin_unreachable();           \
		code_;                                     \
	})
#define err_nomem(e) ((void)(err_nomem)(e), -ENOMEM)

struct sv analyse_sv(const char *z);
const char *analyse_text(const char *z, const char *other);
#define sv_of(z)        analyse_sv(z)
#define text_or(z, s)   analyse_text(z, s)
#define filled_or(z, s) analyse_text(z, s)

#define analyse_set(type, p)                     \
	({                                       \
		type set_ = (p);                 \
		if (!set_)                       \
			__builtin_unreachable(); \
		set_;                            \
	})
#define xmalloc(...)      analyse_set(void *, (xmalloc)(__VA_ARGS__))
#define xcalloc(...)      analyse_set(void *, (xcalloc)(__VA_ARGS__))
#define xrealloc(...)     analyse_set(void *, (xrealloc)(__VA_ARGS__))
#define xstrdup(...)      analyse_set(char *, (xstrdup)(__VA_ARGS__))
#define xstrndup(...)     analyse_set(char *, (xstrndup)(__VA_ARGS__))
#define arena_alloc(...)  analyse_set(void *, (arena_alloc)(__VA_ARGS__))
#define arena_zalloc(...) analyse_set(void *, (arena_zalloc)(__VA_ARGS__))
#define arena_strn(...)   analyse_set(char *, (arena_strn)(__VA_ARGS__))
#define arena_printf(...) analyse_set(char *, (arena_printf)(__VA_ARGS__))

/* vec_grow_() is told where n and cap are: it could change either, for all that they know. */
void *analyse_grown(const void *v, size_t extra);
#undef vec_grow
#define vec_grow(a, extra) ((a)->v = analyse_set(void *, analyse_grown((a)->v, (extra))))

#define intern_add(t, ...)                                    \
	({                                                    \
		struct intern *t_ = (t);                      \
		const size_t n_ = t_->n;                      \
		uint32_t id_ = (intern_add)(t_, __VA_ARGS__); \
		if (id_ > n_)                                 \
			__builtin_unreachable();              \
		t_->n = n_ + (id_ == n_);                     \
		id_;                                          \
	})
#define intern_find(t, ...)                                   \
	({                                                    \
		const struct intern *t_ = (t);                \
		int64_t id_ = (intern_find)(t_, __VA_ARGS__); \
		if (id_ < -1 || id_ >= (int64_t)t_->n)        \
			__builtin_unreachable();              \
		id_;                                          \
	})
