import type * as v from 'valibot';

/** Any schema whose input and output are plain JSON. */
export type AnySchema = v.GenericSchema<unknown, unknown>;

/** Effect of a call: reads, changes, or deletes. */
export type Effect = 'read' | 'write' | 'destroy';

/**
 * Who may call:
 * - `public`: anyone who reaches the port;
 * - `self`: people, and a worker for its own session;
 * - `subtree`: people, and a worker for its own session and those that came from it;
 * - `workspace-read`: people and any worker (reading what the workspace shares);
 * - `member`: people only;
 * - `owner`: the local owner only.
 */
export type Access = 'public' | 'self' | 'subtree' | 'workspace-read' | 'member' | 'owner';

/** Nouns whose ids, or prefixes of them, callers pass. */
export type Noun =
  | 'repository'
  | 'worktree'
  | 'board'
  | 'zone'
  | 'session'
  | 'worker'
  | 'task'
  | 'delegation'
  | 'job'
  | 'notice'
  | 'approval'
  | 'token'
  | 'user'
  | 'mcpServer';

/** Tool sets in the order in which they are listed. */
export const TOOLSETS = ['delegation', 'sessions', 'worktrees', 'boards', 'tasks', 'users'] as const;
export type ToolSet = (typeof TOOLSETS)[number];

/** How an operation appears as an MCP tool. `input` and `output` default to the operation's own. */
export interface ToolForm {
  name: string;
  toolset: ToolSet;
  /** Whether the tool is listed without `?toolsets=`; defaults to the value of its set. */
  byDefault?: boolean;
  /** Description for the agent that chooses a tool; defaults to the operation's summary. */
  description?: string;
  input?: AnySchema;
  output?: AnySchema;
  /** Whether the tool ends or deletes something that is hard to restore; defaults to the effect of the operation. */
  destructive?: true;
  /** Refused arguments of earlier designs, with what to do instead. No schema shows them. */
  refusedArguments?: Readonly<Record<string, string>>;
  /** Operation fields of arguments with another name. Several arguments may map to one field. */
  names?: Readonly<Record<string, string>>;
  /** Converts tool arguments, under the operation's names, to the operation's input; pure. */
  toInput?: (args: never) => unknown;
  /** Converts the operation's output to the tool result, which may depend on the tool arguments; pure. */
  toResult?: (output: never, args: never) => unknown;
}

/**
 * How a reading operation appears as an MCP resource. Its fields beside `id` may be in the query. Subscribers are
 * notified of every event whose subject or session has the id.
 */
export interface ResourceForm {
  /** `agor://<noun>/{id}`, optionally with another path segment. */
  uri: string;
  name: string;
  /** For agents, in one or two sentences. */
  description: string;
  /** The input field for `{id}`. */
  id: string;
  /** Where ids come from when a client completes one or lists resources. */
  offers: ResourceOffers;
}

/** A list whose rows lead to resources. */
export interface ResourceOffers {
  /** Name of a listing operation with `limit` and `skip`. */
  from: string;
  /** The id in a row, or null if the row leads to no resource. */
  id: (row: never) => string | null;
  /** Title of a row in a client. Resources are listed only if this is defined. */
  title?: (row: never) => string;
}

export interface RestForm {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * Below `/api`; `:field` is an input field. GET and DELETE read the other fields from the query, other methods from
   * the body.
   */
  path: string;
  /** Status of a success; default 200. */
  status?: 200 | 201 | 202;
  /** An output with this field describes a running job, so its status is 202. */
  acceptedWith?: string;
}

/** A column of a table for people: a path into a row, or an object with more options. */
export type CliColumn =
  | string
  | {
      heading: string;
      /** The first of several paths that is not empty is shown. */
      path: string | readonly string[];
      /** Shows the time at the path as an age. */
      as?: 'age';
    };

export interface CliForm {
  /** `<noun> <verb>` or a single word. */
  command: string;
  /** Alternative command names. */
  also?: readonly string[];
  /** Positional input fields in order. Optional ones are also options; all other fields are options only. */
  positional?: readonly string[];
  /** Columns for people; without them the command prints JSON. */
  columns?: readonly CliColumn[];
  /** Output field whose entries are the rows, each printed whole; the other fields are printed above. */
  rows?: string;
  /** Output field that is printed to people as it is, instead of the whole output. */
  prints?: string;
}

/** The contract of one operation. */
export interface Contract<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  /** `<noun>.<verb>` */
  name: string;
  summary: string;
  effect: Effect;
  access: Access;
  /**
   * Input fields with ids, prefixes, or lists of them, and their nouns. The gate resolves them before the operation
   * runs.
   */
  ids?: Readonly<Record<string, Noun>>;
  /** The input field whose session decides what a worker may do. The gate finds the session of any noun. */
  target?: string;
  /** Whether a worker also reaches its parent session. */
  parentToo?: boolean;
  /** Whether ids of removed entities are resolved too, so that callers can ask for their end. */
  includesRemoved?: boolean;
  /** Input fields that only people may set. */
  peopleOnly?: readonly string[];
  /** Whether an `Idempotency-Key` (or `idempotencyKey`) is supported: true for everything that creates. */
  idempotent?: boolean;
  rest: RestForm;
  tool?: ToolForm;
  /** Further tools for the same operation, with another spelling. */
  alsoTools?: readonly ToolForm[];
  resource?: ResourceForm;
  cli?: CliForm;
  input: I;
  output: O;
}

/** All tools of an operation, its own first. */
export function toolsOf({ tool, alsoTools = [] }: Pick<Contract, 'tool' | 'alsoTools'>): readonly ToolForm[] {
  return tool === undefined ? alsoTools : [tool, ...alsoTools];
}

/** Infers the literal name and the schema types of a contract. */
export function operation<const N extends string, I extends AnySchema, O extends AnySchema>(
  contract: Contract<I, O> & { name: N },
): Contract<I, O> & { name: N } {
  return contract;
}
