import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startEditor, textPrompt } from '../support/editor.ts';
import type { Visit, VisitOptions } from './support/browser.ts';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/** Returns a prompt line that makes the scripted agent send a chunk of the message `answer`. */
const chunk = (text: string) =>
  `@update ${JSON.stringify({
    sessionUpdate: 'agent_message_chunk',
    messageId: 'answer',
    content: { type: 'text', text },
  })}`;

browserSuite('the conversation with an agent over ACP', {}, (suite) => {
  const { c } = suite;

  const open = (sessionId: string, options: VisitOptions = {}): Promise<Visit> =>
    suite.open({ ...options, path: `/sessions/${sessionId}` });

  const start = (lines: string[]) =>
    c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted-acp',
      title: 'talk',
      prompt: lines.join('\n'),
    });

  const conversationOf = (page: Page) => page.getByRole('region', { name: 'Conversation' });
  const announced = (page: Page) => page.getByRole('status').filter({ hasText: 'The agent' });
  const isInView = (element: Locator) =>
    element.evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      return top < innerHeight && bottom > 0;
    });

  it('shows text, a thought, a plan, a change and a question as they arrive, and what follows the answer', async () => {
    const { sessionId } = await start([
      '@thought The form **races** with the refresh.',
      '@plan read the code + | fix it ~',
      '@edit login.ts export const fixed = true;',
      chunk('A **stre'),
      '@permission Bash npm test',
      '@plan read the code + | fix it +',
      '@say after the answer',
      '@report succeeded Fixed.',
    ]);
    const { page, screenshot } = await open(sessionId);
    const conversation = conversationOf(page);

    // The question is at the end of the conversation, because the agent has no terminal in which to answer it.
    const question = conversation.getByRole('region', { name: 'Question from the agent' });
    await question.getByText('npm test').waitFor();
    expect(await question.getByRole('button', { name: 'Answer in terminal' }).count()).toBe(0);
    expect(await isInView(question)).toBe(true);
    await expect.poll(() => announced(page).textContent(), POLL).toBe('The agent has a question.');

    const thought = conversation.getByRole('button', { name: /^Thought The form races/ });
    await thought.click();
    await conversation.locator('strong', { hasText: 'races' }).waitFor();
    await page.getByRole('region', { name: 'Plan' }).getByText('1 of 2').waitFor();
    const edit = conversation.getByRole('button', { name: 'Edit login.ts +1 −0 done' });
    await edit.click();
    await conversation.getByText('export const fixed = true;').last().waitFor();
    await conversation.getByText('A **stre').last().waitFor();
    await screenshot('conversation-question');

    await question.getByRole('button', { name: 'Yes', exact: true }).click();
    await conversation.getByText('after the answer').last().waitFor();
    await conversation.getByRole('article', { name: 'Report' }).getByText('Fixed.').waitFor();
    await conversation.getByText('reported by the agent, certain').waitFor();
    await expect.poll(() => announced(page).textContent(), POLL).toBe('The agent has finished.');
    // The plan is no longer pinned, but part of the conversation.
    await conversation.getByRole('region', { name: 'Plan' }).getByText('2 of 2').waitFor();
    await screenshot('conversation-end');
  });

  it('shows all chunks of a prompt as one message, and opens a link only after showing its address', async () => {
    const { sessionId } = await start(['@say ready']);
    const { page } = await open(sessionId, { dark: true });
    const conversation = conversationOf(page);
    await conversation.getByText('ready', { exact: true }).waitFor();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill(`@chunks 300 w\n${chunk('see [the')}\n${chunk(' docs](https://example.com/docs)')}`);
    await prompt.press('Enter');
    const answer = conversation.getByRole('article', { name: 'scripted-acp' }).filter({ hasText: 'w0 w1' });
    await answer.getByText('w298 w299').waitFor();
    expect(await answer.count()).toBe(1);
    await conversation.getByRole('button', { name: 'the docs' }).click();
    await page.getByRole('dialog').getByText('https://example.com/docs').waitFor();
    // The page's keyboard shortcuts do nothing while the dialog is open.
    await page.keyboard.press('c');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('is the same live in the dashboard and in an editor', async () => {
    const editor = await startEditor(c.env, ['--agent', 'scripted-acp']);
    try {
      const { sessionId } = await editor.agent.request('session/new', { cwd: c.repository.path, mcpServers: [] });
      const { page } = await open(sessionId);
      const conversation = conversationOf(page);
      const inEditor = (text: string) => expect.poll(() => editor.said(sessionId), POLL).toContain(text);
      const text = '@say typed in the editor\n@permission Bash npm test\n@say after the answer';
      const ended = editor.agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
      await conversation.getByText('typed in the editor', { exact: true }).waitFor();
      await expect.poll(() => editor.asked.length, POLL).toBe(1);
      const question = conversation.getByRole('region', { name: 'Question from the agent' });
      await question.getByRole('button', { name: 'Yes', exact: true }).click();
      expect(await ended).toEqual({ stopReason: 'end_turn' });
      await expect.poll(() => editor.asked[0]?.withdrawn.aborted, POLL).toBe(true);
      await conversation.getByText('after the answer', { exact: true }).waitFor();

      const prompt = page.getByRole('textbox', { name: 'Prompt' });
      await prompt.fill('@say typed in the dashboard');
      await prompt.press('Enter');
      await conversation.getByText('typed in the dashboard', { exact: true }).waitFor();
      await inEditor('typed in the dashboard');
      expect(editor.of(sessionId)).toContainEqual(
        expect.objectContaining({ content: { type: 'text', text: '@say typed in the dashboard' } }),
      );
      expect(editor.said(sessionId)).toBe('typed in the editorBash allowedafter the answertyped in the dashboard');
      expect(editor.invalid).toEqual([]);
    } finally {
      editor.process.stdin?.end();
    }
  });

  it('stays where the reader is, and shows that there is more below', async () => {
    const { sessionId } = await start([
      ...Array.from({ length: 60 }, (_, at) => `@say line ${at}`),
      '@ask more?',
      '@say the last',
    ]);
    const { page } = await open(sessionId);
    const conversation = conversationOf(page);
    await conversation.getByRole('region', { name: 'Question from the agent' }).waitFor();
    await conversation.evaluate((element) => element.scrollTo(0, 0));
    await conversation.getByText('line 0', { exact: true }).waitFor();
    const { data } = await c.client.call('approvals.list', { sessionId });
    await c.client.call('approvals.answer', { approvalId: data[0]?.id ?? '', optionId: 'yes' });
    const more = page.getByRole('button', { name: /^Scroll to the end \(.* new\)/ });
    await more.waitFor();
    expect(await conversation.evaluate((element) => element.scrollTop)).toBe(0);
    await more.click();
    await conversation.getByText('the last', { exact: true }).waitFor();
    await more.waitFor({ state: 'detached' });
  });

  it('says that earlier messages could not be loaded, and tries again', async () => {
    const { sessionId } = await start(Array.from({ length: 510 }, (_, at) => `@say line ${at}`));
    await c.client.call('sessions.wait', { sessionId });
    const { page, screenshot } = await open(sessionId);
    const conversation = conversationOf(page);
    await conversation.getByText('line 509', { exact: true }).waitFor();
    await conversation.evaluate((element) => element.scrollTo(0, 0));
    const earlier = conversation.getByRole('button', { name: /^Show earlier messages/ });
    await page.route(/\/messages\?.*skip=0/, (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'BUSY', message: 'The console is busy', retryable: true } },
      }),
    );
    await earlier.click();
    const problem = conversation.getByRole('alert').filter({ hasText: 'The console is busy' });
    await problem.waitFor();
    const search = page.getByRole('searchbox', { name: 'Search in the conversation' });
    await search.fill('line 1');
    const searchEarlier = page.getByRole('button', { name: /^Search \d+ earlier messages$/ });
    await searchEarlier.click();
    await page.getByRole('alert').filter({ hasText: 'The console is busy' }).nth(1).waitFor();
    // On a phone, the button is on a row of its own, so that the search field keeps its width.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await searchEarlier.isVisible()).toBe(true);
    expect(await search.boundingBox()).toMatchObject({ width: 144, height: 40 });
    await screenshot('conversation-search-phone');
    await page.unroute(/\/messages\?.*skip=0/);
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor({ state: 'detached' });
    await conversation.evaluate((element) => element.scrollTo(0, 0));
    await conversation.getByText('line 0', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows the terminal of a tool call live, and its last output once the agent has released it', async () => {
    const { sessionId } = await start([
      '@run echo begun; until [ -e go ]; do sleep 0.05; done; echo all done; exit 2',
      '@say after',
    ]);
    const { page, screenshot } = await open(sessionId);
    const conversation = conversationOf(page);
    await conversation.getByRole('button', { name: /^echo begun/ }).click();
    const preview = conversation.getByRole('region', { name: 'Terminal of the tool call' });
    await preview.getByText('Running').waitFor();
    await expect.poll(() => preview.locator('.xterm-rows').textContent(), POLL).toContain('begun');
    const views = page.getByRole('navigation', { name: 'Views' });
    expect(await views.getByRole('link', { name: 'Terminal' }).count()).toBe(0);
    await screenshot('conversation-terminal');

    await preview.getByRole('link', { name: 'Open terminal' }).click();
    await page.getByRole('region', { name: 'Terminal of talk' }).waitFor();
    await page.getByRole('button', { name: 'Terminal opened by the agent', exact: true }).waitFor();
    await views.getByRole('link', { name: 'Conversation' }).click();
    await conversation.getByRole('button', { name: /^echo begun/ }).click();
    const { cwd } = await c.client.call('sessions.get', { sessionId });
    writeFileSync(join(cwd, 'go'), '');
    await conversation.getByText('after', { exact: true }).waitFor();
    await conversation.getByText('Output, exit status 2').waitFor();
    await conversation.getByText('all done', { exact: true }).waitFor();
    await screenshot('conversation-terminal-released');
  });

  it('completes the names of files in the prompt', async () => {
    const { sessionId, worktreePath } = await start(['@write src/login.ts 1', '@commit Add login', '@say ready']);
    await c.client.call('sessions.wait', { sessionId });
    expect(c.git(['ls-files'], worktreePath)).toContain('src/login.ts');
    const { page } = await open(sessionId);
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.pressSequentially('see @LOG');
    await page.getByRole('option', { name: 'login.ts src' }).waitFor();
    await prompt.press('Enter');
    await expect.poll(() => prompt.inputValue(), POLL).toBe('see @src/login.ts ');
    await prompt.pressSequentially('@log');
    await page.getByRole('listbox', { name: 'Files' }).waitFor();
    await prompt.press('Escape');
    await page.getByRole('listbox', { name: 'Files' }).waitFor({ state: 'detached' });
    expect(await prompt.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('shows the mode, the model and the context used, and changes them', async () => {
    const commands = [{ name: 'review', description: 'Review the changes', input: { hint: 'what to look at' } }];
    const { sessionId } = await start([
      '@usage 53000 200000',
      `@update ${JSON.stringify({ sessionUpdate: 'available_commands_update', availableCommands: commands })}`,
      '@say ready',
    ]);
    await c.client.call('sessions.wait', { sessionId });
    const { page, screenshot } = await open(sessionId, { width: 390, height: 844 });
    await page.getByText('27 %').waitFor();
    await page.getByRole('combobox', { name: 'Mode: Accept edits' }).waitFor();
    await page.getByRole('combobox', { name: 'Model: Small' }).click();
    await page.getByRole('option', { name: 'Large' }).click();
    await page.getByRole('combobox', { name: 'Model: Large' }).waitFor();
    const currentModel = async () =>
      (await c.client.call('sessions.options', { sessionId })).options.find(({ id }) => id === 'model')?.current;
    await expect.poll(currentModel, POLL).toBe('large');
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.pressSequentially('/re');
    await page.getByRole('option', { name: '/review what to look at Review the changes' }).waitFor();
    await screenshot('conversation-options-phone');
    await prompt.press('Tab');
    await expect.poll(() => prompt.inputValue(), POLL).toBe('/review ');
  });
});
