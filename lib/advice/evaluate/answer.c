/* Prepares, checks and binds the query of a heuristic; see answer.h. */
#include "advice/evaluate/answer.h"

#include <math.h>
#include <string.h>

#include "advice/catalogue/heuristic.h"

static const char *const leading_columns[] = {
	[TC_COLUMN_SUBJECT] = "subject",
	[TC_COLUMN_GAIN] = "gain_ns",
	[TC_COLUMN_CONFIDENCE] = "confidence",
	[TC_COLUMN_COUNT] = "count",
	[TC_COLUMN_SERIOUS] = "serious",
};

/* Sets *reason to the formatted text; TC_ERR_NOMEM when that fails. */
__attribute__((format(printf, 3, 4))) static enum tc_status set_reason(
	const char **reason, struct tc_arena *arena, const char *format, ...)
{
	struct tc_buf text = TC_BUF_EMPTY;
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&text, format, args);
	va_end(args);
	*reason = tc_arena_keep(arena, &text);
	return *reason ? TC_OK : TC_ERR_NOMEM;
}

static enum tc_status check_always_if(const char **reason, struct tc_arena *arena,
	sqlite3_stmt *stmt, const struct tc_heuristic *heuristic)
{
	const char *wanted = heuristic->always_if, *name;

	for (int i = 0; wanted && i < sqlite3_column_count(stmt); i++) {
		name = sqlite3_column_name(stmt, i);
		if (!name)
			return TC_ERR_NOMEM;
		if (strcmp(name, wanted) == 0)
			return TC_OK;
	}
	return wanted ? set_reason(reason, arena,
				"its query has no column %s, which always-if names", wanted)
		      : TC_OK;
}

static enum tc_status check_columns(const char **reason, struct tc_arena *arena, sqlite3_stmt *stmt,
	const struct tc_heuristic *heuristic)
{
	int wanted = heuristic->kind == TC_HEURISTIC_QUALITY ? TC_COLUMN_SERIOUS + 1
							     : TC_COLUMN_COUNT + 1;

	for (int i = 0; i < wanted; i++) {
		const char *name =
			i < sqlite3_column_count(stmt) ? sqlite3_column_name(stmt, i) : "missing";
		if (!name)
			return TC_ERR_NOMEM;
		if (strcmp(name, leading_columns[i]) != 0)
			return set_reason(reason, arena, "column %d of its query is %s, not %s",
				i + 1, name, leading_columns[i]);
	}
	return check_always_if(reason, arena, stmt, heuristic);
}

/* Whole numbers are bound as integers, so that they print as such in the reproducing query. */
static int bind_number(sqlite3_stmt *stmt, int index, double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		return sqlite3_bind_int64(stmt, index, (int64_t)value);
	return sqlite3_bind_double(stmt, index, value);
}

static enum tc_status bind_all(const char **reason, struct tc_arena *arena, sqlite3_stmt *stmt,
	const struct tc_question *question)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		int param, rc;

		if (name && strcmp(name, ":trace_id") == 0)
			rc = sqlite3_bind_int64(stmt, i, question->trace_id);
		else if (name && (param = tc_param_find(question->heuristic, name + 1)) >= 0)
			rc = bind_number(stmt, i, question->values[param]);
		else
			return set_reason(reason, arena, "its query has an unknown parameter %s",
				name ? name : "?");
		if (rc != SQLITE_OK)
			return TC_ERR_NOMEM;
	}
	return TC_OK;
}

/* The line that SQLite complains about, from 1; 0 when it does not say. */
static int error_line(sqlite3 *db, const char *sql)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	int offset = sqlite3_error_offset(db), line = 1;

	for (int i = 0; i < offset && sql[i]; i++)
		line += sql[i] == '\n';
	return offset < 0 ? 0 : line;
#else
	(void)db;
	(void)sql;
	return 0;
#endif
}

static bool is_one(sqlite3_stmt *stmt, const char *text)
{
	const char *rest = stmt ? text + strlen(sqlite3_sql(stmt)) : text;

	return stmt && rest[strspn(rest, " \t\r\n;")] == '\0';
}

enum tc_status tc_answer_open(struct tc_answer *answer, const char **reason, struct tc_arena *arena,
	const struct tc_question *question)
{
	sqlite3 *db = question->statements->db;
	const char *sql = question->heuristic->sql;
	enum tc_status status;
	sqlite3_stmt *stmt;
	int rc = tc_statements_get(&stmt, question->statements, sql);

	*answer = (struct tc_answer){.stmt = stmt};
	*reason = NULL;
	if (rc == SQLITE_NOMEM)
		return TC_ERR_NOMEM;
	if (rc != SQLITE_OK) {
		answer->line = error_line(db, sql);
		return set_reason(reason, arena,
			rc == SQLITE_AUTH ? "its query does more than read: %s"
					  : "its query does not compile: %s",
			sqlite3_errmsg(db));
	}
	if (!is_one(stmt, sql))
		status = set_reason(reason, arena, "its query is not one statement");
	else if (!sqlite3_stmt_readonly(stmt) || sqlite3_column_count(stmt) == 0)
		status = set_reason(reason, arena, "its query would change the store");
	else
		status = check_columns(reason, arena, stmt, question->heuristic);
	if (status == TC_OK && !*reason)
		status = bind_all(reason, arena, stmt, question);
	if (status != TC_OK || *reason)
		tc_answer_close(answer);
	return status;
}

void tc_answer_close(struct tc_answer *answer)
{
	sqlite3_reset(answer->stmt);
	answer->stmt = NULL;
}

const char *tc_answer_sql(struct tc_arena *arena, const struct tc_answer *answer)
{
	char *text = sqlite3_expanded_sql(answer->stmt);
	const char *copy = text ? tc_arena_dup(arena, tc_text_from(text)) : NULL;

	sqlite3_free(text);
	return copy;
}
