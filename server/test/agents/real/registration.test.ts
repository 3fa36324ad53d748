import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shortId } from '@agent-console/shared/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot } from '../../e2e/support/root.ts';
import { openTools } from '../../support/calling.ts';
import { ended, filesWith, heard, liveAgent, statusOf } from './hands.ts';
import { agentPath, CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { agentEnvironment } from './harness/home.ts';
import { type CountingProxy, startCountingProxy } from './proxy.ts';
import { delegating } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
/** File below HOME to which `setup` writes for each agent. */
const FILES: Readonly<Record<CliId, string>> = {
  'claude-code': '.claude.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  opencode: '.config/opencode/opencode.json',
};
/** Command with which a person starts an agent in a terminal and allows it to use the console's tools. */
const TUI: Readonly<Record<CliId, string>> = {
  'claude-code': 'claude --permission-mode default --allowedTools=mcp__agent-console --',
  codex: `codex --no-daemon -c 'mcp_servers.agent-console.default_tools_approval_mode="approve"' --`,
  gemini: 'gemini --yolo -i',
  opencode: 'opencode --prompt',
};
/** Arguments with which each agent runs without a terminal. */
const HEADLESS: Readonly<Record<CliId, readonly string[]>> = {
  'claude-code': ['-p', '--'],
  codex: ['exec', '--skip-git-repo-check', '--'],
  gemini: ['--yolo', '-p'],
  opencode: ['run', '--'],
};
/** Functions that add the console, with an invalid token, to an agent's configuration. */
const WITH_TOKEN: Readonly<Record<CliId, (config: string, url: string) => string>> = {
  'claude-code': (config, url) => withServer(config, 'mcpServers', { type: 'http', url, headers: NO_TOKEN }),
  codex: (config, url) =>
    `${config}\n[mcp_servers.agent-console]\nurl = ${JSON.stringify(url)}\nhttp_headers = { Authorization = ${JSON.stringify(NO_TOKEN.Authorization)} }\n`,
  gemini: (config, url) => withServer(config, 'mcpServers', { httpUrl: url, headers: NO_TOKEN, trust: true }),
  opencode: (config, url) => withServer(config, 'mcp', { type: 'remote', url, headers: NO_TOKEN, enabled: true }),
};
const NO_TOKEN = { Authorization: `Bearer acu_${'x'.repeat(43)}` };

function withServer(config: string, key: string, server: object): string {
  const all = JSON.parse(config) as Record<string, object>;
  return JSON.stringify({ ...all, [key]: { ...all[key], 'agent-console': server } });
}

/** Far more requests than an agent needs to connect to the console, find no tools and disconnect. */
const REQUESTS_MAX = 20;
const RUN_MS = 120_000;

const ours = /(?:^|_)(delegate_to_worktree|report_result|list_sessions)$/;

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    let proxy: CountingProxy;
    beforeAll(async () => {
      w = await openWorld(delegating);
      proxy = await startCountingProxy(w.c.port);
    });
    afterAll(async () => {
      proxy.close();
      await w.close();
    });

    const home = () => w.c.env.HOME ?? '';
    const environment = () => ({ ...w.c.env, ...agentEnvironment(w.model.url), TERM: 'dumb' });
    const program = () => CLIS[agentId].program;
    const config = () => readFileSync(join(home(), FILES[agentId]), 'utf8');
    function run(
      file: string,
      args: readonly string[],
      env: Record<string, string> = {},
    ): Promise<{ code: number; out: string }> {
      return new Promise((resolve) => {
        const options = { cwd: w.c.repository.path, env: { ...environment(), ...env }, timeout: RUN_MS };
        const child = execFile(file, args, options, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: `${stdout}\n${stderr}` });
        });
        child.stdin?.end();
      });
    }
    const setup = (...args: string[]) => run(process.execPath, [CLI, 'setup', ...args]);
    async function toolsOfAWorker(): Promise<string[]> {
      const { token } = await startRoot(w.c);
      const client = await openTools(w.c, token);
      const { tools } = await client.listTools();
      await client.close();
      return tools.map((tool) => tool.name).toSorted();
    }

    it('lists the console after setup, and has its original configuration after undo', async () => {
      // Runs the agent once before reading its configuration, because the first run changes the configuration.
      await run(program(), ['mcp', 'list']);
      const before = config();
      expect(await setup('--dry-run', '--url', w.c.baseUrl)).toMatchObject({ code: 0 });
      expect(config()).toBe(before);
      expect(await setup('--url', w.c.baseUrl)).toMatchObject({ code: 0 });
      const registered = config();
      expect(registered).not.toBe(before);
      await setup('--url', w.c.baseUrl);
      expect(config()).toBe(registered);
      const listed = await run(program(), ['mcp', 'list']);
      console.log(agentId, listed.out);
      expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('agent-console') });
      expect(listed.out).toContain(`${w.c.baseUrl}/mcp`);
      expect(listed.out).not.toMatch(/fail|✗|✘|disconnected/i);
      expect(await setup('--undo')).toMatchObject({ code: 0 });
      expect(config()).toBe(before);
      expect((await run(program(), ['mcp', 'list'])).out).not.toContain(`${w.c.baseUrl}/mcp`);
    });

    it('started by hand in a terminal of a session, delegates as this session', async () => {
      await setup('--url', w.c.baseUrl);
      const parent = await startRoot(w.c);
      const terminal = await w.c.client.call('workers.create', { sessionId: parent.sessionId, type: 'terminal' });
      const script = join(w.c.folder, 'by-hand.sh');
      const variables = Object.entries(agentEnvironment(w.model.url)).map(
        ([name, value]) => `export ${name}='${value}'`,
      );
      const line = `exec ${TUI[agentId]} 'please delegate to scripted: @report succeeded by hand'`;
      writeFileSync(script, `${variables.join('\n')}\n${line}\n`);
      chmodSync(script, 0o755);
      await w.c.client.call('workers.input', { workerId: terminal.id, data: `sh ${script}\r` });
      const made = await w.until('a delegation', async () => {
        await w.c.client.call('workers.screen', { workerId: terminal.id });
        const { data } = await w.c.client.call('delegations.list', { parentSessionId: parent.sessionId });
        return data[0];
      });
      const child = await w.c.client.call('sessions.get', { sessionId: made.sessionId });
      expect(child).toMatchObject({ createdBySessionId: parent.sessionId, repositoryId: w.c.repository.id });
      await w.until('a report', async () => {
        const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
        return data.some((notice) => notice.summary === 'by hand');
      });
      await w.stopAgents();
      await setup('--undo');
    });

    it('started outside the console, has no tools of the console, and stops asking for them', async () => {
      await setup('--url', proxy.url);
      const prompt = 'please delegate to scripted: never';
      const delegations = (await w.c.client.call('delegations.list', {})).total;
      const { code, out } = await run(program(), [...HEADLESS[agentId], prompt]);
      expect({ code, out }).toMatchObject({ code: 0 });
      const { tools } = await heard(w, prompt);
      expect(tools.filter((name) => ours.test(name))).toEqual([]);
      expect((await w.c.client.call('delegations.list', {})).total).toBe(delegations);
      console.log(agentId, proxy.requests.join(' '));
      expect(proxy.requests.length).toBeGreaterThan(0);
      expect(proxy.requests.length).toBeLessThan(REQUESTS_MAX);
      await setup('--undo');
    });

    it('with an invalid token, has no tools of the console, opens no login window, and stops asking', async () => {
      const before = config();
      const opened = join(w.c.folder, 'window-opened');
      const folder = join(w.c.folder, 'browser');
      mkdirSync(folder, { recursive: true });
      for (const name of ['xdg-open', 'open', 'sensible-browser', 'www-browser', 'gio']) {
        writeFileSync(join(folder, name), `#!/bin/sh\necho "$0 $*" >> '${opened}'\n`, { mode: 0o755 });
      }
      const seen = proxy.requests.length;
      writeFileSync(join(home(), FILES[agentId]), WITH_TOKEN[agentId](before, `${proxy.url}/mcp`));
      const prompt = 'please delegate to scripted: with a dead token';
      const { code, out } = await run(program(), [...HEADLESS[agentId], prompt], {
        PATH: `${folder}:${agentPath()}`,
        BROWSER: join(folder, 'xdg-open'),
        DISPLAY: ':0',
      });
      writeFileSync(join(home(), FILES[agentId]), before);
      const requests = proxy.requests.slice(seen);
      console.log(agentId, requests.join(', '), out);
      expect({ code, out }).toMatchObject({ code: 0 });
      const { tools } = await heard(w, prompt);
      expect(tools.filter((name) => ours.test(name))).toEqual([]);
      expect(requests).toContainEqual(expect.stringMatching(/^POST .*401$/));
      expect(requests.length).toBeLessThan(REQUESTS_MAX);
      expect(existsSync(opened)).toBe(false);
    });

    const tellsWhy = async () => {
      await setup('--url', proxy.url);
      const prompt = 'please say why you have no tools';
      expect(await run(program(), [...HEADLESS[agentId], prompt])).toMatchObject({ code: 0 });
      const { raw } = await heard(w, prompt);
      await setup('--undo');
      expect(raw).toMatch(/offers (it )?no tools/);
    };
    // Codex ignores the instructions of a server without tools. If a later version reads them, `it.fails` makes the
    // test fail.
    if (agentId === 'codex') it.fails('started outside the console, learns why it has none of its tools', tellsWhy);
    else it('started outside the console, learns why it has none of its tools', tellsWhy);

    it('has the tools in its first request, by names that every agent accepts, and knows its session ids', async () => {
      const child = await w.delegate(agentId, 'say what you have');
      const { raw, tools } = await heard(w, 'say what you have');
      const all = await toolsOfAWorker();
      expect(all.filter((name) => !/^[a-z0-9_]+$/.test(name))).toEqual([]);
      // Claude Code gives the model only the names of its tools; the model requests the schemas that it needs.
      const deferred = tools.includes('ToolSearch');
      const seen = deferred
        ? all.filter((name) => raw.includes(`mcp__agent-console__${name}`))
        : tools.map((name) => name.replace(/^.*agent-console_+/, '')).filter((name) => all.includes(name));
      expect(seen.toSorted()).toEqual(all);
      expect(raw).toContain(`You run in session ${child.sessionId} (short ${shortId(child.sessionId)})`);
      expect(statusOf(w, child)).toBe('');
      await ended(w, child.taskId).catch(() => undefined);
      await w.stopAgents();
    });

    it('gets its session id once, also after a second start and beside another session in its worktree', async () => {
      const first = await w.delegate(agentId, 'say one');
      await heard(w, 'say one');
      const { worktreeId } = await w.c.client.call('sessions.get', { sessionId: first.sessionId });
      if (worktreeId === null) throw new Error('a delegation has a worktree');
      const second = await w.c.client.call('sessions.create', { worktreeId, agentId, initialPrompt: 'say two' });
      const two = await heard(w, 'say two');
      expect(two.raw).toContain(`You run in session ${second.id}`);
      expect(two.raw).not.toContain(first.sessionId);
      await w.until('the first at rest', async () => (await liveAgent(w, first.sessionId))?.activityState === 'idle');
      await w.c.client.call('sessions.stop', { sessionId: first.sessionId });
      await w.c.client.call('sessions.prompt', { sessionId: first.sessionId, prompt: 'say three' });
      const three = await heard(w, 'say three');
      expect(three.raw.split(`You run in session ${first.sessionId}`)).toHaveLength(2);
      expect(three.raw).not.toContain(second.id);

      const folder = (workerId: string) => join(w.c.home, 'workers', workerId, 'process');
      const live = [await liveAgent(w, first.sessionId), await liveAgent(w, second.id)].map((each) => each?.id ?? '');
      for (const id of live) expect(existsSync(folder(id))).toBe(true);
      await w.stopAgents();
      for (const id of [...live, first.workerId]) expect(existsSync(folder(id))).toBe(false);
      expect(statusOf(w, first)).toBe('');
      expect(filesWith('You run in session', first.worktreePath)).toEqual([]);
      expect(filesWith('agent-console', first.worktreePath).filter((file) => !file.endsWith('/.git'))).toEqual([]);
    });
  });
}
