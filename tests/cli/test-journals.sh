# A journal of SQLite's beside a store: never applied, told on opening, refused on writing.
. "$(dirname "$0")/lib.sh"
t_small_trace
t_run 0 import small.json -o a.db
t_run 0 analyze a.db
cp "$out" report.txt
cp a.db kept.db

for t_end in -wal -shm -journal; do
	# Not even SQLite's, but in the way; refused before the traces are read.
	printf 'somebody'"'"'s only copy' >new.db$t_end
	for t_command in 'import small.json -o new.db' 'analyze small.json --db new.db'; do
		t_run 2 $t_command
		t_error
		t_err "new\.db$t_end is in the way: .*remove it"
	done
	t_ok 'it is left as it is' test "$(cat new.db$t_end)" = "somebody's only copy"
	[ ! -e new.db ] || t_fail 'a store was made'
	rm new.db$t_end
	printf x >a.db$t_end
	t_run 2 import small.json -o a.db
	t_same a.db kept.db
	for t_command in analyze query compare; do
		case $t_command in
		analyze) t_run 0 analyze a.db; t_same "$out" report.txt ;;
		query) t_run 0 query a.db 'SELECT count(*) FROM slice' --format csv; t_out '^6$' ;;
		compare) t_run 0 compare kept.db a.db ;;
		esac
		t_err "^tracecoach: warning: a\.db$t_end is there"
	done
	t_ok 'it is not removed' test -e a.db$t_end
	rm a.db$t_end
	t_run 0 a.db
	t_no_err .
done

# Nor is one made under such a name, by a report or by a store.
for t_end in -wal -shm -journal; do
	t_run 2 small.json -o a.db$t_end
	t_err "a\.db$t_end: is where SQLite looks for changes"
	t_run 2 query a.db 'SELECT 1' -o "$dir/a.db$t_end"
	t_run 2 small.json --db new.db -o ./new.db$t_end
	t_err "is where SQLite looks for changes"
	t_run 2 import small.json -o a.db$t_end
	t_err "a\.db$t_end is where SQLite looks for changes to a\.db"
	t_run 0 small.json -o other$t_end
	rm other$t_end
done
t_files a.db kept.db report.txt small.json

# Behind a link it lies where the link leads, and there SQLite finds it.
mkdir sub
ln -s sub/b.db link.db
printf x >sub/b.db-wal
t_run 2 import small.json -o link.db
t_err 'sub/b\.db-wal is in the way'
cp a.db sub/b.db
t_run 0 analyze link.db
t_err 'warning: sub/b\.db-wal'
rm -r sub link.db

# What another program had changed and not yet written back would empty the new store.
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	python3 - <<'END'
import os, shutil, sqlite3
shutil.copy("a.db", "w.db")
db = sqlite3.connect("w.db")
db.execute("PRAGMA journal_mode = WAL")
for table in ("slice_row", "metric", "finding"):
    db.execute("DELETE FROM " + table)
db.commit()
shutil.copy("w.db-wal", "a.db-wal")
shutil.copy("w.db-shm", "a.db-shm")
db.close()
os.remove("w.db")
END
	t_run 0 analyze a.db
	t_same "$out" report.txt
	t_err 'warning: a\.db-wal'
	t_run 0 query a.db 'SELECT count(*) FROM slice' --format csv
	t_out '^6$'
	t_same a.db kept.db
	rm a.db-wal a.db-shm
fi

# Odd names, no right to write anything, another path to the same store.
mkdir 'odd dir'
for t_db in 'a b.db' 'a?mode=rwc.db' 'a#b%41%.db' 'file:a.db' ':memory:' '-x.db' "it's.db"; do
	t_run 0 import small.json -o "odd dir/$t_db"
	t_run 0 analyze "odd dir/$t_db"
	(cd 'odd dir' && exec "$tool" query -- "$t_db" 'SELECT count(*) FROM slice') >"$out" 2>"$err"
	t_check $? 0
	t_out 6
	printf x >"odd dir/$t_db-wal"
	t_run 0 analyze "odd dir/$t_db"
	t_err 'warning: '
	rm "odd dir/$t_db-wal"
done
chmod 444 'odd dir/a b.db'
chmod 555 'odd dir'
t_run 0 analyze 'odd dir/a b.db'
t_no_err .
chmod 755 'odd dir'
ln 'odd dir/a b.db' hard.db
t_run 0 hard.db
exec 9<a.db
t_run 0 /dev/fd/9
exec 9<&-
t_end
