import type { PermissionMode } from '@agent-console/shared/models/session';
import { describe, expect, it } from 'vitest';
import type { StartRequest } from '../../../src/ports/agents.ts';
import {
  ALL_POLICIES,
  after,
  forked,
  fresh,
  kinds,
  OTHER,
  request,
  resumed,
  SESSION,
  TOKEN,
  TWO_POLICIES,
} from './request.ts';

const URL = 'http://127.0.0.1:3457/mcp';
const FOLDER = '/console/workers/w/process';
const THEIRS = '/home/me/.gemini/trustedFolders.json';
const parse = (text: string | undefined) => JSON.parse(text ?? 'null');

describe('Claude Code', () => {
  const claude = kinds('claude-code');

  it('starts, resumes and copies a conversation with ids that the console chooses', () => {
    const args = (conversation = fresh) => claude.start(request(conversation)).args.slice(0, 5);
    expect(args(fresh).slice(0, 2)).toEqual(['--session-id', SESSION]);
    expect(args(resumed).slice(0, 2)).toEqual(['--resume', SESSION]);
    expect(args(forked)).toEqual(['--resume', OTHER, '--fork-session', '--session-id', SESSION]);
  });

  it.each(['default', 'acceptEdits', 'bypassPermissions', 'plan'] as const)('is started in mode %s', (mode) => {
    expect(after(claude.start(request(fresh, { mode })).args, '--permission-mode')).toEqual([mode]);
  });

  it('gets tools, instructions and hooks from files of its own process', () => {
    const { args, env, files } = claude.start(request(fresh));
    expect(after(args, '--mcp-config')).toEqual([`${FOLDER}/mcp.json`]);
    expect(after(args, '--settings')).toEqual([`${FOLDER}/settings.json`]);
    expect(after(args, '--append-system-prompt-file')).toEqual([`${FOLDER}/instructions.md`]);
    expect(env).toEqual({ MCP_TOOL_TIMEOUT: '180000' });
    expect(parse(files['mcp.json'])).toEqual({
      mcpServers: { 'agent-console': { type: 'http', url: URL, headers: { Authorization: `Bearer ${TOKEN}` } } },
    });
    expect(files['instructions.md']).toContain('Second line.');
    expect(Object.keys(parse(files['settings.json']).hooks)).toContain('PermissionRequest');
  });

  it('skips the warning about a mode only if a person has chosen this mode', () => {
    const settings = (mode: PermissionMode) => parse(claude.start(request(fresh, { mode })).files['settings.json']);
    expect(settings('bypassPermissions').skipDangerousModePermissionPrompt).toBe(true);
    expect(settings('acceptEdits').skipDangerousModePermissionPrompt).toBeUndefined();
  });

  it('over ACP reads and writes further folders by the same rules', () => {
    const { files } = kinds('claude-acp').start(request(fresh, { addedFolders: ['/console/shared'] }));
    expect(parse(files['servers.json']).meta.claudeCode.options.allowedTools).toEqual([
      'mcp__agent-console',
      'Read(//console/shared/**)',
      'Edit(//console/shared/**)',
    ]);
  });

  it.each([
    ['codex-acp', 'auto', ['/console/shared']],
    ['codex-acp', 'ask', []],
    ['scripted-acp', 'default', ['/console/shared']],
  ] as const)('%s in mode %s opens its conversation with further folders', (kind, mode, directories) => {
    const { files } = kinds(kind).start(request(fresh, { mode, addedFolders: ['/console/shared'] }));
    const added = parse(files['servers.json']).directories.filter((path: string) => path.startsWith('/console'));
    expect(added).toEqual(directories);
  });

  it('reads and writes further folders without being asked to trust them, and loads nothing from there', () => {
    const { args, files } = claude.start(request(fresh, { addedFolders: ['/console/shared'] }));
    expect(parse(files['settings.json']).permissions).toEqual({
      allow: ['Read(//console/shared/**)', 'Edit(//console/shared/**)'],
    });
    expect(args).not.toContain('--add-dir');
    const reading = claude.start(request(fresh, { readFolders: ['/console/images'] }));
    expect(parse(reading.files['settings.json']).permissions).toEqual({ allow: ['Read(//console/images/**)'] });
    expect(parse(claude.start(request(fresh)).files['settings.json'])).not.toHaveProperty('permissions');
  });
});

describe('Codex', () => {
  const codex = kinds('codex');
  const flags = (mode: PermissionMode, help: string | null) => {
    const { args } = codex.start(request(fresh, { mode, installed: { version: null, help } }));
    return [...after(args, '--sandbox'), ...after(args, '--ask-for-approval')];
  };

  it.each([
    ['ask', 'read-only', 'untrusted', 'on-request'],
    ['auto', 'workspace-write', 'on-request', 'on-request'],
    ['on-failure', 'workspace-write', 'on-failure', 'on-request'],
    ['allow-all', 'workspace-write', 'never', 'never'],
  ] as const)('%s is %s with %s, or %s in a version that dropped it', (mode, sandbox, older, newer) => {
    expect(flags(mode, ALL_POLICIES)).toEqual([sandbox, older]);
    expect(flags(mode, null)).toEqual([sandbox, older]);
    expect(flags(mode, TWO_POLICIES)).toEqual([sandbox, newer]);
  });

  it('says so if the installed version does not support the requested policy', () => {
    const installed = { version: '0.169.0', help: TWO_POLICIES };
    expect(codex.permission('on-failure', installed)).toEqual({
      mode: 'auto',
      note: expect.stringContaining('no longer has'),
    });
    expect(codex.permission('plan', installed)).toEqual({ mode: 'ask', note: expect.stringContaining('on-request') });
  });

  it('gets settings for this process only, and its token in a variable that is empty for its commands', () => {
    const { args, env, files } = codex.start(request(fresh));
    const settings = Object.fromEntries(after(args, '-c').map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    expect(settings).toMatchObject({
      'mcp_servers.agent-console.url': `"${URL}"`,
      'mcp_servers.agent-console.bearer_token_env_var': '"AGENT_CONSOLE_MCP_TOKEN"',
      'mcp_servers.agent-console.tool_timeout_sec': '180',
      'mcp_servers.agent-console.default_tools_approval_mode': '"approve"',
      'shell_environment_policy.set.AGENT_CONSOLE_MCP_TOKEN': '""',
      developer_instructions: '"You run in session \\"s\\".\\u000aSecond line."',
    });
    expect(env).toEqual({ AGENT_CONSOLE_MCP_TOKEN: TOKEN });
    expect(files).toEqual({});
    expect(args).not.toContain('--dangerously-bypass-hook-trust');
  });

  it('disables the daemon if the installed version has the flag for it', () => {
    const args = (help: string | null) => codex.start(request(fresh, { installed: { version: null, help } })).args;
    expect(args(TWO_POLICIES)).toContain('--no-daemon');
    expect(args('no such thing')).not.toContain('--no-daemon');
  });

  it('resumes and copies conversations by the ids of Codex', () => {
    expect(codex.start(request(resumed)).args.slice(0, 2)).toEqual(['resume', SESSION]);
    expect(codex.start(request(forked)).args.slice(0, 2)).toEqual(['fork', OTHER]);
  });

  it('may write what a commit in its worktree needs, but not the hooks and configuration of the repository', () => {
    const folders = (mode: PermissionMode) => after(codex.start(request(fresh, { mode })).args, '--add-dir');
    expect(folders('auto')).toEqual(
      ['objects', 'refs/heads', 'logs/refs/heads', 'worktrees/tree1'].map((name) => `/work/repo/.git/${name}`),
    );
    expect(folders('ask')).toEqual([]);
    const elsewhere = (repository: StartRequest['repository']) =>
      after(codex.start(request(fresh, { mode: 'auto', repository })).args, '--add-dir');
    const main = { path: '/work/tree', commonDir: '/work/tree/.git', gitDir: '/work/tree/.git' };
    expect([null, main, { ...main, gitDir: null }].map(elsewhere)).toEqual([[], [], []]);
  });

  it('needs the variables that are named in its configuration', () => {
    const config = '[model_providers.mine]\nenv_key = "MY_KEY"\n# env_key = "OLD"\nenv_key="AGENT_CONSOLE_MCP_TOKEN"\n';
    expect(codex.namedVariables({ '.codex/config.toml': config })).toEqual(['MY_KEY']);
    expect(codex.namedVariables({})).toEqual([]);
  });
});

describe('Gemini', () => {
  const gemini = kinds('gemini');
  const start = (settings: string | undefined, trusted?: string) =>
    gemini.start(
      request(fresh, {
        userFiles: {
          ...(settings === undefined ? {} : { '.gemini/settings.json': settings }),
          ...(trusted === undefined ? {} : { '.gemini/trustedFolders.json': trusted }),
        },
      }),
    );

  it.each([
    ['default', 'default'],
    ['acceptEdits', 'auto_edit'],
    ['bypassPermissions', 'yolo'],
  ] as const)('%s is started as %s', (mode, approval) => {
    expect(after(gemini.start(request(fresh, { mode })).args, '--approval-mode')).toEqual([approval]);
  });

  it("gets the user's settings, which may contain comments, with those of the console added", () => {
    const { files, env } = start(
      '// mine\n{"ui": {"theme": "x"}, /* , */ "mcpServers": {"other": {"url": "http://a//b"},},\n"hooks": {"SessionStart": [{"hooks": []}]}}',
    );
    const settings = parse(files['home/.gemini/settings.json']);
    expect(settings).toMatchObject({ ui: { theme: 'x' } });
    expect(settings.mcpServers).toEqual({
      other: { url: 'http://a//b' },
      'agent-console': {
        httpUrl: URL,
        headers: { Authorization: `Bearer ${TOKEN}` },
        timeout: 180_000,
        trust: true,
      },
    });
    expect(settings.hooks.SessionStart).toHaveLength(2);
    expect(env).toEqual({ GEMINI_CLI_HOME: `${FOLDER}/home`, GEMINI_CLI_TRUSTED_FOLDERS_PATH: THEIRS });
  });

  it('starts without settings, and with invalid settings', () => {
    for (const settings of [undefined, '{"broken', '[]', 'null']) {
      expect(Object.keys(parse(start(settings).files['home/.gemini/settings.json']))).toEqual([
        'context',
        'ui',
        'hooks',
        'mcpServers',
      ]);
    }
  });

  it('reads its instructions from its home and from the files that the user chose, without an added folder', () => {
    const named = (fileName: unknown) => {
      const { files, args } = start(JSON.stringify({ context: { fileName, importFormat: 'flat' } }));
      expect(files['home/.gemini/AGENT_CONSOLE_SESSION.md']).toContain('Second line.');
      expect(args).not.toContain('--include-directories');
      const { context } = parse(files['home/.gemini/settings.json']);
      expect(context.importFormat).toBe('flat');
      return context.fileName;
    };
    expect([named(undefined), named('AGENTS.md'), named(['A.md', 'B.md']), named([7, ''])]).toEqual([
      ['GEMINI.md', 'AGENT_CONSOLE_SESSION.md'],
      ['AGENTS.md', 'AGENT_CONSOLE_SESSION.md'],
      ['A.md', 'B.md', 'AGENT_CONSOLE_SESSION.md'],
      ['GEMINI.md', 'AGENT_CONSOLE_SESSION.md'],
    ]);
  });

  it.each([
    [{ '/work/repo': 'TRUST_FOLDER' }, 'TRUST_FOLDER'],
    [{ '/work/repo': 'DO_NOT_TRUST' }, 'DO_NOT_TRUST'],
    // The console trusts only the worktree, because the parent folder also contains other worktrees.
    [{ '/work/repo/x': 'TRUST_PARENT' }, 'TRUST_FOLDER'],
    [{ '/work/repo': 'DO_NOT_TRUST', '/': 'TRUST_FOLDER', '/work/tree/deep': 'TRUST_FOLDER' }, undefined],
  ] as const)('trusts a worktree as its repository is trusted by %j', (folders, level) => {
    const { files, env, args, choosesId } = start(undefined, JSON.stringify(folders));
    const rules = files['home/.gemini/trustedFolders.json'];
    expect(rules === undefined ? undefined : parse(rules)['/work/tree']).toBe(level);
    expect(env.GEMINI_CLI_TRUSTED_FOLDERS_PATH).toBe(
      level === undefined ? THEIRS : `${FOLDER}/home/.gemini/trustedFolders.json`,
    );
    expect([after(args, '--session-id'), choosesId]).toEqual([[SESSION], false]);
  });

  it.each([
    ['an unknown folder', undefined, {}],
    ['a folder beside trusted ones', undefined, { '/work/tree2': 'TRUST_FOLDER', '/work/repository': 'TRUST_FOLDER' }],
  ])('asks about %s, stores the answer, and chooses the conversation id itself', (_, settings, folders) => {
    const { args, env, files, choosesId } = start(settings, JSON.stringify(folders));
    // The console passes no session id. After the question whether to trust the folder, Gemini restarts with the same
    // arguments, and would refuse a session id that is already used.
    expect([after(args, '--session-id'), choosesId]).toEqual([[], true]);
    expect(env).toMatchObject({ GEMINI_CLI_TRUSTED_FOLDERS_PATH: THEIRS });
    expect(env).not.toHaveProperty('GEMINI_CLI_TRUST_WORKSPACE');
    expect(files).not.toHaveProperty(['home/.gemini/trustedFolders.json']);
  });

  it.each([
    ['the folder is trusted', undefined, { '/work': 'TRUST_FOLDER' }],
    ['the folder beside it trusts its parent', undefined, { '/work/x': 'TRUST_PARENT' }],
    ['the folder is not trusted', undefined, { '/work/tree': 'DO_NOT_TRUST' }],
    ['folders need no trust', '{"security":{"folderTrust":{"enabled":false}}}', {}],
  ])('uses the conversation id of the console if %s', (_, settings, folders) => {
    const { args, choosesId } = start(settings, JSON.stringify(folders));
    expect([after(args, '--session-id'), choosesId]).toEqual([[SESSION], false]);
  });

  it('resumes its conversation in a folder that it asks about', () => {
    expect(after(gemini.start(request(resumed)).args, '--resume')).toEqual([SESSION]);
  });

  it('cannot copy a conversation', () => {
    expect(() => gemini.start(request(forked))).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
  });
});

describe('opencode', () => {
  const opencode = kinds('opencode');
  const own = { mode: 'resume', nativeId: 'ses_dfedafb2effexhjRDIXGgKGLNa' } as const;
  const config = (mode: PermissionMode, help: string | null = null) => {
    const { env } = opencode.start(request(fresh, { mode, installed: { version: null, help } }));
    return parse(env.OPENCODE_CONFIG_CONTENT);
  };

  it('gets the tools of the console from a configuration that refers to the file with the token', () => {
    const { files } = opencode.start(request(fresh));
    expect(files.token).toBe(TOKEN);
    expect(config('default').mcp['agent-console']).toEqual({
      type: 'remote',
      url: URL,
      enabled: true,
      oauth: false,
      headers: { Authorization: `Bearer {file:${FOLDER}/token}` },
      timeout: 180_000,
    });
    expect(config('default').instructions).toEqual([`${FOLDER}/instructions.md`]);
  });

  it.each([
    ['default', { edit: 'ask', bash: 'ask' }],
    ['acceptEdits', { edit: 'allow', bash: 'ask' }],
    ['bypassPermissions', { edit: 'allow', bash: 'allow' }],
  ] as const)('has the permissions of mode %s', (mode, permission) => {
    expect(config(mode).permission).toMatchObject({ ...permission, 'agent-console_*': 'allow' });
  });

  it('uses further folders without asking, and asks about all others', () => {
    const { env } = opencode.start(request(fresh, { mode: 'acceptEdits', addedFolders: ['/console/shared'] }));
    const { permission } = parse(env.OPENCODE_CONFIG_CONTENT);
    expect(permission.external_directory).toEqual({ '*': 'ask', '/console/shared/*': 'allow' });
    expect(config('acceptEdits').permission.external_directory).toBe('ask');
  });

  it("keeps the user's denials if the installed version has a flag that allows everything else", () => {
    expect(config('bypassPermissions', '--auto').permission).toEqual({ 'agent-console_*': 'allow' });
    const args = (mode: PermissionMode) =>
      opencode.start(request(fresh, { mode, installed: { version: null, help: '--auto' } })).args;
    expect([args('bypassPermissions'), args('default')]).toEqual([['--auto'], []]);
  });

  it('resumes and copies conversations by the ids of opencode', () => {
    expect(opencode.start(request(own)).args).toEqual(['--session', own.nativeId]);
    const copy = { mode: 'fork', nativeId: null, from: own.nativeId } as const;
    expect(opencode.start(request(copy)).args).toEqual(['--session', own.nativeId, '--fork']);
  });
});
