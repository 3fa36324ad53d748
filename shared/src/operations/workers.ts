import * as v from 'valibot';
import { IdPrefix } from '../ids.ts';
import { SCREEN_ANSWER_LINES_MAX } from '../limits/screens.ts';
import { INPUT_MAX_BYTES, OUTPUT_DEFAULT_BYTES, OUTPUT_MAX_BYTES } from '../limits/streams.ts';
import { ActivityState, MeasuredWorker, Resources, Worker, WorkerType } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const workerId = IdPrefix('worker');
const ids = { workerId: 'worker' } as const;
const own = { ids, target: 'workerId' } as const;
const cells = (name: string) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(1_000), v.description(`Terminal ${name}`));

export const workers = [
  operation({
    name: 'workers.create',
    summary: 'Add a worker to a session: start its agent, open a terminal, or watch its diff',
    effect: 'write',
    access: 'member',
    ids: { sessionId: 'session' },
    target: 'sessionId',
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/workers', status: 201 },
    cli: { command: 'workers create', positional: ['sessionId'] },
    input: v.strictObject({
      sessionId: IdPrefix('session'),
      type: v.picklist(['agent', 'terminal', 'git-diff']),
      agentId: v.optional(
        v.pipe(
          v.string(),
          v.minLength(1),
          v.maxLength(100),
          v.description("For type agent: the session's own agent, which is what starts in any case"),
        ),
      ),
      cols: v.optional(cells('columns'), 120),
      rows: v.optional(cells('rows'), 36),
    }),
    output: Worker,
  }),
  operation({
    name: 'workers.get',
    summary: 'One worker',
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId' },
    cli: { command: 'workers get', positional: ['workerId'] },
    input: v.strictObject({ workerId }),
    output: MeasuredWorker,
  }),
  operation({
    name: 'workers.resources',
    summary: 'What living workers take of the machine, the largest first',
    effect: 'read',
    access: 'workspace-read',
    ids: { sessionId: 'session' },
    rest: { method: 'GET', path: '/resources' },
    cli: {
      command: 'workers resources',
      columns: [
        'workerId',
        'type',
        'agentId',
        'title',
        'resources.cpuPercent',
        'resources.memoryBytes',
        'resources.processes',
      ],
    },
    input: v.strictObject({ sessionId: v.optional(IdPrefix('session')), ...PageInput }),
    output: pageOf(
      v.object({
        workerId: v.string(),
        sessionId: v.string(),
        type: WorkerType,
        agentId: v.nullable(v.string()),
        title: v.string(),
        resources: v.nullable(Resources),
      }),
    ),
  }),
  operation({
    name: 'workers.remove',
    summary: 'End a worker: ask, wait, force',
    effect: 'destroy',
    access: 'member',
    ...own,
    rest: { method: 'DELETE', path: '/workers/:workerId' },
    cli: { command: 'workers remove', positional: ['workerId'] },
    input: v.strictObject({ workerId }),
    output: Worker,
  }),
  operation({
    name: 'workers.input',
    summary: "Type on a worker's keyboard (people only); `data` is sent as it is, Enter is \\r",
    effect: 'write',
    access: 'member',
    ...own,
    rest: { method: 'POST', path: '/workers/:workerId/input' },
    cli: { command: 'workers input', positional: ['workerId', 'data'] },
    input: v.strictObject({
      workerId,
      data: v.pipe(v.string(), v.minLength(1), v.maxBytes(INPUT_MAX_BYTES)),
      inputId: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
    }),
    output: v.object({ inputId: v.string(), offset: v.number(), duplicate: v.boolean() }),
  }),
  operation({
    name: 'workers.resize',
    summary: "Resize a worker's terminal",
    effect: 'write',
    access: 'member',
    ...own,
    rest: { method: 'POST', path: '/workers/:workerId/resize' },
    cli: { command: 'workers resize', positional: ['workerId', 'cols', 'rows'] },
    input: v.strictObject({ workerId, cols: cells('columns'), rows: cells('rows') }),
    output: Worker,
  }),
  operation({
    name: 'workers.restart',
    summary: "Start an ended worker's program again as a new worker of the same session",
    effect: 'write',
    access: 'member',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/workers/:workerId/restart', status: 201 },
    cli: { command: 'workers restart', positional: ['workerId'] },
    input: v.strictObject({ workerId }),
    output: Worker,
  }),
  operation({
    name: 'workers.output',
    summary: "A worker's output from an offset: finished lines, escape sequences, or exact bytes in base64",
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId/output' },
    cli: { command: 'workers output', positional: ['workerId'], prints: 'text' },
    input: v.strictObject({
      workerId,
      sinceOffset: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
      format: v.optional(v.picklist(['text', 'ansi', 'base64']), 'text'),
      maxBytes: v.optional(
        v.pipe(v.number(), v.safeInteger(), v.minValue(64), v.maxValue(OUTPUT_MAX_BYTES)),
        OUTPUT_DEFAULT_BYTES,
      ),
    }),
    output: v.object({
      text: v.optional(v.string()),
      data: v.optional(v.string()),
      offset: v.number(),
      nextOffset: v.number(),
      truncated: v.boolean(),
      rendered: v.picklist(['lines', 'raw', 'screen', 'messages']),
    }),
  }),
  operation({
    name: 'workers.screen',
    summary: "What a worker's terminal shows now, or showed last; `complete` says whether all of it is certain",
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId/screen' },
    cli: { command: 'workers screen', positional: ['workerId'], prints: 'text' },
    input: v.strictObject({
      workerId,
      scrollback: v.optional(
        v.pipe(
          v.number(),
          v.safeInteger(),
          v.minValue(0),
          v.maxValue(SCREEN_ANSWER_LINES_MAX),
          v.description('Lines above the screen, at most'),
        ),
        0,
      ),
      format: v.optional(v.picklist(['text', 'ansi']), 'text'),
    }),
    output: v.object({
      workerId: v.string(),
      /** Offset of the output that is shown. */
      offset: v.number(),
      cols: v.number(),
      rows: v.number(),
      /** Lines as shown, without trailing blanks; or the escape sequences that draw them. */
      text: v.string(),
      /** How many of the lines stand above the screen. */
      scrollback: v.number(),
      /** Column and row on the screen, from 0. */
      cursor: v.object({ x: v.number(), y: v.number(), visible: v.boolean() }),
      alternateScreen: v.boolean(),
      title: v.nullable(v.string()),
      /** False while output that came too fast to be read may be missing in what is shown. */
      complete: v.boolean(),
    }),
  }),
  operation({
    name: 'workers.correctActivity',
    summary: "Correct what the console believes a worker is doing; holds until the worker's next sign",
    effect: 'write',
    access: 'member',
    ...own,
    rest: { method: 'PATCH', path: '/workers/:workerId/activity' },
    cli: { command: 'workers correct-activity', positional: ['workerId', 'activityState'] },
    input: v.strictObject({ workerId, activityState: ActivityState }),
    output: Worker,
  }),
] as const;
