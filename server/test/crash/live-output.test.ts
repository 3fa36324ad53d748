import { VIEWER_SILENT_MS } from '@agent-console/shared/limits/streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecord } from '../../src/runner/record.ts';
import { aMoment, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { readAll } from '../e2e/support/output.ts';
import { LiveViewer } from '../streams/live-viewer.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

/** Total number of random actions. Each round uses new terminals, so that no output log reaches its maximum size. */
const STEPS = process.env.LONG ? 10_000 : 100;
const ROUND_STEPS = 150;
const TERMINALS = 3;
const VIEWERS = 3;
const LINES_MAX = 30_000;
/**
 * Number of lines of output. With so many lines, a viewer that does not acknowledge output falls behind and restarts
 * with a snapshot.
 */
const LONG_LINES = 1_400_000;

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

interface Terminal {
  workerId: string;
  viewers: LiveViewer[];
  /** Words that the typed commands print. Each word must be in the log exactly once. */
  words: string[];
}

async function openTerminal(sessionId: string, name: string): Promise<Terminal> {
  const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal' });
  const url = () => `${c.baseUrl.replace('http', 'ws')}/ws/session/${sessionId}/worker/${workerId}`;
  const viewers = Array.from({ length: VIEWERS }, (_, n) => new LiveViewer(`${name}.${n}`, url));
  for (const viewer of viewers) viewer.connect('anew');
  return { workerId, viewers, words: [] };
}

/** Performs a random action on a terminal or one of its viewers. Returns its description. */
async function step(terminals: Terminal[], random: () => number): Promise<string> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const terminal = pick(terminals);
  const viewer = pick(terminal.viewers);
  const roll = random() * 100;
  const say = (command: string) => {
    const n = Math.floor(random() * 1_000_000);
    // The word contains a sum that the shell computes, so the word occurs in the output but not in the echoed command
    // line.
    const word = `w${terminal.words.length}_${n + 1}e`;
    terminal.words.push(word);
    viewer.type(`${command}echo w${terminal.words.length - 1}_$((${n}+1))e\r`);
    return `types ${JSON.stringify(command)}`;
  };
  if (roll < 20) return say('');
  if (roll < 32) return say(`seq 1 ${1 + Math.floor(random() * LINES_MAX)}; `);
  if (roll < 33 && process.env.LONG) return say(`seq 1 ${LONG_LINES}; `);
  if (roll < 45) {
    const driver = terminal.viewers.find((each) => each.driving) ?? viewer;
    driver.resize(20 + Math.floor(random() * 180), 10 + Math.floor(random() * 50));
    return 'resizes';
  }
  if (roll < 49) viewer.takeDriver();
  else if (roll < 57) viewer.leave(random() < 0.5 ? 'close' : 'terminate');
  else if (roll < 73) viewer.connect(random() < 0.9 ? 'resume' : 'anew');
  else if (roll < 78) viewer.pause();
  else if (roll < 82) viewer.acks = false;
  else if (roll < 90) viewer.resume();
  else if (roll < 99) await aMoment(random() * 20);
  else {
    await killServer(c);
    return 'kills the server';
  }
  return 'goes on';
}

/** Ends all terminals, and waits until every viewer has seen the end. */
async function finish(terminals: Terminal[]): Promise<void> {
  const everyone = terminals.flatMap((terminal) => terminal.viewers);
  const catchUp = () => {
    for (const viewer of everyone) {
      viewer.connect();
      viewer.resume();
    }
  };
  await c.until('every line to be taken', async () => {
    catchUp();
    return everyone.every((viewer) => viewer.unaccepted === 0);
  });
  for (const { viewers } of terminals) viewers[0]?.type('exit 7\r');
  await c.until('everybody to see the end', async () => {
    for (const viewer of everyone) if (viewer.exits.length === 0) viewer.connect();
    for (const viewer of everyone) viewer.resume();
    return everyone.every((viewer) => viewer.exits.length > 0);
  });
}

/** Compares the output that every viewer received with the stored output. Returns the differences. */
async function faultsOf({ workerId, viewers, words }: Terminal): Promise<string[]> {
  const log = await readAll(c, workerId);
  const text = log.toString('latin1');
  const sizes = (await readRecord(c.home, workerId)).filter((line) => line.kind !== 'exited');
  const faults = viewers.flatMap((viewer) => viewer.faults);
  for (const word of words) {
    const times = text.split(word).length - 1;
    if (times !== 1) faults.push(`${word} was printed ${times} times`);
  }
  for (const [n, viewer] of viewers.entries()) {
    for (const { from, chunks, began, silentMs } of viewer.stretches) {
      if (from > log.length) faults.push(`viewer ${n} began at ${from} of ${log.length}`);
      if (began === 'again' && silentMs < VIEWER_SILENT_MS) faults.push(`viewer ${n} had to start again at ${from}`);
      for (const { offset, data, size } of chunks) {
        const end = offset + data.length;
        if (!log.subarray(offset, end).equals(data)) faults.push(`viewer ${n} saw other bytes at ${offset}`);
        const inForce = sizes.findLast((each) => each.offset <= offset);
        if (size?.cols !== inForce?.cols || size?.rows !== inForce?.rows) {
          faults.push(`viewer ${n} took ${size?.cols}x${size?.rows} for the size at ${offset}`);
        }
        const within = sizes.find((each) => each.offset > offset && each.offset < end);
        if (within !== undefined) faults.push(`viewer ${n} was not told in place of the size at ${within.offset}`);
      }
    }
    const expected = [{ offset: log.length, exitCode: 7, signal: null }];
    if (JSON.stringify(viewer.exits) !== JSON.stringify(expected)) {
      faults.push(`viewer ${n} saw these ends: ${JSON.stringify(viewer.exits)}`);
    }
  }
  return faults;
}

test(`viewers see the log and its end, and each line is typed once, over disconnects and kills (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const random = randomFrom(SEED);
  const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
  for (let done = 0; done < STEPS; done += ROUND_STEPS) {
    const terminals: Terminal[] = [];
    for (let n = 0; n < TERMINALS; n += 1) terminals.push(await openTerminal(sessionId, `${done}.${n}`));
    for (let n = 0; n < ROUND_STEPS; n += 1) await step(terminals, random);
    await finish(terminals);
    for (const terminal of terminals) {
      expect(await faultsOf(terminal), `seed ${SEED}, steps from ${done}`).toEqual([]);
      for (const viewer of terminal.viewers) viewer.leave('terminate');
    }
  }
});
