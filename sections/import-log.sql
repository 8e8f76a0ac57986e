-- What the import met, as it was recorded; the account of the text report joins equal rows.
--
-- json: import
-- @json
SELECT trace_id, kind, severity, byte_offset, count, message
FROM import_log
ORDER BY trace_id, rowid
