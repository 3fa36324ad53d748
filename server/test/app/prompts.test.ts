import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { codePoint } from '../support/text.ts';

let c: InProcessApp;
let sessionId: string;
beforeAll(async () => {
  c = await startTestApp();
  sessionId = (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
});
afterAll(() => c.close());

const prompt = (text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });

/** Returns the prompts in the agent's transcript, in order. */
function heard(): string[] {
  const lines = readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const entry = line === '' ? {} : (JSON.parse(line) as { role?: string; text?: string });
    return entry.role === 'user' ? [entry.text ?? ''] : [];
  });
}

/** Sends the prompts, one full queue at a time, and resolves to the prompts that the agent received. */
async function deliver(texts: readonly string[]): Promise<string[]> {
  const before = await c.client.call('sessions.tasks', { sessionId, limit: 1 });
  const known = before.total === 0 ? 0 : heard().length;
  for (let at = 0; at < texts.length; at += 50) {
    for (const text of texts.slice(at, at + 50)) await prompt(text);
    await c.until('the end of the queue', async () => {
      const { reached } = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });
      return reached === 'finished';
    });
  }
  return heard().slice(known);
}

const HOSTILE = [
  '"double" \'single\' `backtick` $(touch owned) \x24{HOME} $HOME \\ \\n %s %n ; | & && > < * ? [a-z] {1..3} ~ ! #',
  'it\'s; rm -rf -- "$PWD" || :(){ :|:& };:',
  '\ttab\tand  two spaces  ',
  'ünïcödé 日本語 العربية עברית 🌍👩‍👩‍👧‍👦 e\u0301 \u200b\u2028\u2029\ufeff',
  '[200~not a paste[201~ \\x1b[31m ^C ^D',
];

describe('a prompt', () => {
  it('of 100 000 bytes reaches the agent byte for byte', async () => {
    const body = `@say begin\n${HOSTILE.join('\n')}\n`;
    const lines = `${body}${'an ordinary line of a long prompt, ä €\n'.repeat(3_000)}`;
    let text = Buffer.from(lines)
      .subarray(0, 99_990)
      .toString('utf8')
      .replace(/\ufffd+$/, '');
    text += `${'.'.repeat(100_000 - Buffer.byteLength(text) - 3)}€`;
    expect(Buffer.byteLength(text)).toBe(100_000);
    const [got] = await deliver([text]);
    expect(got === text).toBe(true);
    expect((await c.client.call('sessions.tasks', { sessionId })).data.at(-1)?.prompt).toBe(text);
  });

  it.each(HOSTILE)('with characters special to a shell or a terminal arrives unchanged: %s', async (text) => {
    expect(await deliver([text, `two\n\n${text}\n\nlines`])).toEqual([text, `two\n\n${text}\n\nlines`]);
  });

  it('has normalized line ends', async () => {
    expect(await deliver(['@say a\r\nb\rc\nd'])).toEqual(['@say a\nb\nc\nd']);
  });

  const runs = process.env.LONG ? 1_000 : 6;
  it(`arrives unchanged (${runs} random prompts)`, { timeout: 60_000 + runs * 1_000 }, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.string({ unit: codePoint, minLength: 1, maxLength: 60 }),
      fc.constantFrom('\n', '\t', '\n\n', '"', "'", '`', '$(', '\\', '\\n', '%', ' ', ...HOSTILE),
    );
    const text = fc
      .array(piece, { minLength: 1, maxLength: 20 })
      .map((parts) =>
        parts
          .join('')
          .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
          .replace(/^@/gm, 'at'),
      )
      .filter((joined) => /\S/.test(joined));
    const texts = fc.sample(text, { numRuns: runs, seed });
    expect({ seed, heard: await deliver(texts) }).toEqual({ seed, heard: texts });
  });
});

describe('a running prompt that is cancelled', () => {
  it('is acknowledged once, and so is its interruption', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId: id, prompt: '@sleep 600000' });
    const events = async () => (await c.client.call('sessions.events', { sessionId: id, limit: 500 })).data;
    const accepted = async () =>
      (await events()).filter((event) => event.type === 'input.accepted' && event.data.taskId === taskId);
    await c.until('its acknowledgement', async () => (await accepted()).length > 0);
    await c.client.call('tasks.cancel', { taskId });
    await c.client.call('sessions.prompt', { sessionId: id, prompt: '@say next' });
    await c.until('the next one', async () => {
      const { reached } = await c.client.call('sessions.wait', { sessionId: id, timeoutSeconds: 40 });
      return reached === 'finished';
    });
    expect(await accepted()).toHaveLength(1);
  });
});

describe('an invalid prompt', () => {
  const CASES: [string, string, RegExp][] = [
    ['nothing', '', /blank/],
    ['blanks only', ' \n\t ', /blank/],
    ['NUL', 'abc\0def', /U\+0000 at position 3/],
    ['an escape character', 'x\x1b[201~\rrm', /U\+001B at position 1/],
    ['Ctrl-C', '\x03', /U\+0003 at position 0/],
    ['DEL', 'ab\x7f', /U\+007F at position 2/],
    ['a C1 control', 'ab\u009b31m', /U\+009B at position 2/],
    ['half a surrogate pair', 'ab\ud83d', /surrogate pair at position 2/],
    ['one byte too much', 'x'.repeat(100_001), /100001 bytes/],
    ['too much in characters of several bytes', '€'.repeat(33_334), /100002 bytes/],
  ];
  const DOORS: [OperationName, string, () => Record<string, unknown>][] = [
    ['sessions.prompt', 'prompt', () => ({ sessionId })],
    ['sessions.message', 'message', () => ({ sessionId })],
    ['sessions.create', 'initialPrompt', () => ({ cwd: c.folder, agentId: 'scripted' })],
    ['delegations.create', 'prompt', () => ({ repositoryId: c.repository.id, agentId: 'scripted' })],
    ['worktrees.create', 'prompt', () => ({ repositoryId: c.repository.id, mode: 'prompt' })],
  ];

  it.each(CASES)('is rejected by every operation, without any effect: %s', async (_, text, why) => {
    const before = await c.client.call('system.status', {});
    for (const [name, field, others] of DOORS) {
      const error = await refusal(c.client.run(contractOf(name), { ...others(), [field]: text }));
      expect({ name, ...error }).toMatchObject({ name, code: 'VALIDATION', message: expect.stringMatching(why) });
      expect(error.message.startsWith(`${field}: `)).toBe(true);
    }
    expect((await c.client.call('system.status', {})).lastEventSeq).toBe(before.lastEventSeq);
  });
});
