import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import { type Editor, openEditor, textPrompt } from '../../support/editor.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const editors: Editor[] = [];
afterEach(() => {
  for (const { invalid, errors, close } of editors.splice(0)) {
    close();
    expect(invalid).toEqual([]);
    expect(errors).toEqual([]);
  }
});

const BOTH = { elicitation: { form: {}, url: {} } };

/** Opens an editor with a session, and sends a prompt whose lines make the scripted agent ask. */
async function asking(text: string, capabilities = {}) {
  const editor = await openEditor(c, { capabilities });
  editors.push(editor);
  const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] });
  const ended = editor.agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
  return { editor, sessionId, ended };
}

const properties = {
  name: { type: 'string', title: 'Name', description: 'Yours', pattern: '^a', maxLength: 9, default: 'ab' },
  mail: { type: 'string', format: 'email' },
  count: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
  ratio: { type: 'number' },
  force: { type: 'boolean', default: true },
  color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
  password: { type: 'string', description: 'Of the shop.' },
  parts: { type: 'array', minItems: 1, maxItems: 2, items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['a'] },
};
const form = (fields: object, required: string[] = []) =>
  `@form ${JSON.stringify({ type: 'object', properties: fields, required })}`;

it('shows a form in an editor that supports forms, and again if its values are refused', async () => {
  const { editor, sessionId, ended } = await asking(form(properties, ['name']), BOTH);
  const first = await c.until('the form', () => editor.elicited[0]);
  expect(first.request).toMatchObject({
    sessionId,
    mode: 'form',
    message: 'Fill this in.',
    requestedSchema: {
      required: ['name'],
      properties: {
        ...properties,
        mail: { type: 'string', title: 'mail', format: 'email' },
        password: {
          description: 'Of the shop. Your editor may show this value while you type it; the dashboard does not.',
        },
        color: {
          oneOf: [
            { const: 'red', title: 'red' },
            { const: 'blue', title: 'blue' },
          ],
          default: 'red',
        },
      },
    },
  });
  first.answer({ action: 'accept', content: { name: 'b' } });
  const second = await c.until('the form again', () => editor.elicited[1]);
  expect(second.request.message).toContain('values.name: must match ^a');
  second.answer({ action: 'accept', content: { name: 'abc', ratio: 0.5 } });
  await ended;
  const sent = { name: 'abc', count: 2, ratio: 0.5, force: true, color: 'red', parts: ['a'] };
  expect(editor.said(sessionId)).toBe(`form accept ${JSON.stringify(sent)}`);
  expect(editor.asked).toEqual([]);
});

it.each(['decline', 'cancel'] as const)('tells the agent that the editor answered a form with %s', async (action) => {
  const { editor, sessionId, ended } = await asking(form(properties), BOTH);
  (await c.until('the form', () => editor.elicited[0])).answer({ action });
  await ended;
  expect(editor.said(sessionId)).toBe(`form ${action} null`);
});

it('withdraws a form that was answered elsewhere', async () => {
  const { editor, sessionId, ended } = await asking(form(properties), BOTH);
  const { withdrawn } = await c.until('the form', () => editor.elicited[0]);
  const [approval] = (await c.client.call('approvals.list', { sessionId })).data;
  await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'decline' });
  await c.until('the withdrawal', () => withdrawn.aborted);
  await ended;
});

it('shows a page in an editor that supports pages', async () => {
  const { editor, sessionId, ended } = await asking('@link https://example.com/', BOTH);
  const { request, answer } = await c.until('the page', () => editor.elicited[0]);
  expect(request).toMatchObject({ mode: 'url', message: 'Open this page.', url: 'https://example.com/' });
  answer({ action: 'accept' });
  await ended;
  expect(editor.said(sessionId)).toBe('link accept');
});

it('tells the editor that a page need not be opened any more', async () => {
  const { editor, sessionId, ended } = await asking('@link https://example.com/', BOTH);
  const { request, withdrawn } = await c.until('the page', () => editor.elicited[0]);
  await editor.agent.notify('session/cancel', { sessionId });
  await ended;
  await c.until('the withdrawal', () => withdrawn.aborted);
  const id = 'elicitationId' in request ? request.elicitationId : '';
  await c.until('the completion', () => editor.completed.includes(String(id)));
});

it.each([
  [{ force: { type: 'boolean', title: 'Force?' } }, ['Yes', 'No', 'Decline', 'Cancel'], 1, '{"force":false}'],
  [{ color: { type: 'string', enum: ['red', 'blue'] } }, ['red', 'blue', 'Decline', 'Cancel'], 1, '{"color":"blue"}'],
])('offers a single choice as a permission request to other editors: %j', async (fields, names, chosen, values) => {
  const { editor, sessionId, ended } = await asking(form(fields));
  const { request, answer } = await c.until('the question', () => editor.asked[0]);
  expect(request.options.map(({ name }) => name)).toEqual(names);
  expect(request.options.some(({ kind }) => kind.startsWith('allow'))).toBe(false);
  answer(request.options[chosen]?.optionId ?? '');
  await ended;
  expect(editor.said(sessionId)).toBe(`form accept ${values}`);
});

it('refers other editors to the dashboard for any other form, which they can still decline', async () => {
  const { editor, sessionId, ended } = await asking(form(properties));
  const { request, answer } = await c.until('the question', () => editor.asked[0]);
  expect(request.options.map(({ optionId }) => optionId)).toEqual(['decline', 'cancel']);
  expect(JSON.stringify(request.toolCall)).toContain('Fill in this form in the dashboard');
  answer('decline');
  await ended;
  expect(editor.said(sessionId)).toBe('form decline null');
});

it('shows only the address of a page in other editors', async () => {
  const { editor, sessionId, ended } = await asking('@link https://example.com/');
  const { request, answer } = await c.until('the question', () => editor.asked[0]);
  expect(JSON.stringify(request.toolCall)).toContain('https://example.com/');
  answer('accept');
  await ended;
  expect(editor.said(sessionId)).toBe('link accept');
});
