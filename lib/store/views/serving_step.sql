-- What the iterations of a server work on, as vLLM, SGLang and TensorRT-LLM write it into their names:
-- execute_context_1(512)_generation_8(8), step[EXTEND bs=1 toks=512], [Executor] _forward_step 7: 1 ctx reqs, 512 ctx tokens, 8 gen reqs.
CREATE VIEW serving_step AS
WITH named AS (
	SELECT s.trace_id, s.id, s.name,
		CASE WHEN instr(s.name, 'execute_') = 1 THEN 'vllm' WHEN instr(s.name, 'step[') = 1 THEN 'sglang'
			WHEN instr(s.name, '[Executor] _forward_step') = 1 THEN 'tensorrt_llm' END AS engine,
		nullif(instr(s.name, 'context_'), 0) + length('context_') AS context_at, nullif(instr(s.name, 'generation_'), 0) + length('generation_') AS generation_at,
		nullif(instr(s.name, 'new_'), 0) + length('new_') AS new_at, nullif(instr(s.name, 'cached_'), 0) + length('cached_') AS cached_at,
		nullif(instr(s.name, 'bs='), 0) + length('bs=') AS batch_at, nullif(instr(s.name, 'toks='), 0) + length('toks=') AS tokens_at,
		nullif(instr(s.name, ': '), 0) + length(': ') AS counts_at, nullif(instr(s.name, ' ctx reqs, '), 0) + length(' ctx reqs, ') AS reqs_at,
		nullif(instr(s.name, ' ctx tokens, '), 0) + length(' ctx tokens, ') AS toks_at
	FROM counted_step s),
part AS (
	SELECT n.*, substr(n.name, coalesce(n.context_at, n.new_at)) AS context, substr(n.name, coalesce(n.generation_at, n.cached_at)) AS generation,
		substr(n.name, 6, instr(n.name, ' ') - 6) AS word
	FROM named n
	WHERE n.engine IS NOT NULL),
number AS (
	SELECT p.trace_id, p.id, p.engine, p.word, p.batch_at, p.name,
		CASE p.engine WHEN 'vllm' THEN iif(coalesce(p.context_at, p.new_at) > 0, CAST(p.context AS INTEGER), NULL) WHEN 'tensorrt_llm' THEN CAST(substr(p.name, p.counts_at) AS INTEGER) END AS contexts,
		CASE p.engine WHEN 'vllm' THEN iif(coalesce(p.generation_at, p.cached_at) > 0, CAST(p.generation AS INTEGER), NULL)
			WHEN 'tensorrt_llm' THEN CAST(substr(p.name, coalesce(p.toks_at, p.reqs_at)) AS INTEGER) END AS generations,
		CASE p.engine WHEN 'vllm' THEN iif(p.context_at > 0, CAST(ltrim(substr(p.context, instr(p.context, '(') + 1), 'sq') AS INTEGER), NULL)
			WHEN 'tensorrt_llm' THEN iif(p.toks_at > 0, CAST(substr(p.name, p.reqs_at) AS INTEGER), NULL) END AS context_tokens,
		iif(p.generation_at > 0, CAST(ltrim(substr(p.generation, instr(p.generation, '(') + 1), 'sq') AS INTEGER), NULL) AS generation_tokens,
		CAST(substr(p.name, p.batch_at) AS INTEGER) AS batch, CAST(substr(p.name, p.tokens_at) AS INTEGER) AS batch_tokens
	FROM part p)
SELECT
	n.trace_id AS trace_id, -- trace.id
	n.id AS step_id, -- step.id
	n.engine AS engine, -- vllm, sglang or tensorrt_llm
	CASE
		WHEN n.engine = 'sglang' THEN CASE n.word WHEN 'EXTEND' THEN 'prefill' ELSE lower(n.word) END
		WHEN n.contexts > 0 AND n.generations > 0 THEN 'mixed'
		WHEN n.contexts > 0 THEN 'prefill'
		WHEN n.generations > 0 THEN 'decode'
		ELSE 'other' END AS phase, -- prefill, decode, mixed (both at once), another mode of SGLang, or other (such as execute_diffusion)
	CASE n.engine WHEN 'sglang' THEN n.batch ELSE n.contexts + n.generations END AS requests, -- requests of the iteration; NULL when the name does not say
	CASE
		WHEN n.engine = 'sglang' THEN coalesce(n.batch_tokens, iif(n.word = 'DECODE', n.batch, NULL))
		WHEN n.contexts > 0 AND n.context_tokens IS NULL THEN NULL
		WHEN n.contexts IS NULL AND n.generations IS NULL THEN NULL
		ELSE coalesce(n.context_tokens * (n.contexts > 0), 0) + coalesce(n.generation_tokens, n.generations) END AS tokens -- tokens that it computes; NULL when the name does not say
FROM number n;
