import { Job } from '@agent-console/shared/models/job';
import { PullRequest } from '@agent-console/shared/models/pull-request';
import type { AnySchema } from '@agent-console/shared/operation';

/**
 * Returns the output of an operation without the titles of pull requests, for an agent. People outside the console
 * write these titles, and an agent could take them for instructions.
 */
export function withoutForeignText<T>(schema: AnySchema, output: T): T {
  return mayContainPullRequest(schema) ? (withoutTitles(output) as T) : output;
}

/** Properties of valibot schemas that contain other schemas. Valibot's type for any schema does not declare them. */
interface SchemaParts {
  type: string;
  entries?: Readonly<Record<string, AnySchema>>;
  wrapped?: AnySchema;
  item?: AnySchema;
  options?: readonly AnySchema[];
}

const known = new WeakMap<AnySchema, boolean>();

/**
 * Whether outputs of a schema can contain a pull request. True for a job, because its result may contain a pull
 * request, which the schema of the job does not show.
 */
function mayContainPullRequest(schema: AnySchema): boolean {
  const { type, entries = {}, wrapped, item, options } = schema as unknown as SchemaParts;
  const alternatives = type === 'union' || type === 'variant' ? (options ?? []) : [];
  const inside = [...Object.values(entries), wrapped, item, ...alternatives].filter((each) => each !== undefined);
  const found = known.get(schema) ?? (schema === PullRequest || schema === Job || inside.some(mayContainPullRequest));
  known.set(schema, found);
  return found;
}

function withoutTitles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTitles);
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutTitles(field)]));
  const { pullRequest } = copy;
  return isObject(pullRequest) ? { ...copy, pullRequest: { ...pullRequest, title: '' } } : copy;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
