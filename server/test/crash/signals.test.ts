import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aMoment, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

/**
 * An agent whose activity only its hooks report. It is started like Claude Code, and runs its hooks at the start and
 * the end of each turn. Its screen is cut off below the input line, as in a narrow window, so the screen does not show
 * whether the agent is working.
 */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const after = (option) => process.argv[process.argv.indexOf(option) + 1];
const { hooks } = JSON.parse(readFileSync(after('--settings'), 'utf8'));
const session_id = after('--session-id');
function report(hook_event_name, more = {}) {
  const input = JSON.stringify({ session_id, hook_event_name, ...more });
  for (const { hooks: group } of hooks[hook_event_name]) {
    for (const { command } of group) execFileSync('/bin/sh', ['-c', command], { input });
  }
}
process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
const rule = '─'.repeat(40);
let line = '';
function draw() {
  process.stdout.write(['\\x1b[2J\\x1b[H' + rule, '❯ ' + line, rule, '  ? for shor…'].join('\\r\\n'));
}
process.stdin.on('data', (text) => {
  for (const character of text.replace(/\\x1b\\[20[01]~/g, '').replace(/.*\\x15/gs, '')) {
    if (character !== '\\r') {
      line += character;
      continue;
    }
    const prompt = line;
    line = '';
    draw();
    report('UserPromptSubmit', { prompt });
    draw();
    report('Stop', { last_assistant_message: 'done: ' + prompt });
  }
  draw();
});
draw();
report('Stop');
`;
const ROUNDS = process.env.LONG ? 100 : 2;
/**
 * Maximum delay of a kill in milliseconds. It is longer than a turn, so that a kill can happen at any moment of a turn.
 */
const LATEST_MS = 400;

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

it('each turn ends once by its hooks even if the server is killed', { timeout: ROUNDS * 30_000 }, async () => {
  console.log(`SEED=${SEED}`);
  const random = randomFrom(SEED);
  const program = join(c.folder, 'hooked.mjs');
  writeFileSync(program, PROGRAM);
  const command = [process.execPath, program];
  await c.client.call('agents.create', { id: 'hooked', name: 'Hooked', kind: 'claude-code', command });
  const session = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'hooked' });
  const worker = await c.client.call('workers.create', { sessionId: session.id, type: 'agent' });
  const seen = () => c.client.call('workers.get', { workerId: worker.id });
  await c.until('an agent at rest', async () => (await seen()).activityState === 'idle');

  for (let round = 0; round < ROUNDS; round += 1) {
    const { taskId } = await c.client.call('sessions.prompt', { sessionId: session.id, prompt: `turn ${round}` });
    await aMoment(random() * LATEST_MS);
    await killServer(c);
    const task = await c.until('the end of a turn', async () => {
      const now = await c.client.call('tasks.get', { taskId });
      return now.endedAt !== null && now;
    });
    expect(task).toMatchObject({ status: 'completed', outcomeSource: 'hook' });
  }
  const { data: tasks } = await c.client.call('tasks.list', { sessionId: session.id, limit: 500 });
  expect(tasks.map((task) => task.status)).toEqual(tasks.map(() => 'completed'));
  expect(tasks).toHaveLength(ROUNDS);
  let ends = 0;
  for (let after = 0; ; ) {
    const { data: events } = await c.client.call('events.list', { after, limit: 500 });
    ends += events.filter((event) => event.type === 'task.ended').length;
    after = events.at(-1)?.seq ?? after;
    if (events.length < 500) break;
  }
  expect(ends).toBe(ROUNDS);
  expect(await seen()).toMatchObject({ state: 'running', activityState: 'idle', activitySource: 'hook' });
});
