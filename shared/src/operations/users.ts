import * as v from 'valibot';
import { UserCreatedResult, UserResult, userCreated, userResult } from '../agor/users.ts';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, nullableIdOf } from '../ids.ts';
import { EMAIL_MAX_CHARS, URL_MAX_CHARS } from '../limits/texts.ts';
import { User } from '../models/user.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { Title } from '../text.ts';

const userId = IdPrefix('user');
const ids = { userId: 'user' } as const;
const Username = v.pipe(Title, v.trim(), v.minLength(1), v.description('Display name'));
const Email = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(EMAIL_MAX_CHARS),
  v.email('must be an e-mail address'),
  v.toLowerCase(),
  v.description('E-mail address, unique among users'),
);
const AvatarUrl = v.pipe(
  v.string(),
  v.maxLength(URL_MAX_CHARS),
  v.url('must be a URL'),
  v.startsWith('https://', 'must begin with https://'),
  v.description('https URL of a picture'),
);

const CurrentUser = v.object({
  ...User.entries,
  sessionId: nullableIdOf('session', 'Id of the session of the calling agent; null if a person calls'),
});

export const users = [
  operation({
    name: 'users.list',
    summary: 'People who use this console',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/users' },
    cli: {
      command: 'users list',
      columns: [
        'id',
        { heading: 'NAME', path: 'username' },
        { heading: 'E-MAIL', path: 'email' },
        { heading: 'OWNER', path: 'localOwner' },
      ],
    },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(User),
  }),
  operation({
    name: 'users.current',
    summary: "The calling user; for an agent, the agent's session and the user that the agent works for",
    access: 'workspace-read',
    rest: { method: 'GET', path: '/users/current' },
    cli: { command: 'users current' },
    tool: {
      name: 'agor_users_get_current',
      toolset: 'users',
      description: 'The user you work for: id, name and e-mail address.',
      output: UserResult,
      toResult: ({ sessionId: _, ...user }: v.InferOutput<typeof CurrentUser>) => userResult(user),
    },
    input: v.strictObject({}),
    output: CurrentUser,
  }),
  operation({
    name: 'users.get',
    summary: 'One user; includes removed users',
    access: 'workspace-read',
    ids,
    includesRemoved: true,
    rest: { method: 'GET', path: '/users/:userId' },
    cli: { command: 'users get', positional: ['userId'] },
    tool: {
      name: 'agor_users_get',
      toolset: 'users',
      description: 'One user of this console by id: name, e-mail address and picture. Includes removed users.',
      output: UserResult,
      toResult: userResult,
    },
    input: v.strictObject({ userId }),
    output: User,
  }),
  operation({
    name: 'users.create',
    summary: 'Add a user, who then needs a token to log in',
    access: 'owner',
    idempotent: true,
    rest: { method: 'POST', path: '/users', status: 201 },
    cli: { command: 'users create' },
    tool: {
      name: 'agor_users_create',
      toolset: 'users',
      description: 'Add a user. Only the local owner may do this.',
      output: UserCreatedResult,
      toResult: userCreated,
    },
    example: { username: 'Ann', email: 'ann@example.com' },
    input: v.strictObject({
      username: v.optional(Username),
      email: v.optional(Email),
      avatarUrl: v.optional(AvatarUrl),
      idempotencyKey: IdempotencyKey,
    }),
    output: User,
  }),
  operation({
    name: 'users.update',
    summary: "Change a user's name, e-mail address or picture",
    access: 'owner',
    ids,
    rest: { method: 'PATCH', path: '/users/:userId' },
    cli: { command: 'users update', positional: ['userId'] },
    example: { email: 'ann@example.com' },
    input: v.pipe(
      v.strictObject({
        userId,
        username: v.optional(described(v.nullable(Username), 'Display name of the user; null clears it')),
        email: v.optional(described(v.nullable(Email), 'E-mail address, unique among users; null clears it')),
        avatarUrl: v.optional(described(v.nullable(AvatarUrl), 'https URL of a picture; null clears it')),
      }),
      v.check(
        ({ userId: _, ...fields }) => Object.values(fields).some((field) => field !== undefined),
        'At least one field to change is required',
      ),
    ),
    output: User,
  }),
  operation({
    name: 'users.remove',
    summary: 'Remove a user: their tokens are revoked at once, their sessions remain',
    access: 'owner',
    ids,
    rest: { method: 'DELETE', path: '/users/:userId' },
    cli: { command: 'users remove', positional: ['userId'] },
    input: v.strictObject({ userId }),
    output: User,
  }),
] as const;
