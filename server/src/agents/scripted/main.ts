import { ReadStream } from 'node:tty';
import { parseArgs } from 'node:util';
import { createAgent } from './agent.ts';
import { createKeyDecoder } from './keys.ts';
import { createToolCaller } from './mcp.ts';
import { openTerminal } from './terminal.ts';
import { type Beginning, openTranscript } from './transcript.ts';

const USAGE =
  'usage: scripted-agent --transcript file [--resume | --fork-from file] [--mcp-token-file file] [--mcp-config file]';
const BANNER = `Scripted agent of Agent Console. Lines that begin with @ are commands: @say, @write, @commit, @merge,
@tool, @servers, @report, @ask, @permission, @sleep, @flood, @recall, @after, @exit, @crash. Anything else becomes a note.
`;

/** Signals that ask to end, with the exit status a shell gives them. */
const ENDINGS = { SIGHUP: 129, SIGTERM: 143 } as const;

async function main(): Promise<void> {
  const options = readOptions();
  const { stdin, stdout } = process;
  if (!(stdin instanceof ReadStream) || !stdout.isTTY) refuse('the scripted agent needs a terminal: start it in one');
  const transcript = await openTranscript(options.transcript, options.beginning).catch((error: Error) =>
    refuse(error.message),
  );

  const terminal = openTerminal(stdin);
  process.on('exit', () => terminal.restore());
  for (const [signal, code] of Object.entries(ENDINGS)) process.on(signal, () => process.exit(code));
  stdin.on('error', () => process.exit(ENDINGS.SIGHUP));
  stdin.on('end', () => process.exit(ENDINGS.SIGHUP));

  const agent = createAgent({
    terminal,
    transcript,
    tools: createToolCaller(process.env.AGENT_CONSOLE_MCP_URL, options.tokenFile),
    mcpConfig: options.mcpConfig,
    cwd: process.cwd(),
    exit: (code) => process.exit(code),
  });
  terminal.write(BANNER);
  if (options.beginning.mode !== 'new') terminal.print(`resumed ${transcript.messages} messages`);
  const decode = createKeyDecoder();
  stdin.on('data', (chunk: Buffer) => {
    for (const key of decode(chunk)) agent.press(key);
  });
  process.on('SIGINT', () => agent.press({ type: 'interrupt' }));
  agent.ready();
}

interface Options {
  transcript: string;
  beginning: Beginning;
  tokenFile: string | undefined;
  mcpConfig: string | undefined;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        transcript: { type: 'string' },
        resume: { type: 'boolean' },
        'fork-from': { type: 'string' },
        'mcp-token-file': { type: 'string' },
        'mcp-config': { type: 'string' },
      },
    });
    const from = values['fork-from'];
    if (!values.transcript) return refuse(USAGE);
    if (values.resume && from !== undefined) return refuse(USAGE);
    const beginning: Beginning = values.resume ? { mode: 'resume' } : from ? { mode: 'fork', from } : { mode: 'new' };
    const { transcript, 'mcp-token-file': tokenFile, 'mcp-config': mcpConfig } = values;
    return { transcript, beginning, tokenFile, mcpConfig };
  } catch (error) {
    return refuse(`${(error as Error).message}\n${USAGE}`);
  }
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

await main();
