import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** A registered git repository. Commands run only because a person saved them here. */
export const Repository = v.object({
  id: v.string(),
  name: v.string(),
  /** Top level of the main checkout. */
  path: v.string(),
  /** Fetch URL of origin without credentials, or null. */
  url: v.nullable(v.string()),
  defaultBranch: v.string(),
  setupCommand: v.nullable(v.string()),
  cleanupCommand: v.nullable(v.string()),
  checkCommand: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type Repository = v.InferOutput<typeof Repository>;

export const Branch = v.object({
  name: v.string(),
  sha: v.string(),
  remote: v.boolean(),
  worktreePath: v.nullable(v.string()),
});
