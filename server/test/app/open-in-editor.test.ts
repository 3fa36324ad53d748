import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
let worktreeId: string;
let path: string;
beforeAll(async () => {
  c = await startTestApp();
  const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
  const [worktree] = data;
  worktreeId = worktree?.id ?? '';
  path = worktree?.path ?? '';
});
afterAll(() => c.close());
beforeEach(() => c.client.call('settings.update', { editorCommand: '', editorUrl: '' }));

const open = (input: object = {}) => c.client.call('worktrees.openInEditor', { worktreeId, ...input });

describe('open in editor', () => {
  it('says which settings are missing', async () => {
    expect(await refusal(open())).toMatchObject({
      code: 'CONFLICT',
      message: 'No editor is set. Set editorCommand or editorUrl in the settings.',
    });
  });

  it('runs the command without a shell, in the worktree', async () => {
    const folder = join(path, 'odd $(touch owned) folder');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'file.ts'), '');
    const editor = join(path, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\npwd >"$0.seen"\nprintf "%s\\n" "$@" >>"$0.seen"\n');
    chmodSync(editor, 0o755);
    await c.client.call('settings.update', {
      editorCommand: `${editor} --goto {path}:{line}`,
      editorUrl: 'vscode://file{path}',
    });
    const file = 'odd $(touch owned) folder/file.ts';
    expect(await open({ path: file, line: 3 })).toEqual({ path: join(path, file), url: null });
    expect(readFileSync(`${editor}.seen`, 'utf8')).toBe(`${path}\n--goto\n${join(path, file)}:3\n`);
  });

  it('reports a command that fails or does not exist', async () => {
    await c.client.call('settings.update', { editorCommand: 'ls --no-such-flag' });
    expect(await refusal(open())).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('no-such-flag') });
    await c.client.call('settings.update', { editorCommand: 'no-such-editor' });
    expect(await refusal(open())).toMatchObject({
      message: expect.stringContaining('no-such-editor was not found on the PATH'),
    });
  });

  it('returns an address for the browser without a command', async () => {
    await c.client.call('settings.update', { editorUrl: 'vscode://file{path}:{line}' });
    expect(await open()).toEqual({ path, url: `vscode://file${path}:1` });
  });

  it('opens nothing outside the worktree', async () => {
    await c.client.call('settings.update', { editorCommand: 'true' });
    symlinkSync('/etc', join(path, 'out'));
    for (const outside of ['../', '/etc/passwd', 'out/passwd', 'missing.ts']) {
      expect(await refusal(open({ path: outside }))).toMatchObject({ code: 'VALIDATION', details: { field: 'path' } });
    }
  });

  it.each([
    { editorUrl: 'javascript://{path}' },
    { editorUrl: 'https://example.com/{path}' },
    { editorUrl: 'vscode:{path}' },
    { editorUrl: 'vscode://file' },
    { editorCommand: 'code\nrm' },
  ])('refuses the setting %o', async (change) => {
    expect(await refusal(c.client.call('settings.update', change))).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('a failed task', () => {
  const { create, prompt, taskBecomes, heard } = sessionsOf(() => c);

  it('is tried again as a new task with the same prompt, once per key', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@report failed It broke');
    await taskBecomes(taskId, 'failed');
    const idempotencyKey = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const again = await c.client.call('tasks.retry', { taskId, idempotencyKey });
    expect(again).toMatchObject({ sessionId, prompt: '@report failed It broke' });
    expect(again.id).not.toBe(taskId);
    expect((await c.client.call('tasks.retry', { taskId, idempotencyKey })).id).toBe(again.id);
    await taskBecomes(again.id, 'failed');
    expect(heard(sessionId)).toEqual(['@report failed It broke', '@report failed It broke']);
  });

  it('is not tried again once it succeeded', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@report succeeded done');
    await taskBecomes(taskId, 'completed');
    expect(await refusal(c.client.call('tasks.retry', { taskId }))).toMatchObject({ code: 'CONFLICT' });
  });
});
