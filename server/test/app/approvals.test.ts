import type { Approval } from '@agent-console/shared/models/approval';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { CONTRACTS, contractOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot, transcriptOf } from '../e2e/support/root.ts';
import { SocketFollower } from '../streams/live-follower.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal, runCommand, send } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

/** Creates a session and sends it a prompt, whose commands the scripted agent executes. */
async function prompted(prompt: string) {
  const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt });
  return { sessionId, taskId };
}

const approval = (approvalId: string) => c.client.call('approvals.get', { approvalId });
const statusOf = async (sessionId: string) => (await c.client.call('sessions.get', { sessionId })).status;

/** Waits for the pending question of a session; `text` selects one of several. */
function asked(sessionId: string, text = ''): Promise<Approval> {
  return c.until(`a question ${text}`, async () => {
    const { data } = await c.client.call('approvals.list', { sessionId });
    return data.find((each) => each.text.includes(text));
  });
}

const becomes = (approvalId: string, state: Approval['state']) =>
  c.until(`an approval that is ${state}`, async () => (await approval(approvalId)).state === state);

const said = (sessionId: string) =>
  transcriptOf(c, sessionId).flatMap(({ role, text }) => (role === 'agent' ? [text ?? ''] : []));

const outcomes = (sessionId: string) => said(sessionId).filter((text) => /^\w+ (?:allowed|denied)$/.test(text));

const finished = (sessionId: string) =>
  c.until('the end of the work', async () => (await c.client.call('sessions.wait', { sessionId })).reached !== null);

/** Returns functions that type into the terminal of a session's agent and wait for a text on its screen. */
async function keyboard(sessionId: string) {
  const { data } = await c.client.call('sessions.workers', { sessionId });
  const workerId = data.at(-1)?.id ?? '';
  return {
    workerId,
    type: (keys: string) => c.client.call('workers.input', { workerId, data: keys }),
    shows: (text: string) =>
      c.until(`a screen with ${text}`, async () =>
        (await c.client.call('workers.screen', { workerId })).text.includes(text),
      ),
  };
}

describe("an agent's question", () => {
  it('is returned with its tool and options while the session awaits input', async () => {
    const { sessionId, taskId } = await prompted('@permission Bash npm test\n@say went on');
    const found = await asked(sessionId);
    expect(found).toMatchObject({
      sessionId,
      taskId,
      text: 'Allow Bash: npm test',
      tool: 'Bash',
      options: [
        { id: '1', label: 'Yes', kind: 'allow' },
        { id: '2', label: 'Yes, and always allow Bash', kind: 'allow' },
        { id: '3', label: 'No', kind: 'deny' },
      ],
      source: 'screen',
      state: 'pending',
      optionId: null,
      answeredBy: null,
      endedAt: null,
    });
    expect(JSON.stringify(found)).not.toContain('keys');
    expect(await statusOf(sessionId)).toBe('awaiting_input');
    expect((await c.client.call('approvals.list', {})).data.map(({ id }) => id)).toContain(found.id);
  });

  it('can be answered over REST, and followers receive question and answer', async () => {
    const follower = new SocketFollower(() => c.baseUrl);
    follower.connect('anew');
    await c.until('a follower', async () => follower.cursor !== undefined);
    const { sessionId } = await prompted('@permission Bash npm test\n@say went on');
    const { id } = await asked(sessionId);
    const answer = await send(c, 'POST', `/approvals/${id}`, { optionId: '1' });
    expect(answer).toMatchObject({ status: 200, body: { id, state: 'answered', optionId: '1' } });
    expect(answer.body.answeredBy).toMatch(/^user:/);
    await finished(sessionId);
    expect(said(sessionId).slice(-2)).toEqual(['Bash allowed', 'went on']);
    const told = (): ConsoleEvent[] =>
      follower.followings.flatMap(({ events }) => events).filter(({ subject }) => subject.id === id);
    await c.until('both events', async () => told().length === 2);
    expect(told()).toMatchObject([
      {
        type: 'approval.requested',
        subject: { kind: 'approval' },
        data: {
          sessionId,
          text: 'Allow Bash: npm test',
          tool: 'Bash',
          options: [{ id: '1' }, { id: '2' }, { id: '3' }],
        },
      },
      { type: 'approval.answered', actor: answer.body.answeredBy, data: { sessionId, optionId: '1', label: 'Yes' } },
    ]);
    follower.leave();
  });

  it('can be refused as well as allowed', async () => {
    const { sessionId } = await prompted('@permission Bash rm -rf build\n@say went on');
    const { id } = await asked(sessionId);
    await c.client.call('approvals.answer', { approvalId: id, optionId: '3' });
    await finished(sessionId);
    expect(said(sessionId).at(-1)).toBe('Bash denied');
  });

  it('can be listed and answered from the command line', async () => {
    const { sessionId } = await prompted('@permission Edit readme.md');
    const { id } = await asked(sessionId);
    const run = (name: 'approvals.list' | 'approvals.answer', input: object) =>
      runCommand(c, contractOf(name), input as Record<string, unknown>);
    expect(await run('approvals.list', { sessionId })).toMatchObject({ total: 1, data: [{ id, tool: 'Edit' }] });
    expect(await run('approvals.answer', { approvalId: id, optionId: '2' })).toMatchObject({ state: 'answered' });
    await finished(sessionId);
    expect(outcomes(sessionId)).toEqual(['Edit allowed']);
  });

  it('is reported to the parent by a notice, which says that only people can answer', async () => {
    const parent = await startRoot(c);
    const child = await parent.client.call('delegations.create', { prompt: '@permission Bash make deploy' });
    await asked(child.sessionId);
    const [notice] = (await c.client.call('sessions.notices', { sessionId: parent.sessionId })).data;
    expect(notice).toMatchObject({ kind: 'waiting', status: 'awaiting_input' });
    expect(notice?.summary).toContain('Allow Bash: make deploy');
    expect(notice?.summary).toContain('Only a person can answer');
  });
});

describe('an answer', () => {
  it('is rejected with its id when the question has no such option', async () => {
    const { sessionId } = await prompted('@permission Bash npm test');
    const { id } = await asked(sessionId);
    const error = await refusal(c.client.call('approvals.answer', { approvalId: id, optionId: 'yes' }));
    expect(error).toMatchObject({ code: 'VALIDATION', details: { options: [{ id: '1' }, { id: '2' }, { id: '3' }] } });
    expect(error.message).toContain('1 (Yes), 2 (Yes, and always allow Bash), 3 (No)');
    expect((await approval(id)).state).toBe('pending');
  });

  it('can only be given by people', async () => {
    const { sessionId } = await prompted('@permission Bash npm test');
    const { id } = await asked(sessionId);
    const root = await startRoot(c);
    for (const workerId of [(await keyboard(sessionId)).workerId, root.workerId]) {
      const call = asWorker(c, workerId).call('approvals.answer', { approvalId: id, optionId: '1' });
      expect(await refusal(call)).toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    expect(CONTRACTS.filter(({ name, tool }) => name.startsWith('approvals.') && tool !== undefined)).toEqual([]);
    expect(outcomes(sessionId)).toEqual([]);
  });

  it('counts once when two people answer at the same time', async () => {
    const { sessionId } = await prompted('@permission Bash one\n@permission Bash two');
    const { id } = await asked(sessionId);
    const answers = await Promise.allSettled(
      ['1', '3', '1'].map((optionId) => c.client.call('approvals.answer', { approvalId: id, optionId })),
    );
    const states = answers.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason.code));
    expect(states.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'done']);
    const won = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value.optionId] : []))[0];
    const expected = won === '3' ? 'Bash denied' : 'Bash allowed';
    await c.until('its outcome', async () => outcomes(sessionId).length > 0);
    if (won === '3') await finished(sessionId);
    else await asked(sessionId, 'two');
    expect(outcomes(sessionId)).toEqual([expected]);
  });

  it('is a conflict when the agent asks something else by then, and is not typed', async () => {
    const { sessionId } = await prompted('@permission Bash one\n@permission Bash two');
    const { id } = await asked(sessionId, 'one');
    const { type, shows } = await keyboard(sessionId);
    await type('1');
    await shows('Allow Bash: two');
    const error = await refusal(c.client.call('approvals.answer', { approvalId: id, optionId: '1' }));
    expect(error).toMatchObject({ code: 'CONFLICT', retryable: false });
    expect(error.message).toContain('This question was withdrawn');
    const second = await asked(sessionId, 'two');
    expect(outcomes(sessionId)).toEqual(['Bash allowed']);
    await c.client.call('approvals.answer', { approvalId: second.id, optionId: '3' });
    await finished(sessionId);
    expect(outcomes(sessionId)).toEqual(['Bash allowed', 'Bash denied']);
  });

  it('is a conflict when the question has been answered, with that answer', async () => {
    const { sessionId } = await prompted('@permission Bash npm test');
    const { id } = await asked(sessionId);
    await c.client.call('approvals.answer', { approvalId: id, optionId: '1' });
    const error = await refusal(c.client.call('approvals.answer', { approvalId: id, optionId: '3' }));
    expect(error).toMatchObject({ code: 'CONFLICT', details: { state: 'answered', optionId: '1' } });
    expect(error.message).toContain('"Yes"');
  });

  it('answers one of two equal questions, and the next question waits for its own answer', async () => {
    const { sessionId } = await prompted('@permission Bash npm test\n@permission Bash npm test');
    const first = await asked(sessionId);
    await c.client.call('approvals.answer', { approvalId: first.id, optionId: '1' });
    const second = await c.until('the second question', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId });
      return data.find(({ id }) => id !== first.id);
    });
    expect(outcomes(sessionId)).toEqual(['Bash allowed']);
    await c.client.call('approvals.answer', { approvalId: second.id, optionId: '1' });
    await finished(sessionId);
    expect(outcomes(sessionId)).toEqual(['Bash allowed', 'Bash allowed']);
  });
});

describe('a question is withdrawn', () => {
  it('when it is answered at the keyboard', async () => {
    const { sessionId } = await prompted('@permission Bash npm test\n@say went on');
    const { id } = await asked(sessionId);
    await (await keyboard(sessionId)).type('1');
    await becomes(id, 'withdrawn');
    await finished(sessionId);
    expect(await approval(id)).toMatchObject({ optionId: null, answeredBy: null, endedAt: expect.any(String) });
    const error = await refusal(c.client.call('approvals.answer', { approvalId: id, optionId: '1' }));
    expect(error).toMatchObject({ code: 'CONFLICT', details: { state: 'withdrawn' } });
  });

  it('when its agent is killed', async () => {
    const { sessionId } = await prompted('@permission Bash npm test');
    const { id } = await asked(sessionId);
    c.runner.kill((await keyboard(sessionId)).workerId);
    await becomes(id, 'withdrawn');
    const error = await refusal(c.client.call('approvals.answer', { approvalId: id, optionId: '1' }));
    expect(error).toMatchObject({ code: 'CONFLICT' });
  });

  it('when its session is stopped, and is removed with its session', async () => {
    const { sessionId } = await prompted('@permission Bash npm test');
    const { id } = await asked(sessionId);
    await c.client.call('sessions.stop', { sessionId });
    await becomes(id, 'withdrawn');
    await c.client.call('sessions.remove', { sessionId });
    expect(await refusal(c.client.call('approvals.get', { approvalId: id }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
