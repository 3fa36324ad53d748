import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf, answering, defineAcpAgents } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

/** Modes of an agent, which differ from those of the console. */
const MODES = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'yolo', name: 'Never ask' },
  ],
};

const RESULTS: Record<string, object> = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/prompt': { stopReason: 'end_turn' },
};
/** Parameters of the `session/set_mode` requests that the agent `moody` got. */
const chosen: unknown[] = [];
const moody = answering((method, params) => {
  if (method === 'session/set_mode') chosen.push(params);
  const result = method === 'session/set_mode' ? {} : { sessionId: 'moody', modes: MODES };
  return { result: RESULTS[method] ?? result };
});
const modeless = answering((method) => ({ result: RESULTS[method] ?? { sessionId: 'modeless' } }));

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { moody, modeless } });
  await defineAcpAgents(c, ['moody', 'modeless']);
});
afterAll(() => c.close());

const { get, prompt, finished } = sessionsOf(() => c);
const { start, texts } = acpSessionsOf(() => c);

describe('an agent over ACP with options', () => {
  const optionsOf = (sessionId: string) => c.client.call('sessions.options', { sessionId });
  const currentOf = async (sessionId: string) =>
    Object.fromEntries((await optionsOf(sessionId)).options.map(({ id, current }) => [id, current]));

  it('works in the permission mode of its session', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted-acp',
      permissionMode: 'bypassPermissions',
      initialPrompt: '@permission Write a.txt',
    });
    await finished(id);
    expect(await texts(id)).toEqual(['Write allowed']);
  });

  it('offers its options, and changes them while it works and again in its next process', async () => {
    const { id } = await start('@usage 1200 200000\n@permission Write a.txt');
    await c.until('a question', async () => (await get(id)).status === 'awaiting_input');
    expect(await optionsOf(id)).toMatchObject({
      options: [
        { id: 'mode', category: 'mode', current: 'acceptEdits' },
        { id: 'model', category: 'model', current: 'small', values: [{ id: 'small' }, { id: 'large' }] },
        { id: 'verbose', current: 'false' },
      ],
      usage: { used: 1200, size: 200_000 },
    });
    const set = (optionId: string, value: string) =>
      c.client.call('sessions.setOption', { sessionId: id, optionId, value });
    await set('model', 'large');
    await set('verbose', 'true');
    await set('mode', 'bypassPermissions');
    expect((await get(id)).permissionConfig).toMatchObject({ mode: 'bypassPermissions', applies: 'now' });
    const confirmed = { mode: 'bypassPermissions', model: 'large', verbose: 'true' };
    expect(await currentOf(id)).toEqual(confirmed);
    const [approval] = (await c.client.call('approvals.list', { sessionId: id })).data;
    await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'no' });
    await finished(id);
    await prompt(id, '@permission Write b.txt');
    await finished(id);
    expect(await texts(id)).toEqual(['Write denied', 'Write allowed']);
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, '@permission Write c.txt');
    await finished(id);
    expect(await currentOf(id)).toEqual(confirmed);
  });

  it('refuses unknown options and values, naming the ones it has', async () => {
    const { id } = await start('@say ready');
    await finished(id);
    const set = (optionId: string, value: string) =>
      refusal(c.client.call('sessions.setOption', { sessionId: id, optionId, value }));
    expect(await set('speed', 'fast')).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('mode, model'),
    });
    expect(await set('model', 'huge')).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('small, large'),
    });
  });

  it('changes the mode of the session when it changes its own mode, but not above the ceiling', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted-acp',
      permissionMode: 'plan',
      permissionCeiling: 'acceptEdits',
      initialPrompt: '@mode acceptEdits\n@say first',
    });
    await finished(id);
    expect((await get(id)).permissionConfig).toMatchObject({ mode: 'acceptEdits', applies: 'now' });
    await prompt(id, '@mode bypassPermissions');
    await finished(id);
    await c.until('its mode', async () => (await currentOf(id)).mode === 'acceptEdits');
    const session = await get(id);
    expect(session.permissionConfig).toMatchObject({ mode: 'acceptEdits' });
    expect(session.workers[0]?.warnings.join()).toMatch(/above the ceiling acceptEdits/);
  });

  it('changes the mode of an agent that has only modes, and shows the one that the agent confirmed', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'moody',
      permissionMode: 'bypassPermissions',
      initialPrompt: 'Hello',
    });
    await finished(id);
    expect(chosen).toEqual([{ sessionId: 'moody', modeId: 'yolo' }]);
    expect(await currentOf(id)).toEqual({ mode: 'yolo' });
    await c.client.call('sessions.setOption', { sessionId: id, optionId: 'mode', value: 'ask' });
    await c.until('the mode', async () => (await currentOf(id)).mode === 'ask');
    expect(chosen.at(-1)).toEqual({ sessionId: 'moody', modeId: 'ask' });
  });

  it.each([
    ['plan', 'modeless', [expect.stringContaining('has no mode that corresponds to plan')]],
    ['acceptEdits', 'modeless', []],
    ['plan', 'moody', [expect.stringContaining('has no mode (ask, yolo) that corresponds to plan')]],
    ['bypassPermissions', 'moody', []],
  ] as const)(
    'warns if mode %s has no equivalent in an agent that is %s',
    async (permissionMode, agentId, expected) => {
      const { id } = await c.client.call('sessions.create', {
        cwd: c.folder,
        agentId,
        permissionMode,
        initialPrompt: 'Hello',
      });
      await finished(id);
      expect((await get(id)).workers[0]?.warnings).toEqual(expected);
    },
  );
});
