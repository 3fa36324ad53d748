import * as v from 'valibot';
import { eventColumns } from '../columns.ts';
import { described, wholeNumber } from '../describe.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { IdPrefix } from '../ids.ts';
import { AgentId } from '../models/agent.ts';
import { AuditEntry } from '../models/audit.ts';
import { ConsoleEvent } from '../models/event.ts';
import { Settings } from '../models/settings.ts';
import { Scopes, Token } from '../models/token.ts';
import { Resources } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { Title } from '../text.ts';
import { Moment, Timestamp } from '../time.ts';
import { AfterSeq, shortText } from './fields.ts';

export const events = [
  operation({
    name: 'events.list',
    summary: 'Events between two sequence numbers, oldest or newest first',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/events' },
    cli: { command: 'events list', columns: eventColumns, defaults: { order: 'newest' } },
    example: { limit: 20 },
    input: v.strictObject({
      after: AfterSeq,
      before: v.optional(wholeNumber('Only events with a sequence number below this number', 0)),
      order: v.optional(
        described(v.picklist(['oldest', 'newest']), 'Whether the list begins with the oldest or the newest events'),
        'oldest',
      ),
      ...PageInput,
    }),
    output: pageOf(ConsoleEvent),
  }),
] as const;

const errorCodes = Object.keys(ERRORS) as ErrorCode[];

export const audit = [
  operation({
    name: 'audit.list',
    summary: 'Recorded calls, newest first: changes, calls by agents or over MCP, and refused calls',
    access: 'owner',
    ids: { sessionId: 'session' },
    includesRemoved: true,
    rest: { method: 'GET', path: '/audit' },
    cli: { command: 'audit list', columns: ['at', 'actor', 'surface', 'operation', 'outcome'] },
    example: { limit: 20 },
    input: v.strictObject({
      sessionId: v.optional(
        described(IdPrefix('session'), 'Filter by the session whose agent made the call, by id or prefix'),
      ),
      operation: v.optional(shortText('Filter by name of the operation, such as sessions.prompt', 100)),
      outcome: v.optional(
        described(v.picklist(['ok', 'error', ...errorCodes]), 'Filter by outcome: ok, error (any), or one error code'),
      ),
      after: v.optional(described(Moment, 'Only calls after this time')),
      before: v.optional(described(Moment, 'Only calls before this time')),
      ...PageInput,
    }),
    output: pageOf(AuditEntry),
  }),
] as const;

export const tokens = [
  operation({
    name: 'tokens.list',
    summary: 'Tokens, without their secrets',
    access: 'owner',
    rest: { method: 'GET', path: '/tokens' },
    cli: {
      command: 'tokens list',
      columns: [
        'id',
        'name',
        'login',
        'scopes',
        'createdAt',
        { heading: 'LAST USED', path: 'lastUsedAt' },
        { heading: 'EXPIRES', path: 'expiresAt' },
        { heading: 'CURRENT', path: 'current' },
      ],
    },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(Token),
  }),
  operation({
    name: 'tokens.create',
    summary: 'Create a token for yourself or another user; its secret is shown only once',
    access: 'owner',
    ids: { userId: 'user' },
    rest: { method: 'POST', path: '/tokens', status: 201 },
    cli: { command: 'tokens create', positional: ['name'] },
    example: { name: 'laptop', scopes: ['read', 'write'] },
    input: v.strictObject({
      name: v.pipe(Title, v.minLength(1), v.description('Name of the token')),
      userId: v.optional(
        described(IdPrefix('user'), 'User who owns the token, by id or prefix; default: the local owner'),
      ),
      scopes: v.optional(v.pipe(Scopes, v.minLength(1)), ['read', 'write']),
      expiresAt: v.optional(described(Moment, 'Expiry time; default: never')),
    }),
    output: v.object({
      ...Token.entries,
      token: described(v.string(), 'Secret of the token, shown only in this response'),
    }),
  }),
  operation({
    name: 'tokens.revoke',
    summary: 'Revoke a token at once',
    access: 'owner',
    ids: { tokenId: 'token' },
    rest: { method: 'DELETE', path: '/tokens/:tokenId' },
    cli: { command: 'tokens revoke', positional: ['tokenId'] },
    input: v.strictObject({ tokenId: IdPrefix('token') }),
    output: Token,
  }),
  operation({
    name: 'tokens.revokeLogins',
    summary: 'Revoke the tokens of all dashboard log-ins at once, except the one used for this call',
    effect: 'destroy',
    access: 'owner',
    rest: { method: 'POST', path: '/tokens/revoke-logins' },
    cli: { command: 'tokens revoke-logins' },
    input: v.strictObject({}),
    output: v.object({ revoked: v.pipe(v.number(), v.description('Number of revoked tokens')) }),
  }),
] as const;

export const login = [
  operation({
    name: 'login.open',
    summary: 'Create a one-time code for logging in to the dashboard, valid for a minute',
    access: 'owner',
    rest: { method: 'POST', path: '/login-codes', status: 201 },
    input: v.strictObject({}),
    output: v.object({
      code: described(v.string(), 'One-time code'),
      expiresAt: described(Timestamp, 'Expiry time of the code'),
    }),
  }),
  operation({
    name: 'login.redeem',
    summary: 'Log in: exchange the one-time code of a login link for a token',
    access: 'public',
    rest: { method: 'POST', path: '/login' },
    input: v.strictObject({
      code: shortText('Code from the link printed by `agent-console open`; valid once, for a minute', 200),
    }),
    output: v.object({
      token: described(v.string(), 'Bearer token'),
      expiresAt: described(v.nullable(Timestamp), 'Expiry time of the token, or null for never'),
    }),
  }),
] as const;

export const settings = [
  operation({
    name: 'settings.get',
    summary: 'Settings of this console',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/settings' },
    cli: { command: 'settings get' },
    input: v.strictObject({}),
    output: Settings,
  }),
  operation({
    name: 'settings.update',
    summary: 'Change settings; omitted settings are unchanged',
    access: 'owner',
    rest: { method: 'PATCH', path: '/settings' },
    cli: { command: 'settings update' },
    example: { delegationChildren: 3 },
    input: v.strictObject({
      ...v.partial(Settings).entries,
      defaultAgentId: v.optional(
        described(
          AgentId,
          'Id of the agent for new sessions if the call specifies no agent and the caller is not an agent',
        ),
      ),
    }),
    output: Settings,
  }),
] as const;

export const system = [
  operation({
    name: 'system.status',
    summary: 'State of the server and its runner, with counts and resource use',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/status' },
    cli: { command: 'status' },
    input: v.strictObject({}),
    output: v.object({
      version: described(v.string(), 'Version of the console'),
      pid: described(v.number(), 'Process id of the server'),
      startedAt: described(Timestamp, 'Start time of the server'),
      uptimeSeconds: described(v.number(), 'Seconds since the server started'),
      runner: described(
        v.object({
          state: described(
            v.picklist(['running', 'unresponsive', 'gone']),
            'unresponsive: does not answer; gone: has ended, so processes cannot be started or reached',
          ),
          pid: described(v.nullable(v.number()), 'Process id of the runner, or null if the runner has ended'),
        }),
        'Runner, the process that runs the agents',
      ),
      counts: described(
        v.object({
          repositories: described(v.number(), 'Number of registered repositories'),
          sessions: described(v.number(), 'Number of sessions that are not archived'),
          liveSessions: described(v.number(), 'Number of sessions with a live worker'),
          runningTasks: described(v.number(), 'Number of running tasks'),
          pendingNotices: described(v.number(), 'Number of undelivered notices'),
        }),
        'Counts of repositories, sessions, tasks and notices',
      ),
      resources: described(v.nullable(Resources), 'Resource use of all workers together, or null if unknown'),
      lastEventSeq: described(v.number(), 'Sequence number of the last event'),
    }),
  }),
] as const;
