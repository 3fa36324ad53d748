import type * as v from 'valibot';
import type { Contract } from '../operation.ts';
import { agents } from './agents.ts';
import { approvals } from './approvals.ts';
import { boards, zones } from './boards.ts';
import { delegations } from './delegations.ts';
import { folders } from './folders.ts';
import { inbox } from './inbox.ts';
import { integrations } from './integrations.ts';
import { mcpServers } from './mcp-servers.ts';
import { names } from './names.ts';
import { orchestrationCleanup } from './orchestration-cleanup.ts';
import { orchestrationDefinitions } from './orchestration-definitions.ts';
import { orchestrations } from './orchestrations.ts';
import { pruning } from './pruning.ts';
import { repositories } from './repositories.ts';
import { sessionImages } from './session-images.ts';
import { sessionLists } from './session-lists.ts';
import { sessionOptions } from './session-options.ts';
import { sessionPrompts } from './session-prompts.ts';
import { sessionWork } from './session-work.ts';
import { sessions } from './sessions.ts';
import { audit, events, login, settings, system, tokens } from './system.ts';
import { tasks } from './tasks.ts';
import { users } from './users.ts';
import { workers } from './workers.ts';
import { worktreeChanges } from './worktree-changes.ts';
import { jobs, worktrees } from './worktrees.ts';

/** All operations. REST, MCP, CLI, OpenAPI and the typed client are derived from this list. */
export const OPERATIONS = [
  ...repositories,
  ...folders,
  ...worktrees,
  ...worktreeChanges,
  ...integrations,
  ...pruning,
  ...jobs,
  ...boards,
  ...zones,
  // Must come before `sessions`, because paths of `sessions` that contain an id also match `/sessions/pins`.
  ...inbox,
  ...sessions,
  ...sessionWork,
  ...sessionPrompts,
  ...sessionImages,
  ...sessionLists,
  ...sessionOptions,
  ...workers,
  ...tasks,
  ...approvals,
  ...delegations,
  // Must come before the other operations on orchestrations, because `/orchestrations/:orchestrationId` would match
  // `/orchestrations/definitions`.
  ...orchestrationDefinitions,
  ...orchestrationCleanup,
  ...orchestrations,
  ...agents,
  ...mcpServers,
  ...events,
  ...audit,
  ...users,
  ...tokens,
  ...login,
  ...settings,
  ...names,
  ...system,
] as const;

type Entry = (typeof OPERATIONS)[number];
export type OperationName = Entry['name'];
type ByName = { [C in Entry as C['name']]: C };
/** Input of an operation after validation. */
export type InputOf<N extends OperationName> = v.InferOutput<ByName[N]['input']>;
/** Input of an operation as sent by a caller, before validation. */
export type RequestOf<N extends OperationName> = v.InferInput<ByName[N]['input']>;
export type OutputOf<N extends OperationName> = v.InferOutput<ByName[N]['output']>;

const byName = new Map<string, Contract>(OPERATIONS.map((contract): [string, Contract] => [contract.name, contract]));

export function contractOf(name: OperationName): Contract {
  const contract = byName.get(name);
  if (contract === undefined) throw new Error(`Unknown operation: ${name}`);
  return contract;
}

/** All contracts with the general type `Contract`, for code that derives REST, MCP or the command line from them. */
export const CONTRACTS: readonly Contract[] = [...byName.values()];
