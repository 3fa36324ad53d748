import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { browserSuite } from './support/suite.ts';

browserSuite('discarded changes', {}, ({ c, open }) => {
  it('are restored by the button in the dialog', async () => {
    const fields = { repositoryId: c.repository.id, branch: 'drafts', prompt: '@report succeeded done' };
    const { sessionId } = await c.client.call('delegations.create', fields);
    await c.client.call('sessions.wait', { sessionId });
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    const { path } = await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' });
    const file = join(path, 'draft.txt');
    writeFileSync(file, 'draft\n');
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}?view=diff` });
    await page.getByText('1 uncommitted file').waitFor();
    await page.keyboard.press('Shift+D');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('draft.txt').waitFor();
    await dialog.getByRole('button', { name: 'Discard changes of 1 file' }).press('Enter');
    await dialog.getByText('Changes of 1 file discarded').waitFor();
    expect(existsSync(file)).toBe(false);
    await screenshot('undo-discard');
    await dialog.getByRole('button', { name: 'Undo' }).press('Enter');
    await dialog.getByRole('status').getByText('Discarded changes of 1 file restored').waitFor();
    await screenshot('undo-discard-done');
    expect(existsSync(file)).toBe(true);
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByText('1 uncommitted file').waitFor();
  });
});
