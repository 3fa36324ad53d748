import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commands } from '../../src/scripted-agent/commands.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const README = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** What an id is shortened to where it is shown as a beginning. */
const SHORT = 18;

interface Step {
  command: string;
  shown: string;
}

/** The commands behind `$` in a section, each with what stands below it. */
function stepsOf(title: string): Step[] {
  const [, section = ''] = README.split(`\n## ${title}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```console\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
    .map((text) => {
      const lines = text.split('\n');
      const isWhole = (command: string) => command.split("'").length % 2 === 1 && !command.endsWith('\\');
      const length = lines.findIndex((_, at) => isWhole(lines.slice(0, at + 1).join('\n'))) + 1;
      return { command: lines.slice(0, length).join('\n'), shown: lines.slice(length).join('\n').trim() };
    });
}

const keysIn = (text: string) => [...text.matchAll(/"(\w+)":/g)].map(([, key]) => key ?? '');

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

/** Whether the keys that the README shows come in the order in which they are answered. */
function inOrder(shown: readonly string[], printed: readonly string[]): boolean {
  const left = [...printed];
  return shown.every((key) => {
    const at = left.indexOf(key);
    return at >= 0 && left.splice(0, at + 1).length > 0;
  });
}

/** The lines that a stream of events begins with. */
async function beginningOf(url: string, lines: number): Promise<string[]> {
  const stop = new AbortController();
  const { body } = await fetch(url, { signal: stop.signal });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.split('\n').length > lines) break;
  }
  stop.abort();
  return text.split('\n').slice(0, lines);
}

/** Whether the answer is the last that it will be: a job has ended, and a conversation was taken in. */
function isSettled(command: string, answer: Record<string, unknown>): boolean {
  if (command.includes('/jobs/')) return answer.state !== 'running';
  if (command.endsWith('/messages')) return Number(answer.total) >= 5;
  if (command.includes('/output')) return String(answer.text).includes('hello again');
  return true;
}

it('a person who types the commands of the README at curl gets the answers that it shows', async () => {
  const path = join(c.folder, 'typed', 'shop');
  c.git(['clone', '--quiet', join(c.folder, 'shop'), path]);
  // The README's own ids, and what they are here.
  const real = new Map([
    ['/path/to/shop', path],
    ['http://127.0.0.1:3457', c.baseUrl],
  ]);
  const variables: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: join(c.folder, 'home') };
  const steps = stepsOf('Use it with curl');
  expect(steps.length).toBeGreaterThan(8);
  for (const step of steps) {
    const command = [...real].reduce((text, [from, to]) => text.replaceAll(from, to), step.command);
    const [, name, value] = /^([A-Z])=(\S+)$/.exec(command) ?? [];
    if (name !== undefined) variables[name] = value ?? '';
    if (name !== undefined) continue;
    // A stream has no end to wait for.
    if (command.startsWith('curl -sN')) {
      const shown = step.shown.split('\n').slice(0, 4);
      const [, path = ''] = /\$B([^"]+)/.exec(command) ?? [];
      expect(await beginningOf(`${c.baseUrl}${path}`, 4)).toEqual(shown);
      continue;
    }
    const printed = await c.until(`the answer of ${command}`, async () => {
      const text = execFileSync('sh', ['-c', command], { env: variables, encoding: 'utf8' });
      return isSettled(command, JSON.parse(text) as Record<string, unknown>) && text;
    });
    const answer = JSON.parse(printed) as Record<string, unknown>;
    expect(inOrder(keysIn(step.shown), keysIn(printed)), `${command}\n${printed}`).toBe(true);
    for (const [field, id] of [...step.shown.matchAll(/"(\w+)":"([^"]+)"/g)].map(([, ...found]) => found)) {
      const isId = id?.match(UUID)?.[0] === id;
      if (field === undefined || id === undefined || !isId) continue;
      real.set(id, String(answer[field]));
      real.set(id.slice(0, SHORT), String(answer[field]).slice(0, SHORT));
    }
    const [, total] = /"total":(\d+)/.exec(step.shown) ?? [];
    if (total !== undefined) expect(answer.total).toBe(Number(total));
    const shown = [...real].reduce((text, [from, to]) => text.replaceAll(from, to), step.shown);
    if (!shown.includes('…')) expect(answer).toEqual(JSON.parse(shown));
  }
});

/** The rows of the table under a title. */
function tableOf(title: string): string[] {
  const [, section = ''] = README.split(`# ${title}\n`);
  const [own = ''] = section.split('\n#');
  return own.split('\n').filter((line) => line.startsWith('|'));
}

it('every command of the command line stands in its table, and every line of the scripted agent in its own', () => {
  const rows = tableOf('Command line');
  const missing = CONTRACTS.flatMap(({ cli }) => (cli === undefined ? [] : [cli.command, ...(cli.also ?? [])])).filter(
    (command) => {
      const [noun = '', verb] = command.split(' ');
      const whole = rows.some((row) => row.includes(`\`${command}`));
      return !whole && !rows.some((row) => row.includes(`\`${noun}\``) && row.includes(`\`${verb}\``));
    },
  );
  expect(missing).toEqual([]);
  const lines = tableOf('The scripted agent');
  const scripted = [...Object.keys(commands), 'after'];
  expect(scripted.filter((name) => !lines.some((line) => line.startsWith(`| \`@${name}`)))).toEqual([]);
});
