import type { GitStatus } from '@agent-console/shared/models/git-status';
import type { SessionWithTasks } from '@agent-console/shared/models/session';
import { expect, test } from 'vitest';
import { likeThis } from '../../src/features/worktrees/new-like-this.ts';

const gitStatus = { base: 'main' } as GitStatus;
const session = {
  agentId: 'codex',
  title: 'Fix the login',
  description: 'From the tracker',
  cwd: '/home/me/notes',
  repositoryId: null,
  worktreeId: null,
  permissionConfig: { requestedMode: 'plan' },
  mcpServers: [{ id: 's', name: 'tracker', transport: 'stdio' }],
  tasks: [
    { kind: 'notice', prompt: 'A child ended.' },
    { kind: 'prompt', prompt: 'Fix it.' },
    { kind: 'prompt', prompt: 'Now test it.' },
  ],
} as unknown as SessionWithTasks;
const inRepository = { ...session, repositoryId: 'r', worktreeId: 'w' };

test('a session with a worktree of its own is delegated again, with its base, first prompt and MCP servers', () => {
  expect(likeThis(inRepository, { kind: 'managed', gitStatus })).toEqual({
    kind: 'delegate',
    repositoryId: 'r',
    prompt: 'Fix it.',
    mcpServerIds: ['s'],
    fields: { agentId: 'codex', title: 'Fix the login', baseBranch: 'main' },
  });
});

test('a session in the main checkout or in a folder is started there again', () => {
  const fields = {
    agentId: 'codex',
    title: 'Fix the login',
    description: 'From the tracker',
    permissionMode: 'plan',
    initialPrompt: 'Fix it.',
  };
  expect(likeThis(inRepository, { kind: 'main', gitStatus: null })).toEqual({
    kind: 'startSession',
    repositoryId: 'r',
    worktreeId: 'w',
    mcpServerIds: ['s'],
    fields,
  });
  expect(likeThis(session, null)).toEqual({
    kind: 'startSession',
    mcpServerIds: ['s'],
    fields: { ...fields, cwd: '/home/me/notes' },
  });
});
