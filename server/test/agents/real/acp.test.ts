import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killServer } from '../../e2e/support/kill.ts';
import { startRoot, transcriptOf } from '../../e2e/support/root.ts';
import { refusal } from '../../support/calling.ts';
import { died, ended, heard, kill9, workerOf } from './hands.ts';
import { ACP_AGENTS, ACP_IDS, versionOf } from './harness/clis.ts';
import { asking, committing, delegating, lookingFirst, reporting, running } from './scripts.ts';
import { openWorld, type World } from './world.ts';

for (const agentId of ACP_IDS) {
  const { name, cli } = ACP_AGENTS[agentId];
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${name} is not installed or does not start here`);

  describe.skipIf(version === null)(name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([
        ...delegating,
        ...asking(cli),
        ...committing(cli),
        running(cli, 'please print fig', 'echo a fig, and its end && exit 3'),
        running(cli, 'please write quince', `node -e "fs.writeFileSync('quince.txt', '')"`),
        ...reporting,
        ...lookingFirst,
        { when: 'please wait for it', not: 'and now', hold: 'never', text: 'Too late.' },
        { when: 'please break', not: 'and now', fail: { status: 400, message: 'the backend is on fire' } },
      ]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const call: World['c']['client']['call'] = (operation, input) => w.c.client.call(operation, input);
    const messagesOf = async (sessionId: string) => (await call('sessions.messages', { sessionId, limit: 100 })).data;
    const endOf = async (sessionId: string) =>
      w.until('a notice', async () => {
        const { data } = await call('sessions.notices', { sessionId });
        const ends = data.filter(({ kind }) => kind === 'ended');
        return ends[0]?.state === 'delivered' && ends;
      });

    /** Allows everything that the agent of a session asks for, until `look` returns a value. */
    const allowing = <T>(sessionId: string, what: string, look: () => Promise<T | undefined | false>) =>
      w.until(what, async () => {
        for (const approval of (await call('approvals.list', { sessionId, state: 'pending' })).data) {
          const option = approval.options.find(({ kind }) => kind === 'allow');
          await call('approvals.answer', { approvalId: approval.id, optionId: option?.id ?? '' });
        }
        return look();
      });

    /** Waits for the session's question about a file. Returns the question, and a function that answers it. */
    async function asked(sessionId: string, file: string) {
      const approval = await w.until(`a question about ${file}`, async () => {
        const { data } = await call('approvals.list', { sessionId, state: 'pending' });
        return data.find(({ text }) => text.includes(file)) ?? data[0];
      });
      return {
        approval,
        answer: (kind: 'allow' | 'deny') =>
          call('approvals.answer', {
            approvalId: approval.id,
            optionId: approval.options.find((option) => option.kind === kind)?.id ?? '',
          }),
      };
    }

    it('commits and reports delegated work, and the delegating session gets one notice', async () => {
      const parent = await startRoot(w.c);
      const child = await parent.client.call('delegations.create', { agentId, prompt: 'please commit apple' });
      const done = async () => (await call('tasks.get', { taskId: child.taskId })).endedAt !== null;
      await allowing(child.sessionId, 'the end of its task', done);
      const wanted = { status: 'completed', outcomeSource: 'report', summary: 'apple is committed' };
      expect(await endOf(parent.sessionId)).toEqual([expect.objectContaining(wanted)]);
      expect(w.c.git(['log', '--format=%s', 'main..HEAD'], child.worktreePath)).toBe('apple');
      expect(w.c.git(['status', '--porcelain', '--ignored'], child.worktreePath)).toBe('');
      const told = transcriptOf(w.c, parent.sessionId).filter((entry) => entry.text?.includes('apple is committed'));
      expect(told.filter((entry) => entry.role === 'user')).toHaveLength(1);
      const messages = await messagesOf(child.sessionId);
      expect(new Set(messages.map(({ source }) => source))).toEqual(new Set(['console', 'acp']));
      expect(messages.some(({ kind }) => kind === 'toolCall')).toBe(true);
    });

    it('delegates to another agent of its kind, and gets one notice of what that agent reported', async () => {
      const prompt = `please delegate to ${agentId}: please commit melon`;
      const parent = await w.delegate(agentId, prompt);
      const child = await allowing(parent.sessionId, 'a delegation', async () => {
        const { data } = await call('delegations.list', { parentSessionId: parent.sessionId });
        return data[0];
      });
      const done = async () => (await call('tasks.get', { taskId: child.taskId })).endedAt !== null;
      await allowing(child.sessionId, 'the end of its task', done);
      const wanted = { status: 'completed', outcomeSource: 'report', summary: 'melon is committed' };
      expect(await endOf(parent.sessionId)).toEqual([expect.objectContaining(wanted)]);
      expect(w.c.git(['log', '--format=%s', 'main..HEAD'], child.worktreePath)).toBe('melon');
      await w.until('its words', async () => w.heard('melon is committed').length > 0);
      const told = w.heard('melon is committed').filter((request) => request.last.includes('[agent-console'));
      expect(told).toHaveLength(1);
      expect(told[0]?.raw).toContain(`You run in session ${parent.sessionId}`);
    });

    it('knows its own session, also when several run, and calls the tools as this session without asking', async () => {
      const names = ['pear', 'plum'];
      const made = await Promise.all(names.map((each) => w.delegate(agentId, `please report as ${each}`)));
      const tasks = await Promise.all(made.map(({ taskId }) => ended(w, taskId)));
      expect(tasks.map((task) => [task.outcomeSource, task.summary, task.error])).toEqual(
        names.map((each) => ['report', `I am ${each}`, null]),
      );
      for (const [index, { sessionId }] of made.entries()) {
        for (const { raw } of w.heard(`please report as ${names[index]}`)) {
          expect(raw).toContain(`You run in session ${sessionId}`);
          for (const other of made) if (other.sessionId !== sessionId) expect(raw).not.toContain(other.sessionId);
        }
        expect((await call('approvals.list', { sessionId })).data).toEqual([]);
      }
    });

    it('asks for permission in the console, and follows either answer', async () => {
      for (const [fruit, kind] of [
        ['cherry', 'allow'],
        ['walnut', 'deny'],
      ] as const) {
        const { sessionId, workerId, worktreePath } = await w.delegate(agentId, `please make ${fruit}`);
        const { approval, answer } = await asked(sessionId, `${fruit}.txt`);
        expect(approval).toMatchObject({ state: 'pending', workerId, source: 'protocol' });
        expect(await call('sessions.get', { sessionId })).toMatchObject({ status: 'awaiting_input' });
        expect(existsSync(join(worktreePath, `${fruit}.txt`))).toBe(false);
        expect(await answer(kind)).toMatchObject({ state: 'answered' });
        await w.until('its rest', async () => (await workerOf(w, workerId)).activityState === 'idle');
        expect(existsSync(join(worktreePath, `${fruit}.txt`))).toBe(kind === 'allow');
      }
    });

    it('does not ask in mode bypassPermissions, and writes nothing in mode plan unless it is allowed', async () => {
      const start = async (permissionMode: 'bypassPermissions' | 'plan', initialPrompt: string) => {
        const made = await w.delegate(agentId, 'say nothing');
        await ended(w, made.taskId);
        const { sessionId } = made;
        await call('sessions.update', { sessionId, permissionMode });
        const { taskId } = await call('sessions.prompt', { sessionId, prompt: initialPrompt });
        return { ...made, taskId };
      };
      const free = await start('bypassPermissions', 'please write quince');
      await ended(w, free.taskId);
      expect(existsSync(join(free.worktreePath, 'quince.txt'))).toBe(true);
      expect((await call('approvals.list', { sessionId: free.sessionId })).data).toEqual([]);
      const planning = await start('plan', 'please make sloe');
      await w.until('its question or its end', async () => {
        const { status } = await call('sessions.get', { sessionId: planning.sessionId });
        return status === 'awaiting_input' || status === 'idle';
      });
      expect(existsSync(join(planning.worktreePath, 'sloe.txt'))).toBe(false);
      for (const { sessionId } of [free, planning]) {
        const { workers } = await call('sessions.get', { sessionId });
        // Codex has other permission modes than the console, so the console warns which mode Codex runs in instead. For
        // Gemini, see `lost` below.
        const expected = cli === 'gemini' ? /began a new one/ : /closest mode/;
        expect(workers.at(-1)?.warnings.filter((each) => !expected.test(each))).toEqual([]);
      }
    });

    // The tool calls of Gemini CLI 0.61.0 have no content, so this test is expected to fail for Gemini.
    const showsOutput = cli === 'gemini' ? it.fails : it;
    showsOutput('has the output of a command in its tool call, as plain text', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please print fig');
      const done = async () => (await call('tasks.get', { taskId })).endedAt !== null;
      await allowing(sessionId, 'the end of its task', done);
      const calls = (await messagesOf(sessionId)).filter(({ kind }) => kind === 'toolCall');
      const texts = calls.flatMap(({ parts }) => (parts[0]?.content as Record<string, unknown>[] | undefined) ?? []);
      const outputs = texts.map(({ output, content }) => output ?? (content as { text?: string } | undefined)?.text);
      expect(outputs).toContainEqual(expect.stringContaining('a fig, and its end'));
    });

    it('has each answer after its own prompt when several prompts are queued', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'say one');
      const second = await call('sessions.prompt', { sessionId, prompt: 'say two' });
      for (const each of [taskId, second.taskId]) await ended(w, each);
      const texts = (await messagesOf(sessionId)).filter(({ kind }) => kind === 'text');
      const shown = texts.map(({ role, parts }) => [role, parts.map(({ text }) => text).join('')]);
      expect(shown.filter(([role]) => role === 'user')).toEqual([
        ['user', 'say one'],
        ['user', 'say two'],
      ]);
      expect(shown.at(-1)).toEqual(['agent', 'Done.']);
      expect(shown.filter(([, text]) => text === 'Done.')).toHaveLength(2);
    });

    it('stops when its task is cancelled, and runs the next prompt', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please wait for it');
      await heard(w, 'please wait for it');
      await call('tasks.cancel', { taskId });
      const { taskId: next } = await call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
      expect(await ended(w, next)).toMatchObject({ status: 'completed', summary: 'Done.' });
      expect(await call('tasks.get', { taskId })).toMatchObject({ status: 'cancelled' });
    });

    it('fails its task with the error message of its model, and runs the next prompt', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please break');
      const failed = { status: 'failed', error: { message: expect.stringContaining('the backend is on fire') } };
      expect(await ended(w, taskId)).toMatchObject(failed);
      const { taskId: next } = await call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
      expect(await ended(w, next)).toMatchObject({ status: 'completed', summary: 'Done.' });
    });

    it('continues its conversation when it is resumed after a crash, or warns that it started a new one', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'remember the word zebra');
      await ended(w, taskId);
      const before = await messagesOf(sessionId);
      await kill9(w, workerId);
      await died(w, workerId);
      await call('sessions.prompt', { sessionId, prompt: 'and now the heron' });
      const request = await heard(w, 'and now the heron');
      // Gemini CLI 0.61.0 loses a conversation that it has to load within the minute in which the conversation began.
      const { workers } = await call('sessions.get', { sessionId });
      const lost = workers.some(({ warnings }) => warnings.some((each) => each.includes('began a new one')));
      expect(lost && cli !== 'gemini').toBe(false);
      if (!lost) expect(request.raw).toContain('remember the word zebra');
      expect(request.raw).toContain(`You run in session ${sessionId}`);
      // The agent sends the whole conversation again when it is loaded. The console must not store it a second time.
      expect((await messagesOf(sessionId)).slice(0, before.length + 1)).toEqual([
        ...before,
        expect.objectContaining({ role: 'user', parts: [{ type: 'text', text: 'and now the heron' }] }),
      ]);
    });

    it('knows the earlier conversation in a fork, which the original does not notice, or refuses to fork', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'say kumquat');
      await ended(w, taskId);
      const { supports } = await call('agents.get', { id: agentId });
      const asked = call('sessions.fork', { sessionId, prompt: 'and now the ibis' });
      if (!supports.fork) {
        expect(await refusal(asked)).toMatchObject({ code: 'UNSUPPORTED' });
        return;
      }
      const fork = await asked;
      expect(await ended(w, fork.taskId)).toMatchObject({ status: 'completed', summary: 'Done.' });
      expect((await heard(w, 'and now the ibis')).raw).toContain('say kumquat');
      const { taskId: next } = await call('sessions.prompt', { sessionId, prompt: 'and now the stork' });
      await ended(w, next);
      const { raw } = await heard(w, 'and now the stork');
      expect(raw).toContain('say kumquat');
      expect(raw).not.toContain('ibis');
      const prompts = (await messagesOf(fork.sessionId)).filter(({ role }) => role === 'user');
      expect(prompts.map(({ parts }) => parts[0]?.text)).toEqual(['say kumquat', 'and now the ibis']);
    });

    it('calls its next tool without a problem after the server was killed', async () => {
      const { taskId, sessionId } = await w.delegate(agentId, 'look, then report');
      await w.until('the first call', async () => w.heard('"workers"').length > 0);
      await killServer(w.c);
      w.model.release('second');
      expect(await ended(w, taskId)).toMatchObject({ outcomeSource: 'report', summary: 'looked and reported' });
      const calls = (await messagesOf(sessionId)).filter(({ kind }) => kind === 'toolCall');
      expect(new Set(calls.map(({ parts }) => parts[0]?.callId)).size).toBe(calls.length);
    });
  });
}
