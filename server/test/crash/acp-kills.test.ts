import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomFrom, SEED } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { png } from '../support/images.ts';

const SCRIPTED_AGENT = fileURLToPath(new URL('../../dist/scripted-agent.js', import.meta.url));

/**
 * Runs the scripted agent over ACP and records the frames of its turn in both directions, starting with the prompt.
 * Kills the server at one of the frames: before a frame for the agent is passed on, or after a frame for the server was
 * written.
 */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [home, agent, transcripts] = process.argv.slice(2);
const { frame, afterMs } = JSON.parse(readFileSync('kill.json', 'utf8'));
const child = spawn(process.execPath, [agent, '--acp', transcripts], { stdio: ['pipe', 'pipe', 'inherit'] });
let frames = 0;
let killed = false;
const kill = () => process.kill(JSON.parse(readFileSync(home + '/server.json', 'utf8')).pid, 'SIGKILL');
function pass(from, line, to) {
  if (frames > 0 || line.includes('"method":"session/prompt"')) {
    frames += 1;
    appendFileSync('frames', JSON.stringify([from, JSON.parse(line)]) + '\\n');
  }
  const isDue = frames === frame && !killed;
  killed ||= isDue;
  if (isDue && from === 'server' && afterMs === 0) kill();
  to.write(line + '\\n');
  if (isDue && from === 'agent' && afterMs === 0) kill();
  if (isDue && afterMs > 0) setTimeout(kill, afterMs);
}
createInterface({ input: process.stdin }).on('line', (line) => pass('server', line, child.stdin)).on('close', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => pass('agent', line, process.stdout));
child.on('exit', (code) => process.exit(code ?? 1));
`;
const TURN = [
  '@thought let me see',
  '@images',
  '@chunks 3 word',
  '@plan read + | write ~',
  '@edit a.txt made',
  '@read a.txt',
  '@usage 10 100',
  '@permission Write a.txt',
  '@say done',
].join('\n');
/** Larger than the buffer of a pipe, so that the prompt is written to the agent in several parts. */
const IMAGE = Buffer.concat([png(2, 2), Buffer.alloc(400_000, 1)]);
/** Maximum delay in milliseconds from a frame to the kill. It is longer than the server needs to handle a frame. */
const LATEST_MS = 30;
const ROUNDS_OF_LONG = 3;

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

/** Repeats a call until a server answers. */
async function again<T>(what: string, call: () => Promise<T>): Promise<T> {
  const { value } = await c.until(what, () =>
    call().then(
      (value) => ({ value }),
      () => undefined,
    ),
  );
  return value;
}

let turns = 0;

/**
 * Runs the turn once, in a new session and a new process. Kills the server at frame number `frame` of the turn, or
 * never if `frame` is 0.
 */
async function turn(frame: number, afterMs: number) {
  turns += 1;
  const cwd = join(c.folder, `turn-${turns}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'kill.json'), JSON.stringify({ frame, afterMs }));
  const pid = c.serverPid();
  const { id: sessionId } = await c.client.call('sessions.create', { cwd, agentId: 'killing' });
  const { imageId } = await c.client.call('sessions.addImage', { sessionId, data: IMAGE.toString('base64') });
  const prompt = { sessionId, prompt: TURN, images: [imageId] };
  const { taskId } = await c.client.call('sessions.prompt', { ...prompt, idempotencyKey: sessionId });
  const approval = await again('a question', async () => {
    const [asked] = (await c.client.call('approvals.list', { sessionId })).data;
    if (asked === undefined) throw new Error('no question yet');
    return asked;
  });
  await again('an answer', async () => {
    const { state, optionId } = await c.client.call('approvals.get', { approvalId: approval.id });
    if (state === 'pending' && optionId === null)
      await c.client.call('approvals.answer', { approvalId: approval.id, optionId: 'yes' });
  });
  const task = await again('the end of the turn', async () => {
    const now = await c.client.call('tasks.get', { taskId });
    if (now.endedAt === null) throw new Error('the turn goes on');
    return now;
  });
  if (frame > 0) await again('another server', async () => expect(c.serverPid()).not.toBe(pid));
  const messages = (await again('messages', () => c.client.call('sessions.messages', { sessionId }))).data;
  const frames = readFileSync(join(cwd, 'frames'), 'utf8').trimEnd().split('\n');
  await again('the end of the session', () => c.client.call('sessions.stop', { sessionId }));
  const sent = frames.map((line) => JSON.parse(line) as [string, { method?: string; result?: unknown }]);
  return {
    frames: frames.length,
    result: {
      task: [task.status, task.outcomeSource],
      approvals: await Promise.all(
        (['answered', 'pending', 'withdrawn'] as const).map((state) =>
          again('approvals', async () => (await c.client.call('approvals.list', { sessionId, state })).total),
        ),
      ),
      messages: messages.map(({ role, kind, parts }) => [role, kind, parts.map(withoutIds(cwd))]),
      inOrder: messages.every(({ logOffset }, at) => (logOffset ?? 0) >= (messages[at - 1]?.logOffset ?? 0)),
      frames: sent.map(([from, { method, result }]) => [from, method ?? Object.keys(result ?? {})]),
    },
  };
}

/** Returns a function that removes the ids and paths, which differ between turns, from a part of a message. */
const withoutIds = (cwd: string) => (part: object) => {
  const { callId: _, ...rest } = part as Record<string, unknown>;
  return JSON.parse(JSON.stringify(rest).replaceAll(cwd, '')) as unknown;
};

it('loses and repeats nothing of a turn if the server is killed at any frame', { timeout: 600_000 }, async () => {
  console.log(`SEED=${SEED}`);
  const random = randomFrom(SEED);
  const program = join(c.folder, 'killing.mjs');
  writeFileSync(program, PROGRAM);
  const command = [process.execPath, program, c.home, SCRIPTED_AGENT, join(c.folder, 'transcripts')];
  await c.client.call('agents.create', { id: 'killing', name: 'Killing', command, driver: 'acp' });
  const undisturbed = await turn(0, 0);
  expect(undisturbed.result).toMatchObject({ task: ['completed', 'protocol'], approvals: [1, 0, 0] });
  expect(JSON.stringify(undisturbed.result.messages)).toContain(`images: image/png, ${IMAGE.length} bytes`);
  const all = Array.from({ length: undisturbed.frames }, (_, at) => at + 1);
  const kills = process.env.LONG
    ? all.flatMap((frame) =>
        Array.from({ length: ROUNDS_OF_LONG }, (_, round) => [frame, round * random() * LATEST_MS]),
      )
    : [[1 + Math.floor(random() * undisturbed.frames), random() * LATEST_MS]];
  for (const [frame = 1, afterMs = 0] of kills) {
    const { result } = await turn(frame, Math.floor(afterMs));
    expect({ frame, afterMs, ...result }).toEqual({ frame, afterMs, ...undisturbed.result });
  }
  console.log(`${kills.length} kills at ${undisturbed.frames} frames`);
});
