import type { TurnEnd } from '../../domain/turns.ts';
import { isCommand, type LineView, standsInLine } from '../../domain/typing.ts';
import type { AgentKinds } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { InputRow } from '../../ports/rows/workers.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Storage } from '../../ports/storage.ts';
import type { OutputStreams } from '../../ports/terminals.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import type { TranscriptIngest } from '../transcripts/ingest.ts';
import { recordedEnd } from '../transcripts/position.ts';

/** Looks at an agent for what becomes of typed text, where no sign in its output tells. */
export interface InputEvidence {
  /** Whether agents of this kind report as soon as they take prompts, before the first one. */
  reportsAtStart(agentId: string): Promise<boolean>;
  /**
   * What stands in its input line; null where none is seen, undefined where the kind's screens are not read for it.
   * @param newest only a screen that shows everything printed by now counts.
   */
  line(agentId: string, workerId: string, newest: boolean): Promise<string | null | undefined>;
  /** How the turn of this input ended, by the agent's own record; null where that does not tell of it. */
  recorded(session: SessionRow, input: InputRow): Promise<TurnEnd | null>;
  /** Whether a text commands the agent when it is typed. */
  isCommand(agentId: string, text: string): Promise<boolean>;
}

export interface InputEvidenceDeps {
  storage: Pick<Storage, 'read'>;
  catalogue: Pick<AgentCatalogue, 'find'>;
  kinds: AgentKinds;
  screens: Pick<Screens, 'peek'>;
  streams: Pick<OutputStreams, 'offset'>;
  ingest: Pick<TranscriptIngest, 'look'>;
}

export function createInputEvidence(deps: InputEvidenceDeps): InputEvidence {
  const { catalogue, kinds, screens, streams } = deps;
  const kindOf = async (agentId: string) => kinds((await catalogue.find(agentId))?.kind ?? 'custom');

  return {
    reportsAtStart: async (agentId) => (await kindOf(agentId)).reports === 'start',
    async line(agentId, workerId, newest) {
      const { readLine } = await kindOf(agentId);
      if (readLine === null) return undefined;
      const view = await screens.peek(workerId).catch(() => undefined);
      if (view?.complete !== true) return null;
      if (newest && view.offset < (streams.offset(workerId) ?? 0)) return null;
      return readLine({ lines: view.text.split('\n'), title: view.title, alternateScreen: view.alternateScreen });
    },
    async recorded(session, input) {
      if (input.submittedAt === null) return null;
      const kind = await kindOf(session.agentId);
      // The others tell of every turn by their hooks.
      if (!kind.recordsEnds) return null;
      await deps.ingest.look(session.id).catch(() => undefined);
      return recordedEnd(await deps.storage.read.transcripts.get(session.id), input.id);
    },
    isCommand: async (agentId, text) => isCommand(text, await kindOf(agentId)),
  };
}

/** What a person gives an agent as a command opens menus, which may hide the line. */
const OPENS_MENU = /^[/@!#?]/;

/** What a line shows of a text; null where that cannot be told. */
export function lineView(line: string | null | undefined, typed: string): LineView | null {
  if (line === undefined) return null;
  if (line === null) return OPENS_MENU.test(typed) ? null : 'unseen';
  return standsInLine(line, typed) ? 'text' : 'other';
}
