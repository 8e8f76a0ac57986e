# A store that replaces another: its rights stay, and readers go on.
. "$(dirname "$0")/lib.sh"
t_small_trace
umask 022
t_run 0 import small.json -o a.db
t_ok 'a new store has the usual mode' test "$(stat -c %a a.db)" = 644
for t_mode in 600 640 664 666; do
	chmod $t_mode a.db
	t_run 0 import small.json -o a.db
	t_ok "mode $t_mode stays" test "$(stat -c %a a.db)" = $t_mode
	t_run 0 analyze small.json --db a.db
	t_ok "mode $t_mode stays" test "$(stat -c %a a.db)" = $t_mode
done
chmod 600 a.db
ln -s a.db link.db
t_run 0 import small.json -o link.db
t_ok 'mode 600 stays behind a link' test "$(stat -c %a a.db)" = 600
rm link.db
if [ "$(id -u)" -eq 0 ]; then
	chown 65534:65533 a.db
	t_run 0 import small.json -o a.db
	t_ok 'the owner stays' test "$(stat -c %u:%g:%a a.db)" = 65534:65533:600
	chown 0:0 a.db
fi
t_files a.db small.json

# One who may not keep the owner does not replace; neither does one who may not write.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$t_top"
	chmod 777 "$dir"
	chmod 666 a.db
	cp a.db kept.db
	nobody() {
		t_what="as nobody: tracecoach $*"
		setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" "$@" </dev/null \
			>"$out" 2>"$err"
	}
	if nobody --version; then
		nobody import small.json -o a.db
		t_check $? 4
		t_err 'cannot replace a\.db: its owner and mode cannot be kept'
		chown 65534 a.db
		chmod 444 a.db
		nobody import small.json -o a.db
		t_check $? 4
		t_err '[Pp]ermission'
		t_same a.db kept.db
	fi
	chown 0 a.db
	rm kept.db
	chmod 755 "$dir"
fi
chmod 644 a.db
t_files a.db small.json

# Files planted under names like ours are in nobody's way, and only a stale one of ours goes.
: >"a.db.tracecoach-$$.tmp"
: >.tracecoach-0123456789abcdef.tmp
t_run 0 import small.json -o a.db
t_files "a.db.tracecoach-$$.tmp" a.db small.json
rm "a.db.tracecoach-$$.tmp"

cp small.json "$t_top/again.json"
# Readers of the store that is replaced.
t_i=0
while [ $t_i -lt 20 ]; do
	"$tool" import small.json "$t_top/again.json" -o a.db </dev/null >/dev/null 2>&1
	"$tool" import small.json -o a.db </dev/null >/dev/null 2>&1
	t_i=$((t_i + 1))
done &
t_i=0
while [ $t_i -lt 30 ]; do
	t_run 0 query a.db 'SELECT count(*) FROM slice' --format csv
	t_out '^(6|12)$'
	t_i=$((t_i + 1))
done
wait
t_end
