-- json: rooflines.utilisation 120
-- @json
SELECT trace_id, step_count, step_ns, flops, ideal_ns, flops_pct, known_pct, matrix_pct
FROM utilisation
ORDER BY trace_id
