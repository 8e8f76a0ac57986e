/* Launches without correlation ids: executions and calls are both first in, first out. */
#include "launch_scene.h"
#include "model_fixture.h"

static void launch(struct scene *scene, int ts)
{
	add(scene,
		"{'ph':'X','cat':'Runtime','name':'synLaunchWithExternalEvents','pid':1,'tid':1,"
		"'ts':%d,'dur':2}",
		ts);
}

static void launch_of(struct scene *scene, const char *recipe, int ts)
{
	add(scene,
		"{'ph':'X','cat':'Runtime','name':'synLaunchWithExternalEvents','pid':1,'tid':1,"
		"'ts':%d,'dur':2,'args':{'recipeName':'%s','recipeId':7}}",
		ts, recipe);
}

static void enqueue_of(struct scene *scene, const char *recipe, int ts)
{
	add(scene,
		"{'ph':'X','cat':'Runtime','name':'enqueueWithExternalEventsExt (accel0)','pid':9,"
		"'tid':1,'ts':%d,'dur':1,'args':{'recipeName':'%s','recipeId':7}}",
		ts, recipe);
}

/* tid 6xxx is an MME lane, 7xxx TPC, 4xxx DMA. */
static void op(struct scene *scene, const char *recipe, int tid, int ts)
{
	add(scene,
		"{'ph':'X','cat':'Runtime','name':'op','pid':0,'tid':%d,'ts':%d,'dur':1,"
		"'args':{'recipeName':'%s','recipeId':7}}",
		tid, ts, recipe);
}

static void plain_op(struct scene *scene, int tid, int ts)
{
	add(scene, "{'ph':'X','cat':'Runtime','name':'op','pid':0,'tid':%d,'ts':%d,'dur':1}", tid,
		ts);
}

static void step(struct scene *scene, int number, int ts, int dur)
{
	add(scene,
		"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#%d','pid':1,'tid':1,"
		"'ts':%d,'dur':%d}",
		number, ts, dur);
}

/* For each operation in time order: time, start of its call or -, how it was told, step. */
static const char sql[] =
	"SELECT d.ts / 1000, l.ts / 1000, d.launch_method, s.number FROM device_op d "
	"LEFT JOIN slice l ON l.id = d.launch_slice_id "
	"LEFT JOIN step s ON s.id = d.step_id ORDER BY d.ts, d.slice_id";

static void check(struct scene *scene, const char *want)
{
	model_check(tc_buf_string(&scene->text), sql, want);
	tc_buf_clear(&scene->text);
}

static void calls_that_name_their_recipe(void **state)
{
	struct scene scene;

	(void)state;
	/* Two recipes in turn; the host runs ahead of the device. */
	begin(&scene);
	launch_of(&scene, "a", 1);
	launch_of(&scene, "b", 2);
	launch_of(&scene, "a", 3);
	op(&scene, "a", 6000, 10);
	op(&scene, "a", 7000, 11);
	op(&scene, "b", 6000, 20);
	op(&scene, "a", 6000, 30);
	op(&scene, "a", 7000, 31);
	check(&scene, "10|1|recipe|-;11|1|recipe|-;20|2|recipe|-;30|3|recipe|-;31|3|recipe|-");
	/* Executions of one recipe back to back are cut into equal parts. */
	begin(&scene);
	launch_of(&scene, "a", 1);
	launch_of(&scene, "a", 2);
	for (int i = 0; i < 6; i++)
		op(&scene, "a", i % 2 ? 6000 : 7000, 10 + i);
	check(&scene, "10|1|recipe|-;11|1|recipe|-;12|1|recipe|-;13|2|recipe|-;14|2|recipe|-;15|2|"
		      "recipe|-");
}

static void enqueue_calls_lend_their_recipe(void **state)
{
	struct scene scene;

	(void)state;
	/* One for each call: the order tells. Work of c belongs to none of them. */
	begin(&scene);
	launch(&scene, 1);
	enqueue_of(&scene, "b", 2);
	launch(&scene, 3);
	enqueue_of(&scene, "a", 4);
	op(&scene, "b", 6000, 10);
	op(&scene, "c", 6000, 11);
	op(&scene, "a", 6000, 12);
	check(&scene, "10|1|recipe|-;11|-|-|-;12|3|recipe|-");
	/* One call is lost: its enqueue stands for it, and the others lie within theirs. */
	begin(&scene);
	add(&scene, "{'ph':'X','name':'synLaunch','pid':1,'tid':1,'ts':1,'dur':4}");
	enqueue_of(&scene, "a", 2);
	enqueue_of(&scene, "b", 8);
	add(&scene, "{'ph':'X','name':'synLaunch','pid':1,'tid':1,'ts':10,'dur':4}");
	enqueue_of(&scene, "c", 11);
	op(&scene, "a", 6000, 20);
	op(&scene, "b", 6000, 21);
	op(&scene, "c", 6000, 22);
	check(&scene, "20|1|recipe|-;21|8|recipe|-;22|10|recipe|-");
	/* As many of each, but the call of the first and the enqueue of the last are not there. */
	begin(&scene);
	enqueue_of(&scene, "a", 0);
	launch(&scene, 1);
	enqueue_of(&scene, "b", 2);
	launch(&scene, 4);
	enqueue_of(&scene, "a", 5);
	launch(&scene, 7);
	op(&scene, "a", 6000, 20);
	op(&scene, "b", 6000, 21);
	op(&scene, "a", 6000, 22);
	op(&scene, "c", 6000, 23);
	check(&scene, "20|0|recipe|-;21|1|recipe|-;22|4|recipe|-;23|7|recipe|-");
	/* As many of each, but the second enqueue and the seventh call are lost: most enqueues
	 * begin after the call of their number, within the next. */
	begin(&scene);
	for (int i = 1; i <= 8; i++) {
		const char recipe[] = {(char)('a' + i), 0};
		if (i != 7)
			launch(&scene, 10 * i);
		if (i != 2)
			enqueue_of(&scene, recipe, 10 * i + 1);
		op(&scene, recipe, 6000, 100 + i);
	}
	check(&scene,
		"101|10|recipe|-;102|20|recipe|-;103|30|recipe|-;104|40|recipe|-;105|50|recipe|-;"
		"106|60|recipe|-;107|71|recipe|-;108|80|recipe|-");
}

/*
 * A thread launches what the main thread hands over, in turn: its enqueue calls lie outside the
 * calls that handed over, and within others by chance.
 */
enum { HANDED = 60 };

struct handed {
	int call_ts[HANDED], call_end[HANDED], enqueue_ts[HANDED], op_ts[HANDED], op_us[HANDED];
};

static void draw_handed(struct handed *handed, uint32_t *x)
{
	int main_us = 100, thread_us = 0, device_us = 0, spread = 1 + draw(x, 30);

	for (int i = 0; i < HANDED; i++) {
		handed->call_ts[i] = main_us + 10 * (1 + draw(x, spread));
		handed->call_end[i] = main_us = handed->call_ts[i] + 10 * (5 + draw(x, 8));
		thread_us = main_us > thread_us ? main_us : thread_us;
		handed->enqueue_ts[i] = thread_us + 15;
		thread_us += 20 + 10 * (4 + draw(x, 10));
		device_us = device_us > thread_us ? device_us : thread_us;
		handed->op_ts[i] = device_us + 2;
		handed->op_us[i] = 1 + 10 * draw(x, 20);
		device_us = handed->op_ts[i] + handed->op_us[i];
	}
}

/* Every operation is called what the time of its launch call is. */
static void run_handed(const struct handed *handed, bool is_named)
{
	struct scene scene;
	struct model_run run = {0};

	begin(&scene);
	for (int i = 0; i < HANDED; i++) {
		const char name[] = {(char)('a' + i % 7), 0};
		add(&scene, "{'ph':'X','name':'launch_recipe','pid':1,'tid':1,'ts':%d,'dur':%d}",
			handed->call_ts[i], handed->call_end[i] - handed->call_ts[i]);
		add(&scene,
			"{'ph':'X','name':'enqueueWithExternalEventsExt (accel0)','pid':9,'tid':1,"
			"'ts':%d,'dur':1,'args':{'recipeName':'%s','recipeId':%d}}",
			handed->enqueue_ts[i], is_named ? name : "", is_named ? 7 : 0);
		add(&scene,
			"{'ph':'X','name':'%d','pid':0,'tid':6000,'ts':%d,'dur':%d,"
			"'args':{'recipeName':'%s','recipeId':7}}",
			handed->call_ts[i], handed->op_ts[i], handed->op_us[i], name);
	}
	model_run_events(&run, tc_buf_string(&scene.text));
	model_expect(run.db,
		"SELECT count(*) > 30, sum(d.name <> ifnull(l.ts / 1000, -1) || '') "
		"FROM device_op d LEFT JOIN slice l ON l.id = d.launch_slice_id",
		"1|0");
	model_run_close(&run);
	tc_buf_clear(&scene.text);
}

static void recipes_handed_to_another_thread(void **state)
{
	struct handed handed;
	uint32_t x = 99;

	(void)state;
	for (int round = 0; round < 60; round++) {
		draw_handed(&handed, &x);
		run_handed(&handed, round % 2);
	}
}

static void runs_of_a_recipe(void **state)
{
	struct scene scene;

	(void)state;
	/* As many runs as calls. */
	begin(&scene);
	launch(&scene, 1);
	launch(&scene, 2);
	launch(&scene, 3);
	op(&scene, "a", 6000, 10);
	op(&scene, "a", 7000, 11);
	op(&scene, "b", 6000, 20);
	op(&scene, "a", 6000, 30);
	check(&scene, "10|1|recipe|-;11|1|recipe|-;20|2|recipe|-;30|3|recipe|-");
	/* One graph again and again is one run: cut into as many parts as calls. */
	begin(&scene);
	for (int i = 0; i < 3; i++)
		launch(&scene, 1 + i);
	for (int i = 0; i < 6; i++)
		op(&scene, "a", 6000 + i % 2, 10 + i);
	check(&scene, "10|1|recipe|-;11|1|recipe|-;12|2|recipe|-;13|2|recipe|-;14|3|recipe|-;15|3|"
		      "recipe|-");
}

static void no_count_must_divide(void **state)
{
	struct scene scene;

	(void)state;
	/* Three operations, two calls that name the recipe: the device idles before the second. */
	begin(&scene);
	launch_of(&scene, "a", 1);
	launch_of(&scene, "a", 20);
	op(&scene, "a", 6000, 10);
	op(&scene, "a", 6000, 30);
	op(&scene, "a", 6000, 31);
	check(&scene, "10|1|recipe|-;30|20|recipe|-;31|20|recipe|-");
	/* A call has no execution: the others are first in, first out from the end. */
	begin(&scene);
	launch(&scene, 1);
	launch(&scene, 15);
	launch(&scene, 16);
	op(&scene, "a", 6000, 10);
	op(&scene, "b", 6000, 20);
	check(&scene, "10|1|recipe|-;20|16|recipe|-");
	/* The cut begins with an execution whose call is not there: work before its call. */
	begin(&scene);
	launch(&scene, 15);
	launch(&scene, 16);
	op(&scene, "a", 6000, 10);
	op(&scene, "b", 6000, 20);
	check(&scene, "10|-|before_recording|-;20|16|recipe|-");
	/* A recipe that no call names: its call is lost. */
	begin(&scene);
	launch_of(&scene, "a", 1);
	op(&scene, "a", 6000, 10);
	op(&scene, "x", 6000, 12);
	check(&scene, "10|1|recipe|-;12|-|-|-");
}

/*
 * A run of graphs in turn that lags behind the host, of which parts are lost: every operation that
 * is left belongs to the call that launched it, or to none where that is lost.
 */
enum { GRAPHS = 3, ROUNDS = 40, GRAPH_OPS = 30, LAG = 4, GRAPH_US = 100 };

struct damage {
	int first_call, last_call; /* those outside are not in the recording */
	int first_op_us, last_op_us;
	int lost_ops_pct, lost_calls_pct;
	bool is_unnamed; /* calls name no recipe */
	bool is_idle;    /* the device waits for each call */
};

static bool is_lost(uint32_t *x, int pct)
{
	return draw(x, 100) < pct;
}

static int call_ts(const struct damage *damage, int number)
{
	return (number - (damage->is_idle ? 0 : LAG)) * GRAPH_US + 1000;
}

/* Calls at some time before the executions; *has_call tells which are there. */
static void add_calls(struct scene *scene, const struct damage *damage, bool *has_call, uint32_t *x)
{
	for (int i = 0; i < GRAPHS * ROUNDS; i++) {
		const char name[] = {(char)('a' + i % GRAPHS), 0};
		has_call[i] = i >= damage->first_call && i <= damage->last_call &&
			      !is_lost(x, damage->lost_calls_pct);
		if (has_call[i] && damage->is_unnamed)
			launch(scene, call_ts(damage, i));
		else if (has_call[i])
			launch_of(scene, name, call_ts(damage, i));
	}
}

/* An execution, its DMA work first. Its operations are called what is true of their call. */
static void add_execution(
	struct scene *scene, const struct damage *damage, int number, int truth, uint32_t *x)
{
	for (int j = 0; j < GRAPH_OPS; j++) {
		int ts = number * GRAPH_US + 1010 + (damage->is_idle ? j : 3 * j);
		if (ts < damage->first_op_us || ts > damage->last_op_us ||
			is_lost(x, damage->lost_ops_pct))
			continue;
		add(scene,
			"{'ph':'X','name':'%d','pid':0,'tid':%d,'ts':%d,'dur':1,"
			"'args':{'recipeName':'%c','recipeId':7}}",
			truth, j == 0 ? 4000 : 6000 + 1000 * (j % 2), ts, 'a' + number % GRAPHS);
	}
}

static void run_damaged(const struct damage *damage)
{
	struct scene scene;
	struct model_run run = {0};
	bool has_call[GRAPHS * ROUNDS] = {false};
	int without = -1; /* before the recording; then -2, lost */
	uint32_t x = 4711;

	begin(&scene);
	add_calls(&scene, damage, has_call, &x);
	for (int i = 0; i < GRAPHS * ROUNDS; i++) {
		without = has_call[i] ? -2 : without;
		add_execution(&scene, damage, i, has_call[i] ? call_ts(damage, i) : without, &x);
	}
	model_run_events(&run, tc_buf_string(&scene.text));
	model_expect(run.db,
		"SELECT count(*) > 1500, sum(d.name <> CASE WHEN l.id IS NOT NULL THEN l.ts / 1000 "
		"WHEN d.launch_method = 'before_recording' THEN -1 ELSE -2 END || '') "
		"FROM device_op d LEFT JOIN slice l ON l.id = d.launch_slice_id",
		"1|0");
	model_run_close(&run);
	tc_buf_clear(&scene.text);
}

static void damaged_recordings(void **state)
{
	enum { ALL = GRAPHS * ROUNDS, END = 1000000, MIDDLE_US = 1000 + 50 * GRAPH_US };
	static const struct damage damages[] = {
		{0, ALL, 0, END, 0, 0, false, false},
		{0, ALL, 0, END, 0, 0, true, false},
		/* lost slices */
		{0, ALL, 0, END, 20, 0, false, false},
		{0, ALL, 0, END, 20, 0, true, false},
		{0, ALL, 0, END, 0, 10, false, false},
		{0, ALL, 0, END, 20, 10, false, false},
		{0, ALL, 0, END, 10, 5, false, true},
		{0, ALL, 0, END, 0, 5, true, true},
		/* begins in the middle */
		{50 + LAG, ALL, MIDDLE_US, END, 0, 0, false, false},
		{50 + LAG, ALL, MIDDLE_US, END, 0, 0, true, false},
		{50 + LAG, ALL, MIDDLE_US, END, 20, 5, false, false},
		{50 + LAG, ALL, 0, END, 0, 0, true, false},
		{50, ALL, MIDDLE_US, END, 10, 0, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		run_damaged(&damages[i]);
}

/* Work that starts before the first call of its recipe, or before any call where none names one,
 * was launched before the recording: it has no step, though it runs within one. */
static void work_before_the_calls_was_launched_before(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	launch_of(&scene, "b", 5);
	launch_of(&scene, "a", 20);
	op(&scene, "a", 6000, 10);
	op(&scene, "a", 6000, 11);
	op(&scene, "b", 7000, 12);
	op(&scene, "a", 6000, 30);
	check(&scene, "10|-|before_recording|-;11|-|before_recording|-;12|5|recipe|-;"
		      "30|20|recipe|-");
	/* Without any call nothing is known. */
	begin(&scene);
	op(&scene, "a", 6000, 10);
	op(&scene, "b", 7000, 12);
	check(&scene, "10|-|-|-;12|-|-|-");
}

static void copies_go_with_the_execution_around_them(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	launch_of(&scene, "a", 1);
	launch_of(&scene, "a", 2);
	op(&scene, "a", 4000, 9);
	op(&scene, "a", 6000, 10);
	op(&scene, "a", 4000, 11);
	op(&scene, "a", 6000, 12);
	op(&scene, "a", 6000, 20);
	op(&scene, "a", 6000, 22);
	op(&scene, "a", 4000, 23);
	check(&scene, "9|1|recipe|-;10|1|recipe|-;11|1|recipe|-;12|1|recipe|-;20|2|recipe|-;22|2|"
		      "recipe|-;"
		      "23|2|recipe|-");
}

/* A recipe without compute work is launched, too. Without names in the calls, each of them would
 * otherwise be that of the next cycle's work. */
static void recipes_of_copies_alone(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (int i = 0; i < 3; i++) {
		launch(&scene, 100 * i + 1);
		launch(&scene, 100 * i + 3);
		op(&scene, "a", 6000, 100 * i + 50);
		op(&scene, "a", 7000, 100 * i + 51);
		op(&scene, "copies", 4000, 100 * i + 60);
		op(&scene, "copies", 4001, 100 * i + 61);
	}
	check(&scene, "50|1|recipe|-;51|1|recipe|-;60|3|recipe|-;61|3|recipe|-;"
		      "150|101|recipe|-;151|101|recipe|-;160|103|recipe|-;161|103|recipe|-;"
		      "250|201|recipe|-;251|201|recipe|-;260|203|recipe|-;261|203|recipe|-");
	/* They end the execution that they lie between, although no call begins there. */
	begin(&scene);
	for (int i = 0; i < 3; i++)
		launch(&scene, 1 + 2 * i);
	op(&scene, "a", 6000, 50);
	op(&scene, "copies", 4000, 53);
	op(&scene, "a", 6000, 56);
	check(&scene, "50|1|recipe|-;53|3|recipe|-;56|5|recipe|-");
	/* But DMA work of a recipe with compute work does not, wherever it lies. */
	begin(&scene);
	launch(&scene, 1);
	launch(&scene, 3);
	op(&scene, "a", 6000, 50);
	op(&scene, "b", 4000, 53);
	op(&scene, "a", 6000, 56);
	op(&scene, "b", 6000, 60);
	check(&scene, "50|1|recipe|-;53|3|recipe|-;56|1|recipe|-;60|3|recipe|-");
}

static void named_port(struct scene *scene, const char *name, int number, int ts, int dur)
{
	add(scene, "{'ph':'X','cat':'Runtime','name':'%s','pid':0,'tid':%d,'ts':%d,'dur':%d}", name,
		14000 + number, ts, dur);
}

static void port(struct scene *scene, int number, int ts, int dur)
{
	named_port(scene, "STM_0_TX", number, ts, dur);
}

static void collective_call(struct scene *scene, const char *name, int ts)
{
	add(scene, "{'ph':'X','cat':'cpu_op','name':'%s','pid':1,'tid':2,'ts':%d,'dur':3}", name,
		ts);
}

/* Ports do not name what they send; the calls for it come in one order with it. */
static void collectives_go_with_their_calls(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	collective_call(&scene, "c10d::allreduce_", 1);
	collective_call(&scene, "c10d::allreduce_", 11);
	for (int i = 0; i < 2; i++) {
		port(&scene, 0, 20 + 10 * i, 10);
		port(&scene, 1, 21 + 10 * i, 10 + i);
	}
	check(&scene, "20|1|order|-;21|1|order|-;30|11|order|-;31|11|order|-");
	/* The call of the library counts, not those around it. */
	begin(&scene);
	collective_call(&scene, "c10d::allreduce_", 1);
	collective_call(&scene, "hcclAllReduce", 2);
	port(&scene, 0, 20, 5);
	check(&scene, "20|2|order|-");
	/* Work of the name of its call is no call. */
	begin(&scene);
	for (int i = 0; i < 3; i++)
		collective_call(&scene, "hcclAllReduce", 1 + 4 * i);
	for (int i = 0; i < 3; i++)
		named_port(&scene, "hcclAllReduce", 0, 20 + 10 * i, 5);
	check(&scene, "20|1|order|-;30|5|order|-;40|9|order|-");
}

/* Groups of parts and calls that are not one for one. */
static void collectives_beside_their_calls(void **state)
{
	struct scene scene;

	(void)state;
	/* Two parts on a port for each call. */
	begin(&scene);
	collective_call(&scene, "c10d::allreduce_", 1);
	collective_call(&scene, "c10d::allreduce_", 11);
	for (int i = 0; i < 4; i++)
		port(&scene, 0, 20 + 10 * i, 9);
	check(&scene, "20|1|order|-;30|1|order|-;40|11|order|-;50|11|order|-");
	/* The first three were launched before the recording. */
	begin(&scene);
	collective_call(&scene, "c10d::allreduce_", 1);
	for (int i = 0; i < 4; i++)
		collective_call(&scene, "c10d::allreduce_", 11 + 10 * i);
	for (int i = 0; i < 8; i++)
		port(&scene, 0, 60 + 10 * i, 9);
	check(&scene, "60|-|before_recording|-;70|-|before_recording|-;80|-|before_recording|-;"
		      "90|1|order|-;100|11|order|-;110|21|order|-;120|31|order|-;130|41|order|-");
	/* The work of the last call is not there: each waits for what was launched before it. */
	begin(&scene);
	for (int i = 0; i < 9; i++) {
		launch_of(&scene, "a", 10 * i);
		collective_call(&scene, "c10d::allreduce_", 10 * i + 4);
		op(&scene, "a", 6000, 100 + 20 * i);
		if (i < 8)
			port(&scene, 0, 102 + 20 * i, 5);
	}
	add(&scene, "{'ph':'X','name':'x','pid':1,'tid':3,'ts':400,'dur':1}");
	model_check(tc_buf_string(&scene.text),
		"SELECT group_concat((l.ts / 1000) || ' ' || (d.ts / 1000)) FROM device_op d "
		"JOIN slice l ON l.id = d.launch_slice_id WHERE d.launch_method = 'order'",
		"4 102,14 122,24 142,34 162,44 182,54 202,64 222,74 242");
	tc_buf_clear(&scene.text);
	/* Without calls they belong to the step of the work before them. */
	begin(&scene);
	step(&scene, 1, 0, 10);
	step(&scene, 2, 10, 20);
	launch(&scene, 5);
	op(&scene, "a", 6000, 12);
	port(&scene, 0, 20, 5);
	check(&scene, "12|5|recipe|1;20|-|time|1");
}

static void steps_own_what_they_launched(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	step(&scene, 1, 0, 10);
	step(&scene, 2, 10, 10);
	launch(&scene, 5);
	launch(&scene, 12);
	op(&scene, "a", 6000, 30);
	op(&scene, "b", 6000, 40);
	/* No recipe: the latest step that had begun. */
	plain_op(&scene, 4000, 8);
	plain_op(&scene, 4000, 50);
	check(&scene, "8|-|time|1;30|5|recipe|1;40|12|recipe|2;50|-|time|2");
}

static void work_without_any_call(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	op(&scene, "a", 6000, 30);
	plain_op(&scene, 7000, 40);
	check(&scene, "30|-|-|-;40|-|-|-");
	begin(&scene);
	step(&scene, 3, 35, 2);
	op(&scene, "a", 6000, 30);
	plain_op(&scene, 7000, 40);
	check(&scene, "30|-|-|-;40|-|time|3");
}

/* The calls of an outer class stand for launches only where there are none nearer. */
static void the_nearest_class_of_calls_counts(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	add(&scene, "{'ph':'X','name':'launch_recipe','pid':1,'tid':1,'ts':1,'dur':9}");
	add(&scene, "{'ph':'X','name':'LaunchRecipeTask','pid':1,'tid':1,'ts':2,'dur':8}");
	add(&scene, "{'ph':'X','name':'launch_recipe','pid':1,'tid':1,'ts':11,'dur':9}");
	add(&scene, "{'ph':'X','name':'LaunchRecipeTask','pid':1,'tid':1,'ts':12,'dur':8}");
	op(&scene, "a", 6000, 30);
	op(&scene, "b", 6000, 40);
	check(&scene, "30|1|recipe|-;40|11|recipe|-");
	begin(&scene);
	add(&scene, "{'ph':'X','name':'<built-in method replayV3 of PyCapsule>','pid':1,'tid':1,"
		    "'ts':1,'dur':9}");
	op(&scene, "a", 6000, 30);
	check(&scene, "30|1|recipe|-");
}

static void devices_are_matched_each_by_itself(void **state)
{
	struct model_run run = {0};
	struct scene scene;

	(void)state;
	begin(&scene);
	add(&scene, "{'ph':'M','name':'process_name','pid':50,'args':{'name':'/device:HPU:1'}}");
	launch(&scene, 1);
	launch(&scene, 2);
	for (int pid = 0; pid <= 50; pid += 50)
		for (int i = 0; i < 4; i++)
			add(&scene,
				"{'ph':'X','cat':'Runtime','name':'op','pid':%d,'tid':6000,"
				"'ts':%d,'dur':1,'args':{'recipeName':'a'}}",
				pid, 10 + i);
	model_run_events(&run, tc_buf_string(&scene.text));
	model_expect(run.db,
		"SELECT device, l.ts / 1000, count(*), min(launch_method) FROM device_op d "
		"JOIN slice l ON l.id = d.launch_slice_id GROUP BY 1, 2 ORDER BY 1, 2",
		"0|1|2|recipe;0|2|2|recipe;50|1|2|recipe;50|2|2|recipe");
	model_run_close(&run);
	tc_buf_clear(&scene.text);
}

static void many_devices_and_recipes_end(void **state)
{
	enum { COUNT = 4000 };
	struct model_run run = {0};
	struct scene scene;

	(void)state;
	begin(&scene);
	launch(&scene, 1);
	for (int i = 0; i < COUNT; i++) {
		add(&scene,
			"{'ph':'X','cat':'kernel','name':'k','pid':%d,'tid':7,'ts':%d,'dur':1,"
			"'args':{'device':%d,'recipeName':'r%d'}}",
			i + 100, i + 10, i, i);
	}
	model_run_events(&run, tc_buf_string(&scene.text));
	model_expect(run.db, "SELECT count(*), count(DISTINCT device) FROM device_op", "4000|4000");
	model_run_close(&run);
	tc_buf_clear(&scene.text);
}

/* Any number of recipes, operations and calls: the truth is known as the scene is made. */
static void random_scenes(void **state)
{
	uint32_t x = 777;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct scene scene;
		struct model_run run = {0};
		struct tc_buf want = TC_BUF_EMPTY;
		int op_counts[4], now = 1000, last = -1;
		begin(&scene);
		for (int i = 0; i < 4; i++) {
			op_counts[i] = 1 + draw(&x, 5);
		}
		for (int i = 0; i < 30; i++) {
			int recipe = draw(&x, 4);
			char name[4] = {(char)('a' + recipe), 0};
			bool named = round % 2;
			/* Without names executions of one recipe must not touch. */
			if (!named && recipe == last)
				recipe = (recipe + 1) % 4, name[0] = (char)('a' + recipe);
			last = recipe;
			if (named)
				launch_of(&scene, name, 1 + i);
			else
				launch(&scene, 1 + i);
			for (int j = 0; j < op_counts[recipe]; j++, now++) {
				op(&scene, name, 6000 + 1000 * (now % 2), now);
				tc_buf_format(&want, "%s%d|%d|recipe|-", want.len > 0 ? ";" : "",
					now, 1 + i);
			}
		}
		model_run_events(&run, tc_buf_string(&scene.text));
		model_expect(run.db, sql, tc_buf_string(&want));
		model_run_close(&run);
		tc_buf_clear(&scene.text);
		tc_buf_clear(&want);
	}
}

/* A copy of the inputs names the recipe that takes them, and runs before that is launched. */
static void copies_ahead_of_their_launch(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (int ts = 0; ts < 200; ts += 100) {
		step(&scene, ts / 100, ts, 100);
		add(&scene,
			"{'ph':'X','cat':'Runtime','name':'synMemCopyAsync','pid':1,'tid':1,'ts':%"
			"d,"
			"'dur':2}",
			ts + 20);
		op(&scene, "a", 4000, ts + 22);
		launch_of(&scene, "a", ts + 50);
		op(&scene, "a", 6000, ts + 55);
		op(&scene, "a", 7000, ts + 56);
	}
	check(&scene, "22|20|time|0;55|50|recipe|0;56|50|recipe|0;122|120|time|1;155|150|recipe|1;"
		      "156|150|recipe|1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_name_their_recipe),
		cmocka_unit_test(enqueue_calls_lend_their_recipe),
		cmocka_unit_test(recipes_handed_to_another_thread),
		cmocka_unit_test(runs_of_a_recipe),
		cmocka_unit_test(no_count_must_divide),
		cmocka_unit_test(damaged_recordings),
		cmocka_unit_test(work_before_the_calls_was_launched_before),
		cmocka_unit_test(copies_go_with_the_execution_around_them),
		cmocka_unit_test(recipes_of_copies_alone),
		cmocka_unit_test(collectives_go_with_their_calls),
		cmocka_unit_test(collectives_beside_their_calls),
		cmocka_unit_test(steps_own_what_they_launched),
		cmocka_unit_test(work_without_any_call),
		cmocka_unit_test(the_nearest_class_of_calls_counts),
		cmocka_unit_test(devices_are_matched_each_by_itself),
		cmocka_unit_test(many_devices_and_recipes_end),
		cmocka_unit_test(random_scenes),
		cmocka_unit_test(copies_ahead_of_their_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
