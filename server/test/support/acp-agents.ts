import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenProgram } from './memory-runner/programs.ts';
import type { TestApp } from './test-app.ts';

/** A program of an ACP agent that answers each request with the result or error that `answer` returns. */
export function answering(
  answer: (method: string, params: unknown) => { result: object } | { error: { code: number; message: string } },
): OpenProgram {
  return ({ print, ended }) => ({
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        print(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`);
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  });
}

/** Defines ACP agents with these ids, which are also the names of their programs in the memory runner. */
export async function defineAcpAgents({ client, folder }: TestApp, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const path = join(folder, id);
    writeFileSync(path, '', { mode: 0o755 });
    await client.call('agents.create', { id, name: id, command: [path], driver: 'acp' });
  }
}

/** Helpers to start sessions of the scripted ACP agent and to read their messages. */
export function acpSessionsOf(console: () => TestApp) {
  const messagesOf = async (sessionId: string) =>
    (await console().client.call('sessions.messages', { sessionId })).data;
  return {
    start: (initialPrompt: string) =>
      console().client.call('sessions.create', { cwd: console().folder, agentId: 'scripted-acp', initialPrompt }),
    messagesOf,
    texts: async (sessionId: string) =>
      (await messagesOf(sessionId)).flatMap(({ role, kind, parts }) =>
        role === 'agent' && kind === 'text' ? [parts[0]?.text] : [],
      ),
  };
}
