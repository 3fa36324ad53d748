import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { createAgent } from './agent.ts';
import type { RunGit } from './git.ts';
import { createKeyDecoder } from './keys.ts';
import { createToolCaller } from './mcp.ts';
import { openTerminal, type TerminalDevice } from './terminal.ts';
import { type Beginning, openTranscript } from './transcript.ts';

const USAGE =
  'usage: scripted-agent --transcript file [--resume | --fork-from file] [--mcp-token-file file] [--mcp-config file]';
const BANNER = `Scripted agent of Agent Console. In a prompt, lines that begin with @ are commands: @say, @write, @commit, @merge,
@tool, @servers, @report, @ask, @permission, @sleep, @flood, @recall, @after, @fail, @quota, @exit, @crash. Other text is saved as a note.
`;

export interface ProgramHost {
  device: TerminalDevice;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  runGit: RunGit;
  /** Ends the process with a status. The promise never settles. */
  exit(code: number): Promise<never>;
  /** Ends the process without any cleanup, as SIGKILL does. */
  crash(): Promise<never>;
}

export interface ScriptedProgram {
  /**
   * Prints the greeting and reports readiness. Must be called after `input` and `interrupt` were connected to the
   * process.
   */
  begin(): void;
  input(chunk: Buffer): void;
  /** Handles Ctrl-C that arrived as a Unix signal. */
  interrupt(): void;
  /**
   * Ends the current turn and closes files and connections. For a host whose process does not exit with the agent, such
   * as a test.
   */
  stop(): void;
  restoreTerminal(): void;
}

/** Thrown if the command line or the transcript prevents a start. The message gives the reason. */
export class StartRefused extends Error {}

/** Starts the scripted agent with its command-line arguments. @throws StartRefused */
export async function openScriptedAgent(args: string[], host: ProgramHost): Promise<ScriptedProgram> {
  const options = readOptions(args);
  const transcript = await openTranscript(options.transcript, options.beginning).catch((cause: Error) => {
    throw new StartRefused(cause.message, { cause });
  });
  const terminal = openTerminal(host.device);
  const url = host.env.AGENT_CONSOLE_MCP_URL;
  const readToken = async () =>
    options.tokenFile === undefined ? null : (await readFile(options.tokenFile, 'utf8')).trim();
  const tools = createToolCaller(url ? { url, readToken } : null);
  const { cwd, env, runGit, exit, crash } = host;
  const otherServers = async () => (options.mcpConfig === undefined ? [] : await listServers(options.mcpConfig));
  const agent = createAgent({ terminal, transcript, tools, otherServers, cwd, env, runGit, exit, crash });
  const decode = createKeyDecoder();
  return {
    begin() {
      terminal.write(BANNER);
      if (options.beginning.mode !== 'new') terminal.print(`resumed ${transcript.messages} messages`);
      agent.ready();
    },
    input(chunk) {
      for (const key of decode(chunk)) agent.press(key);
    },
    interrupt: () => agent.press({ type: 'interrupt' }),
    stop() {
      agent.stop();
      tools.close();
      transcript.close();
    },
    restoreTerminal: () => terminal.restore(),
  };
}

interface Options {
  transcript: string;
  beginning: Beginning;
  tokenFile: string | undefined;
  mcpConfig: string | undefined;
}

function readOptions(args: string[]): Options {
  const { transcript, resume, 'fork-from': from, ...files } = parse(args);
  if (!transcript || (resume && from !== undefined)) throw new StartRefused(USAGE);
  const beginning: Beginning = resume ? { mode: 'resume' } : from ? { mode: 'fork', from } : { mode: 'new' };
  return { transcript, beginning, tokenFile: files['mcp-token-file'], mcpConfig: files['mcp-config'] };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        transcript: { type: 'string' },
        resume: { type: 'boolean' },
        'fork-from': { type: 'string' },
        'mcp-token-file': { type: 'string' },
        'mcp-config': { type: 'string' },
      },
    });
    return values;
  } catch (cause) {
    throw new StartRefused(`${(cause as Error).message}\n${USAGE}`, { cause });
  }
}

const Config = v.object({ mcpServers: v.record(v.string(), v.object({ type: v.string() })) });

/** Lists the MCP servers in a configuration file, as `<name> (<transport>)`. Rejects for an invalid file. */
async function listServers(file: string): Promise<string[]> {
  const { mcpServers } = v.parse(Config, JSON.parse(await readFile(file, 'utf8')));
  return Object.entries(mcpServers).map(([name, { type }]) => `${name} (${type})`);
}
