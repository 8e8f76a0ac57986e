/* Operators of two runs against each other: by name, by sizes of inputs, and between vendors by
 * class. */
#include "compare_fixture.h"

/* Calls of an operator that launch work in one place of the program. */
struct calls {
	const char *name, *class_name; /* NULL: none */
	const char *dims;              /* NULL: not recorded */
	int64_t count, device_count, device_ns;
};

#define END                                                                                        \
	{                                                                                          \
		.name = NULL                                                                       \
	}

static void put_calls(sqlite3 *db, int64_t id, const struct calls *calls)
{
	exec_free(db, sqlite3_mprintf("INSERT INTO label(id, category, name, class)"
				      " VALUES(%lld, 'cpu_op', %Q, %Q)",
			      id, calls->name, calls->class_name));
	char *args = calls->dims ? sqlite3_mprintf("{\"Input Dims\":%s}", calls->dims) : NULL;
	exec_free(db, sqlite3_mprintf("INSERT INTO slice_row VALUES(%lld, 1, 1, 5, %lld, %Q, NULL)",
			      id, id, args));
	sqlite3_free(args);
	/* Every place has a number of its own for its sizes and types: types may differ. */
	exec_free(db,
		sqlite3_mprintf(
			"INSERT INTO op_tree_row VALUES(%lld, 0, NULL, 0, 'operator', %lld,"
			" iif(%d, %lld, NULL), NULL, %lld, NULL, NULL, 1, 1, %lld, %lld, 1, 1,"
			" %lld, %lld, %lld, 0, 0, %lld, %lld, 0)",
			id, id, calls->dims != NULL, id, id, id, calls->count, calls->device_count,
			calls->device_ns, calls->device_ns, calls->device_ns, calls->device_ns));
}

static sqlite3 *store_of(int side, const struct calls *calls, const char *sql)
{
	sqlite3 *db = open_fixture(side);

	for (int64_t id = 1000; calls->name; calls++, id++)
		put_calls(db, id, calls);
	memory_store_exec(db, sql);
	return db;
}

/* The comparison in a format, to be freed; *both sees the stores. */
static char *compared(sqlite3 **both, struct pair pair, const char *format)
{
	*both = open_both();
	return text_of(&pair, format);
}

static void done(sqlite3 *both, char *text)
{
	free(text);
	sqlite3_close(both);
}

/* "GROUP NAME change count:count sum:sum;" of every row in its order. */
static void assert_rows(
	sqlite3 *both, const char *json, const char *list, const char *group, const char *expected)
{
	char *sql = sqlite3_mprintf(
		"SELECT group_concat((value ->> %Q) || ' ' || (value ->> 'name') || ' ' ||"
		" (value ->> 'change') || ' ' || (value ->> 'before_count') || ':' ||"
		" (value ->> 'after_count') || ' ' || (value ->> 'before_sum_ns') || ':' ||"
		" (value ->> 'after_sum_ns'), '; ') FROM json_each(?1, '$.%s.rows')",
		group, list);

	assert_answer(both, sql, json, expected);
	sqlite3_free(sql);
}

static const struct calls before_calls[] = {{"aten::mm", "matrix", "[[8,4],[4,2]]", 6, 6, 600},
	{"aten::mm", "matrix", "[[8,4],[4,2]]", 2, 4, 303}, /* inputs of another type */
	{"aten::mm", "matrix", "[[9,4],[4,2]]", 1, 1, 50},
	{"aten::gelu", NULL, "[[8,4],[]]", 3, 3, 90}, {"aten::add", NULL, NULL, 3, 3, 30},
	{"aten::empty", NULL, "[[]]", 99, 0, 0}, /* launches nothing */
	END};
static const struct calls after_calls[] = {{"aten::mm", "matrix", "[[8,4],[4,2]]", 6, 6, 300},
	{"aten::mm", "matrix", "[[8,8],[8,2]]", 1, 1, 45}, {"aten::add", NULL, NULL, 3, 3, 36},
	{"aten::tanh", NULL, "[[8,4]]", 1, 2, 7}, END};

static void test_rows(void **state)
{
	sqlite3 *both;
	char *json = compared(&both,
		pair_of(store_of(TC_BEFORE, before_calls, ""), store_of(TC_AFTER, after_calls, "")),
		"json");

	(void)state;
	assert_rows(both, json, "operators", "class",
		"matrix aten::mm remains 9:7 953:345;  aten::gelu gone 3:0 90:0;"
		"  aten::add remains 3:3 30:36;  aten::tanh new 0:1 0:7");
	/* The fixture has three steps: differences of 201, 30, 17, 15 and 2 ns a step. */
	assert_rows(both, json, "operator_shapes", "operator",
		"aten::mm [[8,4],[4,2]] remains 8:6 903:300;"
		" aten::gelu [[8,4],[]] gone 3:0 90:0; aten::mm [[9,4],[4,2]] gone 1:0 50:0;"
		" aten::mm [[8,8],[8,2]] new 0:1 0:45; aten::tanh [[8,4]] new 0:1 0:7");
	assert_answer(both,
		"SELECT group_concat((value ->> 'before_ns') || ':' || (value ->> 'difference_ns'))"
		" FROM json_each(?1, '$.operators.rows')",
		json, "318:-203,30:-30,10:2,0:2");
	done(both, json);
	char *text = compared(&both,
		pair_of(store_of(TC_BEFORE, before_calls, ""), store_of(TC_AFTER, after_calls, "")),
		"text");
	assert_has_not(text, "\nOperators");
	done(both, text);
}

/* What --details shows: the sizes, without inputs that are none. */
static void test_details(void **state)
{
	struct pair pair =
		pair_of(store_of(TC_BEFORE, before_calls, ""), store_of(TC_AFTER, after_calls, ""));
	sqlite3 *both;

	(void)state;
	pair.options.details = true;
	char *text = compared(&both, pair, "text");
	assert_has(text, "\nOperators that changed most, per step\n");
	assert_has(text, "\nOperators and sizes that changed most, per step\n");
	assert_has(text, "aten::gelu [[8,4]]\n");
	done(both, text);
}

#define VENDOR(vendor, kernel)                                                                     \
	"UPDATE trace SET vendor = '" vendor "'; DELETE FROM op_total;"                            \
	"INSERT INTO op_total VALUES(0, '0', 'kernel', '" kernel                                   \
	"', 'compute', 'kernel', NULL, 1, 700, 700, 1, 1, NULL, 'unknown', NULL, NULL, NULL);"

static const struct calls cuda_calls[] = {{"aten::mm", "matrix", "[[8,4],[4,2]]", 6, 6, 300},
	{"aten::cudnn_convolution", "convolution", "[[8,3,9,9],[4,3,7,7]]", 2, 2, 80},
	{"aten::gelu", NULL, NULL, 1, 1, 9}, END};
static const struct calls rocm_calls[] = {{"aten::mm", "matrix", "[[8,4],[4,2]]", 6, 6, 500},
	{"aten::miopen_convolution", "convolution", "[[8,3,9,9],[4,3,7,7]]", 2, 4, 60},
	{"aten::miopen_depthwise", "convolution", NULL, 1, 1, 5},
	{"aten::relu", NULL, NULL, 1, 1, 3}, END};

/* Vendors have no kernel in common, and operators of their own for the same work. */
static void test_vendors(void **state)
{
	static const char cuda[] = VENDOR("cuda", "cutlass"), rocm[] = VENDOR("rocm", "Cijk");
	sqlite3 *both;
	char *json = compared(&both,
		pair_of(store_of(TC_BEFORE, cuda_calls, cuda),
			store_of(TC_AFTER, rocm_calls, rocm)),
		"json");

	(void)state;
	assert_rows(both, json, "operators", "class",
		"matrix aten::mm remains 6:6 300:500;"
		" convolution convolution remains 2:3 80:65;  aten::gelu gone 1:0 9:0;"
		"  aten::relu new 0:1 0:3");
	assert_answer(both,
		"SELECT (value ->> 'before_names') || (value ->> 'after_names') FROM"
		" json_each(?1, '$.operators.rows') WHERE value ->> 'name' = 'convolution'",
		json, "12");
	done(both, json);
	/* Of one vendor, other operators of a class are other operators. */
	json = compared(&both,
		pair_of(store_of(TC_BEFORE, cuda_calls, cuda),
			store_of(TC_AFTER, rocm_calls, cuda)),
		"json");
	assert_has(json, "\"aten::miopen_depthwise\"");
	done(both, json);
}

/* The first screen has the rows that match more of the time. */
static void test_first_screen(void **state)
{
	static const char operators[] = "\nOperators that changed most",
			  operations[] = "\nDevice operations that changed most";
	static const char cuda[] = VENDOR("cuda", "cutlass"), rocm[] = VENDOR("rocm", "Cijk");
	const struct calls *other = (const struct calls[]){{"hpu::mm", NULL, NULL, 1, 1, 9}, END};
	sqlite3 *both;
	char *text = compared(&both,
		pair_of(store_of(TC_BEFORE, cuda_calls, cuda),
			store_of(TC_AFTER, rocm_calls, rocm)),
		"text");

	(void)state;
	assert_has(text, operators);
	assert_has_not(text, operations);
	done(both, text);
	text = compared(&both,
		pair_of(store_of(TC_BEFORE, cuda_calls, cuda),
			store_of(TC_AFTER, rocm_calls, cuda)),
		"text");
	assert_has_not(text, operators);
	done(both, text);
	/* No operator in common says nothing. */
	text = compared(&both,
		pair_of(store_of(TC_BEFORE, cuda_calls, cuda), store_of(TC_AFTER, other, rocm)),
		"text");
	assert_has_not(text, operators);
	assert_has(text, operations);
	done(both, text);
}

/* A batch eight times as large: the same sizes but for the batch, and no difference of a sample. */
static void test_batch(void **state)
{
	static const char sizes[] = "INSERT INTO framework_shape VALUES(0, 'matmul',"
				    " 'aten::linear', '[[%d,16,64],[32,64]]', NULL, 3, 1)";
	static const struct calls small[] = {
		{"aten::linear", "matrix", "[[4,16,64],[32,64],[4]]", 3, 3, 120}, END};
	static const struct calls large[] = {
		{"aten::linear", "matrix", "[[32,16,64],[32,64],[32]]", 3, 3, 960}, END};
	sqlite3 *db[] = {store_of(TC_BEFORE, small, ""), store_of(TC_AFTER, large, "")}, *both;

	(void)state;
	exec_free(db[0], sqlite3_mprintf(sizes, 4));
	exec_free(db[1], sqlite3_mprintf(sizes, 32));
	char *json = compared(&both, pair_of(db[0], db[1]), "json");
	assert_answer(both, "SELECT ?1 ->> '$.basis'", json, "sample");
	assert_answer(both, "SELECT ?1 ->> '$.operators.rows[0].difference_ns'", json, "0");
	/* 32 is the batch after and a width on both sides. */
	assert_rows(both, json, "operator_shapes", "operator",
		"aten::linear [[N,16,64],[N,64],[N]] remains 3:3 120:960");
	done(both, json);
}

static void test_hostile_names(void **state)
{
	char *name = sqlite3_mprintf("\x1b[31m';--\"%s<%06000d>\n\t\xff", "\xe2\x80\xae", 7);
	const struct calls calls[] = {{name, NULL, "{\"[\":\"]'\"}", 1, 1, 300},
		{name, "matrix", "[\"x\",{\"Input Dims\":[[1]]},\",[]\"]", 1, 1, 200},
		{"", NULL, "[]", 1, 1, 100},
		{"aten::mm", "%s%n", "[[-1,9223372036854775808]]", 1, 1, 90}, END};
	const struct calls none[] = {END};

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct pair pair = pair_of(store_of(TC_BEFORE, turn ? calls : none, ""),
			store_of(TC_AFTER, turn ? none : calls, ""));
		sqlite3 *both;
		pair.options.details = true;
		char *text = compared(&both, pair, "text");
		assert_has(text, "\nOperators that changed most");
		assert_has_not(text, "\x1b");
		assert_has_not(text, "\xe2\x80\xae");
		done(both, text);
	}
	sqlite3_free(name);
}

/* However rows are matched, no device time is lost and none counts twice. */
static void test_sums(void **state)
{
	static const char *const names[] = {"aten::mm", "aten::bmm", "aten::conv", "aten::add"};
	static const char *const classes[] = {"matrix", "matrix", "convolution", NULL};

	(void)state;
	for (unsigned seed = 1; seed < 12; seed++) {
		sqlite3 *db[] = {open_fixture(TC_BEFORE), open_fixture(TC_AFTER)}, *both;
		memory_store_exec(db[1], "UPDATE trace SET vendor = 'rocm'");
		for (unsigned i = 0, random = seed; i < 8; i++) {
			random = random * 1103515245U + 12345U;
			unsigned name = random >> 8 & 3;
			const struct calls calls = {names[name], classes[name],
				random >> 10 & 1 ? "[[8,4]]" : "[[4,8]]", 1 + (random >> 11 & 7),
				random >> 14 & 3, random >> 14 & 3 ? random >> 4 & 4095 : 0};
			put_calls(db[random >> 16 & 1], 1000 + i, &calls);
		}
		char *json = compared(&both, pair_of(db[0], db[1]), "json");
		char *want = ask(both,
			"SELECT CAST(total(device_self_ns) AS INTEGER) || ' ' || (SELECT"
			" CAST(total(device_self_ns) AS INTEGER) FROM after.op_tree_row)"
			" FROM main.op_tree_row",
			NULL, NULL);
		for (int list = 0; list < 2; list++)
			assert_answer(both,
				list ? "SELECT coalesce(sum(value ->> 'before_sum_ns'), 0) || ' ' "
				       "||"
				       " coalesce(sum(value ->> 'after_sum_ns'), 0)"
				       " FROM json_each(?1, '$.operator_shapes.rows')"
				     : "SELECT coalesce(sum(value ->> 'before_sum_ns'), 0) || ' ' "
				       "||"
				       " coalesce(sum(value ->> 'after_sum_ns'), 0)"
				       " FROM json_each(?1, '$.operators.rows')",
				json, want);
		sqlite3_free(want);
		done(both, json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_vendors),
		cmocka_unit_test(test_first_screen),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
