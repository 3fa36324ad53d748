import { branchNameProblem } from '@agent-console/shared/ref-name';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canSee, mayRun, type Relation } from '../../src/domain/access.ts';
import { branchFromPrompt, firstFreeName } from '../../src/domain/branch-name.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { depthOfDelegation, refusePromptByAgent } from '../../src/domain/delegation.ts';
import { workerEnvironment } from '../../src/domain/environment.ts';
import { lastCompleteCharacter, lastSequenceBoundary, plainLines } from '../../src/domain/output-text.ts';
import { exceeds } from '../../src/domain/permission-mode.ts';
import {
  mayBecome,
  outcomeOfExit,
  outcomeOfTurn,
  outcomeOfTurnFailure,
  outcomeWithoutReport,
} from '../../src/domain/tasks.ts';
import {
  type ActivityOffsets,
  isAccepted,
  isSamePrompt,
  isTurnOver,
  withPromptAccepted,
  withTransition,
} from '../../src/domain/turns.ts';
import { leavesUnfinishedLine } from '../../src/domain/typing.ts';
import { codePoint } from '../support/text.ts';

const worker: Caller = { kind: 'worker', workerId: 'w', sessionId: 's', via: 'peer' };
const owner: Caller = { kind: 'user', userId: 'u', scopes: ['read', 'write', 'owner'], via: 'peer' };
const reader: Caller = { kind: 'user', userId: 'u', scopes: ['read'], via: 'token' };
const nobody: Caller = { kind: 'nobody', reason: 'who are you' };

describe('access', () => {
  const may = (
    caller: Caller,
    access: Parameters<typeof mayRun>[1]['access'],
    relation: Relation = 'none',
    effect: 'read' | 'write' = 'write',
    parentToo = false,
  ) => {
    const decision = mayRun(caller, { access, effect, alsoFor: parentToo ? ['parent'] : [] }, relation);
    return decision.allowed ? 'yes' : decision.code;
  };

  it('allows callers without identity only public operations', () => {
    expect(may(nobody, 'public')).toBe('yes');
    for (const access of ['self', 'subtree', 'workspace-read', 'member', 'owner'] as const)
      expect(may(nobody, access)).toBe('UNAUTHENTICATED');
  });
  it('allows a worker its own session and its descendants', () => {
    expect([may(worker, 'self', 'own'), may(worker, 'self', 'none')]).toEqual(['yes', 'yes']);
    expect(may(worker, 'self', 'descendant')).toBe('PERMISSION_DENIED');
    expect([may(worker, 'subtree', 'own'), may(worker, 'subtree', 'descendant')]).toEqual(['yes', 'yes']);
    for (const relation of ['parent', 'other'] as const)
      expect(may(worker, 'subtree', relation)).toBe('PERMISSION_DENIED');
    expect(may(worker, 'subtree', 'parent', 'write', true)).toBe('yes');
  });
  it('rejects workers for operations of people', () => {
    expect([may(worker, 'member', 'own'), may(worker, 'owner', 'own')]).toEqual([
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
    ]);
  });
  it('allows people to read sessions of others, and to change none', () => {
    const [ann, bob] = ['ann', 'bob'];
    expect([may(reader, 'workspace-read', 'other', 'read'), may(owner, 'member', 'other')]).toEqual([
      'yes',
      'PERMISSION_DENIED',
    ]);
    expect([may(owner, 'subtree', 'own'), may(owner, 'subtree', 'none')]).toEqual(['yes', 'yes']);
    const denied = mayRun(owner, { access: 'member', effect: 'destroy', alsoFor: [] }, 'other', 'Ann');
    expect(denied).toMatchObject({ why: expect.stringContaining('belongs to Ann') });
    expect(canSee(bob, { visibility: 'workspace', createdByUserId: ann })).toBe(true);
    expect(canSee(bob, { visibility: 'private', createdByUserId: ann })).toBe(false);
    expect(canSee(ann, { visibility: 'private', createdByUserId: ann })).toBe(true);
    expect(canSee(ann, { visibility: 'private', createdByUserId: null })).toBe(false);
  });
  it('limits tokens to their scopes', () => {
    expect([may(reader, 'workspace-read', 'none', 'read'), may(reader, 'member')]).toEqual([
      'yes',
      'PERMISSION_DENIED',
    ]);
    expect([may(owner, 'owner'), may({ ...owner, scopes: ['read', 'write'] }, 'owner')]).toEqual([
      'yes',
      'PERMISSION_DENIED',
    ]);
  });
});

describe('a turn', () => {
  const before: ActivityOffsets = {
    activityState: 'idle',
    lastActiveOffset: 50,
    lastIdleOffset: 90,
    lastAskingOffset: -1,
  };
  const after = (...seen: ['active' | 'idle' | 'asking', number][]) =>
    seen.reduce((signs, [state, offset]) => withTransition(signs, { state, offset }), before);

  it('of an earlier prompt neither accepts nor ends a later one', () => {
    expect(isAccepted(100, before)).toBe(false);
    expect(isTurnOver(100, before)).toBe(false);
  });
  it('is accepted when the agent works or asks after the Enter', () => {
    expect(isAccepted(100, after(['active', 120]))).toBe(true);
    expect(isAccepted(100, after(['asking', 120]))).toBe(true);
    expect(isAccepted(100, after(['idle', 120]))).toBe(false);
  });
  it("is accepted and over by the agent's own reports, read together before any output", () => {
    const working = withTransition(before, { state: 'active', offset: 95, source: 'hook' });
    expect(isAccepted(100, working)).toBe(false);
    const taken = withPromptAccepted(100, working);
    expect(isAccepted(100, taken)).toBe(true);
    expect(isTurnOver(100, taken)).toBe(false);
    expect(isTurnOver(100, withTransition(taken, { state: 'idle', offset: 95, source: 'hook' }))).toBe(true);
  });
  it('is over even if its end was reported before the Enter was stored as received', () => {
    const done = [
      { state: 'active', offset: 95, source: 'hook' } as const,
      { state: 'idle', offset: 95, source: 'hook' } as const,
    ].reduce<ActivityOffsets>((signs, seen) => withTransition(signs, seen), before);
    expect(isTurnOver(100, withPromptAccepted(100, done))).toBe(true);
  });
  it('is recognized by its prompt, even if the agent wraps or reformats the prompt', () => {
    expect(isSamePrompt('more\nlines', '\n<pasted id="1">\n  more\r\n  lines\n</pasted>')).toBe(true);
    expect(isSamePrompt('cafe\u0301', 'caf\u00e9')).toBe(true);
    expect(isSamePrompt('more lines', 'other lines')).toBe(false);
    expect(isSamePrompt(' ', 'anything')).toBe(false);
  });
  it('is over when the agent is idle after its work', () => {
    expect(isTurnOver(100, after(['active', 120]))).toBe(false);
    expect(isTurnOver(100, after(['active', 120], ['idle', 150]))).toBe(true);
    expect(isTurnOver(100, after(['active', 120], ['asking', 130], ['idle', 150]))).toBe(true);
    expect(isTurnOver(100, after(['active', 120], ['idle', 150], ['active', 160]))).toBe(false);
  });
});

describe('a task', () => {
  it('never leaves an end status', () => {
    const ends = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
    for (const from of ends)
      for (const to of [...ends, 'queued', 'running', 'awaiting_input'] as const)
        expect(mayBecome(from, to)).toBe(false);
  });
  it('is completed by exit 0 only after an accepted prompt', () => {
    expect(outcomeOfExit({ exitCode: 0, signal: null }, 'accepted')).toMatchObject({
      status: 'completed',
      source: 'exit',
      certain: true,
    });
    expect(outcomeOfExit({ exitCode: 0, signal: null }, 'unaccepted').status).toBe('failed');
    expect(outcomeOfExit({ exitCode: 1, signal: null }, 'accepted').error?.message).toBe(
      'The agent exited with code 1.',
    );
    expect(outcomeOfExit({ exitCode: null, signal: 'SIGKILL' }, 'accepted').error?.message).toBe(
      'The agent was terminated by SIGKILL.',
    );
  });
  it('fails with the last screen of an agent that exited', () => {
    const gaveUp = outcomeOfExit(
      { exitCode: 1, signal: null },
      'unaccepted',
      'Last lines on its screen:\nUnable to connect',
    );
    expect(gaveUp.error?.message).toBe(
      'The agent exited with code 1 before it accepted the prompt. Last lines on its screen:\nUnable to connect',
    );
  });
  it('fails with the error that ended its turn, as certain as its source', () => {
    const failure = { message: 'API Error: 500', source: 'screen', certain: false } as const;
    expect(outcomeOfTurnFailure(failure)).toEqual({
      status: 'failed',
      source: 'screen',
      certain: false,
      error: { code: 'AGENT_UNAVAILABLE', message: 'The turn ended with an error: API Error: 500' },
    });
  });
  it('without a report contains the last message, and separately the reply to the reminder', () => {
    expect(outcomeWithoutReport('hook', 'It is committed.', 'Done.').summary).toBe(
      'The agent ended its turn without a report. Its last message:\nIt is committed.\nIts reply to the reminder:\nDone.',
    );
    expect(outcomeWithoutReport('hook', null, 'Done.').summary).toMatch(
      /Read its output.*\nIts reply to the reminder:\nDone\.$/,
    );
    expect(outcomeWithoutReport('hook').summary).toMatch(/Read its output or its diff to see what it did\.$/);
  });
  it('of a person ends with its turn, a delegated one waits for its report', () => {
    expect(outcomeOfTurn({ sourceKind: 'person', reminded: false }, 'title')).toMatchObject({
      status: 'completed',
      certain: false,
    });
    expect(outcomeOfTurn({ sourceKind: 'session', reminded: false }, 'title')).toBe('await-report');
    expect(outcomeOfTurn({ sourceKind: 'session', reminded: true }, 'title')).toMatchObject({
      status: 'completed',
      certain: false,
    });
  });
});

describe('a branch name', () => {
  it.each([
    ['Add a login form, please\nwith tests', 'ac/add-login-form'],
    ['@write x.txt y', 'ac/write-x-txt-y'],
    ['Überprüfe die Größe', 'ac/uberprufe-die-gro-e'],
    ['日本語だけ', 'ac/task'],
    ['...', 'ac/task'],
    ['one two three four five six seven eight', 'ac/one-two-three-four-five-six'],
  ])('from %j is %s', (prompt, branch) => expect(branchFromPrompt(prompt)).toBe(branch));
  it('is valid for git, whatever the prompt', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (prompt) => branchNameProblem(branchFromPrompt(prompt)) === null),
    );
  });
  it('that is taken gets a number', async () => {
    const taken = new Set(['ac/x', 'ac/x-2']);
    expect(await firstFreeName('ac/x', async (name) => taken.has(name))).toBe('ac/x-3');
  });
});

describe('delegation limits', () => {
  const limits = { depth: 2, children: 2, liveSessions: 3 };
  const load = { callerDepth: 0, openChildren: [] as string[], liveSessions: 1 };
  it('allow a child and a grandchild', () => {
    expect(depthOfDelegation(load, limits)).toBe(1);
    expect(depthOfDelegation({ ...load, callerDepth: 1 }, limits)).toBe(2);
    expect(depthOfDelegation({ ...load, callerDepth: null }, limits)).toBe(0);
  });
  it.each([
    ['delegationDepth', { ...load, callerDepth: 2 }],
    ['delegationChildren', { ...load, openChildren: ['a', 'b'] }],
    ['liveSessions', { ...load, callerDepth: null, liveSessions: 3 }],
  ])('name %s when it is reached', (limit, over) => {
    expect(() => depthOfDelegation(over, limits)).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED', details: expect.objectContaining({ limit }) }),
    );
  });
  it.each([
    ['delegationDepth', 3, []],
    ['delegationChildren', 2, ['a', 'b']],
    [undefined, 2, ['a']],
    [undefined, 2, ['a', 's']],
  ])('name %s when an agent prompts a session at level %i (open children: %j)', (limit, depth, openChildren) => {
    const creator = { id: 'parent', isCaller: true, openChildren };
    const refuse = () => refusePromptByAgent({ id: 's', depth }, creator, limits);
    if (limit === undefined) expect(refuse).not.toThrow();
    else expect(refuse).toThrow(expect.objectContaining({ details: expect.objectContaining({ limit }) }));
  });
});

describe("a worker's environment", () => {
  const place = {
    baseUrl: 'http://127.0.0.1:1',
    sessionId: 's',
    workerId: 'w',
    repositoryId: 'r',
    sharedFolder: '/shared',
  };
  it("contains the console's variables, the inherited ones and nothing else", () => {
    const server = {
      PATH: '/bin',
      LC_ALL: 'C',
      SECRET: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AGENT_CONSOLE_TOKEN: 'x',
      MY_KEY: 'k',
      https_proxy: 'p',
    };
    expect(workerEnvironment(server, place, ['MY_KEY'])).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      MY_KEY: 'k',
      https_proxy: 'p',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      AGENT_CONSOLE_BASE_URL: 'http://127.0.0.1:1',
      AGENT_CONSOLE_MCP_URL: 'http://127.0.0.1:1/mcp',
      AGENT_CONSOLE_SESSION_ID: 's',
      AGENT_CONSOLE_WORKER_ID: 'w',
      AGENT_CONSOLE_REPOSITORY_ID: 'r',
      AGENT_CONSOLE_SHARED_DIR: '/shared',
    });
  });
  it('of a quick session has no repository', () => {
    expect(workerEnvironment({}, { ...place, repositoryId: null }, [])).not.toHaveProperty(
      'AGENT_CONSOLE_REPOSITORY_ID',
    );
  });
});

describe('output as text', () => {
  it.each([
    ['plain\r\nlines\r\n', 'plain\nlines\n'],
    ['\x1b[31mred\x1b[0m\r\n', 'red\n'],
    ['10 %\r50 %\r100 %\r\n', '100 %\n'],
    ['\x1b]0;title\x07text\n', 'text\n'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n', 'link\n'],
    ['a\x07b\x00c\n', 'abc\n'],
  ])('%j becomes %j', (raw, text) => expect(plainLines(raw)).toBe(text));

  it('is cut between characters and escape sequences', () => {
    expect(lastCompleteCharacter(Buffer.from('aé').subarray(0, 2))).toBe(1);
    expect(lastCompleteCharacter(Buffer.from('aé'))).toBe(3);
    expect(lastSequenceBoundary(Buffer.from('ab\x1b[3'))).toBe(2);
    expect(lastSequenceBoundary(Buffer.from('ab\x1b[31mc'))).toBe(8);
    expect(lastSequenceBoundary(Buffer.from('ab\x1b]0;ti'))).toBe(2);
    expect(lastSequenceBoundary(Buffer.from('ab\x1b]0;t\x07'))).toBe(8);
  });
});

it('a permission mode is a raise only when its rank is higher', () => {
  expect([
    exceeds('acceptEdits', 'default'),
    exceeds('auto', 'acceptEdits'),
    exceeds('plan', 'ask'),
    exceeds('allow-all', 'on-failure'),
  ]).toEqual([true, false, false, true]);
});

it.each([
  ['half a line', true],
  ['a line\r', false],
  ['\x03', false],
  ['\x15', false],
  ['\x1b[A', null],
  ['\x1b[200~pasted\x1b[201~', true],
  ['', null],
])('typing %j leaves an unfinished line: %s', (typed, unfinished) => {
  expect(leavesUnfinishedLine(Buffer.from(typed))).toBe(unfinished);
});
