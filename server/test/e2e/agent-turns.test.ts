import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCaptures, bytesOf } from '../agents/support/captures.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { defineClaudeStandIn } from './support/claude-stand-in.ts';

let c: TestConsole;
let agentId: string;
beforeAll(async () => {
  c = await startConsole();
  agentId = await defineClaudeStandIn(c);
});
afterAll(() => c.close());

const newSession = async () => (await c.client.call('sessions.create', { cwd: c.folder, agentId })).id;
const prompt = async (sessionId: string, text: string) =>
  (await c.client.call('sessions.prompt', { sessionId, prompt: text })).taskId;
const ended = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });
const words = async (sessionId: string) =>
  (await c.client.call('sessions.messages', { sessionId, limit: 100 })).data.map(({ parts }) => parts[0]?.text);

describe.concurrent('an agent that reports its turns and writes a transcript', () => {
  it('has each answer after its prompt when prompts are queued, and an error of its model ends its task', async () => {
    const sessionId = await newSession();
    const tasks = [];
    for (const text of ['apple', 'fail 500 on fire', 'pear', 'plum']) tasks.push(await prompt(sessionId, text));
    const results = [];
    for (const taskId of tasks) results.push(await ended(taskId));
    expect(results).toMatchObject([
      { status: 'completed', summary: 'heard apple' },
      {
        status: 'failed',
        outcomeSource: 'hook',
        certain: true,
        error: { code: 'AGENT_UNAVAILABLE', message: 'The turn ended with an error: API Error: 500 on fire' },
      },
      { status: 'completed', summary: 'heard pear' },
      { status: 'completed', summary: 'heard plum' },
    ]);
    expect(await c.until('all words', async () => (await words(sessionId)).length === 8 && words(sessionId))).toEqual([
      'apple',
      'heard apple',
      'fail 500 on fire',
      'API Error: 500 on fire',
      'pear',
      'heard pear',
      'plum',
      'heard plum',
    ]);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('ends the tasks of commands that start no turn, and runs the prompt after them', async () => {
    const sessionId = await newSession();
    const command = await prompt(sessionId, '!ls');
    const panel = await prompt(sessionId, '/panel');
    const next = await prompt(sessionId, 'apple');
    expect(await ended(command)).toMatchObject({ status: 'completed', certain: false, outcomeSource: 'transcript' });
    expect(await ended(panel)).toMatchObject({ status: 'completed', certain: false });
    expect(await ended(next)).toMatchObject({ status: 'completed', summary: 'heard apple' });
    await c.client.call('sessions.stop', { sessionId });
  });

  it('continues a new conversation that a person started, and its session follows it', async () => {
    const sessionId = await newSession();
    await ended(await prompt(sessionId, 'apple'));
    expect(await ended(await prompt(sessionId, '/clear'))).toMatchObject({ status: 'completed', certain: false });
    expect(await ended(await prompt(sessionId, 'pear'))).toMatchObject({ summary: 'heard pear' });
    // The test waits, because the agent writes a turn to its transcript a moment after it has reported the end of the
    // turn.
    await c.until('its record', async () => (await words(sessionId)).includes('heard pear'));
    await c.client.call('sessions.pause', { sessionId });
    await c.client.call('sessions.resume', { sessionId });
    expect(await ended(await prompt(sessionId, 'plum'))).toMatchObject({ summary: 'heard plum' });
    expect(await c.until('all words', async () => (await words(sessionId)).length === 7 && words(sessionId))).toEqual([
      'apple',
      'heard apple',
      '/clear',
      'pear',
      'heard pear',
      'plum',
      'heard plum',
    ]);
    await c.client.call('sessions.stop', { sessionId });
  });
});

/**
 * Returns a program that shows a recorded trust question of Codex, accepts Enter as the answer, and then runs prompts.
 */
const asksFirst = (recording: string) => `#!/usr/bin/env node
const { readFileSync } = require('node:fs');
if (process.argv.includes('--help')) process.exit(0);
let asked = true;
let typed = '';
const draw = (title, above) =>
  process.stdout.write('\\x1b]0;' + title + '\\x07\\x1b[H\\x1b[2J' + above + '\\r\\n\\r\\n› ' + typed + '\\r\\n\\r\\n  scripted · /tmp\\r\\n');
const rest = () => draw('work', '>_ OpenAI Codex');
process.stdin.setRawMode(true);
process.stdin.on('data', (data) => {
  const enter = data.includes('\\r');
  if (asked && !enter) return;
  if (!enter) typed += data.toString().replace(/\\x1b\\[20[01]~/g, '');
  else if (!asked) {
    typed = '';
    draw('⠋ work', '• Working (0s • esc to interrupt)');
    return setTimeout(rest, 500);
  }
  asked = false;
  rest();
});
process.stdout.write(readFileSync(${JSON.stringify(recording)}));
`;

describe('an agent that asks before its first prompt', () => {
  it('keeps its task waiting for the answer, which is typed as the keys of the question', async () => {
    const capture = allCaptures().find(({ name }) => name === 'codex-0.169.0/notrust');
    if (capture === undefined) throw new Error('no recording of the question');
    const recording = join(c.folder, 'asks-first.ansi');
    writeFileSync(recording, bytesOf(capture).subarray(0, capture.labels[0]?.end));
    const program = join(c.folder, 'asks-first');
    writeFileSync(program, asksFirst(recording));
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'asks-first', name: 'Asks', kind: 'codex', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'asks-first' });
    const taskId = await prompt(sessionId, 'go');
    const question = await c.until('a question', async () => {
      const { status } = await c.client.call('sessions.get', { sessionId });
      const { data } = await c.client.call('approvals.list', { sessionId });
      return status === 'awaiting_input' && data[0];
    });
    expect(question).toMatchObject({ taskId, text: expect.stringContaining('Trust this folder?') });
    expect(await c.client.call('tasks.get', { taskId })).toMatchObject({
      status: 'awaiting_input',
      waitingFor: 'answer',
    });
    const trust = question.options.find(({ kind }) => kind === 'allow')?.id ?? '';
    await c.client.call('approvals.answer', { approvalId: question.id, optionId: trust });
    expect(await ended(taskId)).toMatchObject({ status: 'completed' });
    expect((await c.client.call('approvals.list', { sessionId })).total).toBe(0);
  });
});

describe('an agent that exits at its start', () => {
  it('has its last output in the error of its task', async () => {
    const program = join(c.folder, 'gives-up');
    writeFileSync(program, '#!/bin/sh\necho "Unable to connect to the model."\necho "Check your network."\nexit 1\n');
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'gives-up', name: 'Gives up', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'gives-up' });
    expect(await ended(await prompt(sessionId, 'go'))).toMatchObject({
      status: 'failed',
      error: {
        message:
          'The agent exited with code 1 before it accepted the prompt. Last lines on its screen:\nUnable to connect to the model.\nCheck your network.',
      },
    });
  });
});
