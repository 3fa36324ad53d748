import * as v from 'valibot';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { IdPrefix } from '../ids.ts';
import { AgentId } from '../models/agent.ts';
import { AuditEntry } from '../models/audit.ts';
import { ConsoleEvent } from '../models/event.ts';
import { Settings } from '../models/settings.ts';
import { Scope, Token } from '../models/token.ts';
import { Resources } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { Title } from '../text.ts';
import { Moment, Timestamp } from '../time.ts';

export const events = [
  operation({
    name: 'events.list',
    summary: 'Events after a sequence number, oldest first',
    effect: 'read',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/events' },
    cli: { command: 'events list', columns: ['seq', 'at', 'type', 'actor', 'subject.id'] },
    input: v.strictObject({
      after: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
      ...PageInput,
    }),
    output: pageOf(ConsoleEvent),
  }),
] as const;

const errorCodes = Object.keys(ERRORS) as ErrorCode[];

export const audit = [
  operation({
    name: 'audit.list',
    summary:
      'Calls that were written down, newest first: those that changed something, of agents, over MCP, or refused',
    effect: 'read',
    access: 'owner',
    ids: { sessionId: 'session' },
    includesRemoved: true,
    rest: { method: 'GET', path: '/audit' },
    cli: {
      command: 'audit list',
      columns: ['at', 'actor', 'surface', 'operation', 'outcome'],
    },
    input: v.strictObject({
      sessionId: v.optional(IdPrefix('session')),
      operation: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
      outcome: v.optional(v.picklist(['ok', 'error', ...errorCodes])),
      after: v.optional(Moment),
      before: v.optional(Moment),
      ...PageInput,
    }),
    output: pageOf(AuditEntry),
  }),
] as const;

export const tokens = [
  operation({
    name: 'tokens.list',
    summary: 'Tokens, without their secrets',
    effect: 'read',
    access: 'owner',
    rest: { method: 'GET', path: '/tokens' },
    cli: {
      command: 'tokens list',
      columns: ['id', 'name', 'login', 'scopes', 'createdAt', 'lastUsedAt', 'expiresAt', 'current'],
    },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(Token),
  }),
  operation({
    name: 'tokens.create',
    summary: 'Make a token, for yourself or for another user; its secret is shown this once',
    effect: 'write',
    access: 'owner',
    ids: { userId: 'user' },
    rest: { method: 'POST', path: '/tokens', status: 201 },
    cli: { command: 'tokens create', positional: ['name'] },
    input: v.strictObject({
      name: v.pipe(Title, v.minLength(1)),
      userId: v.optional(IdPrefix('user')),
      scopes: v.optional(v.pipe(v.array(Scope), v.minLength(1)), ['read', 'write']),
      expiresAt: v.optional(Moment),
    }),
    output: v.object({ ...Token.entries, token: v.string() }),
  }),
  operation({
    name: 'tokens.revoke',
    summary: 'Revoke a token at once',
    effect: 'destroy',
    access: 'owner',
    ids: { tokenId: 'token' },
    rest: { method: 'DELETE', path: '/tokens/:tokenId' },
    cli: { command: 'tokens revoke', positional: ['tokenId'] },
    input: v.strictObject({ tokenId: IdPrefix('token') }),
    output: Token,
  }),
  operation({
    name: 'tokens.revokeLogins',
    summary: 'Revoke the tokens of all dashboard log-ins at once, but for the one that the call is made with',
    effect: 'destroy',
    access: 'owner',
    rest: { method: 'POST', path: '/tokens/revoke-logins' },
    cli: { command: 'tokens revoke-logins' },
    input: v.strictObject({}),
    output: v.object({ revoked: v.pipe(v.number(), v.description('How many there were')) }),
  }),
] as const;

export const login = [
  operation({
    name: 'login.open',
    summary: 'Make a one-time code for the dashboard, good for a minute',
    effect: 'write',
    access: 'owner',
    rest: { method: 'POST', path: '/login-codes', status: 201 },
    input: v.strictObject({}),
    output: v.object({ code: v.string(), expiresAt: Timestamp }),
  }),
  operation({
    name: 'login.redeem',
    summary: 'Exchange a one-time code for a token',
    effect: 'write',
    access: 'public',
    rest: { method: 'POST', path: '/login' },
    input: v.strictObject({ code: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) }),
    output: v.object({ token: v.string(), expiresAt: v.nullable(Timestamp) }),
  }),
] as const;

export const settings = [
  operation({
    name: 'settings.get',
    summary: 'Settings of this console',
    effect: 'read',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/settings' },
    cli: { command: 'settings get' },
    input: v.strictObject({}),
    output: Settings,
  }),
  operation({
    name: 'settings.update',
    summary: 'Change settings; the rest stays',
    effect: 'write',
    access: 'owner',
    rest: { method: 'PATCH', path: '/settings' },
    cli: { command: 'settings update' },
    input: v.strictObject({ ...v.partial(Settings).entries, defaultAgentId: v.optional(AgentId) }),
    output: Settings,
  }),
] as const;

export const system = [
  operation({
    name: 'system.status',
    summary: 'The server, its runner and what they hold',
    effect: 'read',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/status' },
    cli: { command: 'status' },
    input: v.strictObject({}),
    output: v.object({
      version: v.string(),
      pid: v.number(),
      startedAt: Timestamp,
      uptimeSeconds: v.number(),
      runner: v.object({ state: v.picklist(['running', 'unresponsive', 'gone']), pid: v.nullable(v.number()) }),
      counts: v.object({
        repositories: v.number(),
        sessions: v.number(),
        liveSessions: v.number(),
        runningTasks: v.number(),
        pendingNotices: v.number(),
      }),
      /** Of all workers together. */
      resources: v.nullable(Resources),
      lastEventSeq: v.number(),
    }),
  }),
] as const;
