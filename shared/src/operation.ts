import type * as v from 'valibot';

/** Any schema whose input and output are plain JSON. */
export type AnySchema = v.GenericSchema<unknown, unknown>;

/** What a call may do: look, change, or take away. */
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

/** Nouns whose ids (or prefixes of them) callers give. */
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

/** Sets of tools in the order they are listed. */
export const TOOLSETS = ['delegation', 'sessions', 'worktrees', 'boards', 'tasks', 'users'] as const;
export type ToolSet = (typeof TOOLSETS)[number];

/** How an operation appears as an MCP tool. `input` and `output` default to the operation's own. */
export interface ToolForm {
  name: string;
  toolset: ToolSet;
  /** Whether it is listed where nobody asks for tool sets; what its set says, unless it says otherwise. */
  byDefault?: boolean;
  /** Written for an agent that decides by it; defaults to the operation's summary. */
  description?: string;
  input?: AnySchema;
  output?: AnySchema;
  /** Whether it ends or takes away what is not easily had again; what its operation's effect says, unless it says otherwise. */
  destructive?: true;
  /** Arguments of earlier designs that are not taken any more, with what to do instead; no schema shows them. */
  notTaken?: Readonly<Record<string, string>>;
  /** Arguments that are called otherwise than the operation's fields, with those; several may name one field. */
  names?: Readonly<Record<string, string>>;
  /** Tool arguments, by the operation's names, to its input where it is not the same; pure. */
  toInput?: (args: never) => unknown;
  /** Operation output to tool result, which may depend on the tool's arguments; pure. */
  toResult?: (output: never, args: never) => unknown;
}

/**
 * How an operation that reads appears as an MCP resource. Its fields beside `id` may stand in the query; subscribers are
 * told of every event whose subject or session has that id.
 */
export interface ResourceForm {
  /** `agor://<noun>/{id}`, perhaps with a word behind it. */
  uri: string;
  name: string;
  /** Written for an agent, in one or two sentences. */
  description: string;
  /** The input field that `{id}` is. */
  id: string;
  /** Where ids are offered from when a client completes one, or lists what there is. */
  offers: ResourceOffers;
}

/** A list whose rows lead to resources. */
export interface ResourceOffers {
  /** Name of an operation that lists, with `limit` and `skip`. */
  from: string;
  /** The id in one row, or null when the row leads to none. */
  id: (row: never) => string | null;
  /** What a client shows for the row; resources are listed only where this is given. */
  title?: (row: never) => string;
}

export interface RestForm {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api`; `:field` takes that field of the input. GET and DELETE take the rest from the query, others from the body. */
  path: string;
  /** Status of success: 200 unless said. */
  status?: 200 | 201 | 202;
  /** An answer with this field is a job that goes on, so its status is 202. */
  acceptedWith?: string;
}

/** A column of a table for people: a path into a row, or more than that. */
export type CliColumn =
  | string
  | {
      heading: string;
      /** Several: the first of them that is not empty. */
      path: string | readonly string[];
      /** The time at the path as how long ago it was. */
      as?: 'age';
    };

export interface CliForm {
  /** `<noun> <verb>` or a single word. */
  command: string;
  /** Other commands that do the same. */
  also?: readonly string[];
  /** Input fields given by position, in order, those that may be left out also by name; the rest are options. */
  positional?: readonly string[];
  /** Columns shown to people; JSON is shown where absent. */
  columns?: readonly CliColumn[];
  /** The field of the answer whose entries are its rows, each shown whole; the rest of the answer stands above them. */
  rows?: string;
  /** The field of the answer that people get as it is, instead of all of it. */
  prints?: string;
}

/** One question or change a caller can make, written once. */
export interface Contract<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  /** `<noun>.<verb>` */
  name: string;
  summary: string;
  effect: Effect;
  access: Access;
  /** Input fields that hold ids or prefixes, or lists of them, with their noun; the gate makes them whole before the operation runs. */
  ids?: Readonly<Record<string, Noun>>;
  /** The input field whose session decides what a worker may do; the gate finds the session of any noun. */
  target?: string;
  /** A worker also reaches its parent session by this operation. */
  parentToo?: boolean;
  /** Ids of sessions that were removed are found too: their end can still be asked for. */
  includesRemoved?: boolean;
  /** Input fields that only people may give. */
  peopleOnly?: readonly string[];
  /** True where an `Idempotency-Key` (or `idempotencyKey`) is honoured: everything that creates. */
  idempotent?: boolean;
  rest: RestForm;
  tool?: ToolForm;
  /** Further tools over the same operation, which show it in another spelling. */
  alsoTools?: readonly ToolForm[];
  resource?: ResourceForm;
  cli?: CliForm;
  input: I;
  output: O;
}

/** Every tool of an operation, its own first. */
export function toolsOf({ tool, alsoTools = [] }: Pick<Contract, 'tool' | 'alsoTools'>): readonly ToolForm[] {
  return tool === undefined ? alsoTools : [tool, ...alsoTools];
}

/** Keeps the literal name and the schemas' types. */
export function operation<const N extends string, I extends AnySchema, O extends AnySchema>(
  contract: Contract<I, O> & { name: N },
): Contract<I, O> & { name: N } {
  return contract;
}
