import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIGNALS_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendArgument, appendInput, appendName } from '../../../src/agents/common/hooks.ts';

let folder: string;
let signals: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooks it's $(id) "));
  signals = join(folder, 'signals.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, input: string) => spawnSync('sh', ['-c', command], { input, encoding: 'utf8' });
const lines = () => readFileSync(signals, 'utf8').split('\n').slice(0, -1);

it('appends any report as one line, to a file that only its owner can read', () => {
  const reports = ['{"a": "\\n $(id) `id` %s \'"}', '{\n  "b": 2\n}\n', ''];
  for (const report of reports) {
    expect(run(appendInput(signals), report)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  }
  expect(lines()).toEqual(['{"a": "\\n $(id) `id` %s \'"}', '{  "b": 2}']);
  expect(statSync(signals).mode & 0o777).toBe(0o600);
});

it('appends only the name of an event, and none of its data', () => {
  expect(run(appendName(signals, 'PostToolUse'), '{"secret": 1}').status).toBe(0);
  expect(lines()).toEqual(['{"hook_event_name":"PostToolUse"}']);
});

it('appends a report that is passed as an argument', () => {
  const [file = '', ...args] = appendArgument(signals);
  execFileSync(file, [...args, '{"type":"agent-turn-complete","text":"$(id) \'"}']);
  expect(lines()).toEqual(['{"type":"agent-turn-complete","text":"$(id) \'"}']);
});

it('succeeds without output if the file cannot be written', () => {
  const command = appendInput(join(folder, 'no-such-folder', 'signals'));
  expect(run(command, '{}')).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it('appends nothing once the file has its maximum size', () => {
  run(appendName(signals, 'Stop'), '');
  truncateSync(signals, SIGNALS_MAX_BYTES);
  for (const command of [appendInput(signals), appendName(signals, 'Stop')]) {
    expect(run(command, '{"a":1}').status).toBe(0);
  }
  expect(statSync(signals).size).toBe(SIGNALS_MAX_BYTES);
});
