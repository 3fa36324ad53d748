import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, ListedIdPrefix } from '../ids.ts';
import {
  MCP_SERVER_NAME_MAX_CHARS,
  MCP_SERVER_VALUES_MAX,
  PRIVATE_VALUE_MAX_CHARS,
  SESSION_MCP_SERVERS_MAX,
} from '../limits/mcp-servers.ts';
import { URL_MAX_CHARS } from '../limits/texts.ts';
import { McpServer, type McpTransport } from '../models/mcp-server.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const NOUN = 'MCP server';
const mcpServerId = IdPrefix(NOUN);
const ids = { mcpServerId: 'mcpServer' } as const;

/** Name of the console's own MCP server; another server with this name would replace its tools. */
const OWN_NAME = 'agent-console';

const Name = v.pipe(
  v.string(),
  v.regex(
    new RegExp(`^[a-z0-9][a-z0-9-]{0,${MCP_SERVER_NAME_MAX_CHARS - 1}}$`),
    `may only contain lower-case letters, digits and "-", must start with a letter or digit, and must have at most ${MCP_SERVER_NAME_MAX_CHARS} characters`,
  ),
  v.check((name) => name !== OWN_NAME, `${OWN_NAME} is the console's own server; choose another name`),
  v.description("Unique name, which agents use as a prefix of the names of the server's tools"),
);
const Word = v.pipe(v.string(), v.maxLength(4_000), v.regex(/^[^\x00]*$/, 'must not contain the NUL character'));
const Program = v.pipe(Word, v.minLength(1), v.description('Executable of a stdio server, run without a shell'));
const Args = v.pipe(
  v.array(Word),
  v.maxLength(100),
  v.description('Arguments of the executable. Responses contain them, so put private values into env'),
);
/**
 * In configurations of MCP servers, Claude Code (2.1.330) and Gemini CLI (0.61.0) replace `${NAME}` with an environment
 * variable. Gemini also replaces `$NAME`. Both replace variables in the result once more, so a "$" cannot be escaped.
 */
const VARIABLE = /\$[\w{]/;
const hasNoVariable = (text: string) => !VARIABLE.test(text);
const HAS_VARIABLE = 'must not contain "$" before a letter, a digit, "_" or "{": agents expand it as a variable';

const Url = v.pipe(
  v.string(),
  v.maxLength(URL_MAX_CHARS),
  v.url('must be a URL'),
  v.regex(/^https?:\/\//, 'must begin with http:// or https://'),
  v.regex(/^[!-z|~]+$/, 'must not contain spaces, braces or non-ASCII characters; percent-encode them'),
  v.check((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), 'must not contain a user name or password; put them into headers'),
  v.check(hasNoVariable, HAS_VARIABLE),
  v.description('URL of an http or sse server. Responses contain it, so put private values into headers'),
);

const value = (pattern: RegExp, message: string) =>
  v.pipe(v.string(), v.maxLength(PRIVATE_VALUE_MAX_CHARS), v.regex(pattern, message));
const VariableName = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
    'is not the name of an environment variable; pass an object of names and values, or a list of {"name", "value"}',
  ),
);
const VariableValue = value(/^[^\x00]*$/, 'must not contain the NUL character');
/**
 * Name of a header. Names of digits only are rejected, so that `v.record` does not accept an array as an object whose
 * keys are indexes.
 */
const HeaderName = v.pipe(
  v.string(),
  v.regex(
    /^(?!\d+$)[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/,
    'is not the name of a header; pass an object of names and values, or a list of {"name", "value"}',
  ),
);
const HeaderValue = v.pipe(
  value(/^[\t -~]*$/, 'must contain only printable ASCII characters, spaces and tabs'),
  v.check(hasNoVariable, HAS_VARIABLE),
);

/**
 * Returns the schema of the environment variables or headers of an MCP server. It accepts an object of names and
 * values, or a list of `{ name, value }` as in the Agent Client Protocol.
 */
function namedValues<Value extends v.GenericSchema<string | null, string | null>>(
  name: typeof HeaderName | typeof VariableName,
  value: Value,
  description: string,
) {
  const entry = v.strictObject({
    name: described(name, 'Name'),
    value: described(value, 'Value; stored privately and never shown'),
  });
  const list = v.pipe(
    v.array(entry),
    v.maxLength(MCP_SERVER_VALUES_MAX),
    v.check((entries) => {
      const names = entries.map((each) => each.name);
      return new Set(names).size === names.length;
    }, 'must not contain the same name twice'),
  );
  const object = v.pipe(v.record(name, value), v.maxEntries(MCP_SERVER_VALUES_MAX));
  return v.optional(
    v.pipe(
      v.union([list, object], 'must be an object of names and values, or a list of {"name", "value"}'),
      v.transform((values) =>
        Array.isArray(values) ? Object.fromEntries(values.map((each) => [each.name, each.value])) : values,
      ),
      v.description(description),
    ),
  );
}

const fitsTransport = ({ transport, command, args, env, url, headers }: TransportFields) => {
  const local = [command, args, env].some((field) => field !== undefined);
  const remote = [url, headers].some((field) => field !== undefined);
  return transport === 'stdio' ? command !== undefined && !remote : url !== undefined && !local;
};
type TransportFields = { transport: McpTransport } & Partial<
  Record<'command' | 'args' | 'env' | 'url' | 'headers', unknown>
>;
const FITS_TRANSPORT = 'transport stdio needs command and allows args and env; http and sse need url and allow headers';
const serverFields = {
  name: Name,
  transport: McpServer.entries.transport,
  command: v.optional(Program),
  args: v.optional(Args),
  env: namedValues(VariableName, VariableValue, 'Environment variables; values are stored privately and never shown'),
  url: v.optional(Url),
  headers: namedValues(HeaderName, HeaderValue, 'Headers of each request; values are stored privately and never shown'),
};

/** An MCP server that a client provides for one process of an agent. */
const ClientMcpServer = v.pipe(
  v.strictObject(serverFields),
  v.check((server) => fitsTransport(server), FITS_TRANSPORT),
);
export type ClientMcpServer = v.InferOutput<typeof ClientMcpServer>;
export const ClientMcpServers = v.pipe(
  v.array(ClientMcpServer),
  v.maxLength(SESSION_MCP_SERVERS_MAX),
  v.check(
    (servers) => new Set(servers.map(({ name }) => name)).size === servers.length,
    'must not contain the same name twice',
  ),
  v.description(
    'MCP servers that the caller provides for the agent process that this call starts (people only); stored privately until the process ends',
  ),
);

export const McpServerIds = v.pipe(
  v.array(ListedIdPrefix(NOUN)),
  v.maxLength(SESSION_MCP_SERVERS_MAX),
  v.description('MCP servers to give the agent, by id or prefix'),
);

export const mcpServers = [
  operation({
    name: 'mcpServers.list',
    summary: 'MCP servers for sessions; values of variables and headers are omitted',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/mcp-servers' },
    cli: { command: 'mcp-servers list', columns: ['id', 'name', 'transport', 'command', 'url'] },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(McpServer),
  }),
  operation({
    name: 'mcpServers.create',
    summary: 'Add an MCP server for sessions by its command (stdio) or its URL (http, sse)',
    access: 'member',
    idempotent: true,
    rest: { method: 'POST', path: '/mcp-servers', status: 201 },
    cli: { command: 'mcp-servers create', positional: ['name'] },
    example: { name: 'tickets', transport: 'stdio', command: 'npx', args: ['-y', 'tickets-mcp'] },
    input: v.pipe(
      v.strictObject({ ...serverFields, idempotencyKey: IdempotencyKey }),
      v.check((server) => fitsTransport(server), FITS_TRANSPORT),
    ),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.get',
    summary: 'One MCP server for sessions',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers get', positional: ['mcpServerId'] },
    input: v.strictObject({ mcpServerId }),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.update',
    summary: 'Change an MCP server; running agents keep their current configuration',
    access: 'member',
    ids,
    rest: { method: 'PATCH', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers update', positional: ['mcpServerId'] },
    example: { args: ['-y', 'tickets-mcp', '--read-only'] },
    input: v.strictObject({
      mcpServerId,
      name: v.optional(Name),
      command: v.optional(Program),
      args: v.optional(Args),
      env: namedValues(
        VariableName,
        v.nullable(VariableValue),
        'Environment variables to set; null removes a variable, others are unchanged',
      ),
      url: v.optional(Url),
      headers: namedValues(
        HeaderName,
        v.nullable(HeaderValue),
        'Headers to set; null removes a header, others are unchanged',
      ),
    }),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.remove',
    summary: 'Remove an MCP server with its variables and headers; new agents start without it',
    access: 'member',
    ids,
    rest: { method: 'DELETE', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers remove', positional: ['mcpServerId'] },
    input: v.strictObject({ mcpServerId }),
    output: McpServer,
  }),
] as const;
