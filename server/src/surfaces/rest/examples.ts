/** Valid example bodies for operations that users try first. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'delegations.create': {
    repositoryId: '0193a1b2-c3d4-7e5f',
    agentId: 'scripted',
    prompt: '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed',
  },
  'repositories.create': { path: '/home/me/shop' },
  'worktrees.create': { mode: 'custom', branch: 'faster-search', baseBranch: 'main' },
  'sessions.create': { worktreeId: '0193a1b2-c3d4-7e5f', agentId: 'scripted', initialPrompt: '@say hello' },
  'sessions.prompt': { prompt: '@say and again' },
  'sessions.message': { message: 'Is it done?' },
  'sessions.report': { outcome: 'succeeded', summary: 'Search answers within 20 ms; tests pass.' },
  'workers.create': { type: 'terminal', cols: 120, rows: 40 },
  'workers.input': { data: 'git status\r' },
  'agents.create': { id: 'my-agent', name: 'My agent', command: ['my-agent', '--interactive'] },
  'tokens.create': { name: 'laptop', scopes: ['read', 'write'] },
  'settings.update': { delegationChildren: 3 },
};
