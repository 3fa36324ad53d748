import { RUNNER_INPUT_MAX_BYTES } from '@agent-console/shared/limits/runner';
import * as v from 'valibot';
import { WorkerId } from './paths.ts';

/**
 * Control messages between runner and clients. Each side parses the messages it receives and ignores unknown fields.
 * Fields are added, never changed or removed, so that a runner and a server of different builds work together.
 */

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const handle = v.pipe(wholeNumber, v.maxValue(0xffffffff));
const cells = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
const noNul = v.pipe(
  v.string(),
  v.check((text) => !text.includes('\0'), 'a path, argument or variable must not contain a NUL character'),
);
const port = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

const Spawn = v.object({
  workerId: WorkerId,
  mode: v.picklist(['pty', 'pipe']),
  file: v.pipe(noNul, v.minLength(1)),
  args: v.array(noNul),
  cwd: v.pipe(noNul, v.minLength(1)),
  env: v.record(v.pipe(noNul, v.regex(/^[^=]+$/)), noNul),
  cols: cells,
  rows: cells,
});

export const ServerSettings = v.object({
  /** Absolute path of the server program. */
  script: v.pipe(noNul, v.startsWith('/')),
  args: v.array(noNul),
  /** The whole environment of the server. It inherits no other variables from the runner. */
  env: v.record(noNul, noNul),
  /** Address to bind, or null for the loopback addresses of this machine. */
  host: v.nullable(v.string()),
  /** Port to bind. With 0, a free port is chosen at the first start, and later servers use the same port. */
  port,
});
export type ServerSettings = v.InferOutput<typeof ServerSettings>;

export const Request = v.variant('op', [
  v.object({ op: v.literal('spawn'), spec: Spawn }),
  v.object({ op: v.literal('list') }),
  v.object({
    op: v.literal('input'),
    workerId: WorkerId,
    inputId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  }),
  v.object({ op: v.literal('resize'), workerId: WorkerId, cols: cells, rows: cells }),
  v.object({
    op: v.literal('signal'),
    workerId: WorkerId,
    signal: v.picklist(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']),
  }),
  v.object({ op: v.literal('end'), workerId: WorkerId, graceMs: wholeNumber }),
  v.object({ op: v.literal('forget'), workerId: WorkerId }),
  v.object({ op: v.literal('dropLog'), workerId: WorkerId }),
  v.object({ op: v.literal('subscribe'), workerId: WorkerId, handle, fromOffset: wholeNumber }),
  v.object({ op: v.literal('unsubscribe'), handle }),
  v.object({ op: v.literal('runServer'), settings: ServerSettings, restart: v.boolean() }),
  v.object({ op: v.literal('stopServer') }),
  v.object({ op: v.literal('stopAll') }),
  v.object({ op: v.literal('status') }),
]);
export type Request = v.InferOutput<typeof Request>;

/** Every request contains an id, which its response repeats. */
export const RequestId = v.object({ id: handle });

/**
 * Number of bytes of an input. Even the longest prompt with images is within this limit, so a caller that sends more
 * bytes has a bug.
 */
export const InputBytes = v.pipe(wholeNumber, v.maxValue(RUNNER_INPUT_MAX_BYTES));

/** Optional, because the first builds sent no capabilities in `hello`. */
const Capabilities = v.optional(v.array(v.string()), []);

export const ClientHello = v.object({ protocols: v.array(wholeNumber), capabilities: Capabilities });

export const Exit = v.object({
  offset: wholeNumber,
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
});

export const Info = v.object({
  workerId: v.string(),
  pid: wholeNumber,
  startTime: v.string(),
  logOffset: wholeNumber,
  cols: wholeNumber,
  rows: wholeNumber,
  exit: v.nullable(Exit),
});

/**
 * A port that the runner keeps open, because it is the server's own or because living workers were given its address.
 */
export const ListeningPort = v.object({
  port,
  hosts: v.array(v.string()),
  primary: v.boolean(),
  workers: v.array(v.string()),
});
export type ListeningPort = v.InferOutput<typeof ListeningPort>;

export const RunningServer = v.object({
  pid: wholeNumber,
  port,
  hosts: v.array(v.string()),
  startedAt: v.string(),
  /** Number of times that this server has ended unexpectedly since a client requested it. */
  crashes: wholeNumber,
});
/** A server that the runner started. `startedAt` is ISO 8601. */
export type RunningServer = v.InferOutput<typeof RunningServer>;

export const Status = v.object({
  pid: wholeNumber,
  startTime: v.string(),
  version: v.string(),
  server: v.nullable(RunningServer),
  workersAlive: wholeNumber,
  ports: v.array(ListeningPort),
});
export type RunnerStatus = v.InferOutput<typeof Status>;

export const RunnerHello = v.union([
  v.object({
    protocol: wholeNumber,
    pid: wholeNumber,
    startTime: v.string(),
    ports: v.array(ListeningPort),
    capabilities: Capabilities,
  }),
  v.object({ error: v.unknown() }),
]);

export const Receipt = v.object({ offset: wholeNumber, duplicate: v.boolean() });

export const Response = v.union([
  v.object({ id: handle, result: v.unknown() }),
  v.object({ id: handle, error: v.unknown() }),
]);

export const Event = v.variant('event', [
  v.object({ event: v.literal('exited'), workerId: v.string(), exit: Exit }),
  /** The port is no longer needed, so the server closes its listener. */
  v.object({ event: v.literal('portClosed'), port }),
  /**
   * With a `reason`: the log of a worker cannot be written, so its process waits. With null: the log can be written
   * again, and the process continues.
   */
  v.object({ event: v.literal('logBlocked'), workerId: v.string(), reason: v.nullable(v.string()) }),
]);
export type Event = v.InferOutput<typeof Event>;

/** How the previous server ended. Passed to the next server in `AGENT_CONSOLE_LAST_CRASH`. */
export const LastCrash = v.object({
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  /** Time at which the server ended, ISO 8601. */
  at: v.string(),
  count: wholeNumber,
  /** Whether the runner ended the server because the server was not ready in time or did not answer checks. */
  hung: v.optional(v.boolean(), false),
});
export type LastCrash = v.InferOutput<typeof LastCrash>;

export const InheritedListener = v.object({ fd: wholeNumber, host: v.string(), port, primary: v.boolean() });
export type InheritedListener = v.InferOutput<typeof InheritedListener>;
