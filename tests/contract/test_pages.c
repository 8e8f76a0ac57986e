/*
 * Every heuristic has its page docs/heuristics/<id>.md: the head equals the descriptor, the text
 * below explains every column of the evidence and how to fix it, and the index lists it. No page
 * is left without a heuristic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_store.h"
#include "catalogue_fixture.h"
#include "advice/trace/trace.h"

static int fault_count;

static void fault(const char *id, const char *what, const char *detail)
{
	fprintf(stderr, "%s: %s%s\n", id, what, detail);
	fault_count++;
}

/* The file below the source directory, terminated, for free(); NULL when it is not there. */
static char *read_source_file(const char *name)
{
	const char *dir = getenv("TC_SOURCE_DIR");
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	char *text = calloc(1, 1 << 18);
	size_t len = text ? fread(text, 1, (1 << 18) - 1, file) : 0;
	fclose(file);
	assert_true(len < (1 << 18) - 1);
	return text;
}

static void want(const char *id, const char *page, const char *text)
{
	text += *text == '\n';
	if (!strstr(page, text))
		fault(id, "the page lacks the line: ", text);
}

static void check_head(const struct tc_heuristic *heuristic, const char *page)
{
	char line[1024];

	struct tc_buf advice = TC_BUF_EMPTY, why = TC_BUF_EMPTY;
	const struct tc_words any = TC_WORDS_ANY;

	tc_words_append(&advice, heuristic->advice, &any);
	tc_words_append(&why, heuristic->why, &any);
	snprintf(line, sizeof(line), "# %s\n\n**%s.** %s\n", heuristic->id, heuristic->title,
		tc_buf_string(&advice));
	if (strncmp(page, line, strlen(line)) != 0)
		fault(heuristic->id, "the head of the page is stale: run tools/check-heuristic ",
			heuristic->id);
	want(heuristic->id, page, tc_buf_string(&why));
	tc_buf_clear(&advice);
	tc_buf_clear(&why);
	want(heuristic->id, page, heuristic->source);
	for (const struct tc_param *param = heuristic->params; param->name; param++) {
		snprintf(line, sizeof(line), "\n| `%s` | %s | %.15g | %.15g to %.15g | %s |\n",
			param->name, param->unit, param->value, param->min, param->max,
			param->help);
		want(heuristic->id, page, line);
	}
}

/* Every column beyond the contract's is explained as "- `name`: ...". */
static void check_columns(const struct tc_heuristic *heuristic, const char *page, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	char line[256];

	assert_int_equal(sqlite3_prepare_v2(db, heuristic->sql, -1, &stmt, NULL), SQLITE_OK);
	for (int i = heuristic->kind == TC_HEURISTIC_QUALITY ? 5 : 4;
		i < sqlite3_column_count(stmt); i++) {
		snprintf(line, sizeof(line), "\n- `%s`: ", sqlite3_column_name(stmt, i));
		want(heuristic->id, page, line);
	}
	sqlite3_finalize(stmt);
}

static bool has_words(const struct tc_heuristic *heuristic, const char *column)
{
	const struct tc_says *says = heuristic->says;

	while (says->column && strcmp(says->column, column) != 0)
		says++;
	return says->column != NULL;
}

static void check_words(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int first = heuristic->kind == TC_HEURISTIC_QUALITY ? 5 : 4;

	assert_int_equal(sqlite3_prepare_v2(db, heuristic->sql, -1, &stmt, NULL), SQLITE_OK);
	for (int i = first; i < sqlite3_column_count(stmt); i++)
		if (!has_words(heuristic, sqlite3_column_name(stmt, i)))
			fault(heuristic->id,
				"no \"says:\" line of the header has words for the column ",
				sqlite3_column_name(stmt, i));
	for (const struct tc_says *says = heuristic->says; says->column; says++) {
		int i = 3; /* count may have words of its own */
		while (i < sqlite3_column_count(stmt) &&
			strcmp(sqlite3_column_name(stmt, i), says->column) != 0)
			i++;
		if (i == sqlite3_column_count(stmt))
			fault(heuristic->id,
				"the query has no column of this \"says:\" line: ", says->column);
	}
	sqlite3_finalize(stmt);
}

/* Every column of evidence has words in the report, and no words are left over. */
static void test_words(void **state)
{
	sqlite3 *db = memory_store_open();

	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < tc_catalogue_count(built_in()); i++)
		if (is_wanted(tc_catalogue_at(built_in(), i)))
			check_words(tc_catalogue_at(built_in(), i), db);
	sqlite3_close(db);
	assert_int_equal(fault_count, 0);
}

static bool is_trait(const char *name)
{
	static const char *const traits[] = {
#define TC_TRAIT(name, help) name,
#include "advice/trace/traits.def"
#undef TC_TRAIT
	};

	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (strcmp(traits[i], name) == 0)
			return true;
	return false;
}

/* Faults names of "a|b" that are no traits, as an empty one. */
static void check_names(const char *id, char *names)
{
	while (names) {
		char *end = strchr(names, '|');
		if (end)
			*end++ = '\0';
		if (!is_trait(names))
			fault(id, "no trait of traits.def: ", names);
		names = end;
	}
}

static void check_width(const char *id, const char *code)
{
	for (size_t len; strncmp(code, "```", 3) != 0 && (len = strcspn(code, "\n")) > 0;
		code += len + strspn(code + len, "\n"))
		if (len > 100)
			fault(id, "a line of an example has more than 100 columns: ", code);
}

/* A line of a diff is empty, is as before, goes or comes, and one comes; else it is Python. */
static void check_diff(const char *id, const char *code)
{
	bool comes = false;

	for (size_t len; strncmp(code, "```", 3) != 0 && *code; code += len + (code[len] == '\n')) {
		len = strcspn(code, "\n");
		comes |= *code == '+';
		if (len > 0 && !strchr(" +-", *code))
			fault(id, "a line of a diff that begins otherwise: ", code);
	}
	if (!comes)
		fault(id, "a diff without a line that comes", "");
}

/* The next fence of an example, behind the word for its language; NULL for none. */
static const char *next_fence(const char *at, bool *is_diff)
{
	while ((at = strstr(at, "\n```"))) {
		at += 4;
		*is_diff = strncmp(at, "diff", 4) == 0;
		if (*is_diff || strncmp(at, "python", 6) == 0)
			return at + (*is_diff ? 4 : 6);
	}
	return NULL;
}

/* The traits behind "```python" or "```diff" are known, a block that always holds is the last, and
 * no line is too long for a report. */
static void check_fences(const char *id, const char *page)
{
	bool is_last = false, is_diff = false;

	for (const char *at = page; (at = next_fence(at, &is_diff));) {
		char line[256], *rest = line;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		if (is_last)
			fault(id, "an example stands behind one that always holds:", line);
		is_last = !line[0];
		for (char *part; (part = strtok_r(rest, " ", &rest));)
			check_names(id, part + (*part == '!'));
		check_width(id, at + strcspn(at, "\n") + 1);
		if (is_diff)
			check_diff(id, at + strcspn(at, "\n") + 1);
	}
}

/* The example of a page for a trace with these traits, the vendor first where it has one, and a
 * first row about subject; to be cleared. */
static struct tc_buf example_for(const char *page, const char *traits, const char *subject)
{
	struct tc_words words = {.is_of_trace = true};
	struct tc_buf out = TC_BUF_EMPTY;
	char names[256], *rest = names;
	size_t count = 0;

	snprintf(names, sizeof(names), "%s", traits);
	for (char *name; (name = strtok_r(rest, " ", &rest));)
		words.traits[count++] = name;
	if (count > 0 && strstr("gaudi cuda rocm xpu ascend tpu musa mlu", words.traits[0]))
		words.vendor = words.traits[0];
	tc_words_append_example(&out, page, &words, subject);
	return out;
}

static bool needs(const struct tc_heuristic *heuristic, const char *what)
{
	for (const char *const *need = heuristic->needs; *need; need++)
		if (strcmp(*need, what) == 0)
			return true;
	return false;
}

/* Code that no example may have for such traces, and a need that rules out such traces. */
static const struct {
	const char *traits, *but_for, *code[10];
} foreign[] = {
	{"cuda inference", "training",
		{"backward(", "optimizer", "loss", "criterion", "no_sync", "train(", "\"hpu\""}},
	{"cuda training volta", "", {"bfloat16", "TF32", "tf32"}},
	{"cuda training turing", "", {"bfloat16", "TF32", "tf32"}},
	{"cuda inference turing_gtx", "", {"bfloat16", "TF32", "tf32"}},
	{"gaudi training", "", {"cuda", "CUDA", "nccl", "NCCL"}},
	{"gaudi inference", "training", {"cuda", "CUDA", "backward(", "optimizer"}},
	{"xpu training", "", {"\"cuda\"", "CUDA", "NCCL", "\"nccl\"", "habana"}},
	{"cuda training other_framework", "", {"torch", "DataLoader", "model."}},
	{"cuda inference vllm", "training", {"torch.compile", "torch.profiler"}},
	{"cuda inference sglang", "training", {"torch.compile", "torch.profiler"}},
	{"cuda inference tensorrt_llm", "training", {"torch.compile", "torch.profiler"}},
	{"gaudi inference vllm", "training",
		{"torch.compile", "torch.profiler", "cuda", "hpu_graph"}},
	{"gaudi inference sglang", "training",
		{"torch.compile", "torch.profiler", "cuda", "hpu_graph"}},
	{"xpu inference", "training",
		{"\"cuda\"", "CUDA", "nccl", "NCCL", "habana", "\"hpu\"", "backward(",
			"optimizer"}},
	{"ascend training", "",
		{"cuda", "CUDA", "nccl", "NCCL", "hpu", "habana", "supported_activities",
			"torch.profiler"}},
	{"ascend inference", "training", {"cuda", "CUDA", "hpu", "backward(", "optimizer"}},
	{"musa training", "", {"cuda", "CUDA", "hpu", "fused=True", "supported_activities"}},
	{"tpu training", "", {"cuda", "CUDA", "hpu", "\"tpu\"", "torch.tpu", "fused=True"}},
	{"cuda training pytorch_1 volta", "", {"bfloat16", "\"hpu\"", "xccl"}},
	{"cuda training pascal", "", {"bfloat16", "float16", "tf32"}},
};

/* Whether the heuristic can fire on such traces. */
static bool applies(const struct tc_heuristic *heuristic, const char *traits, const char *but_for)
{
	static const char *const of_gaudi[] = {
		"bridge", "mme", "compiles", "recipe_cache", "node_stats", "side_log"};

	if (strncmp(traits, "gaudi", 5) == 0)
		return !needs(heuristic, but_for) && !needs(heuristic, "gpu");
	for (size_t i = 0; i < sizeof(of_gaudi) / sizeof(of_gaudi[0]); i++)
		if (needs(heuristic, of_gaudi[i]))
			return false;
	return !needs(heuristic, but_for);
}

static void check_example(const struct tc_heuristic *heuristic)
{
	for (size_t k = 0; k < sizeof(foreign) / sizeof(foreign[0]); k++) {
		if (!applies(heuristic, foreign[k].traits, foreign[k].but_for))
			continue;
		struct tc_buf code = example_for(heuristic->page, foreign[k].traits, NULL);
		for (const char *const *word = foreign[k].code; code.len > 0 && *word; word++)
			if (strstr(tc_buf_string(&code), *word)) {
				fault(heuristic->id, "an example for ", foreign[k].traits);
				fault(heuristic->id, "has ", *word);
			}
		tc_buf_clear(&code);
	}
}

static void test_examples_fit_the_trace(void **state)
{
	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < tc_catalogue_count(built_in()); i++)
		check_example(tc_catalogue_at(built_in(), i));
	assert_int_equal(fault_count, 0);
}

/* The example for a kind of trace has this code; NULL: there is none. */
static const struct {
	const char *id, *traits, *code;
} wanted[] = {
	{"gemm-fp32", "cuda volta training", "GradScaler"},
	{"gemm-fp32", "cuda turing inference", "float16"},
	{"gemm-fp32", "cuda ampere training", "allow_tf32"},
	{"gemm-fp32", "rocm training", "bfloat16"},
	{"gemm-fp32", "cuda pascal training", NULL},
	{"batch-size-headroom", "cuda training", "group[\"lr\"]"},
	{"batch-size-headroom", "xpu inference", "inputs.to(\"xpu\""},
	{"batch-size-headroom", "cuda inference vllm", "max_num_seqs"},
	{"exposed-communication", "cuda training ddp exposed_all_reduce", "no_sync()"},
	{"exposed-communication", "cuda training fsdp exposed_all_gather",
		"set_modules_to_forward_prefetch"},
	{"exposed-communication", "cuda training exposed_send_recv", "n_microbatches"},
	{"exposed-communication", "cuda inference exposed_all_reduce", NULL},
	{"host-bound", "gaudi training lazy", "ModuleCacher"},
	{"host-bound", "gaudi inference lazy", "wrap_in_hpu_graph"},
	{"host-bound", "gaudi training", "backend=\"hpu_backend\""},
	{"host-bound", "gaudi inference vllm", NULL},
	{"host-bound", "ascend inference vllm", "\"cudagraph_capture_sizes\""},
	{"host-bound", "rocm training", "reduce-overhead"},
	{"host-bound", "cuda inference sglang", "cuda_graph_max_bs_decode"},
	{"host-bound", "cuda other_framework", NULL},
	{"unfused-optimizer", "gaudi training", "FusedAdamW"},
	{"unfused-optimizer", "cuda training", "fused=True"},
	{"unfused-optimizer", "cuda training other_optimizer", "foreach=True"},
	{"unfused-clip-norm", "cuda training", "foreach=True"},
	{"unfused-attention", "gaudi training", "FusedSDPA"},
	{"unfused-optimizer", "cuda training pytorch_1", "# PyTorch 2.x"},
	{"unfused-attention", "cuda training pytorch_1", "# PyTorch 2.x"},
	{"small-kernels", "rocm training pytorch_1", "# PyTorch 2.x"},
	{"input-copy-blocking", "ascend training", "images.to(\"npu\""},
	{"input-copy-blocking", "cuda inference", "images.pin_memory()"},
	{"input-copy-blocking", "tpu inference", NULL},
	{"data-parallel-module", "cuda training", "\"nccl\""},
	{"data-parallel-module", "ascend training", "\"hccl\""},
	{"data-parallel-module", "xpu training", "\"xccl\""},
	{"data-parallel-module", "mtia training", NULL},
	{"data-parallel-module", "xpu inference", "f\"xpu:{local_rank}\""},
	{"memory-near-limit", "cuda inference vllm", "gpu_memory_utilization"},
	{"no-device-events", "ascend training", "torch_npu.profiler"},
	{"no-host-events", "mlu training", NULL},
	{"pointwise-fusion", "gaudi inference vllm", NULL},
	{"dma-exposed", "gaudi training", "torch.hpu.Stream()"},
};

static void test_each_kind_gets_its_example(void **state)
{
	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct tc_buf code =
			example_for(built_in_heuristic(wanted[i].id)->page, wanted[i].traits, NULL);
		const char *text = code.len > 0 ? tc_buf_string(&code) : NULL;
		if (!text != !wanted[i].code || (text && !strstr(text, wanted[i].code)))
			fault(wanted[i].id, wanted[i].traits, text ? text : ": no example");
		tc_buf_clear(&code);
	}
	assert_int_equal(fault_count, 0);
}

static void assert_example(
	const char *page, const char *traits, const char *subject, const char *wanted_code)
{
	struct tc_buf code = example_for(page, traits, subject);

	assert_string_equal(code.len > 0 ? tc_buf_string(&code) : "", wanted_code);
	tc_buf_clear(&code);
}

#define PLAIN(name) "-optimizer = torch.optim." name "(model.parameters(), lr=lr)\n"
#define TORCH(name, form)                                                                          \
	PLAIN(name)                                                                                \
	"+optimizer = torch.optim." name "(model.parameters(), lr=lr, " form "=True)"              \
	"\n"

/* The optimizer of the example is that of the run, in a form that it has on the device; what the
 * example takes out has it as it is. */
static void test_an_example_follows_the_optimizer(void **state)
{
	static const struct {
		const char *traits, *subject, *code;
	} rows[] = {
		{"cuda training", "Optimizer.step#SGD.step", TORCH("SGD", "fused")},
		{"cuda training", "Optimizer.step#Adam.step", TORCH("Adam", "fused")},
		{"cuda training", "Optimizer.step#RMSprop.step", TORCH("RMSprop", "foreach")},
		{"cuda training", "Optimizer.step#Mine.step", TORCH("AdamW", "fused")},
		{"cuda training", "x", TORCH("AdamW", "fused")},
		{"cuda training", NULL, TORCH("AdamW", "fused")},
		{"rocm training other_optimizer", "Optimizer.step#Adagrad.step",
			TORCH("Adagrad", "foreach")},
		{"mtia training", "Optimizer.step#AdamW.step", TORCH("AdamW", "foreach")},
		{"gaudi training", "Optimizer.step#SGD.step",
			PLAIN("SGD") "+from habana_frameworks.torch.hpex.optimizers import "
				     "FusedSGD\n"
				     "+optimizer = FusedSGD(model.parameters(), lr=lr)\n"},
		{"gaudi training", "Optimizer.step#Adam.step",
			PLAIN("Adam") "+from habana_frameworks.torch.hpex.optimizers import "
				      "FusedAdamW\n"
				      "+optimizer = FusedAdamW(model.parameters(), lr=lr)\n"},
		{"gaudi training", "Optimizer.step#RMSprop.step", ""},
		{"ascend training", "Optimizer.step#RMSprop.step",
			PLAIN("RMSprop") "+optimizer = "
					 "torch_npu.optim.NpuFusedRMSprop(model.parameters(), "
					 "lr=lr)\n"},
		{"ascend training other_optimizer", "Optimizer.step#Rprop.step",
			TORCH("Rprop", "foreach")},
	};
	const char *page = built_in_heuristic("unfused-optimizer")->page;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_example(page, rows[i].traits, rows[i].subject, rows[i].code);
}

/* Traits may have several blanks between them. */
static void test_blanks_between_traits(void **state)
{
	(void)state;
	assert_example(
		"\n```python cuda  training \na = 1\n```\n", "cuda training", NULL, "a = 1\n");
	assert_example("\n```python cuda  training\na = 1\n```\n", "cuda inference", NULL, "");
	assert_example("\n```sh\nls\n```\n\n```diff cuda  training\n-a = 1\n```\n", "cuda training",
		NULL, "-a = 1\n");
}

static void check_page(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	char name[128];

	snprintf(name, sizeof(name), "docs/heuristics/%s.md", heuristic->id);
	char *page = read_source_file(name);
	if (!page) {
		fault(heuristic->id,
			"no page: tools/new-heuristic shows what one looks like: ", name);
		return;
	}
	check_head(heuristic, page);
	check_columns(heuristic, page, db);
	want(heuristic->id, page, "\n## What it looks at\n");
	want(heuristic->id, page, "\n## Evidence\n");
	want(heuristic->id, page, "\n## How to fix\n");
	if (!strstr(page, "\n```diff"))
		want(heuristic->id, page, "\n```python");
	check_fences(heuristic->id, page);
	want(heuristic->id, page, "\n## Limits\n");
	free(page);
}

static void test_pages(void **state)
{
	sqlite3 *db = memory_store_open();
	size_t count = tc_catalogue_count(built_in());

	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < count; i++)
		if (is_wanted(tc_catalogue_at(built_in(), i)))
			check_page(tc_catalogue_at(built_in(), i), db);
	sqlite3_close(db);
	assert_int_equal(fault_count, 0);
}

static void test_index(void **state)
{
	size_t count = tc_catalogue_count(built_in());
	char *index = read_source_file("docs/heuristics.md");

	(void)state;
	fault_count = 0;
	assert_non_null(index);
	for (size_t i = 0; i < count; i++) {
		char link[256];
		snprintf(link, sizeof(link), "| [%s](heuristics/%s.md) | %s | ",
			tc_catalogue_at(built_in(), i)->id, tc_catalogue_at(built_in(), i)->id,
			tc_catalogue_at(built_in(), i)->title);
		want("index", index, link);
	}
	free(index);
	assert_int_equal(fault_count, 0);
}

/* Calls fault for every entry of a directory that is called like no heuristic. */
static void check_left_over(const char *name, const char *what)
{
	const char *dir = getenv("TC_SOURCE_DIR");
	char path[1024];
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	DIR *entries = opendir(path);
	assert_non_null(entries);
	while ((entry = readdir(entries))) {
		char id[256];
		snprintf(id, sizeof(id), "%s", entry->d_name);
		id[strcspn(id, ".")] = '\0';
		if (id[0] && !built_in_heuristic(id))
			fault(id, what, id);
	}
	closedir(entries);
}

/* A file that belongs to no heuristic, or a query that the build has not taken up. */
static void test_nothing_is_left_over(void **state)
{
	(void)state;
	fault_count = 0;
	check_left_over("docs/heuristics",
		"has a page but is no heuristic: remove the page, or write one with "
		"tools/new-heuristic ");
	check_left_over("testdata/heuristics",
		"has traces but is no heuristic: remove them, or write one with "
		"tools/new-heuristic ");
	check_left_over("heuristics", "is not in this build: run tools/check-heuristic ");
	assert_int_equal(fault_count, 0);
}

/* The generator agrees: nothing in docs/ was edited in place of the files. */
static void test_generator_agrees(void **state)
{
	(void)state;
	if (!getenv("TC_SOURCE_DIR") || !getenv("TC_BUILD_DIR"))
		skip();
	assert_int_equal(
		system("\"$TC_BUILD_DIR/tools/heuristics-doc\" --check \"$TC_SOURCE_DIR\""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_examples_fit_the_trace),
		cmocka_unit_test(test_each_kind_gets_its_example),
		cmocka_unit_test(test_an_example_follows_the_optimizer),
		cmocka_unit_test(test_blanks_between_traits),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_nothing_is_left_over),
		cmocka_unit_test(test_generator_agrees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
