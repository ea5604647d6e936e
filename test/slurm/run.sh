#!/bin/sh
# Uploads one file as a Slurm array of eight shards on this machine, with Debian's slurm-wlm and munge. One task is killed
# (-9) and requeued, another is requeued while it runs. Then every row is at the service, and the merged balance says so.
# Run as root in a container or a sandbox, after `npm ci`: it starts its own munged, slurmctld and slurmd in a folder of
# its own, and stops them at the end. Not a part of `npm run check`, because it needs root.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
signals="node $root/bin/signals.js"
for program in munged slurmctld slurmd sbatch jq; do
  command -v $program >/dev/null || { echo "Skipped: $program is missing (apt install slurm-wlm munge jq)."; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "Skipped: needs root."; exit 0; }

work=$(mktemp -d)
chmod 755 "$work"
pids=""
cleanup() {
  code=$?
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  wait
  [ $code = 0 ] && rm -rf "$work" || echo "Failed; the logs are in $work."
}
trap cleanup EXIT
port() { node -e 's=require("net").createServer().listen(0,()=>{console.log(s.address().port);s.close()})'; }
# Waits up to five minutes until a command succeeds: Slurm delays the start of a requeued job by two.
await() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 1500 ] || { echo "Timed out waiting for: $*"; exit 1; }
    sleep 0.2
  done
}

echo "Starting Slurm in $work"
mkdir -m 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
pids="$pids $!"
host=$(hostname -s)
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<CONF
ClusterName=shards
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
JobRequeue=1
ReturnToService=2
# A requeued job may start after this time, in seconds.
KillWait=5
SchedulerParameters=batch_sched_delay=1,sched_interval=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
await test -S "$work/munge.socket"
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
pids="$pids $!"
slurmd -D -f "$SLURM_CONF" >"$work/slurmd.log" 2>&1 &
pids="$pids $!"
idle() { sinfo -h -o %T 2>/dev/null | grep -q idle; }
await idle

echo "Starting the service"
export SIGNALS_API_KEY=key SIGNALS_CONFIG_DIR="$work/settings" SIGNALS_STATE_DIR="$work/known"
service=$(port)
export SIGNALS_BASE_URL="http://127.0.0.1:$service"
$signals sandbox --port "$service" --key key --fault latency=150ms >"$work/sandbox.log" 2>&1 &
pids="$pids $!"
await curl -sfo "$work/page" "$SIGNALS_BASE_URL/sandbox/records"

node -e '
  const rows = ["company_name,company_domain,signal_title,signal_source"];
  for (let n = 1; n <= 20000; n += 1) rows.push(`${n % 97 === 0 ? "" : `Company ${n}`},company${n}.example,Raised,funding`);
  console.log(rows.join("\n"));' >"$work/big.csv"
cat >"$work/job.sh" <<JOB
#!/bin/sh
#SBATCH --array=0-7 --requeue --open-mode=append
cd $work
exec $signals upload big.csv --out runs --run-id nightly --quiet --fail-on never --shard auto/8
JOB
job=$(cd "$work" && sbatch --parsable job.sh)
echo "Submitted array $job"

settled() { [ "$(grep -c batch.settled "$work/runs/nightly-$1of8/journal.ndjson" 2>/dev/null)" -ge 3 ] 2>/dev/null; }
await settled 3
kill -9 "$(jq .pid "$work/runs/nightly-3of8/lock")"
echo "Killed task 3: $(grep -c batch.settled "$work/runs/nightly-3of8/journal.ndjson") of 25 or 26 batches are settled"
await settled 5
scontrol requeue "${job}_5"
echo "Requeued task 5 while it runs: $(grep -c batch.settled "$work/runs/nightly-5of8/journal.ndjson") batches are settled"
failed() { scontrol show job "${job}_3" | grep -q 'JobState=FAILED'; }
await failed
scontrol requeue "${job}_3"
echo "Requeued task 3"

ended() { [ -z "$(squeue -h -j "$job" -o %i 2>/dev/null)" ]; }
await ended
for task in 0 1 2 3 4 5 6 7; do
  state=$(scontrol show job "${job}_$task" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p;s/.*Restarts=\([0-9]*\).*/restarts \1/p' | tr '\n' ' ')
  echo "Task $task: $state"
done

code=0
(cd "$work" && $signals runs merge runs/nightly-*of8 --out runs) || code=$?
[ $code = 3 ] || { echo "runs merge: expected exit code 3 (invalid rows), found $code"; exit 1; }
curl -sf "$SIGNALS_BASE_URL/sandbox/records" | jq -r .record.company_name | sort >"$work/arrived"
distinct=$(uniq "$work/arrived" | wc -l)
total=$(wc -l <"$work/arrived")
echo "The service has $distinct different records of 19794; $((total - distinct)) arrived twice."
[ "$distinct" = 19794 ]
# What was in flight when a process was killed is sent again, and the service recognises it: one batch for each.
[ $((total - distinct)) -le 200 ]
