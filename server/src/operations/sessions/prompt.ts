import { ConsoleError } from '@agent-console/shared/errors';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import type { Call } from '../../domain/call.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import { refuseOtherAgent } from '../../engine/sessions/refuse-other-agent.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { refuseUnlessMayLive } from '../workers/may-live.ts';
import { type BranchNeeds, beginBranch, replayBranch } from './branch.ts';
import { givePrompt } from './give-prompt.ts';
import { sessionOrOwn } from './location.ts';

type Needs = BranchNeeds & Pick<OperationContext, 'views' | 'reconciler'>;
type Input = InputOf<'sessions.prompt'>;

/** A session that goes on with a prompt, as it was answered. */
const Continued = v.object({
  taskId: v.string(),
  sessionId: v.string(),
  queued: v.optional(v.boolean()),
  queuePosition: v.optional(v.number()),
});

/** Fields that say something of a session to begin. */
const OF_NEW_SESSIONS = ['permissionMode', 'title', 'taskId'] as const;

function refuseFieldsOfNewSessions(input: Input): void {
  const given = [...OF_NEW_SESSIONS.filter((field) => input[field] !== undefined), ...(input.sync ? ['sync'] : [])];
  const [field] = given;
  if (field === undefined) return;
  throw new ConsoleError(
    'VALIDATION',
    `${given.join(', ')}: only for mode fork and subsession, which begin a session; mode continue begins none`,
    { field },
  );
}

async function continueSession(needs: Needs, input: Input, call: Call): Promise<OutputOf<'sessions.prompt'>> {
  const { sessionId, prompt, notifyOnCompletion, agentId } = input;
  refuseFieldsOfNewSessions(input);
  if (agentId !== undefined) {
    const { agentId: own } = await sessionRow(needs.storage.read.sessions, sessionId);
    await refuseOtherAgent(needs.catalogue, agentId, own);
  }
  await refuseUnlessMayLive(needs, sessionId);
  return needs.storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    const { taskId, queuePosition } = await givePrompt(tx, needs, session, {
      prompt,
      notifyOnCompletion,
      ...sourceOf(call),
    });
    const answer = { taskId, sessionId, ...(queuePosition === null ? {} : { queued: true, queuePosition }) };
    await tx.remember(answer);
    return answer;
  });
}

/** Routes a prompt: on with the session, or into a fork or subsession that it begins. */
export function promptSession(needs: Needs): Implementation<'sessions.prompt'> {
  return (input, call) => {
    const { mode, ...rest } = input;
    return mode === 'continue'
      ? continueSession(needs, input, call)
      : beginBranch(needs, { ...rest, kind: mode }, call);
  };
}

export function forkSession(needs: BranchNeeds): Implementation<'sessions.fork'> {
  return ({ sessionId, ...rest }, call) =>
    beginBranch(needs, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'fork' }, call);
}

export function spawnSession(needs: BranchNeeds): Implementation<'sessions.spawn'> {
  return ({ sessionId, ...rest }, call) =>
    beginBranch(needs, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'subsession' }, call);
}

/** A repeat of a prompt: what it continued is answered as it was then, what it began as it stands now. */
export function replayPrompt(needs: Pick<OperationContext, 'storage' | 'hub'>) {
  const branch = replayBranch(needs);
  return async (remembered: Record<string, unknown>, call: Call): Promise<OutputOf<'sessions.prompt'>> =>
    'sync' in remembered ? branch(remembered, call) : v.parse(Continued, remembered);
}
