/* Device time by operation; see op_account.h. */
#include "analysis/op_account.h"

#include "analysis/busy.h"
#include "analysis/intervals.h"
#include "analysis/statement.h"
#include "core/alloc.h"

enum { LIST_WORKING = 0, FIRST_SLOTS = 256 };

enum tc_precision tc_precision_of(struct tc_text data_type)
{
	static const struct {
		const char *prefix;
		enum tc_precision precision;
	} rows[] = {
		{"bf16", TC_PRECISION_LOW},
		{"bfloat16", TC_PRECISION_LOW},
		{"fp16", TC_PRECISION_LOW},
		{"f16", TC_PRECISION_LOW},
		{"float16", TC_PRECISION_LOW},
		{"half", TC_PRECISION_LOW},
		{"fp8", TC_PRECISION_LOW},
		{"f8", TC_PRECISION_LOW},
		{"hf8", TC_PRECISION_LOW},
		{"float8", TC_PRECISION_LOW},
		{"float32", TC_PRECISION_FP32},
		{"fp32", TC_PRECISION_FP32},
		{"f32", TC_PRECISION_FP32},
		{"tf32", TC_PRECISION_FP32},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].prefix), at = 0;
		while (at < len && at < data_type.len &&
			(data_type.ptr[at] | 0x20) == (rows[i].prefix[at] | 0x20))
			at++;
		if (at == len)
			return rows[i].precision;
	}
	return data_type.len > 0 ? TC_PRECISION_OTHER : TC_PRECISION_UNKNOWN;
}

static enum tc_status no_memory(struct tc_ctx *ctx)
{
	return tc_fail(ctx, TC_ERR_NOMEM, "no memory for device operations");
}

static int make_slots(struct tc_op_account *account, size_t slot_count);

enum tc_status tc_op_account_init(struct tc_op_account *account, const struct tc_timeline *timeline)
{
	*account = (struct tc_op_account){.timeline = timeline};
	account->last_of_label = tc_calloc(timeline->label_count, sizeof(*account->last_of_label));
	account->owners = tc_calloc(timeline->device_count, sizeof(*account->owners));
	if (!account->last_of_label || !account->owners || make_slots(account, FIRST_SLOTS)) {
		tc_op_account_clear(account);
		return no_memory(timeline->ctx);
	}
	return TC_OK;
}

void tc_op_account_clear(struct tc_op_account *account)
{
	for (size_t i = 0; i < account->count; i++)
		tc_free(account->totals[i]);
	tc_free(account->totals);
	tc_free(account->slots);
	tc_free(account->last_of_label);
	tc_free(account->owners);
	*account = (struct tc_op_account){0};
}

static size_t slot_of(const struct tc_op_account *account, const struct tc_op_total *key)
{
	uint32_t words[4] = {key->device, key->label, key->data_type, (uint32_t)key->engine};

	return tc_hash_bytes((const char *)words, sizeof(words)) & (account->slot_count - 1);
}

static bool same_key(const struct tc_op_total *a, const struct tc_op_total *b)
{
	return a->device == b->device && a->label == b->label && a->data_type == b->data_type &&
	       a->engine == b->engine;
}

/* slot_count is a power of two. */
static int make_slots(struct tc_op_account *account, size_t slot_count)
{
	uint32_t *slots = tc_malloc(slot_count * sizeof(*slots));

	if (!slots)
		return -1;
	tc_free(account->slots);
	account->slots = slots;
	account->slot_count = slot_count;
	for (size_t i = 0; i < slot_count; i++)
		slots[i] = UINT32_MAX;
	for (size_t i = 0; i < account->count; i++) {
		size_t slot = slot_of(account, account->totals[i]);
		while (slots[slot] != UINT32_MAX)
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = (uint32_t)i;
	}
	return 0;
}

static struct tc_op_total *add_total(
	struct tc_op_account *account, const struct tc_op_total *key, size_t slot)
{
	void *totals = account->totals;

	if (tc_reserve(&totals, &account->capacity, account->count + 1, sizeof(*account->totals)))
		return NULL;
	account->totals = totals;
	struct tc_op_total *total = tc_malloc(sizeof(*total));
	if (!total)
		return NULL;
	*total = *key;
	if (key->data_type != TC_STRTAB_NONE)
		total->precision =
			tc_precision_of(tc_strtab_at(&account->timeline->texts, key->data_type));
	account->slots[slot] = (uint32_t)account->count;
	account->totals[account->count++] = total;
	if (account->count * 2 > account->slot_count &&
		make_slots(account, account->slot_count * 2))
		return NULL;
	return total;
}

struct tc_op_total *tc_op_account_find(
	struct tc_op_account *account, const struct tc_span *span, enum tc_engine engine)
{
	struct tc_op_total key = {
		.device = (uint32_t)account->timeline->tracks[span->track].device,
		.label = span->label,
		.data_type = span->data_type,
		.engine = engine,
		.min_ns = INT64_MAX,
	};
	struct tc_op_total *found = account->last_of_label[span->label];

	if (found && same_key(found, &key))
		return found;
	size_t slot = slot_of(account, &key);
	while (account->slots[slot] != UINT32_MAX) {
		found = account->totals[account->slots[slot]];
		if (same_key(found, &key))
			break;
		slot = (slot + 1) & (account->slot_count - 1);
	}
	if (account->slots[slot] == UINT32_MAX)
		found = add_total(account, &key, slot);
	account->last_of_label[span->label] = found;
	return found;
}

void tc_op_total_count(struct tc_op_total *total, int64_t dur_ns)
{
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, dur_ns);
	if (dur_ns < total->min_ns)
		total->min_ns = dur_ns;
	if (dur_ns > total->max_ns)
		total->max_ns = dur_ns;
}

/* The operation that has the time from now on. */
static void choose_owner(struct tc_op_owner *owner, int64_t time_ns)
{
	struct tc_op_total *next = NULL;

	if (owner->engines) {
		const struct tc_open *first = owner->working[__builtin_ctz(owner->engines)].first;
		next = ((const struct tc_op_open *)(const void *)first)->total;
	}
	if (next == owner->owner)
		return;
	if (owner->owner)
		owner->owner->exclusive_ns += time_ns - owner->since_ns;
	owner->owner = next;
	owner->since_ns = time_ns;
}

void tc_op_account_start(struct tc_op_account *account, struct tc_op_open *op)
{
	struct tc_op_owner *owner = &account->owners[op->total->device];
	enum tc_engine engine = op->total->engine;

	if (!(TC_WORK_OF(engine) & TC_WORK_BUSY))
		return;
	tc_open_list_append(&owner->working[engine], LIST_WORKING, &op->open);
	owner->engines |= TC_WORK_OF(engine);
	choose_owner(owner, op->open.start_ns);
}

void tc_op_account_end(struct tc_op_account *account, struct tc_op_open *op)
{
	struct tc_op_owner *owner = &account->owners[op->total->device];
	enum tc_engine engine = op->total->engine;

	if (!(TC_WORK_OF(engine) & TC_WORK_BUSY))
		return;
	tc_open_list_remove(&owner->working[engine], LIST_WORKING, &op->open);
	if (!owner->working[engine].first)
		owner->engines &= ~TC_WORK_OF(engine);
	choose_owner(owner, op->open.end_ns);
}

static void bind_total(
	const struct tc_op_account *account, sqlite3_stmt *insert, const struct tc_op_total *total)
{
	const struct tc_timeline *timeline = account->timeline;
	const struct tc_label *label = &timeline->labels[total->label];
	enum tc_op_kind kind = label->kind == TC_OP_NONE ? TC_OP_OTHER : label->kind;
	struct tc_text data_type = TC_TEXT_NONE;

	if (total->data_type != TC_STRTAB_NONE)
		data_type = tc_strtab_at(&timeline->texts, total->data_type);
	tc_statement_integer(insert, 1, timeline->trace_id);
	tc_statement_text(insert, 2, timeline->devices[total->device].name);
	tc_statement_text(insert, 3, label->category);
	tc_statement_text(insert, 4, label->name);
	tc_statement_string(insert, 5, tc_engine_name(total->engine));
	tc_statement_string(insert, 6, tc_op_kind_name(kind));
	tc_statement_text(insert, 7, data_type.len > 0 ? data_type : TC_TEXT_NONE);
	tc_statement_integer(insert, 8, total->count);
	tc_statement_integer(insert, 9, total->dur_ns);
	tc_statement_integer(insert, 10, total->exclusive_ns);
	tc_statement_integer(insert, 11, total->min_ns);
	tc_statement_integer(insert, 12, total->max_ns);
}

enum tc_status tc_op_account_write(
	const struct tc_op_account *account, struct tc_ctx *ctx, sqlite3 *db)
{
	static const char what[] = "write the totals of device operations";
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_statement_compile(&insert, ctx, db,
		"INSERT INTO op_total (trace_id, device, category, name, engine, kind, data_type,"
		" count, dur_ns, exclusive_ns, min_ns, max_ns)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		what);

	for (size_t i = 0; i < account->count && !status; i++) {
		bind_total(account, insert, account->totals[i]);
		status = tc_statement_run(ctx, insert, what);
	}
	sqlite3_finalize(insert);
	return status;
}
