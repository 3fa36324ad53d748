/** Shell script that prints 40 coloured lines, then ten lines a second, without starting a process for each line. */
const WRITE = `n=0; while :; do
  printf '\\033[3%dmstep %d\\033[0m of the work, reading src/part-%d.ts and writing it again\\r\\n' $((n % 7 + 1)) $n $n
  n=$((n + 1)); [ $n -lt 40 ] || read -t 0.1
done`;
const AGENT = { id: 'writer', name: 'Writer', command: ['bash', '-c', WRITE] };

/** Starts sessions whose agents write to their terminals all the time. */
export async function startWriters(console, count) {
  await console.api.call('POST', '/agents', AGENT);
  const sessions = [];
  for (let n = 0; n < count; n += 1) {
    const wanted = { cwd: console.folder, agentId: AGENT.id, title: `Writer ${n}` };
    const session = await console.api.call('POST', '/sessions', wanted);
    await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'agent' });
    sessions.push(session);
  }
  return sessions;
}
