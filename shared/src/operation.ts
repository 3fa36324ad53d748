import type * as v from 'valibot';

/** Type of all schemas of operations. Their inputs and outputs are plain JSON. */
export type AnySchema = v.GenericSchema<unknown, unknown>;

export type Effect = 'read' | 'write' | 'destroy';

/**
 * Who may call:
 * - `public`: anyone who reaches the port;
 * - `self`: people, and a worker for its own session;
 * - `subtree`: people, and a worker for its own session and its descendants;
 * - `workspace-read`: people and any worker, except that private sessions of other users are hidden;
 * - `member`: people only;
 * - `owner`: the local owner only.
 */
export type Access = 'public' | 'self' | 'subtree' | 'workspace-read' | 'member' | 'owner';

/** Types of entities whose ids or id prefixes callers may pass. */
export const NOUNS = [
  'repository',
  'worktree',
  'board',
  'zone',
  'session',
  'worker',
  'task',
  'delegation',
  'job',
  'notice',
  'approval',
  'token',
  'user',
  'mcpServer',
  'integration',
  'orchestration',
] as const;
export type Noun = (typeof NOUNS)[number];

/** Tool sets, in display order. */
export const TOOLSETS = ['delegation', 'sessions', 'worktrees', 'boards', 'tasks', 'users', 'orchestrations'] as const;
export type ToolSet = (typeof TOOLSETS)[number];

/** How an operation appears as an MCP tool. `input` and `output` default to those of the operation. */
export interface ToolForm {
  name: string;
  toolset: ToolSet;
  /**
   * Whether `tools/list` contains the tool if the client did not choose tool sets. The default depends on the tool set.
   */
  byDefault?: boolean;
  /** Description for agents that choose a tool; defaults to the operation's summary. */
  description?: string;
  input?: AnySchema;
  output?: AnySchema;
  /** Whether the tool ends or deletes something that is hard to restore. Default: true if the effect is `destroy`. */
  destructive?: true;
  /**
   * Arguments that are always rejected, each with advice for the error message. They are not part of the tool's schema.
   */
  refusedArguments?: Readonly<Record<string, string>>;
  /** Maps renamed arguments to operation fields. Several arguments may map to one field. */
  names?: Readonly<Record<string, string>>;
  /** Converts tool arguments, already renamed to operation fields, to the operation's input. A pure function. */
  toInput?: (args: never) => unknown;
  /** Converts the operation's output to the tool result, which may depend on the tool arguments. A pure function. */
  toResult?: (output: never, args: never) => unknown;
}

/**
 * How a read operation appears as an MCP resource. The query of the resource's URI can set the other input fields.
 * Subscribers are notified of every event whose subject or session has the resource's id.
 */
export interface ResourceForm {
  /** `agor://<noun>/{id}`, optionally with one more path segment. */
  uri: string;
  name: string;
  /** Description for agents, in one or two sentences. */
  description: string;
  /** Name of the input field that gets the `{id}` of the URI. */
  id: string;
  /** List operation that provides the ids when a client completes an id or lists the resources. */
  offers: ResourceOffers;
}

/** A list operation that provides the ids of resources. */
export interface ResourceOffers {
  /** Name of the list operation; its input must have `limit` and `skip`. */
  from: string;
  /** Returns the resource's id from a row, or null if the row has no resource. */
  id: (row: never) => string | null;
  /** Returns the title that a client shows for a row. Resources are listed only if `title` is defined. */
  title?: (row: never) => string;
}

export interface RestForm {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below `/api`; `:field` is an input field. GET and DELETE read other fields from the query, not the body. */
  path: string;
  /** Other paths of the operation with the same method, by their `operationId` in the OpenAPI document. */
  also?: Readonly<Record<string, string>>;
  /** HTTP status of a successful call; default: 200. */
  status?: 200 | 201 | 202;
  /** Name of an output field. If the output has this field, a job is still running and the status is 202. */
  acceptedWith?: string;
  /** Maximum bytes of the request body; default: BODY_MAX_BYTES. */
  bodyMaxBytes?: number;
}

/**
 * A column of a printed table, or a line of a printed entity: the path of the shown field, or an object with more
 * options.
 */
export type CliColumn =
  | string
  | {
      heading: string;
      /**
       * Path of the field whose value is shown. If several paths are given, the first value that is not empty is shown.
       */
      path?: string | readonly string[];
      /** Returns the shown value; used instead of `path`. */
      value?: (row: never) => string | number | boolean | null | undefined;
      /** `age`: shows how long ago a time was; `state`: shows a state in its colour. */
      as?: 'age' | 'state';
      /** Type of the entity whose id is the value. With a type, the table shows the entity's name instead of the id. */
      names?: Noun | ((row: never) => Noun | undefined);
      /** Shown only with `--output wide`. */
      wide?: true;
    };

/**
 * How a file that the command line names becomes an item of a list in the operation's input:
 * - With `content`, the item is an object, and the field that `content` names contains the file as base64.
 * - With `operation`, the command uploads the file with this operation, and the item is the output field that `answer`
 *   names. The upload gets the file as base64 in `data`, and the ids that it requires from the command's own input.
 */
export type UploadItem = { content: string } | { operation: string; answer: string };

export interface CliForm {
  /** `<noun> <verb>` or a single word. */
  command: string;
  /** Description of the command, if the operation's summary does not fit the command. */
  summary?: string;
  /** Alternative command names. */
  also?: readonly string[];
  /**
   * Positional input fields in order. Optional fields can also be passed as options; all other fields are options only.
   * If the last field is a list, it takes all remaining arguments.
   */
  positional?: readonly string[];
  /** Input field (JSON) that `--from <file>` reads from a file, or from stdin with `-`. */
  file?: string;
  /**
   * Optional or positional fields whose default is the repository or worktree that contains the current directory.
   */
  here?: readonly string[];
  /** Boolean field that makes the command ignore the current directory if it is true. */
  everywhere?: string;
  /** Default values of the command for optional fields, instead of the defaults of the operation. */
  defaults?: Readonly<Record<string, unknown>>;
  /**
   * Adds the repeatable option `--<option> <file>`, which fills the list in the input's `field`. That field has no
   * option of its own. The list contains one item per file, see `UploadItem`.
   */
  uploads?: { option: string; help: string; field: string } & UploadItem;
  /**
   * Set if the output identifies a task by `sessionId` and `taskId`. The command gets the options `--wait` and
   * `--follow`, which wait for the end of the task.
   */
  follows?: true;
  /**
   * Set if the operation waits for a condition, but one call may return earlier. The command line repeats the call
   * until `isDone` returns true for the output. If the time of `--timeout` passes first, the exit status is that of
   * TIMEOUT. `field` is the input field that limits the seconds of one call.
   */
  waits?: { isDone: (output: Readonly<Record<string, unknown>>) => boolean; field?: string };
  /** Command lines that the help shows as examples, without the name of the program. */
  examples?: readonly string[];
  /** Table columns for people; without columns, the command prints one line per field. */
  columns?: readonly CliColumn[];
  /** Output field with the rows of the table, whose long cells wrap. The other fields are printed above the table. */
  rows?: string;
  /** Output field to print unformatted instead of the whole output. */
  prints?: string;
  /** Returns the text that people see instead of the whole output. */
  text?: (output: never) => string;
  /** Returns a patch to print instead of the whole output. */
  patch?: (output: never) => string;
  /** Whether the result is a success. Otherwise the exit status is 1. */
  isSuccess?: (output: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Set if the operation starts a job. The command waits for the end of the job, shows its progress on stderr and
   * prints its result. If `isSuccess` returns false, the exit status is 1. `noteOf` returns what the result does not
   * say clearly, such as that there was nothing to do.
   */
  job?: {
    isSuccess: (result: Readonly<Record<string, unknown>>) => boolean;
    noteOf?: (result: Readonly<Record<string, unknown>>) => string | undefined;
  };
}

export interface Contract<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  /** `<noun>.<verb>` */
  name: string;
  summary: string;
  effect: Effect;
  access: Access;
  /**
   * Input fields that contain ids, id prefixes or lists of them, with the types of their entities. They are replaced
   * with full ids before the operation runs.
   */
  ids?: Readonly<Record<string, Noun>>;
  /**
   * Input field with the id of an entity of any type. A worker may call the operation if `access` includes the entity's
   * session.
   */
  target?: string;
  /**
   * Further sessions for which a worker may call the operation: its parent session, and the sessions of the other
   * agents of its orchestration (peers).
   */
  alsoFor?: readonly ('parent' | 'peer')[];
  /** Whether ids of removed entities are resolved too, so that callers can ask how the entities ended. */
  includesRemoved?: boolean;
  /** Input fields that only people may set. */
  peopleOnly?: readonly string[];
  /** Input fields that only the local owner may set. */
  ownerOnly?: readonly string[];
  /** Whether an `Idempotency-Key` (or `idempotencyKey`) is supported; true for every creating operation. */
  idempotent?: boolean;
  rest: RestForm;
  /**
   * Example of the input without the fields in the REST path. By default, the example is derived from the schema of the
   * input.
   */
  example?: Readonly<Record<string, unknown>>;
  tool?: ToolForm;
  /** Further tools for the same operation, with other names or arguments. */
  alsoTools?: readonly ToolForm[];
  resource?: ResourceForm;
  cli?: CliForm;
  input: I;
  output: O;
}

/** Returns all tools of an operation, its main tool first. */
export function toolsOf({ tool, alsoTools = [] }: Pick<Contract, 'tool' | 'alsoTools'>): readonly ToolForm[] {
  return tool === undefined ? alsoTools : [tool, ...alsoTools];
}

const EFFECTS: Readonly<Record<RestForm['method'], Effect>> = {
  GET: 'read',
  POST: 'write',
  PATCH: 'write',
  DELETE: 'destroy',
};

/**
 * Defines an operation. The types of its name and schemas stay literal. `effect` defaults to the effect of the REST
 * method.
 */
export function operation<const N extends string, I extends AnySchema, O extends AnySchema>(
  contract: Omit<Contract<I, O>, 'effect'> & { name: N; effect?: Effect },
): Contract<I, O> & { name: N } {
  return { effect: EFFECTS[contract.rest.method], ...contract };
}
