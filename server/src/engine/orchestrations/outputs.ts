import { OUTPUT_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import { AGENT_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/orchestrations';
import { FINAL_STATES } from '@agent-console/shared/models/orchestration';
import { lastCompleteCharacter } from '../../domain/output-text.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Host } from '../../ports/host.ts';
import type { OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { OrchestrationAttemptRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Storage } from '../../ports/storage.ts';
import { textOfMessage } from '../output/message-text.ts';
import { shownOutput } from '../output/shown-output.ts';
import type { TranscriptScanner } from '../transcripts/scanner.ts';

/**
 * Writes the output of each attempt of an agent as text to `output-<attempt>.log` in the agent's folder. Writes it when
 * the attempt has ended. Writes it again when the agent's process has ended, because agents print a last message after
 * the end of an attempt.
 */
export interface AgentOutputs {
  /**
   * Schedules writing the output files that an earlier server left missing or outdated. Checks only the files of
   * unfinished orchestrations and of the newest ended ones.
   */
  recover(): Promise<void>;
  close(): Promise<void>;
}

interface Deps {
  storage: Pick<Storage, 'read'>;
  hub: Pick<EventHub, 'onEvents'>;
  runner: Pick<Runner, 'read' | 'extent' | 'gone'>;
  screens: Pick<Screens, 'lines'>;
  host: Pick<Host, 'readErrors'>;
  scanner: Pick<TranscriptScanner, 'scan'>;
  files: Pick<OrchestrationFiles, 'writeAgentFile' | 'agentFileTime'>;
  onError: (error: unknown, sessionId: string) => void;
}

export function createAgentOutputs({ storage, hub, files, ...deps }: Deps): AgentOutputs {
  const { read } = storage;
  /** Ids of the sessions whose output files are to be written, in this order. Files are written one after another. */
  const due = new Set<string>();
  let writing: Promise<void> | null = null;
  let closed = false;

  async function write(sessionId: string): Promise<void> {
    const orchestrationId = (await read.sessions.get(sessionId))?.orchestrationId;
    if (orchestrationId == null) return;
    const attempt = await read.orchestrationAttempts.first({ orchestrationId, sessionId }, { order: ['-id'] });
    const orchestration = await read.orchestrations.get(orchestrationId);
    if (attempt === undefined || orchestration === undefined) return;
    await deps.scanner.scan(sessionId).catch((error) => deps.onError(error, sessionId));
    const text = await outputOf(sessionId);
    await files.writeAgentFile(orchestration, attempt.agentId, fileOf(attempt), text).catch(async (error) => {
      // If the orchestration was removed in the meantime, its folder is gone, so the error is expected.
      if ((await read.orchestrations.get(orchestrationId)) !== undefined) throw error;
    });
  }

  /**
   * Returns the agent's messages and tool calls. If none are stored, returns the text on its terminal, or the error
   * output of an agent without a terminal.
   */
  async function outputOf(sessionId: string): Promise<string> {
    const messages = await messagesOf(sessionId);
    if (messages !== '') return messages;
    const worker = await read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
    if (worker === undefined) return '';
    if (worker.protocol !== null) return lastBytes(await deps.host.readErrors(worker.id));
    const { text, truncated } = await shownOutput(deps, worker.id, AGENT_OUTPUT_MAX_BYTES);
    return lastBytes(`${text.trimEnd()}\n`, truncated);
  }

  /**
   * Returns the newest messages of an agent that fit into AGENT_OUTPUT_MAX_BYTES, oldest first; empty if there are
   * none.
   */
  async function messagesOf(sessionId: string): Promise<string> {
    const newestFirst: string[] = [];
    let bytes = 0;
    let before: number | undefined;
    while (bytes <= AGENT_OUTPUT_MAX_BYTES) {
      const rows = await read.messages.find(
        {
          sessionId,
          role: 'agent',
          kind: ['text', 'toolCall'],
          ...(before === undefined ? {} : { seq: { below: before } }),
        },
        { order: ['-seq'], limit: OUTPUT_MESSAGES_MAX },
      );
      for (const row of rows) {
        const text = `${textOfMessage(row)}\n`;
        newestFirst.push(text);
        bytes += Buffer.byteLength(text);
      }
      if (rows.length < OUTPUT_MESSAGES_MAX) break;
      before = rows.at(-1)?.seq;
    }
    return lastBytes(newestFirst.reverse().join(''));
  }

  async function writeAll(): Promise<void> {
    for (const sessionId of due) {
      // Without a runner, the output cannot be read. The next server writes the file.
      if (closed || deps.runner.gone) return due.clear();
      due.delete(sessionId);
      await write(sessionId).catch((error) => deps.onError(error, sessionId));
    }
  }

  function schedule(sessionId: string): void {
    due.add(sessionId);
    writing ??= writeAll().finally(() => {
      writing = null;
    });
  }

  const stopListening = hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      const { type, data } = event;
      if (ATTEMPT_ENDS.has(type) && typeof data.sessionId === 'string') schedule(data.sessionId);
      if ((type === 'worker.exited' || type === 'worker.lost') && sessionId !== null) schedule(sessionId);
    }
  });

  return {
    async recover() {
      const open = await read.orchestrations.find({ state: ['running', 'paused'] });
      const ended = await read.orchestrations.find({ state: [...FINAL_STATES] }, { order: ['-id'], limit: RECENT });
      for (const orchestration of [...open, ...ended]) {
        for (const attempt of await read.orchestrationAttempts.find({ orchestrationId: orchestration.id })) {
          const changed = await lastChange(attempt);
          const time = await files.agentFileTime(orchestration, attempt.agentId, fileOf(attempt));
          if (changed > (time ?? 0)) schedule(attempt.sessionId);
        }
      }
    },
    async close() {
      closed = true;
      stopListening();
      await writing;
    },
  };

  /**
   * Returns the time at which the attempt or its process ended, whichever is later, in milliseconds since the epoch; 0
   * while neither has ended.
   */
  async function lastChange({ sessionId, endedAt }: OrchestrationAttemptRow): Promise<number> {
    const worker = await read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
    return Math.max(...[endedAt, worker?.endedAt].map((time) => (time == null ? 0 : Date.parse(time))));
  }
}

/** Number of ended orchestrations, newest first, whose missing or outdated output files are written after a restart. */
const RECENT = 20;

/** Events with which an attempt of an agent ends. */
const ATTEMPT_ENDS = new Set<string>([
  'orchestration.agent_completed',
  'orchestration.agent_failed',
  'orchestration.agent_cancelled',
  'orchestration.agent_interrupted',
  'orchestration.agent_retried',
]);

const CUT = '[cut; this file does not contain the beginning of the output]\n';

const fileOf = ({ attempt }: OrchestrationAttemptRow) => `output-${attempt}.log`;

/**
 * Returns the last AGENT_OUTPUT_MAX_BYTES of a text, from the start of a line where possible. If the beginning was cut
 * off, a line says so.
 */
function lastBytes(text: string, isCut = false): string {
  const bytes = Buffer.from(text);
  const room = AGENT_OUTPUT_MAX_BYTES - CUT.length;
  if (bytes.length <= AGENT_OUTPUT_MAX_BYTES && !isCut) return text;
  const tail = bytes.subarray(Math.max(0, bytes.length - room));
  const line = tail.indexOf(0x0a) + 1;
  // Skips the rest of a character whose beginning was cut off. A character has at most four bytes, of which all but the
  // first begin with the bits 10.
  let start = 0;
  while (start < 4 && ((tail[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1;
  const from = line > 0 && line < tail.length ? line : start;
  return `${CUT}${tail.subarray(from, lastCompleteCharacter(tail) || tail.length).toString('utf8')}`;
}
