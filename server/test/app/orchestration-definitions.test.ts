import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';

let c: InProcessApp;
let agent: ConsoleClient;
beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { defaultAgentId: 'scripted' });
  const { workerId } = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    prompt: '@ask Go on?',
  });
  agent = asWorker(c, workerId);
});
afterAll(() => c.close());

const FOLDER = '.agent-console/orchestrations';
const GREET = `name: greet
description: Greets.
parameters:
  whom: { type: string, description: Whom, required: true }
objective: Greet \${{ whom }}
agents:
  - role: greeter
    permissionMode: plan
    task: "@report succeeded greeted"
`;

/** Writes files to the folder of the definitions, and commits them on the default branch. */
function commit(files: Record<string, string>): void {
  const folder = join(c.repository.path, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  c.git(['add', ...Object.keys(files).map((name) => `${FOLDER}/${name}`)]);
  c.git(['commit', '--quiet', '-m', 'definitions']);
}

type Run = RequestOf<'orchestrations.run'>;
const run = (input: Run, client = c.client) =>
  client.call('orchestrations.run', { repositoryId: c.repository.id, ...input });

async function planned(input: Run, client = c.client): Promise<OrchestrationPlan> {
  const { plan } = await run({ ...input, dryRun: true }, client);
  if (plan === null) throw new Error('a dry run has a plan');
  return plan;
}

async function outcomeOf(input: Run): Promise<OrchestrationStatus> {
  const { orchestration } = await run(input);
  return c.until('the orchestration has ended', async () => {
    const status = await c.client.call('orchestrations.get', { orchestrationId: orchestration?.id ?? '' });
    return ['completed', 'failed', 'cancelled'].includes(status.state) ? status : undefined;
  });
}

const DONE = 'Do it.\n@report succeeded done';

describe('a template', () => {
  it.each<[string, Record<string, string | number | string[]>, string[][]]>([
    ['review', { branch: 'main', reviewers: 1, focus: DONE }, [['reviewer-1'], ['summary']]],
    ['implement-test-review', { task: DONE }, [['implementer'], ['tester'], ['reviewer']]],
    ['race', { task: DONE, attempts: 0, agents: ['scripted'] }, [['agent-1'], ['judge']]],
    ['map', { items: ['a'], task: DONE }, [['item-1'], ['collector']]],
  ])('%s runs to its end', async (definition, parameters, stages) => {
    const plan = await planned({ definition, parameters });
    expect(plan).toMatchObject({ name: definition, isAccepted: true, stages, base: 'main' });
    expect(plan.worktrees).toBe(plan.isolation === 'shared' ? 1 : stages.flat().length);
    const end = await outcomeOf({ definition, parameters });
    expect(end).toMatchObject({ state: 'completed', errorMessage: null, definition: { name: definition } });
    expect(end.agents.map(({ agentId }) => agentId)).toEqual(stages.flat());
  });

  it('runs for an agent, in its own repository and with its own ceiling', async () => {
    const parameters = { branch: 'main', reviewers: 1 };
    const plan = await planned({ definition: 'review', parameters }, agent);
    expect(plan.repositoryId).toBe(c.repository.id);
    const { orchestration } = await agent.call('orchestrations.run', {
      definition: 'review',
      parameters,
      start: false,
    });
    expect(orchestration).toMatchObject({ state: 'created', agentCount: 2 });
    expect(orchestration?.createdBySessionId).not.toBeNull();
  });

  it('is created once for repeated calls with one key', async () => {
    const input = { definition: 'review', parameters: { branch: 'main' }, start: false, idempotencyKey: 'once' };
    const [first, second] = [await run(input), await run(input)];
    expect(second.orchestration?.id).toBe(first.orchestration?.id);
    expect(second.plan).toBeNull();
  });
});

describe('a definition of a repository', () => {
  it('is read from the commit of the default branch, and invalid files are listed with their errors', async () => {
    commit({
      'greet.yaml': GREET,
      'broken.yml': 'name: broken\nagents: 3\n',
      'again.yaml': GREET,
      'review.yaml': GREET.replace('greet', 'review'),
      'notes.txt': 'not a definition',
    });
    writeFileSync(join(c.repository.path, FOLDER, 'later.yaml'), GREET.replace('greet', 'later'));
    const { data } = await c.client.call('orchestrations.definitions', { repositoryId: c.repository.id });
    const files = data.filter(({ source }) => source === 'repository');
    expect(
      files.map(({ name, file, isAccepted, problems }) => [
        name,
        file?.slice(FOLDER.length + 1),
        isAccepted,
        problems[0]?.message,
      ]),
    ).toEqual([
      ['greet', 'again.yaml', false, undefined],
      ['broken', 'broken.yml', false, 'is required'],
      ['greet', 'greet.yaml', false, `${FOLDER}/again.yaml already has the name "greet"; choose another name`],
      ['review', 'review.yaml', false, 'a template already has the name "review"; choose another name'],
    ]);
    expect(data.slice(0, 4).map(({ name, isAccepted }) => [name, isAccepted])).toEqual([
      ['review', true],
      ['implement-test-review', true],
      ['race', true],
      ['map', true],
    ]);
    expect((await c.client.call('orchestrations.definitions', {})).total).toBe(4);
    expect((await agent.call('orchestrations.definitions', {})).total).toBe(8);
  });

  it('runs after a person has seen the plan for this text', async () => {
    const input = { definition: 'greet', parameters: { whom: 'all' } };
    expect(await refusal(run(input, agent))).toMatchObject({ code: 'PERMISSION_DENIED' });
    const { plan, contentHash } = (await refusal(run(input))).details as {
      plan: OrchestrationPlan;
      contentHash: string;
    };
    expect(plan).toMatchObject({
      isAccepted: false,
      objective: 'Greet all',
      agents: [{ agentId: 'greeter', agent: 'scripted', permissionMode: 'plan', task: '@report succeeded greeted' }],
    });
    expect(await refusal(run({ ...input, contentHash }, agent))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await refusal(run({ ...input, contentHash: '0'.repeat(64) }))).toMatchObject({ code: 'CONFLICT' });
    expect(await outcomeOf({ ...input, contentHash })).toMatchObject({
      state: 'completed',
      definition: { contentHash },
    });
    // After a person has accepted a definition, it also runs without `contentHash`, with other parameters, and for
    // agents.
    expect((await run({ ...input, start: false }, agent)).orchestration).toMatchObject({ state: 'created' });
    expect(await planned({ ...input, parameters: { whom: 'you' } })).toMatchObject({ isAccepted: true });
  });

  it('must be accepted again when its text has changed', async () => {
    commit({ 'again.yaml': GREET.replace('plan', 'allow-all') });
    const refused = await refusal(run({ definition: 'greet', parameters: { whom: 'all' } }));
    expect(refused.code).toBe('CONFLICT');
    expect(refused.details.plan).toMatchObject({ agents: [{ permissionMode: 'allow-all' }] });
  });

  it('is found only by its exact name, and an invalid one is reported with the line of the error', async () => {
    expect(await refusal(run({ definition: 'gret' }))).toMatchObject({
      code: 'NOT_FOUND',
      details: { nearest: ['greet', 'broken', 'map'] },
    });
    expect((await refusal(run({ definition: 'broken' }))).message).toMatch(
      /^\.agent-console\/orchestrations\/broken\.yml:1:1: /,
    );
    expect((await refusal(run({ definition: '../../greet' }))).code).toBe('NOT_FOUND');
  });
});

it('a repository without commits has only the templates', async () => {
  const path = join(c.folder, 'empty');
  c.git(['init', '--quiet', path]);
  await c.client.call('repositories.create', { path, name: 'empty' });
  const { data } = await c.client.call('repositories.list', {});
  const repositoryId = data.find(({ name }) => name === 'empty')?.id ?? '';
  expect((await c.client.call('orchestrations.definitions', { repositoryId })).total).toBe(4);
});

describe('the text of a definition', () => {
  it('is run only for people who have seen its plan', async () => {
    const source = GREET.replace('greeted', 'ok');
    const input = { source, sourceName: 'mine.yaml', parameters: { whom: 'me' } };
    expect(await refusal(run(input, agent))).toMatchObject({ code: 'PERMISSION_DENIED', details: { field: 'source' } });
    const { contentHash } = await planned(input);
    expect(await refusal(run(input))).toMatchObject({ code: 'CONFLICT' });
    expect(await outcomeOf({ ...input, contentHash })).toMatchObject({ state: 'completed' });
    expect(await refusal(run({ ...input, source: `${source}x: 1\n` }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('mine.yaml:10:1: x: unknown field'),
    });
  });

  it('that is run twice at once without a key makes two runs that do not disturb each other', async () => {
    const source = GREET.replace(
      '    task: "@report succeeded greeted"',
      '    task: "@write a.txt a\\n@commit Greet\\n@report succeeded greeted"',
    ).replace('    permissionMode: plan\n', '');
    const input = { source, sourceName: 'twice.yaml', parameters: { whom: 'both' } };
    const { contentHash } = await planned(input);
    const [one, two] = await Promise.all([1, 2].map(() => outcomeOf({ ...input, contentHash })));
    expect([one?.state, two?.state]).toEqual(['completed', 'completed']);
    const [first, second] = [one, two].map((end) => end?.agents[0]);
    expect(first?.sessionId).not.toBe(second?.sessionId);
    expect(first?.branch).not.toBe(second?.branch);
    expect(one?.sharedDirectory).not.toBe(two?.sharedDirectory);
  });

  it('is passed instead of a name, not in addition', async () => {
    expect(await refusal(run({}))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(run({ definition: 'review', source: GREET }))).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('a plan', () => {
  it('names the limits that it would reach', async () => {
    const parameters = { branch: 'main', reviewers: 20 };
    const { limits } = await planned({ definition: 'review', parameters }, agent);
    expect(limits).toHaveLength(1);
    expect(limits[0]).toContain('setting delegationChildren');
    await c.client.call('settings.update', { liveSessions: 5 });
    const [live] = (await planned({ definition: 'review', parameters })).limits;
    expect(live).toMatch(/^Up to 20 agents can run at the same time, but only \d more sessions may be live/);
  });

  it('creates nothing', async () => {
    const before = (await c.client.call('orchestrations.list', {})).total;
    await planned({ definition: 'map', parameters: { items: ['a'], task: 'x' } });
    expect((await c.client.call('orchestrations.list', {})).total).toBe(before);
  });
});
