import * as v from 'valibot';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import {
  MCP_SERVER_NAME_MAX_CHARS,
  MCP_SERVER_VALUES_MAX,
  PRIVATE_VALUE_MAX_CHARS,
  SESSION_MCP_SERVERS_MAX,
} from '../limits/mcp-servers.ts';
import { URL_MAX_CHARS } from '../limits/texts.ts';
import { McpServer, McpTransport } from '../models/mcp-server.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const mcpServerId = IdPrefix('MCP server');
const ids = { mcpServerId: 'mcpServer' } as const;

/** The console's own; an entry of that name would take the place of its tools. */
const OWN_NAME = 'agent-console';

const Name = v.pipe(
  v.string(),
  v.regex(
    new RegExp(`^[a-z0-9][a-z0-9-]{0,${MCP_SERVER_NAME_MAX_CHARS - 1}}$`),
    `lower-case letters, digits and "-", at most ${MCP_SERVER_NAME_MAX_CHARS} characters`,
  ),
  v.check((name) => name !== OWN_NAME, `${OWN_NAME} is the console's own server; choose another name`),
  v.description('Its name, by which agents know its tools; different for each entry'),
);
const Word = v.pipe(v.string(), v.maxLength(4_000), v.regex(/^[^\x00]*$/, 'contains NUL'));
const Program = v.pipe(Word, v.minLength(1), v.description('Program of a stdio server; no shell reads it'));
const Args = v.pipe(
  v.array(Word),
  v.maxLength(100),
  v.description('Its arguments; they are shown, so private values belong into env'),
);
/**
 * Claude Code (2.1.330) and Gemini CLI (0.61.0) put a variable of their environment in the place of `${NAME}`, Gemini of
 * `$NAME` too, in what stands there after the first time as well, so that it cannot be written in another way.
 */
const VARIABLE = /\$[\w{]/;
const namesNoVariable = (text: string) => !VARIABLE.test(text);
const NAMES_VARIABLE = 'must not hold "$" before a letter, a digit, "_" or "{": agents put a variable in its place';

const Url = v.pipe(
  v.string(),
  v.maxLength(URL_MAX_CHARS),
  v.url('must be a URL'),
  v.regex(/^https?:\/\//, 'must begin with http:// or https://'),
  v.regex(/^[!-z|~]+$/, 'must not hold blanks, braces or other than ASCII characters; write them as %7B and the like'),
  v.check((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), 'must not hold a name or password; put them into headers'),
  v.check(namesNoVariable, NAMES_VARIABLE),
  v.description('Address of an http or sse server; it is shown, so private values belong into headers'),
);

const value = (pattern: RegExp, message: string) =>
  v.pipe(v.string(), v.maxLength(PRIVATE_VALUE_MAX_CHARS), v.regex(pattern, message));
const VariableName = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
    'is no name of an environment variable; give an object of names and values, or a list of {"name", "value"}',
  ),
);
const VariableValue = value(/^[^\x00]*$/, 'contains NUL');
/** Not only digits: those are the places of a list, which `v.record` takes for an object. */
const HeaderName = v.pipe(
  v.string(),
  v.regex(
    /^(?!\d+$)[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/,
    'is no name of a header; give an object of names and values, or a list of {"name", "value"}',
  ),
);
const HeaderValue = v.pipe(
  value(/^[\t -~]*$/, 'contains a character that a header cannot hold'),
  v.check(namesNoVariable, NAMES_VARIABLE),
);

/** Values by name: as an object, or as the list of names and values that agents of the ACP send. */
function namedValues<Value extends v.GenericSchema<string | null, string | null>>(
  name: typeof HeaderName | typeof VariableName,
  value: Value,
  description: string,
) {
  const entry = v.strictObject({
    name: v.pipe(name, v.description('Its name')),
    value: v.pipe(value, v.description('Its value, which is kept in private')),
  });
  const list = v.pipe(
    v.array(entry),
    v.maxLength(MCP_SERVER_VALUES_MAX),
    v.check((entries) => {
      const names = entries.map((each) => each.name);
      return new Set(names).size === names.length;
    }, 'names one of them twice'),
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

/** Ids of servers that a session is given. */
export const McpServerIds = v.pipe(
  v.array(mcpServerId),
  v.maxLength(SESSION_MCP_SERVERS_MAX),
  v.description('Ids of MCP servers that its agent gets besides the console’s own'),
);

export const mcpServers = [
  operation({
    name: 'mcpServers.list',
    summary: 'MCP servers that sessions can be given, without the values of their variables and headers',
    effect: 'read',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/mcp-servers' },
    cli: { command: 'mcp-servers list', columns: ['id', 'name', 'transport', 'command', 'url'] },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(McpServer),
  }),
  operation({
    name: 'mcpServers.create',
    summary: 'Add an MCP server that sessions can be given: by its program (stdio) or its address (http, sse)',
    effect: 'write',
    access: 'member',
    idempotent: true,
    rest: { method: 'POST', path: '/mcp-servers', status: 201 },
    cli: { command: 'mcp-servers create', positional: ['name'] },
    input: v.pipe(
      v.strictObject({
        name: Name,
        transport: McpTransport,
        command: v.optional(Program),
        args: v.optional(Args),
        env: namedValues(
          VariableName,
          VariableValue,
          'Variables of the program with their values, which are kept in private and never shown',
        ),
        url: v.optional(Url),
        headers: namedValues(
          HeaderName,
          HeaderValue,
          'Headers of each request with their values, which are kept in private and never shown',
        ),
        idempotencyKey: IdempotencyKey,
      }),
      v.check(({ transport, command, args, env, url, headers }) => {
        const local = [command, args, env].some((field) => field !== undefined);
        const remote = [url, headers].some((field) => field !== undefined);
        return transport === 'stdio' ? command !== undefined && !remote : url !== undefined && !local;
      }, 'transport stdio takes command, args and env; http and sse take url and headers'),
    ),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.get',
    summary: 'One MCP server that sessions can be given',
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers get', positional: ['mcpServerId'] },
    input: v.strictObject({ mcpServerId }),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.update',
    summary: 'Change an MCP server; agents that run keep what they were started with',
    effect: 'write',
    access: 'member',
    ids,
    rest: { method: 'PATCH', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers update', positional: ['mcpServerId'] },
    input: v.strictObject({
      mcpServerId,
      name: v.optional(Name),
      command: v.optional(Program),
      args: v.optional(Args),
      env: namedValues(
        VariableName,
        v.nullable(VariableValue),
        'Variables to set; null takes one away, the others stay',
      ),
      url: v.optional(Url),
      headers: namedValues(HeaderName, v.nullable(HeaderValue), 'Headers to set; null takes one away, the others stay'),
    }),
    output: McpServer,
  }),
  operation({
    name: 'mcpServers.remove',
    summary: 'Remove an MCP server: its values are deleted at once, sessions start without it from then on',
    effect: 'destroy',
    access: 'member',
    ids,
    rest: { method: 'DELETE', path: '/mcp-servers/:mcpServerId' },
    cli: { command: 'mcp-servers remove', positional: ['mcpServerId'] },
    input: v.strictObject({ mcpServerId }),
    output: McpServer,
  }),
] as const;
