import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { IdPrefix, idOf } from '../ids.ts';
import { SCREEN_ANSWER_LINES_MAX } from '../limits/screens.ts';
import { INPUT_MAX_BYTES, OUTPUT_DEFAULT_BYTES } from '../limits/streams.ts';
import { ActivityState, MeasuredWorker, Worker } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { maxBytes, outputPosition, shortText } from './fields.ts';

const workerId = IdPrefix('worker');
const ids = { workerId: 'worker' } as const;
const own = { ids, target: 'workerId' } as const;
const cells = (name: string) => wholeNumber(`Terminal ${name}`, 2, 1_000);

export const workers = [
  operation({
    name: 'workers.create',
    summary: 'Add a worker to a session: start its agent, open a terminal, or watch its diff',
    access: 'member',
    ids: { sessionId: 'session' },
    target: 'sessionId',
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/workers', status: 201 },
    cli: { command: 'workers create', positional: ['sessionId'] },
    input: v.strictObject({
      sessionId: IdPrefix('session'),
      type: described(v.picklist(['agent', 'terminal', 'git-diff']), 'Type of worker'),
      agentId: v.optional(shortText("For type agent: optional; must be the session's own agent", 100)),
      cols: v.optional(cells('columns'), 120),
      rows: v.optional(cells('rows'), 36),
    }),
    output: Worker,
  }),
  operation({
    name: 'workers.get',
    summary: 'One worker',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId' },
    cli: { command: 'workers get', positional: ['workerId'] },
    input: v.strictObject({ workerId }),
    output: MeasuredWorker,
  }),
  operation({
    name: 'workers.resources',
    summary: 'Resource use of live workers, largest first',
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
        workerId: idOf('worker', 'Worker'),
        sessionId: Worker.entries.sessionId,
        type: Worker.entries.type,
        agentId: Worker.entries.agentId,
        title: described(v.string(), 'Title of the session'),
        resources: MeasuredWorker.entries.resources,
      }),
    ),
  }),
  operation({
    name: 'workers.remove',
    summary: 'End a worker: ask its process to exit, wait, then kill it',
    access: 'member',
    ...own,
    rest: { method: 'DELETE', path: '/workers/:workerId' },
    cli: { command: 'workers remove', positional: ['workerId'] },
    input: v.strictObject({ workerId }),
    output: Worker,
  }),
  operation({
    name: 'workers.input',
    summary: "Type into a worker's terminal (people only); `data` is sent unchanged, Enter is \\r",
    access: 'member',
    ...own,
    rest: { method: 'POST', path: '/workers/:workerId/input' },
    cli: { command: 'workers input', positional: ['workerId', 'data'] },
    input: v.strictObject({
      workerId,
      data: v.pipe(
        v.string(),
        v.minLength(1),
        v.maxBytes(INPUT_MAX_BYTES),
        v.description('Keys as a terminal sends them, Enter is \\r; not a prompt'),
      ),
      inputId: v.optional(shortText('Id of this input; inputs with the same id are typed once', 100)),
    }),
    output: v.object({
      inputId: described(v.string(), 'Id of this input, as given or generated'),
      offset: described(v.number(), 'Byte offset of the output log when it was typed'),
      duplicate: described(v.boolean(), 'Whether the input had already been typed'),
    }),
  }),
  operation({
    name: 'workers.resize',
    summary: "Resize a worker's terminal",
    access: 'member',
    ...own,
    rest: { method: 'POST', path: '/workers/:workerId/resize' },
    cli: { command: 'workers resize', positional: ['workerId', 'cols', 'rows'] },
    input: v.strictObject({ workerId, cols: cells('columns'), rows: cells('rows') }),
    output: Worker,
  }),
  operation({
    name: 'workers.restart',
    summary: 'Restart an ended worker as a new worker of the same session',
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
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId/output' },
    cli: { command: 'workers output', positional: ['workerId'], prints: 'text' },
    input: v.strictObject({
      workerId,
      sinceOffset: v.optional(wholeNumber('Byte offset to read from; default: the oldest stored output', 0)),
      format: v.optional(
        described(
          v.picklist(['text', 'ansi', 'base64']),
          'text: finished lines without escape sequences; ansi and base64: every byte',
        ),
        'text',
      ),
      maxBytes: maxBytes(OUTPUT_DEFAULT_BYTES),
    }),
    output: v.object({
      text: v.optional(described(v.string(), 'Output as text, with formats text and ansi')),
      data: v.optional(described(v.string(), 'Output in base64, with format base64')),
      ...outputPosition,
    }),
  }),
  operation({
    name: 'workers.screen',
    summary: "Current or last screen of a worker's terminal; `complete` is false if output is missing",
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/workers/:workerId/screen' },
    cli: { command: 'workers screen', positional: ['workerId'], prints: 'text' },
    input: v.strictObject({
      workerId,
      scrollback: v.optional(
        wholeNumber('Maximum number of scrollback lines to include', 0, SCREEN_ANSWER_LINES_MAX),
        0,
      ),
      format: v.optional(
        described(v.picklist(['text', 'ansi']), 'text: lines as shown; ansi: escape sequences that draw them'),
        'text',
      ),
    }),
    output: v.object({
      workerId: idOf('worker', 'Worker of the terminal'),
      offset: described(v.number(), 'Byte offset of the output log that the screen includes'),
      cols: described(v.number(), 'Columns of the terminal'),
      rows: described(v.number(), 'Rows of the terminal'),
      text: described(v.string(), 'Lines as shown, without trailing blanks; or the escape sequences that draw them'),
      scrollback: described(v.number(), 'Number of lines of the text that are above the screen'),
      cursor: described(
        v.object({
          x: described(v.number(), 'Column on the screen, from 0'),
          y: described(v.number(), 'Row on the screen, from 0'),
          visible: described(v.boolean(), 'Whether the cursor is visible'),
        }),
        'Cursor',
      ),
      alternateScreen: described(v.boolean(), 'Whether the program draws on the alternate screen'),
      title: described(v.nullable(v.string()), 'Terminal title set by the program, or null'),
      complete: described(v.boolean(), 'False while output may be missing because it arrived too fast'),
    }),
  }),
  operation({
    name: 'workers.correctActivity',
    summary: 'Correct the activity of a worker; applies until its next activity signal',
    access: 'member',
    ...own,
    rest: { method: 'PATCH', path: '/workers/:workerId/activity' },
    cli: { command: 'workers correct-activity', positional: ['workerId', 'activityState'] },
    input: v.strictObject({
      workerId,
      activityState: described(ActivityState, 'Activity as observed by a person'),
    }),
    output: Worker,
  }),
] as const;
