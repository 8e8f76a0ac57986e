# examples/slurm on a real Slurm: munged, slurmctld and slurmd of this machine, on the loopback. An array
# of batches, one task of which is killed in the middle and put back into the queue, and the merge
# give the index of one batch.
. "$(dirname "$0")/../cli/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
for program in sbatch scontrol sinfo slurmctld slurmd munged; do
	command -v $program >/dev/null || t_skip "no $program: install slurm-wlm and munge"
done
gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
etc=$t_top/etc
spool=$t_top/spool
port=$((20000 + $$ % 20000))
user=$(id -un)
daemons=

# Ends what was started here, and waits for it.
end_daemons() {
	for pid in $daemons; do
		kill "$pid" 2>/dev/null
	done
	for pid in $daemons; do
		wait "$pid" 2>/dev/null
	done
}
trap 'end_daemons; chmod -R u+w "$t_top"; rm -rf "$t_top"' EXIT

# within SECONDS COMMAND...: waits until the command succeeds.
within() {
	rest=$(($1 * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		rest=$((rest - 1))
		[ $rest -gt 0 ] || return 1
		sleep 0.2
	done
}

start_slurm() {
	mkdir -m 755 "$etc" "$spool" "$spool/ctld" "$spool/d"
	dd if=/dev/urandom of="$etc/munge.key" bs=1024 count=1 2>/dev/null
	chmod 400 "$etc/munge.key"
	cat >"$etc/slurm.conf" <<-END
		ClusterName=tc
		SlurmctldHost=$(hostname -s)(127.0.0.1)
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		AuthInfo=socket=$etc/munge.socket,cred_expire=5
		CredType=cred/munge
		StateSaveLocation=$spool/ctld
		SlurmdSpoolDir=$spool/d
		SlurmctldPidFile=$spool/ctld.pid
		SlurmdPidFile=$spool/d.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		JobCompType=jobcomp/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		DefMemPerCPU=500
		MpiDefault=none
		SwitchType=switch/none
		ReturnToService=2
		KillWait=2
		MinJobAge=300
		CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
		NodeName=tc NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000
		PartitionName=all Nodes=tc Default=YES MaxTime=10 State=UP
	END
	export SLURM_CONF="$etc/slurm.conf"
	munged --foreground --force --key-file "$etc/munge.key" --socket "$etc/munge.socket" \
		--pid-file "$etc/munge.pid" --log-file "$etc/munge.log" --seed-file "$etc/munge.seed" \
		>"$t_top/munged" 2>&1 &
	daemons=$!
	within 10 test -S "$etc/munge.socket" || return 1
	slurmctld -D -c >"$t_top/slurmctld" 2>&1 &
	daemons="$! $daemons"
	slurmd -D -N tc >"$t_top/slurmd" 2>&1 &
	daemons="$! $daemons"
	within 30 sh -c 'sinfo -h -o %T | grep -q idle'
}

start_slurm || {
	tail -5 "$t_top/munged" "$etc/munge.log" "$t_top/slurmctld" "$t_top/slurmd"
	t_skip 'Slurm does not start here'
}

for job in 0 1 2 3 4 5 6 7 8 9 10 11; do
	mkdir -p traces/team$((job % 3))/job$job
	t_ok tracegen "$gen" --nodes 10 --seed $job -o traces/team$((job % 3))/job$job/rank0.json
done
printf 'no trace' >traces/team1/job1/rank1.json
find traces -name '*.json' -exec touch -d '2026-01-02 03:04:05' {} +
t_run 5 batch "$dir/traces" -o one -q

# In place of the program: the first time that shard 1 is read, it stands still in the middle.
cat >"$t_top/tracecoach" <<END
#!/bin/sh
log=$dir/out/shard-1-of-3.log
if [ "\$1" != batch ] || [ "\$SLURM_ARRAY_TASK_ID" != 1 ]; then
	exec "$tool" "\$@"
fi
if [ -s "\$log" ]; then
	wc -c <"\$log" >"$t_top/again"
	exec "$tool" "\$@"
fi
"$tool" "\$@" --jobs 1 &
until [ -s "\$log" ] && [ "\$(wc -c <"\$log")" -gt 2000 ]; do
	kill -0 \$! || exit 9
done
kill -STOP \$!
: >"$t_top/middle"
wait \$!
END
chmod +x "$t_top/tracecoach"

TRACECOACH=$t_top/tracecoach sh "$root/examples/slurm/submit.sh" traces out 3 >"$out" 2>"$err" ||
	t_fail 'cannot submit'
read -r array merge <"$out"
within 60 test -e "$t_top/middle" || t_fail 'shard 1 was never in the middle'
t_ok 'the task is killed and put back' scontrol requeue "${array}_1"
within 120 test -e out/index.db || {
	t_fail 'no index was merged'
	scontrol show job "$merge"
	cat out/*.log
	tail -20 "$t_top/slurmctld"
}
[ "$(cat "$t_top/again" 2>/dev/null || echo 0)" -gt 2000 ] || t_fail 'the task did not go on where it stood'
t_same out/index.db one/index.db

# The ranks of one job: a task for each, one of which is killed and put back, and the join of their
# stores give the job of the direct import.
mkdir job stores
for rank in 0 1 2 3; do
	t_ok tracegen "$gen" --format cuda --nodes 10 --rank $rank --world-size 4 -o job/rank$rank.json
done
t_run 0 import -q "$dir"/job/rank0.json "$dir"/job/rank1.json "$dir"/job/rank2.json "$dir"/job/rank3.json -o direct.db
cat >"$t_top/tracecoach" <<END
#!/bin/sh
if [ "\$SLURM_ARRAY_TASK_ID" = 2 ] && [ ! -e "$t_top/begun" ]; then
	: >"$t_top/begun"
	sleep 600
fi
exec "$tool" "\$@"
END
tasks=$(TRACECOACH=$t_top/tracecoach TRACES=$dir/job OUT=$dir/stores sbatch --parsable --array=0-3 --export=ALL \
	--output="$dir/stores/task-%a.log" "$root/examples/slurm/rank.sbatch") || t_fail 'cannot submit the ranks'
TRACECOACH=$t_top/tracecoach OUT=$dir/stores sbatch --parsable --dependency="afterany:$tasks" --export=ALL \
	--output="$dir/stores/join.log" "$root/examples/slurm/join.sbatch" >"$out" || t_fail 'cannot submit the join'
within 60 test -e "$t_top/begun" || t_fail 'rank 2 was never begun'
t_ok 'its task is killed and put back' scontrol requeue "${tasks}_2"
within 120 test -e stores/job.db || {
	t_fail 'the stores were not joined'
	cat stores/*.log
}
for side in direct stores/job; do
	t_run 0 $side.db --format csv
	cp "$out" "$(basename $side).csv"
done
t_same direct.csv job.csv
t_end
