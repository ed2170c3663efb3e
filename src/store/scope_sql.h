#ifndef TARE_STORE_SCOPE_SQL_H
#define TARE_STORE_SCOPE_SQL_H
/* Keys of scopes as scope_key() has them (model/scope.h), in SQL that every engine takes: of the
 * node in a column, and of a file's bill lines by its src. */
#define NODE_SCOPE(col)                                                                 \
	"CASE WHEN substr(" col ", 1, 5) IN ('node:', 'pool:', 'bill:') OR substr(" col \
	", 1, 4) IN ('gpu:', 'res:') THEN 'node:' || " col " ELSE " col " END"
#define BILL_FILE_SCOPE "'bill:' || (src >> 20) || '/' || (src & 1048575)"
#endif
