import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RUNNER_INPUT_MAX_BYTES } from '@agent-console/shared/limits/runner';
import {
  INPUT_IDS_KEPT,
  LOG_CAP_BYTES,
  LOG_SEGMENT_BYTES,
  STREAM_WINDOW_BYTES,
} from '@agent-console/shared/limits/streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputReader, ProcessExit, SpawnSpec } from '../../src/ports/runner.ts';
import { connectRunner, type LocalRunner } from '../../src/runner/client.ts';
import { cat, type OpenProgram, scriptedAgent } from '../support/memory-runner/programs.ts';
import { createMemoryRunner } from '../support/memory-runner/runner.ts';
import { until } from '../support/until.ts';
import { follow, neverFails, terminal, useRunner } from './helpers.ts';

const SCRIPTED_AGENT = fileURLToPath(new URL('../../dist/scripted-agent.js', import.meta.url));
const IDLE = '\x1b]9;4;0;\x07';

/**
 * Returns a program that prints `ready` once it runs. Tests send no signal before `ready`, because the terminal has no
 * process until then.
 */
const ready = (script: string) => terminal('sh', ['-c', `echo ready; ${script}`]);
const READY = 'ready\r\n';
/** Returns a program that prints each line that it reads. */
const repeating = () => ready('exec cat');
/** Returns a program that ignores SIGHUP and SIGTERM, so that the runner has to kill it. */
const stubborn = () => terminal('sh', ['-c', "trap '' HUP TERM; echo ready; while :; do sleep 1000; done"]);

/** Takes the place of `sh` in the memory runner: behaves like the script of `repeating` or `stubborn`. */
const shellObject: OpenProgram = (place) => {
  setImmediate(() => place.print('ready\n'));
  if (place.spec.args.at(-1)?.startsWith('trap') !== true) return cat(place);
  return { input: () => undefined, signal: () => undefined, stop: () => undefined };
};

interface Subject {
  connect(): Promise<LocalRunner>;
  /** Ends the runner abruptly, as a crash would. */
  kill(): void;
}

/**
 * Both kinds of runner. Each function prepares one kind and returns a function that starts a new runner of this kind.
 */
const RUNNERS = {
  'the real runner': () => {
    const setup = useRunner();
    return async (): Promise<Subject> => {
      const { home, runner } = await setup.start();
      const { pid } = runner.identity;
      runner.close();
      return { connect: () => connectRunner({ home }), kill: () => process.kill(pid, 'SIGKILL') };
    };
  },
  'the memory runner': () => {
    const programs: Record<string, OpenProgram> = { cat, sh: shellObject, [process.execPath]: scriptedAgent };
    return async (): Promise<Subject> => {
      const runner = createMemoryRunner({ program: ({ file }) => programs[file] });
      afterAll(() => runner.close());
      return { connect: async () => runner.connect(), kill: () => runner.die() };
    };
  },
} as const;

/** A reader that records everything it receives, in order, as text. */
function recorder() {
  const told: string[] = [];
  let bytes = '';
  let resolveExit: (exit: ProcessExit) => void = () => undefined;
  const exit = new Promise<ProcessExit>((resolve) => {
    resolveExit = resolve;
  });
  const reader: OutputReader = {
    onData({ offset, data }) {
      const text = data.toString('latin1');
      const last = told.at(-1);
      if (last !== undefined && !last.startsWith('[')) told[told.length - 1] = last + text;
      else told.push(text);
      bytes += text;
      expect(Number.isInteger(offset)).toBe(true);
    },
    onResized: ({ offset, cols, rows }) => void told.push(`[${cols}x${rows} at ${offset}]`),
    onExit(end) {
      told.push(`[exit at ${end.offset}]`);
      resolveExit(end);
    },
    onFailed: neverFails,
  };
  return { reader, told, text: () => bytes, exit };
}

describe.each(Object.entries(RUNNERS))('%s', (name, prepare) => {
  const start = prepare();
  let subject: Subject;
  let runner: LocalRunner;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-console-contract-'));
    subject = await start();
    runner = await subject.connect();
  });
  afterAll(() => {
    runner.close();
    rmSync(folder, { recursive: true });
  });

  /** Starts a worker. Returns its id, and a record of what a reader gets from offset 0 on. */
  async function run(spec: SpawnSpec) {
    await runner.spawn(spec);
    const heard = recorder();
    runner.subscribe(spec.workerId, 0, heard.reader);
    return { id: spec.workerId, ...heard };
  }

  let inputs = 0;
  const type = (workerId: string, text: string, by = runner) => {
    inputs += 1;
    return by.input(workerId, `input-${inputs}`, Buffer.from(text));
  };

  const runCat = () => run(terminal('cat', []));

  async function runReady(spec: SpawnSpec) {
    const running = await run(spec);
    await until('it runs', () => running.text() === READY);
    return running;
  }

  /** Starts a scripted agent, and waits until it is ready for its first prompt. */
  async function runScripted() {
    const spec = terminal(process.execPath, []);
    const transcript = join(folder, `${spec.workerId}.jsonl`);
    const agent = await run({ ...spec, cwd: folder, args: [SCRIPTED_AGENT, '--transcript', transcript] });
    await until('an idle agent', () => agent.text().endsWith(`${IDLE}\x1b]0;scripted: idle\x07`));
    return agent;
  }

  const ended = async (workerId: string) =>
    (await runner.list()).find((info) => info.workerId === workerId)?.exit ?? undefined;

  describe('starting', () => {
    it('happens once per worker id, even for concurrent calls and after the end', async () => {
      const spec = repeating();
      const [one, two] = await Promise.all([runner.spawn(spec), runner.spawn(spec)]);
      const { pid, startTime } = one;
      expect(one).toEqual({ workerId: spec.workerId, pid, startTime, logOffset: 0, cols: 80, rows: 24, exit: null });
      expect(two).toMatchObject({ pid, startTime });
      expect((await runner.list()).filter((info) => info.workerId === spec.workerId)).toMatchObject([{ pid }]);
      await until('it runs', async () => (await runner.extent(spec.workerId)).next === READY.length);
      const exit = await runner.end(spec.workerId, 5_000);
      expect(await runner.spawn(spec)).toMatchObject({ pid, startTime, exit });
    });

    it('is refused for a program or a folder that does not exist, and leaves nothing behind', async () => {
      const program = terminal('no-such-program-here', []);
      await expect(runner.spawn(program)).rejects.toMatchObject({
        code: 'AGENT_UNAVAILABLE',
        details: { file: 'no-such-program-here' },
      });
      const place = terminal('cat', [], { cwd: join(folder, 'absent') });
      await expect(runner.spawn(place)).rejects.toMatchObject({
        code: 'AGENT_UNAVAILABLE',
        details: { cwd: join(folder, 'absent') },
      });
      const known = (await runner.list()).map((info) => info.workerId);
      expect(known).not.toContain(program.workerId);
      expect(known).not.toContain(place.workerId);
    });

    it('is refused for an id that is not a plain name', async () => {
      await expect(runner.spawn(terminal('cat', [], { workerId: '../../evil' }))).rejects.toMatchObject({
        code: 'VALIDATION',
      });
      await expect(runner.read('../x', 0, 1)).rejects.toMatchObject({ code: 'VALIDATION' });
    });
  });

  describe('input', () => {
    it('is typed once per id, even if repeated over another connection or after the end', async () => {
      const { id, text } = await runCat();
      expect(await runner.input(id, 'a', Buffer.from('one\r'))).toEqual({ offset: 0, duplicate: false });
      await until('its echo', () => text() === 'one\r\none\r\n');
      expect(await runner.input(id, 'a', Buffer.from('one\r'))).toEqual({ offset: 0, duplicate: true });
      const other = await subject.connect();
      expect(await other.input(id, 'a', Buffer.from('other\r'))).toEqual({ offset: 0, duplicate: true });
      expect(await other.input(id, 'b', Buffer.from('two\r'))).toEqual({ offset: 10, duplicate: false });
      other.close();
      await until('its echo', () => text() === 'one\r\none\r\ntwo\r\ntwo\r\n');
      await runner.end(id, 5_000);
      expect(await runner.input(id, 'b', Buffer.from('two\r'))).toEqual({ offset: 10, duplicate: true });
      expect(text()).toBe('one\r\none\r\ntwo\r\ntwo\r\n');
    });

    it('has a receipt with the offset from which output caused by it begins', async () => {
      const { id, text } = await runScripted();
      const receipt = await type(id, '@say it is done\r');
      await until('the answer', () => text().endsWith('scripted: idle\x07') && text().includes('it is done\r\n'));
      expect(text().indexOf('@say it')).toBe(receipt.offset);
    });

    it(`is recognized by its id during ${INPUT_IDS_KEPT} further inputs`, async () => {
      const { id } = await runCat();
      const typeAs = (number: number) => runner.input(id, `number-${number}`, Buffer.from('x'));
      for (let number = 0; number <= INPUT_IDS_KEPT; number += 1) {
        // Ends the line from time to time, because a terminal accepts only about 4 kB in one line.
        if (number % 500 === 0) await type(id, '\r');
        await typeAs(number);
      }
      expect(await typeAs(3)).toMatchObject({ duplicate: true });
      expect(await typeAs(0)).toMatchObject({ duplicate: false });
    });

    it('is refused if it is too large, or its worker has ended or is unknown', async () => {
      const { id } = await runReady(repeating());
      await expect(type(id, 'x'.repeat(RUNNER_INPUT_MAX_BYTES + 1))).rejects.toMatchObject({ code: 'TOO_LARGE' });
      await runner.end(id, 5_000);
      await expect(type(id, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(type('nobody', 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  describe('an end', () => {
    it('is reported after the last byte, to readers and listeners, with its exit code', async () => {
      const agent = await runScripted();
      const ends: [string, ProcessExit][] = [];
      runner.onExit((workerId, exit) => {
        if (workerId === agent.id) ends.push([agent.told.at(-1) ?? '', exit]);
      });
      await type(agent.id, '\x1b[200~@flood 100000\n@exit 3\x1b[201~\r');
      const exit = await agent.exit;
      expect(exit).toMatchObject({ exitCode: 3, signal: null });
      expect(agent.text()).toHaveLength(exit.offset);
      await until('the event', () => ends.length > 0);
      expect(ends).toEqual([[`[exit at ${exit.offset}]`, exit]]);
      expect(await ended(agent.id)).toEqual(exit);
      expect((await runner.read(agent.id, 0, exit.offset + 1)).data.toString('latin1')).toBe(agent.text());
    });

    it('by the keyboard, by a signal or by a crash is reported with its exit code or signal', async () => {
      const quits = await runReady(repeating());
      await type(quits.id, '\x04');
      expect(await quits.exit).toEqual({ offset: 7, exitCode: 0, signal: null });
      const interrupted = await runReady(repeating());
      await type(interrupted.id, '\x03');
      expect(await interrupted.exit).toEqual({ offset: 9, exitCode: null, signal: 'SIGINT' });
      const killed = await runReady(repeating());
      await runner.signal(killed.id, 'SIGKILL');
      expect(await killed.exit).toEqual({ offset: 7, exitCode: null, signal: 'SIGKILL' });
      const crashed = await runScripted();
      await type(crashed.id, '@crash\r');
      expect(await crashed.exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      await expect(runner.signal(crashed.id, 'SIGINT')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is requested, and forced if the program ignores the request', async () => {
      const obeys = await runReady(repeating());
      expect(await runner.end(obeys.id, 20_000)).toEqual({ offset: 7, exitCode: null, signal: 'SIGHUP' });
      expect(await runner.end(obeys.id, 20_000)).toEqual(await obeys.exit);
      const refuses = await runReady(stubborn());
      expect(await runner.end(refuses.id, 100)).toEqual({ offset: 7, exitCode: null, signal: 'SIGKILL' });
      await expect(runner.end('nobody', 100)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is not caused by interrupting an agent that is working', async () => {
      const agent = await runScripted();
      await type(agent.id, '@sleep 600000\r');
      await until('a turn', () => agent.text().endsWith('scripted: working\x07'));
      await runner.signal(agent.id, 'SIGINT');
      await until('its end', () => agent.text().includes('interrupted\r\n'));
      expect(await ended(agent.id)).toBeUndefined();
    });
  });

  describe('a worker that has ended', () => {
    it('is listed until it is forgotten, and its output stays readable after that', async () => {
      const { id, exit, text } = await runCat();
      await expect(runner.forget(id)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(runner.dropLog(id)).rejects.toMatchObject({ code: 'CONFLICT' });
      await type(id, 'kept\r');
      await until('its echo', () => text() === 'kept\r\nkept\r\n');
      await runner.end(id, 5_000);
      expect(await ended(id)).toEqual(await exit);
      await runner.forget(id);
      expect((await runner.list()).map((info) => info.workerId)).not.toContain(id);
      const late = recorder();
      runner.subscribe(id, 0, late.reader);
      expect(await late.exit).toEqual(await exit);
      expect(late.told[0]).toBe('[80x24 at 0]');
      expect(late.text()).toBe('kept\r\nkept\r\n');
      expect(await runner.extent(id)).toEqual({ first: 0, next: 12 });
    });

    it('appends to its stored output when its id is used again', async () => {
      const spec = terminal('cat', []);
      const first = await run(spec);
      await type(first.id, '\x04');
      const { offset } = await first.exit;
      await runner.forget(first.id);
      expect(await runner.spawn(spec)).toMatchObject({ logOffset: offset, exit: null });
      // The new process accepts input. Its output continues where the stored output of the earlier process ended.
      expect(await runner.input(first.id, 'a', Buffer.from('again\r'))).toEqual({ offset, duplicate: false });
      const again = recorder();
      runner.subscribe(first.id, offset, again.reader);
      await until('its echo', () => again.text() === 'again\r\nagain\r\n');
    });

    it('has no output after its log is dropped, but readers are still told its end', async () => {
      const { id, exit } = await runCat();
      await type(id, 'gone\r');
      await until('its echo', async () => (await runner.extent(id)).next === 12);
      await runner.end(id, 5_000);
      await runner.dropLog(id);
      expect(await runner.extent(id)).toEqual({ first: 0, next: 0 });
      expect((await runner.read(id, 0, 100)).data).toHaveLength(0);
      const late = recorder();
      runner.subscribe(id, 0, late.reader);
      expect(await late.exit).toEqual(await exit);
      expect(late.text()).toBe('');
      await runner.forget(id);
    });
  });

  describe('stored output', () => {
    it('is read from any offset, and is empty beyond its end', async () => {
      const { id, text } = await runCat();
      await type(id, 'stored\r');
      await until('its echo', () => text() === 'stored\r\nstored\r\n');
      const read = async (offset: number, most: number) => {
        const { offset: from, data } = await runner.read(id, offset, most);
        return [from, data.toString()];
      };
      expect(await read(0, 6)).toEqual([0, 'stored']);
      expect(await read(8, 100)).toEqual([8, 'stored\r\n']);
      expect(await read(16, 100)).toEqual([16, '']);
      expect(await read(500, 100)).toEqual([16, '']);
      const target = Buffer.alloc(6);
      const into = await runner.readInto(id, 2, target);
      expect([into.offset, into.data.toString(), into.data.buffer === target.buffer]).toEqual([2, 'ored\r\n', true]);
      expect((await runner.readInto(id, 500, target)).data).toHaveLength(0);
      expect(await runner.read('nobody', 5, 100)).toEqual({ offset: 0, data: Buffer.alloc(0) });
      expect(await runner.extent('nobody')).toEqual({ first: 0, next: 0 });
    });

    it.runIf(process.env.LONG || name === 'the memory runner')(
      'is limited to its newest part, whose beginning is reported',
      async () => {
        const total = LOG_CAP_BYTES + 2 * LOG_SEGMENT_BYTES;
        const { id } = await runScripted();
        const ends = new Promise<void>((resolve) =>
          runner.onExit((workerId) => {
            if (workerId === id) resolve();
          }),
        );
        await type(id, `\x1b[200~@flood ${total}\n@exit 0\x1b[201~\r`);
        await ends;
        const { first, next } = await runner.extent(id);
        expect(next).toBeGreaterThan(total);
        expect(next - first).toBeLessThanOrEqual(LOG_CAP_BYTES);
        expect(next - first).toBeGreaterThan(LOG_CAP_BYTES - 3 * LOG_SEGMENT_BYTES);
        expect((await runner.read(id, 5, 10)).offset).toBe(first);
        const late = follow(runner, id, first);
        expect(await late.exit).toMatchObject({ offset: next });
        expect(late.bytes()).toBe(next - first);
      },
    );
  });

  describe('a reader', () => {
    it('from the middle receives the size there, and stored and new output without gaps or duplicates', async () => {
      const { id, text } = await runCat();
      await type(id, 'one\r');
      await until('its echo', () => text().length === 10);
      await runner.resize(id, 100, 30);
      await runner.resize(id, 100, 30);
      await type(id, 'two\r');
      await until('its echo', () => text().length === 20);
      await runner.resize(id, 120, 40);
      expect((await runner.list()).find((info) => info.workerId === id)).toMatchObject({ cols: 120, rows: 40 });
      const late = recorder();
      runner.subscribe(id, 5, late.reader);
      await type(id, 'three\r');
      await until('its echo', () => late.text().endsWith('three\r\nthree\r\n'));
      await type(id, '\x04');
      await late.exit;
      expect(late.told).toEqual([
        '[80x24 at 5]',
        'one\r\n',
        '[100x30 at 10]',
        'two\r\ntwo\r\n',
        '[120x40 at 20]',
        'three\r\nthree\r\n',
        '[exit at 34]',
      ]);
      await expect(runner.resize(id, 80, 24)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('replaces the previous reader, and receives nothing after it is closed', async () => {
      const { id, told } = await runCat();
      const next = recorder();
      const subscription = runner.subscribe(id, 0, next.reader);
      await type(id, 'x\r');
      await until('its echo', () => next.text() === 'x\r\nx\r\n');
      expect(told).not.toContain('x\r\nx\r\n');
      subscription.close();
      await type(id, 'y\r');
      await until('its echo', async () => (await runner.extent(id)).next === 12);
      await runner.list();
      expect(next.text()).toBe('x\r\nx\r\n');
    });

    it('that acknowledges nothing gets one window, does not delay others, and later gets the rest', async () => {
      const bytes = 3 * STREAM_WINDOW_BYTES;
      const agent = await runScripted();
      let next = 0;
      const subscription = runner.subscribe(agent.id, 0, {
        onData({ offset, data }) {
          expect(offset).toBe(next);
          next += data.length;
        },
        onResized: () => undefined,
        onExit: () => undefined,
        onFailed: neverFails,
      });
      const other = await subject.connect();
      const healthy = follow(other, agent.id);
      await type(agent.id, `\x1b[200~@flood ${bytes}\n@exit 0\x1b[201~\r`);
      const { offset } = await healthy.exit;
      other.close();
      // The runner sends output and responses in order, so all earlier output has arrived when this call returns.
      await runner.list();
      expect(next).toBeGreaterThan(STREAM_WINDOW_BYTES / 2);
      expect(next).toBeLessThanOrEqual(STREAM_WINDOW_BYTES);
      await until('the rest', () => {
        subscription.ack(next);
        return next === offset;
      });
    });

    it('is told why it cannot read', async () => {
      const { id } = await runCat();
      const silent = { onData: neverFails, onResized: neverFails, onExit: neverFails };
      const failure = await new Promise((resolve) => {
        runner.subscribe(id, -1, { ...silent, onFailed: resolve });
      });
      expect(failure).toMatchObject({ code: 'VALIDATION' });
    });

    it('of an unknown worker is told of an end without exit code or signal', async () => {
      const late = recorder();
      runner.subscribe('nobody', 0, late.reader);
      expect(await late.exit).toEqual({ offset: 0, exitCode: null, signal: null });
    });
  });

  describe('a connection', () => {
    it('that is closed does not affect programs, and answers no more requests', async () => {
      const first = await subject.connect();
      let told = 0;
      first.onGone(() => {
        told += 1;
      });
      const spec = terminal('cat', []);
      const { pid, startTime } = await first.spawn(spec);
      first.close();
      await expect(first.list()).rejects.toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
      expect(await runner.spawn(spec)).toMatchObject({ pid, startTime, exit: null });
      expect([told, first.gone, runner.identity]).toEqual([0, false, first.identity]);
    });

    it('reports once that the runner is gone, and stored output stays readable', async () => {
      const doomed = await start();
      const own = await doomed.connect();
      const spec = terminal('cat', []);
      await own.spawn(spec);
      const heard = recorder();
      own.subscribe(spec.workerId, 0, heard.reader);
      await type(spec.workerId, 'kept\r', own);
      await until('its echo', () => heard.text() === 'kept\r\nkept\r\n');
      const gone = new Promise<void>((resolve) => own.onGone(resolve));
      expect(own.gone).toBe(false);
      const pending = own.end(spec.workerId, 20_000).catch((error: unknown) => error);
      doomed.kill();
      await gone;
      expect(own.gone).toBe(true);
      await pending;
      await expect(own.spawn(terminal('cat', []))).rejects.toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
      await expect(own.input(spec.workerId, 'x', Buffer.from('x'))).rejects.toMatchObject({
        code: 'RUNNER_UNAVAILABLE',
      });
      await new Promise<void>((resolve) => own.onGone(resolve));
      expect((await own.read(spec.workerId, 0, 6)).data.toString()).toBe('kept\r\n');
    });
  });
});
