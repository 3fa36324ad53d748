import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { CliForm, Contract, Noun } from '@agent-console/shared/operation';
import type { OutputOf } from '@agent-console/shared/operations/table';
import type { ConsoleClient } from './client.ts';
import { withOwnIds } from './names.ts';

/** An entity that is named on the command line, with its full id and its title. */
export type Named = OutputOf<'names.resolve'>;

export interface FullInput {
  input: Record<string, unknown>;
  /**
   * The entities that the input names. An entity with a full id is looked up only for its title, so it is missing
   * unless `needsTitles` is set.
   */
  named: readonly Named[];
}

const COMPLETE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Replaces names, titles, paths and beginnings of ids in the id fields of an input with full ids. The console looks up
 * the ids.
 */
export async function withFullIds(
  client: ConsoleClient,
  { ids = {} }: Contract,
  input: Record<string, unknown>,
  { needsTitles, cwd }: { needsTitles: boolean; cwd: string },
): Promise<FullInput> {
  const full = { ...input };
  const named: Named[] = [];

  async function idOf(noun: Noun, text: string): Promise<string> {
    if (text === '' || (COMPLETE_ID.test(text) && !needsTitles)) return text;
    const isPath = (noun === 'repository' || noun === 'worktree') && /^(?:\.{0,2}\/|\.{1,2}$)/.test(text);
    const query = isPath ? realPath(resolve(cwd, text)) : text;
    const found = await client.call('names.resolve', { noun, query, exact: needsTitles });
    named.push(found);
    return found.id;
  }

  for (const [field, noun] of Object.entries(ids)) {
    const value = input[field];
    if (typeof value === 'string') full[field] = await idOf(noun, value);
    if (!Array.isArray(value)) continue;
    const found: unknown[] = [];
    for (const each of value) found.push(typeof each === 'string' ? await idOf(noun, each) : each);
    full[field] = found;
  }
  return { input: full, named };
}

/**
 * Adds the fields in `here` that the input lacks. Their values are the ids of the repository or worktree that contains
 * the directory `cwd`.
 */
export async function withIdsHere(
  client: ConsoleClient,
  { ids = {} }: Contract,
  { here = [] }: Pick<CliForm, 'here'>,
  input: Record<string, unknown>,
  cwd: string,
): Promise<Record<string, unknown>> {
  const full = { ...input };
  for (const field of here) {
    const noun = ids[field];
    if (noun === undefined || input[field] !== undefined) continue;
    // The error is ignored, because the directory may be in no repository, or the console may run on another machine.
    const found = await client.call('names.resolve', { noun, query: realPath(cwd) }).catch(() => undefined);
    if (found !== undefined) full[field] = found.id;
  }
  return full;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Returns the id of the session that a command line names. By default, this is the session in which the command runs.
 */
export async function sessionIdOf(
  client: ConsoleClient,
  contract: Contract,
  session: string | undefined,
): Promise<string> {
  const input = withOwnIds(contract, session === undefined ? {} : { sessionId: session }, process.env);
  const full = await withFullIds(client, contract, input, { needsTitles: false, cwd: process.cwd() });
  const { sessionId } = full.input;
  if (typeof sessionId === 'string') return sessionId;
  throw new ConsoleError(
    'VALIDATION',
    'This command was not run in a session of the console. Pass the name, title or id of a session.',
    { field: 'sessionId' },
  );
}
