import type { TurnEnd } from '../../domain/turns.ts';
import { isCommand, type LineView, lineContainsText } from '../../domain/typing.ts';
import type { InputRow, SessionRow } from '../../ports/rows.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Storage } from '../../ports/storage.ts';
import type { OutputStreams } from '../../ports/terminals.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { recordedEnd } from '../transcripts/position.ts';
import type { TranscriptScanner } from '../transcripts/scanner.ts';

/**
 * Determines from the screen and the transcript whether the agent accepted a typed input. Used if the agent itself does
 * not report it.
 */
export interface InputEvidence {
  /** Whether agents of this kind report at their start that they accept prompts. */
  reportsAtStart(agentId: string): Promise<boolean>;
  /**
   * Returns the text in the input line; null if no input line is visible or the screen cannot be read now, undefined if
   * the console cannot read the input line of this kind of agent. With `newest`, also null if the screen does not
   * include all output so far.
   */
  line(agentId: string, workerId: string, newest: boolean): Promise<string | null | undefined>;
  /**
   * Returns how the turn of this input ended according to the agent's transcript; null if the transcript contains no
   * end, or if agents of this kind do not record the ends of turns.
   */
  recorded(session: SessionRow, input: InputRow): Promise<TurnEnd | null>;
  /** Whether the agent would interpret the typed text as a command. */
  isCommand(agentId: string, text: string): Promise<boolean>;
}

export interface InputEvidenceDeps {
  storage: Pick<Storage, 'read'>;
  catalogue: Pick<AgentCatalogue, 'kindOf'>;
  screens: Pick<Screens, 'peek'>;
  streams: Pick<OutputStreams, 'offset'>;
  scanner: Pick<TranscriptScanner, 'scan'>;
}

export function createInputEvidence(deps: InputEvidenceDeps): InputEvidence {
  const { catalogue, screens, streams } = deps;

  return {
    reportsAtStart: async (agentId) => (await catalogue.kindOf(agentId)).reports === 'start',
    async line(agentId, workerId, newest) {
      const { readInput } = await catalogue.kindOf(agentId);
      if (readInput === null) return undefined;
      const view = await screens.peek(workerId).catch(() => undefined);
      if (view?.complete !== true) return null;
      if (newest && view.offset < (streams.offset(workerId) ?? 0)) return null;
      return readInput({ lines: view.text.split('\n'), title: view.title, alternateScreen: view.alternateScreen });
    },
    async recorded(session, input) {
      if (input.submittedAt === null) return null;
      const kind = await catalogue.kindOf(session.agentId);
      // Other agents report the ends of turns through hooks, so their transcript is not read.
      if (!kind.recordsTurnEnds) return null;
      await deps.scanner.scan(session.id).catch(() => undefined);
      return recordedEnd(await deps.storage.read.transcripts.get(session.id), input.id);
    },
    isCommand: async (agentId, text) => isCommand(text, await catalogue.kindOf(agentId)),
  };
}

/** First characters of commands that open a menu, which may cover the input line. */
const OPENS_MENU = /^[/@!#?]/;

/**
 * Returns whether the input line shows the typed text or another text, or is not visible; null if this cannot be
 * determined.
 */
export function lineView(line: string | null | undefined, typed: string): LineView | null {
  if (line === undefined) return null;
  if (line === null) return OPENS_MENU.test(typed) ? null : 'unseen';
  return lineContainsText(line, typed) ? 'text' : 'other';
}
