/*
 * Runs queries of heuristics. Built-in ones and rules of the user take one way; a rule runs within
 * bounds, and its reason names its file.
 *
 *   answer    prepare, check the first columns, bind the thresholds
 *   fields    a row as typed columns
 *   intake    rows to a finding: weakest confidence, sum of gains, evidence
 *   check     all rules compiled on an empty store
 *
 * A reason is a fault of the query and becomes an account row. Want of memory and interrupts fail
 * the context. SQLite reports the bounds of a rule as "out of memory" or "interrupted" as well, so
 * these are told apart once the query has ended.
 */
#include "advice/evaluate/evaluate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "advice/advice_names.h"
#include "core/alloc.h"
#include "core/files/files.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "core/text/utf8.h"
#include "decode/json/json_text.h"
#include "store/bounds.h"
#include "store/connection.h"
#include "store/file/vfs.h"
#include "store/layout/layout.h"
#include "store/sql.h"

/* ---- answers */

/* The first columns of every query. */
enum {
	COLUMN_SUBJECT,
	COLUMN_GAIN,
	COLUMN_CONFIDENCE,
	COLUMN_COUNT,
	COLUMN_SERIOUS, /* quality only */
};

static const char *const leading_columns[] = {
	[COLUMN_SUBJECT] = "subject",
	[COLUMN_GAIN] = "gain_ns",
	[COLUMN_CONFIDENCE] = "confidence",
	[COLUMN_COUNT] = "count",
	[COLUMN_SERIOUS] = "serious",
};

const char tc_answer_no_memory[] = "out of memory";

__attribute__((format(printf, 2, 3))) static const char *reason_of(
	struct tc_arena *arena, const char *format, ...)
{
	struct tc_buf text = TC_BUF_EMPTY;
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&text, format, args);
	va_end(args);
	const char *reason = tc_arena_keep(arena, &text);
	return reason ? reason : tc_answer_no_memory;
}

static const char *check_always_if(
	struct tc_arena *arena, sqlite3_stmt *stmt, const struct tc_heuristic *heuristic)
{
	const char *wanted = heuristic->always_if;

	for (int i = 0; wanted && i < sqlite3_column_count(stmt); i++) {
		const char *name = sqlite3_column_name(stmt, i);
		if (!name)
			return tc_answer_no_memory;
		if (strcmp(name, wanted) == 0)
			return NULL;
	}
	return wanted ? reason_of(
				arena, "its query has no column %s, which always-if names", wanted)
		      : NULL;
}

static const char *check_columns(
	struct tc_arena *arena, sqlite3_stmt *stmt, const struct tc_heuristic *heuristic)
{
	int wanted =
		heuristic->kind == TC_HEURISTIC_QUALITY ? COLUMN_SERIOUS + 1 : COLUMN_COUNT + 1;

	for (int i = 0; i < wanted; i++) {
		const char *name =
			i < sqlite3_column_count(stmt) ? sqlite3_column_name(stmt, i) : "missing";
		if (!name)
			return tc_answer_no_memory;
		if (strcmp(name, leading_columns[i]) != 0)
			return reason_of(arena, "column %d of its query is %s, not %s", i + 1, name,
				leading_columns[i]);
	}
	return check_always_if(arena, stmt, heuristic);
}

/* Whole numbers are bound as integers, so that they print as such in the reproducing query. */
static int bind_number(sqlite3_stmt *stmt, int index, double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		return sqlite3_bind_int64(stmt, index, (int64_t)value);
	return sqlite3_bind_double(stmt, index, value);
}

static const char *bind_all(
	struct tc_arena *arena, sqlite3_stmt *stmt, const struct tc_question *question)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		int param, rc;

		if (name && strcmp(name, ":trace_id") == 0)
			rc = sqlite3_bind_int64(stmt, i, question->trace_id);
		else if (name && (param = tc_param_find(question->heuristic, name + 1)) >= 0)
			rc = bind_number(stmt, i, question->values[param]);
		else
			return reason_of(
				arena, "its query has an unknown parameter %s", name ? name : "?");
		if (rc != SQLITE_OK)
			return tc_answer_no_memory;
	}
	return NULL;
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

/* Checks and binds a query that compiles. */
static const char *make_ready(
	struct tc_arena *arena, sqlite3_stmt *stmt, const struct tc_question *question)
{
	if (!is_one(stmt, question->heuristic->sql))
		return reason_of(arena, "its query is not one statement");
	if (!sqlite3_stmt_readonly(stmt) || sqlite3_column_count(stmt) == 0)
		return reason_of(arena, "its query would change the store");
	const char *reason = check_columns(arena, stmt, question->heuristic);
	return reason ? reason : bind_all(arena, stmt, question);
}

const char *tc_answer_open(
	struct tc_answer *answer, struct tc_arena *arena, const struct tc_question *question)
{
	sqlite3 *db = question->tables->db;
	const char *sql = question->heuristic->sql;
	sqlite3_stmt *stmt;
	int rc = tc_tables_prepare(&stmt, question->tables, sql);

	*answer = (struct tc_answer){.stmt = stmt};
	if (rc == SQLITE_NOMEM)
		return tc_answer_no_memory;
	if (rc != SQLITE_OK) {
		answer->line = error_line(db, sql);
		return reason_of(arena,
			rc == SQLITE_AUTH ? "its query does more than read: %s"
					  : "its query does not compile: %s",
			sqlite3_errmsg(db));
	}
	const char *reason = make_ready(arena, stmt, question);
	if (reason)
		tc_answer_close(answer);
	return reason;
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

/* ---- fields */

const char *const *tc_fields_names(struct tc_arena *arena, sqlite3_stmt *stmt)
{
	int count = sqlite3_column_count(stmt);
	const char **names = tc_arena_take(arena, (size_t)count + 1, sizeof(*names));
	bool good = names != NULL;

	for (int i = 0; i < count && good; i++) {
		const char *name = sqlite3_column_name(stmt, i);
		names[i] = name ? tc_arena_dup(arena, tc_text_from(name)) : NULL;
		good = names[i] != NULL;
	}
	return good ? names : NULL;
}

/* The text of a column as evidence has it, owned by the arena: valid UTF-8, no longer than
 * TC_EVIDENCE_MAX_BYTES and the dots behind a text that was cut. none for NULL; NULL when memory is
 * out. */
static const char *field_text(
	struct tc_arena *arena, sqlite3_stmt *stmt, int column, const char *none)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	struct tc_text whole = {text, text ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
	struct tc_text kept = tc_utf8_prefix(whole, TC_EVIDENCE_MAX_BYTES);
	struct tc_buf buf = TC_BUF_EMPTY;

	if (!text)
		return sqlite3_column_type(stmt, column) == SQLITE_NULL ? none : NULL;
	tc_utf8_append_clean(&buf, kept);
	if (kept.len < whole.len)
		tc_buf_append_string(&buf, "...");
	return tc_arena_keep(arena, &buf);
}

static bool read_field(
	struct tc_field *field, struct tc_arena *arena, sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL: return true;
	case SQLITE_INTEGER:
		field->kind = TC_FIELD_INTEGER;
		field->integer = sqlite3_column_int64(stmt, column);
		return true;
	case SQLITE_FLOAT:
		field->real = sqlite3_column_double(stmt, column);
		field->kind = isfinite(field->real) ? TC_FIELD_REAL : TC_FIELD_NULL;
		return true;
	default:
		field->kind = TC_FIELD_TEXT;
		field->text = field_text(arena, stmt, column, "");
		return field->text != NULL;
	}
}

const struct tc_field *tc_fields_read(
	struct tc_arena *arena, sqlite3_stmt *stmt, const char *const *names)
{
	int count = sqlite3_column_count(stmt);
	struct tc_field *fields = tc_arena_take(arena, (size_t)count + 1, sizeof(*fields));
	bool good = fields != NULL;

	for (int i = 0; i < count && good; i++) {
		fields[i].name = names[i];
		good = read_field(&fields[i], arena, stmt, i);
	}
	return good ? fields : NULL;
}

static void append_value(struct tc_buf *buf, const struct tc_field *field)
{
	switch (field->kind) {
	case TC_FIELD_NULL: tc_buf_append_string(buf, "null"); return;
	case TC_FIELD_INTEGER: tc_buf_format(buf, "%lld", (long long)field->integer); return;
	case TC_FIELD_REAL: tc_buf_format(buf, "%.15g", field->real); return;
	case TC_FIELD_TEXT: tc_json_append_string(buf, tc_text_from(field->text)); return;
	}
}

void tc_fields_json(struct tc_buf *buf, const struct tc_field *fields)
{
	tc_buf_append_char(buf, '{');
	for (const struct tc_field *field = fields; field->name; field++) {
		if (field != fields)
			tc_buf_append_char(buf, ',');
		tc_json_append_string(buf, tc_text_from(field->name));
		tc_buf_append_char(buf, ':');
		append_value(buf, field);
	}
	tc_buf_append_char(buf, '}');
}

/* ---- intake */

/* A finding while its rows come in. */
struct intake {
	const struct tc_evaluation *evaluation;
	const struct tc_heuristic *heuristic;
	struct tc_bounds *bounds; /* of a user's rule */
	bool in_transaction;      /* before the query ran */
	struct tc_answer answer;
	struct tc_finding finding;
	const char *const *names; /* of the columns */
	size_t row_count, capacity;
};

static bool read_confidence(enum tc_confidence *out, sqlite3_stmt *stmt)
{
	const char *word = (const char *)sqlite3_column_text(stmt, COLUMN_CONFIDENCE);

	for (int i = TC_CONFIDENCE_GUESSED; word && i <= TC_CONFIDENCE_MEASURED; i++) {
		if (strcmp(word, tc_confidence_name((enum tc_confidence)i)) != 0)
			continue;
		*out = (enum tc_confidence)i;
		return true;
	}
	return false;
}

/* No row wins back less than nothing. */
static int64_t read_gain(sqlite3_stmt *stmt)
{
	if (sqlite3_column_type(stmt, COLUMN_GAIN) == SQLITE_NULL)
		return TC_GAIN_NONE;
	int64_t gain_ns = sqlite3_column_int64(stmt, COLUMN_GAIN);
	return gain_ns > 0 ? gain_ns : 0;
}

/* Rows are about disjoint time. */
static int64_t add_gain(int64_t sum_ns, int64_t gain_ns)
{
	if (gain_ns == TC_GAIN_NONE)
		return sum_ns;
	return sum_ns == TC_GAIN_NONE ? gain_ns : tc_add_saturated(sum_ns, gain_ns);
}

/* Whether a column is a number or NULL: a text would count as 0 without a word. */
static bool is_number(sqlite3_stmt *stmt, int column)
{
	int type = sqlite3_column_type(stmt, column);

	return type != SQLITE_TEXT && type != SQLITE_BLOB;
}

/* Adds the current row to the finding's evidence. */
static void keep_row(struct intake *intake, struct tc_evidence row)
{
	struct tc_finding *finding = &intake->finding;
	struct tc_arena *arena = &intake->evaluation->box->arena;
	sqlite3_stmt *stmt = intake->answer.stmt;

	if (finding->evidence_count == TC_EVIDENCE_MAX_COUNT)
		return;
	if (!intake->names)
		intake->names = tc_fields_names(arena, stmt);
	row.fields = intake->names ? tc_fields_read(arena, stmt, intake->names) : NULL;
	row.subject = field_text(arena, stmt, COLUMN_SUBJECT, "(no name)");
	if (!row.fields || !row.subject)
		tc_no_memory(intake->evaluation->ctx);
	else if (TC_ARENA_GROW(
			 arena, finding->evidence, intake->capacity, finding->evidence_count + 1))
		finding->evidence[finding->evidence_count++] = row;
}

/* Returns what is wrong with the row, or NULL. */
static const char *take_row(struct intake *intake)
{
	struct tc_finding *finding = &intake->finding;
	sqlite3_stmt *stmt = intake->answer.stmt;
	struct tc_evidence row = {.gain_ns = read_gain(stmt), .count = -1};

	if (!read_confidence(&row.confidence, stmt))
		return "its query gave a confidence other than measured, inferred or guessed";
	if (!is_number(stmt, COLUMN_GAIN) || !is_number(stmt, COLUMN_COUNT))
		return "its query gave a gain_ns or a count that is no number";
	if (sqlite3_column_type(stmt, COLUMN_COUNT) != SQLITE_NULL)
		row.count = sqlite3_column_int64(stmt, COLUMN_COUNT);
	if (intake->row_count++ == 0 || row.confidence < finding->confidence)
		finding->confidence = row.confidence;
	finding->gain_ns = add_gain(finding->gain_ns, row.gain_ns);
	if (intake->heuristic->kind == TC_HEURISTIC_QUALITY &&
		sqlite3_column_int(stmt, COLUMN_SERIOUS))
		finding->severity = TC_SEVERITY_HIGH;
	keep_row(intake, row);
	return NULL;
}

/* Whether the system failed, and not the query: the queries of built-in heuristics ask for nothing
 * that a disk may refuse, and a transaction that SQLite has rolled back takes all rows of the
 * import along, so nothing after it would be true. */
static bool is_of_system(const struct intake *intake, int rc)
{
	bool is_io = rc == SQLITE_IOERR || rc == SQLITE_FULL || rc == SQLITE_CANTOPEN;

	return (is_io && !intake->bounds) ||
	       (intake->in_transaction && sqlite3_get_autocommit(intake->evaluation->tables->db));
}

/* Reads all rows; returns what was wrong with the query while it ran, or NULL. */
static const char *take_rows(struct intake *intake)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	const char *reason = NULL;
	int rc = SQLITE_ROW;

	while (!reason && !tc_ctx_failed(evaluation->ctx) &&
		(rc = sqlite3_step(intake->answer.stmt)) == SQLITE_ROW)
		reason = take_row(intake);
	if (reason || tc_ctx_failed(evaluation->ctx) || rc == SQLITE_DONE)
		return reason;
	if (rc == SQLITE_NOMEM)
		return tc_answer_no_memory;
	if (is_of_system(intake, rc & 0xff)) {
		tc_store_fail(evaluation->ctx, evaluation->tables->db, "read the store");
		return NULL;
	}
	if (rc == SQLITE_TOOBIG)
		return "a text or blob is too big: a rule may read and make values of up to 1 MiB";
	return reason_of(&evaluation->box->arena, "%s", sqlite3_errmsg(evaluation->tables->db));
}

/* A text of the heuristic in the terms of the trace; one of the user's rules as it is. NULL when
 * memory is out. */
static const char *in_words(const struct intake *intake, const char *text)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_buf buf = {.ctx = evaluation->ctx};

	if (intake->heuristic->file || !text)
		return text ? text : "";
	tc_words_append(&buf, text, evaluation->words);
	return tc_arena_keep(&evaluation->box->arena, &buf);
}

/* The example of the heuristic's page for the trace; NULL if there is none. A rule of the user has
 * no page. */
static const char *example_of(const struct intake *intake)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	const struct tc_finding *finding = &intake->finding;
	struct tc_buf buf = {.ctx = evaluation->ctx};

	if (intake->heuristic->page)
		tc_words_append_example(&buf, intake->heuristic->page, evaluation->words,
			finding->evidence_count > 0 ? finding->evidence[0].subject : NULL);
	return buf.len > 0 ? tc_arena_keep(&evaluation->box->arena, &buf) : NULL;
}

static void add_finding(struct intake *intake)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_box *box = evaluation->box;
	struct tc_finding *finding = &intake->finding;

	finding->sql = tc_answer_sql(&box->arena, &intake->answer);
	finding->advice = in_words(intake, intake->heuristic->advice);
	finding->why = in_words(intake, intake->heuristic->why);
	finding->example = example_of(intake);
	if (!finding->sql)
		tc_no_memory(evaluation->ctx);
	TC_PUSH(evaluation->ctx, box->advice.findings, box->advice.finding_count,
		box->finding_capacity, *finding);
}

/* Runs the query, and returns what was wrong with it, or NULL. The box gets a finding when it has
 * rows. */
static const char *run(struct intake *intake, const double *values)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	const struct tc_question question = {.tables = evaluation->tables,
		.trace_id = evaluation->trace_id,
		.heuristic = intake->heuristic,
		.values = values};
	const char *reason = tc_answer_open(&intake->answer, &evaluation->box->arena, &question);

	if (intake->bounds)
		intake->bounds->runs = true;
	if (reason)
		return reason;
	intake->finding = (struct tc_finding){.trace_id = evaluation->trace_id,
		.heuristic = intake->heuristic,
		.gain_ns = TC_GAIN_NONE,
		.gain_low_ns = TC_GAIN_NONE,
		.gain_high_ns = TC_GAIN_NONE};
	reason = take_rows(intake);
	if (!reason && intake->row_count > 0 && !tc_ctx_failed(evaluation->ctx))
		add_finding(intake);
	tc_answer_close(&intake->answer);
	return reason;
}

/* Runs a user's rule within bounds; one that fails is reported with its file. */
static const char *run_rule(struct intake *intake, const double *values)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_bounds bounds = {.ctx = evaluation->ctx,
		.left_count = evaluation->max_instructions,
		.left_cpu_ns = evaluation->max_cpu_ns};

	intake->bounds = &bounds;
	tc_bounds_begin(&bounds, evaluation->tables->db);
	const char *reason = run(intake, values);
	tc_bounds_end(&bounds);
	if (reason && bounds.exceeded)
		reason = bounds.exceeded;
	return !reason || reason == tc_answer_no_memory
		       ? reason
		       : reason_of(&evaluation->box->arena, "%s: %s", intake->heuristic->file,
				 reason);
}

static void add_account(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, enum tc_outcome outcome, const char *reason)
{
	struct tc_box *box = evaluation->box;
	const struct tc_account_row row = {.trace_id = evaluation->trace_id,
		.heuristic = heuristic,
		.outcome = outcome,
		.reason = reason};

	TC_PUSH(evaluation->ctx, box->advice.account, box->advice.account_count,
		box->account_capacity, row);
}

void tc_evaluate(const struct tc_evaluation *evaluation, const struct tc_heuristic *heuristic,
	const double *values, const char *off)
{
	struct intake intake = {.evaluation = evaluation,
		.heuristic = heuristic,
		.in_transaction = !sqlite3_get_autocommit(evaluation->tables->db)};
	const char *reason =
		tc_capability_missing(evaluation->capabilities, heuristic, evaluation->words);
	enum tc_outcome outcome = TC_OUTCOME_NOT_APPLICABLE;

	if (off) {
		add_account(evaluation, heuristic, TC_OUTCOME_NOT_ASKED, off);
		return;
	}
	TC_TIMED(evaluation->ctx, "heuristic", heuristic->id);
	if (!reason && !tc_ctx_interrupted(evaluation->ctx)) {
		reason = (heuristic->file ? run_rule : run)(&intake, values);
		outcome = reason                 ? TC_OUTCOME_FAILED
			  : intake.row_count > 0 ? TC_OUTCOME_FIRED
						 : TC_OUTCOME_QUIET;
	}
	if (reason == tc_answer_no_memory)
		tc_no_memory(evaluation->ctx);
	else if (tc_ctx_interrupted(evaluation->ctx))
		tc_fail(evaluation->ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (!tc_ctx_failed(evaluation->ctx))
		add_account(evaluation, heuristic, outcome, reason);
}

void tc_account_put(
	struct tc_advice *advice, const struct tc_finding *finding, enum tc_outcome outcome)
{
	for (size_t i = 0; i < advice->account_count; i++)
		if (advice->account[i].trace_id == finding->trace_id &&
			advice->account[i].heuristic == finding->heuristic) {
			advice->account[i].outcome = outcome;
			advice->account[i].is_small = outcome == TC_OUTCOME_QUIET;
		}
}

/* ---- reading only */

/* Reading and computing, nothing else; see sqlite3_set_authorizer(). */
static int authorize(void *user, int action, const char *first, const char *second,
	const char *database, const char *trigger)
{
	(void)user;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return tc_sql_may_call(second) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE:
		/* The first use of json_each and its like declares a table and asks this. A
		 * statement that writes there is refused before it runs: make_ready(). */
		return sqlite3_stricmp(first, "sqlite_master") ? SQLITE_DENY : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

void tc_reading_only(sqlite3 *db, bool begins)
{
	sqlite3_set_authorizer(db, begins ? authorize : NULL, NULL);
}

/* ---- check */

/* Fails with the line of the file. */
static void fault(struct tc_ctx *ctx, const struct tc_heuristic_file *rule,
	const struct tc_answer *answer, const char *reason)
{
	int line = answer->line > 0 ? rule->sql_line + answer->line - 1 : rule->sql_line;

	tc_fail(ctx, TC_ERR_USAGE, "%s:%d: %s", rule->heuristic.file, line, reason);
}

static void check_rule(const struct tc_heuristic_file *rule, struct tc_ctx *ctx,
	struct tc_arena *arena, struct tc_tables *tables)
{
	double *values = tc_arena_take(arena, rule->param_count, sizeof(*values));
	const struct tc_question question = {
		.tables = tables, .heuristic = &rule->heuristic, .values = values};
	struct tc_bounds bounds = {.ctx = ctx};
	struct tc_answer answer;

	if (!values)
		return;
	for (size_t i = 0; i < rule->param_count; i++)
		values[i] = rule->params[i].value;
	tc_bounds_begin(&bounds, tables->db);
	const char *reason = tc_answer_open(&answer, arena, &question);
	tc_bounds_end(&bounds);
	if (!reason)
		tc_answer_close(&answer);
	else if (bounds.exceeded)
		fault(ctx, rule, &answer, bounds.exceeded);
	else if (reason == tc_answer_no_memory)
		tc_no_memory(ctx);
	else
		fault(ctx, rule, &answer, reason);
}

static void check_all(const struct tc_catalogue *catalogue, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	struct tc_arena arena = {.ctx = ctx};

	tc_reading_only(db, true);
	for (size_t i = catalogue->built_in_count; i < catalogue->count && !tc_ctx_failed(ctx); i++)
		check_rule(catalogue->files[i], ctx, &arena, &tables);
	tc_reading_only(db, false);
	tc_tables_end(&tables);
	tc_arena_clear(&arena);
}

void tc_catalogue_check(const struct tc_catalogue *catalogue, struct tc_ctx *ctx)
{
	sqlite3 *db = NULL;
	int fd = -1;

	if (tc_temporary_create(&fd, ctx) != TC_OK)
		return;
	if (tc_store_lay_out(fd) == 0 && tc_vfs_open(&db, fd, true) == SQLITE_OK &&
		tc_store_create(db) == SQLITE_OK)
		check_all(catalogue, ctx, db);
	else
		tc_store_fail(ctx, db, "make an empty store to check rules with");
	sqlite3_close(db);
	close(fd);
}
