"""Made by tools/library-doc of the headers of the library: structs, constants and prototypes."""
# fmt: off
# ruff: noqa
# mypy: ignore-errors
from ctypes import (CFUNCTYPE, Structure, Union, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint, c_uint32, c_void_p)

VERSION = "0.1.0"

TC_NOTE_NOT_READ = 0
TC_NOTE_HINT = 1
TC_NOTE_WARNING = 2
TC_NOTE_LEFT_OUT = 3
TC_NOTE_TIMING = 4
TC_HEURISTIC_FIX = 0
TC_HEURISTIC_QUALITY = 1
TC_SAYS_ALWAYS = 0
TC_SAYS_NOT_ZERO = 1
TC_SAYS_SEVERAL = 2
TC_SAYS_NOT_GAIN = 3
TC_SAYS_WITH_GAIN = 4
TC_SAYS_IDLE = 5
TC_SEVERITY_INFO = 0
TC_SEVERITY_LOW = 1
TC_SEVERITY_MEDIUM = 2
TC_SEVERITY_HIGH = 3
TC_CONFIDENCE_GUESSED = 0
TC_CONFIDENCE_INFERRED = 1
TC_CONFIDENCE_MEASURED = 2
TC_OUTCOME_FIRED = 0
TC_OUTCOME_QUIET = 1
TC_OUTCOME_NOT_APPLICABLE = 2
TC_OUTCOME_NOT_ASKED = 3
TC_OUTCOME_FAILED = 4
TC_FIELD_NULL = 0
TC_FIELD_INTEGER = 1
TC_FIELD_REAL = 2
TC_FIELD_TEXT = 3
TC_VALUE_NULL = 0
TC_VALUE_INTEGER = 1
TC_VALUE_REAL = 2
TC_VALUE_TEXT = 3
TC_VALUE_BLOB = 4
TC_WHATIF_TEXT = 0
TC_WHATIF_JSON = 1
TC_BEFORE = 0
TC_AFTER = 1
TC_COMPARE_SIDES = 2
TC_COMPARE_SAME = 0
TC_COMPARE_WITHIN = 1
TC_COMPARE_FASTER = 2
TC_COMPARE_SLOWER = 3
TC_COMPARE_UNLIKE = 4
TC_COMPARE_OTHER_WORK = 5
TC_COMPARE_DAMAGED = 6
TC_CONFINED_WRITES = 1
TC_CONFINED_CALLS = 2
TC_CONFINED_UNFINISHED = 4
TC_OK = 0
TC_ERR_NOMEM = 1
TC_ERR_IO = 2
TC_ERR_READ = 3
TC_ERR_INPUT = 4
TC_ERR_USAGE = 5
TC_ERR_STORE = 6
TC_ERR_LIMIT = 7
TC_ERR_INTERRUPTED = 8
TC_ERR_INTERNAL = 9
TC_VERSION_OF_TRACECOACH = 0
TC_VERSION_OF_STORE = 1
TC_VERSION_OF_INDEX = 2
TC_VERSION_OF_REPORT = 3
TC_VERSION_OF_SUMMARY = 4
TC_VERSION_OF_COMPARE = 5
TC_VERSION_OF_WHATIF = 6
TC_VERSION_OF_FLEET = 7
TC_VERSION_OF_YAJL = 8
TC_VERSION_OF_SQLITE = 9
TC_VERSION_OF_ZLIB = 10
TC_VERSION_OF_ZSTD = 11

ProgressFn = CFUNCTYPE(None, c_void_p, c_void_p)
NoteFn = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
WriteFn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
RowsFn = CFUNCTYPE(c_int, c_void_p, c_void_p)


class Progress(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("read_bytes", c_int64),
        ("total_bytes", c_int64),
        ("event_count", c_int64),
    ]


class Word(Structure):
    _fields_ = [
        ("option", c_char_p),
        ("word", c_char_p),
    ]


class SettingsOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("rules_directory", c_char_p),
        ("config_path", c_char_p),
        ("sets", c_void_p),
        ("only", c_void_p),
        ("skip", c_void_p),
    ]


class Param(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("value", c_double),
        ("min", c_double),
        ("max", c_double),
        ("help", c_char_p),
    ]


class ParamRange(Structure):
    _fields_ = [
        ("param", c_char_p),
        ("low", c_double),
        ("high", c_double),
        ("source", c_char_p),
    ]


class Says(Structure):
    _fields_ = [
        ("column", c_char_p),
        ("when", c_int),
        ("text", c_char_p),
    ]


class Heuristic(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("title", c_char_p),
        ("advice", c_char_p),
        ("why", c_char_p),
        ("kind", c_int),
        ("part_of", c_void_p),
        ("needs", c_void_p),
        ("edits", c_void_p),
        ("causes", c_uint),
        ("always_if", c_char_p),
        ("params", c_void_p),
        ("ranges", c_void_p),
        ("says", c_void_p),
        ("sql", c_char_p),
        ("source", c_char_p),
        ("file", c_char_p),
        ("page", c_char_p),
    ]


class ImportOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("inline_stages", c_bool),
        ("side_paths", c_void_p),
        ("side_count", c_size_t),
        ("capture_paths", c_void_p),
        ("capture_count", c_size_t),
        ("no_side_files", c_bool),
        ("full_index", c_bool),
        ("again", c_bool),
        ("strict", c_bool),
        ("device", c_char_p),
        ("peaks_path", c_char_p),
        ("settings", c_void_p),
        ("advice", c_void_p),
        ("begin", c_void_p),
        ("begin_user", c_void_p),
    ]


class _FieldUnion(Union):
    _fields_ = [
        ("integer", c_int64),
        ("real", c_double),
        ("text", c_void_p),
    ]


class Field(Structure):
    _anonymous_ = ("u",)
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("u", _FieldUnion),
    ]


class Evidence(Structure):
    _fields_ = [
        ("subject", c_char_p),
        ("gain_ns", c_int64),
        ("count", c_int64),
        ("confidence", c_int),
        ("fields", c_void_p),
    ]


class Finding(Structure):
    _fields_ = [
        ("trace_id", c_int64),
        ("heuristic", c_void_p),
        ("severity", c_int),
        ("confidence", c_int),
        ("gain_ns", c_int64),
        ("gain_low_ns", c_int64),
        ("gain_high_ns", c_int64),
        ("gain_pct", c_double),
        ("removed_ns", c_int64),
        ("sql", c_char_p),
        ("evidence", c_void_p),
        ("evidence_count", c_size_t),
        ("advice", c_char_p),
        ("why", c_char_p),
        ("example", c_char_p),
        ("rank_ns", c_int64),
        ("plan_order", c_int64),
    ]


class AccountRow(Structure):
    _fields_ = [
        ("trace_id", c_int64),
        ("heuristic", c_void_p),
        ("outcome", c_int),
        ("reason", c_char_p),
        ("is_small", c_bool),
    ]


class Setting(Structure):
    _fields_ = [
        ("heuristic", c_void_p),
        ("param", c_void_p),
        ("value", c_double),
    ]


class Advice(Structure):
    _fields_ = [
        ("made_with", c_void_p),
        ("findings", c_void_p),
        ("finding_count", c_size_t),
        ("account", c_void_p),
        ("account_count", c_size_t),
        ("settings", c_void_p),
        ("setting_count", c_size_t),
        ("trace_count", c_size_t),
        ("judged_count", c_size_t),
    ]


class SlowerLimit(Structure):
    _fields_ = [
        ("is_given", c_bool),
        ("pct", c_double),
    ]


class ReportOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("color", c_bool),
        ("ascii", c_bool),
        ("width", c_int),
        ("top", c_int),
        ("has_step", c_bool),
        ("has_rank", c_bool),
        ("step", c_int64),
        ("rank", c_int64),
        ("details", c_bool),
        ("summary", c_bool),
        ("explain", c_char_p),
        ("sql", c_bool),
        ("anyway", c_bool),
        ("slower", SlowerLimit),
        ("inputs", c_void_p),
        ("input_count", c_size_t),
        ("flags", c_void_p),
        ("flag_count", c_size_t),
        ("fail_on", c_int),
    ]


class Renderer(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("render", c_void_p),
    ]


class QueryFormat(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("writer", c_void_p),
    ]


class _ValueUnion(Union):
    _fields_ = [
        ("integer", c_int64),
        ("real", c_double),
        ("bytes", c_void_p),
    ]


class Value(Structure):
    _anonymous_ = ("u",)
    _fields_ = [
        ("kind", c_int),
        ("u", _ValueUnion),
        ("len", c_size_t),
    ]


class QueryParam(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", Value),
    ]


class QueryOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("format", c_void_p),
        ("width", c_int),
        ("ascii", c_bool),
        ("bounded", c_bool),
        ("params", c_void_p),
        ("param_count", c_size_t),
    ]


class RowBatch(Structure):
    _fields_ = [
        ("names", c_void_p),
        ("column_count", c_size_t),
        ("values", c_void_p),
        ("row_count", c_size_t),
        ("bytes", c_void_p),
        ("byte_count", c_size_t),
    ]


class WhatifOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("settings", c_void_p),
        ("edits", c_void_p),
        ("fixes", c_void_p),
    ]


class CompareSide(Structure):
    _fields_ = [
        ("store", c_void_p),
        ("advice", c_void_p),
        ("source", c_char_p),
    ]


class CompareResult(Structure):
    _fields_ = [
        ("outcome", c_int),
        ("judged", c_bool),
        ("difference_pct", c_double),
        ("unlike", c_char_p),
        ("is_other_work", c_bool),
        ("damaged", c_bool * TC_COMPARE_SIDES),
        ("foreign", c_bool),
        ("has_failed", c_bool),
        ("is_unjudged", c_bool),
    ]


class CompareFormat(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("writer", c_void_p),
    ]


class CompareOutput(Structure):
    _fields_ = [
        ("write", WriteFn),
        ("user", c_void_p),
    ]


class CutOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("steps", c_char_p),
        ("time", c_char_p),
        ("finding", c_char_p),
        ("device", c_char_p),
        ("gzip", c_bool),
    ]


class CutCounts(Structure):
    _fields_ = [
        ("event_count", c_int64),
        ("kept_count", c_int64),
    ]


class ExportOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("least_gap_ns", c_int64),
        ("as_perfetto", c_bool),
        ("gzip", c_bool),
    ]


class FleetOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("paths", c_void_p),
        ("path_count", c_size_t),
        ("out", c_char_p),
        ("shard", c_int64),
        ("shard_count", c_int64),
        ("keep_stores", c_bool),
        ("no_side_files", c_bool),
        ("device", c_char_p),
        ("peaks_path", c_char_p),
        ("inline_stages", c_bool),
        ("process_count", c_int),
        ("settings", c_void_p),
        ("owner", c_char_p),
        ("commit", c_char_p),
        ("price", c_double),
        ("is_ready", c_void_p),
        ("ready_user", c_void_p),
        ("apart", c_bool),
    ]


class FleetCounts(Structure):
    _fields_ = [
        ("root", c_char_p),
        ("index_path", c_char_p),
        ("job_count", c_int64),
        ("trace_count", c_int64),
        ("wanted_job_count", c_int64),
        ("wanted_trace_count", c_int64),
        ("wanted_bytes", c_int64),
        ("read_job_count", c_int64),
        ("read_bytes", c_int64),
        ("read_trace_count", c_int64),
        ("left_out_count", c_int64),
    ]


class FleetReader(Structure):
    _fields_ = [
        ("begin", c_void_p),
        ("done", c_void_p),
        ("user", c_void_p),
    ]


class MergeCounts(Structure):
    _fields_ = [
        ("job_count", c_int64),
        ("replaced_job_count", c_int64),
        ("missing_shard_count", c_int64),
    ]


class WatchOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("directory", c_char_p),
        ("out", c_char_p),
        ("settle_ns", c_int64),
        ("poll_ns", c_int64),
        ("most", c_int64),
    ]


class FleetReportInput(Structure):
    _fields_ = [
        ("index", c_void_p),
        ("path", c_char_p),
        ("since", c_void_p),
        ("since_path", c_char_p),
        ("nights", c_void_p),
        ("night_count", c_size_t),
        ("group_by", c_int),
        ("only_changes", c_bool),
        ("owner", c_char_p),
        ("device", c_char_p),
        ("slower", SlowerLimit),
    ]


class FleetReportResult(Structure):
    _fields_ = [
        ("slower_pct", c_double),
        ("slower_count", c_size_t),
        ("judged_count", c_size_t),
        ("unjudged_count", c_size_t),
        ("other_work_count", c_size_t),
        ("damaged_count", c_size_t),
        ("has_judged", c_bool),
        ("fault_count", c_int64),
        ("has_finding", c_bool),
        ("worst", c_int),
    ]


class FleetFormat(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("writer", c_void_p),
        ("needs_since", c_bool),
    ]


class Page(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
    ]


FUNCTIONS = {
    "tc_advice_free": (None, (c_void_p,)),
    "tc_advise_store": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "tc_compare": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "tc_compare_formats": (c_void_p, (c_void_p,)),
    "tc_confine": (c_uint, (c_void_p, c_size_t, c_bool)),
    "tc_confine_offered": (c_uint, ()),
    "tc_ctx_errno": (c_int, (c_void_p,)),
    "tc_ctx_error": (c_char_p, (c_void_p,)),
    "tc_ctx_free": (None, (c_void_p,)),
    "tc_ctx_interrupt": (None, (c_void_p,)),
    "tc_ctx_interrupted": (c_bool, (c_void_p,)),
    "tc_ctx_new": (c_void_p, ()),
    "tc_ctx_resume": (None, (c_void_p,)),
    "tc_ctx_set_note": (None, (c_void_p, NoteFn, c_void_p)),
    "tc_ctx_set_progress": (None, (c_void_p, ProgressFn, c_void_p)),
    "tc_ctx_set_words": (None, (c_void_p, c_void_p)),
    "tc_ctx_status": (c_int, (c_void_p,)),
    "tc_ctx_tell_timings": (None, (c_void_p,)),
    "tc_cut": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, WriteFn, c_void_p)),
    "tc_cut_check": (c_int, (c_void_p, c_void_p)),
    "tc_export_close": (None, (c_void_p,)),
    "tc_export_open": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_export_write": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, WriteFn, c_void_p)),
    "tc_finding_fail": (c_int, (c_void_p, c_void_p, c_char_p, c_size_t)),
    "tc_fleet_close": (None, (c_void_p,)),
    "tc_fleet_count": (c_void_p, (c_void_p,)),
    "tc_fleet_detach": (None, (c_void_p,)),
    "tc_fleet_finish": (c_int, (c_void_p,)),
    "tc_fleet_formats": (c_void_p, (c_void_p,)),
    "tc_fleet_job_traces": (c_size_t, (c_void_p, c_size_t)),
    "tc_fleet_next": (c_bool, (c_void_p, c_void_p)),
    "tc_fleet_open": (c_int, (c_void_p, c_void_p, c_void_p)),
    "tc_fleet_read": (c_int, (c_void_p, c_size_t, c_void_p)),
    "tc_fleet_report": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "tc_fleet_stop": (c_int, (c_void_p, c_size_t, c_size_t, c_char_p)),
    "tc_fleet_take": (c_int, (c_void_p, c_size_t, c_char_p, c_size_t)),
    "tc_heuristic_at": (c_void_p, (c_void_p, c_size_t)),
    "tc_heuristic_find": (c_int, (c_void_p, c_void_p, c_void_p, c_char_p)),
    "tc_heuristic_kind_name": (c_char_p, (c_int,)),
    "tc_heuristic_text": (c_void_p, (c_char_p,)),
    "tc_import": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_char_p, c_void_p)),
    "tc_import_expect": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "tc_import_is_store": (c_bool, (c_void_p, c_char_p)),
    "tc_index_is": (c_bool, (c_char_p,)),
    "tc_index_left_out": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "tc_index_merge": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_char_p)),
    "tc_index_open": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_nearest": (c_char_p, (c_char_p, c_void_p, c_size_t)),
    "tc_output_close": (c_int, (c_void_p, c_int)),
    "tc_output_fd": (c_int, (c_void_p,)),
    "tc_output_open": (c_int, (c_void_p, c_void_p, c_char_p, c_char_p)),
    "tc_output_write": (c_int, (c_void_p, c_char_p, c_size_t)),
    "tc_pages": (c_void_p, ()),
    "tc_query": (c_int, (c_void_p, c_void_p, c_char_p, c_void_p, WriteFn, c_void_p)),
    "tc_query_formats": (c_void_p, (c_void_p,)),
    "tc_query_read": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_query_rows": (c_int, (c_void_p, c_void_p, c_char_p, c_void_p, RowsFn, c_void_p)),
    "tc_query_schema": (c_int, (c_void_p, c_void_p, c_char_p, c_void_p, WriteFn, c_void_p)),
    "tc_renderers": (c_void_p, (c_void_p,)),
    "tc_report": (c_void_p, (c_void_p, c_void_p, c_void_p, c_char_p, c_void_p)),
    "tc_report_json": (c_void_p, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "tc_settings_free": (None, (c_void_p,)),
    "tc_settings_new": (c_int, (c_void_p, c_void_p, c_void_p)),
    "tc_severity_name": (c_char_p, (c_int,)),
    "tc_store_attach": (c_int, (c_void_p, c_void_p, c_char_p, c_char_p)),
    "tc_store_bound_memory": (c_bool, ()),
    "tc_store_check": (c_int, (c_void_p, c_void_p, c_bool)),
    "tc_store_close": (None, (c_void_p,)),
    "tc_store_open": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_store_open_any": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_store_path": (c_char_p, (c_void_p,)),
    "tc_store_save": (c_int, (c_void_p, c_void_p, c_char_p)),
    "tc_text_free": (None, (c_void_p,)),
    "tc_text_line": (c_void_p, (c_char_p, c_int)),
    "tc_text_wrap": (c_void_p, (c_char_p, c_char_p, c_int, c_int)),
    "tc_version": (c_char_p, (c_int,)),
    "tc_watch_close": (None, (c_void_p,)),
    "tc_watch_is_ready": (c_bool, (c_void_p, c_char_p, c_int64, c_int64)),
    "tc_watch_look": (c_int, (c_void_p, c_void_p)),
    "tc_watch_open": (c_int, (c_void_p, c_void_p, c_void_p)),
    "tc_watch_tell": (c_int, (c_void_p, c_void_p, WriteFn, c_void_p)),
    "tc_watch_wait": (None, (c_void_p,)),
    "tc_whatif": (c_int, (c_void_p, c_void_p, c_void_p, c_int, WriteFn, c_void_p)),
}
