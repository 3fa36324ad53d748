import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { OrchestrationDefinition, OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import type { InputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import { actorOf } from '../domain/caller.ts';
import type { LibraryEntry } from '../engine/orchestrations/library.ts';
import { creatorOf, repositoryRow } from '../engine/rows.ts';
import type { Definition } from '../ports/definitions.ts';
import type { RepositoryRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { planOf } from './orchestration-plan.ts';
import { createOrchestration, replayOrchestration, repositoryOf } from './orchestrations.ts';
import { slicePage } from './paging.ts';

type Run = InputOf<'orchestrations.run'>;

function listDefinitions(context: OperationContext): Implementation<'orchestrations.definitions'> {
  const { storage, library } = context;
  return async ({ repositoryId, ...page }, call) => {
    const id = repositoryId ?? (await creatorOf(context, call))?.repositoryId ?? null;
    const repository = id === null ? null : await repositoryRow(storage.read.repositories, id);
    const { data, ...about } = slicePage(await library.list(repository), page);
    return { ...about, data: await Promise.all(data.map((entry) => present(context, entry, id))) };
  };
}

async function present(
  { library, storage }: OperationContext,
  entry: LibraryEntry,
  repositoryId: string | null,
): Promise<OrchestrationDefinition> {
  const { name, file, definition, problems } = entry;
  return {
    name,
    source: file === null ? 'template' : 'repository',
    file,
    description: definition?.description ?? '',
    parameters: [...(definition?.parameters ?? [])],
    contentHash: definition?.contentHash ?? null,
    isAccepted: await library.isAccepted(storage.read, repositoryId, entry),
    problems: [...problems],
  };
}

/** Returns the definition to run: the one with the given name, or the one in the passed text. */
async function chooseDefinition(
  { library, definitions }: OperationContext,
  { definition: name, source, sourceName }: Run,
  repository: RepositoryRow,
): Promise<{ file: string | null; definition: Definition }> {
  if ((name === undefined) === (source === undefined)) {
    throw fieldError(
      'definition',
      'pass either "definition", the name of a definition, or "source", the text of a definition',
    );
  }
  if (name !== undefined) return library.find(repository, name);
  const file = sourceName ?? 'definition';
  return { file, definition: definitions.parse(source ?? '', file) };
}

function runDefinition(context: OperationContext): Implementation<'orchestrations.run'> {
  const { storage, library } = context;
  return async (input, call) => {
    const creator = await creatorOf(context, call);
    const repository = await repositoryOf(context, input.repositoryId, creator);
    const entry = await chooseDefinition(context, input, repository);
    const { definition } = entry;
    const { name, contentHash } = definition;
    const orchestration = definition.expand(input.parameters);
    const isAccepted = await library.isAccepted(storage.read, repository.id, entry);
    const showPlan = async () => ({
      name,
      contentHash,
      isAccepted,
      ...(await planOf(context, orchestration, repository, creator)),
    });
    if (input.dryRun) return { plan: await showPlan(), orchestration: null };
    await requireAccepted(input, call, { name, contentHash, isAccepted }, showPlan);
    const stored = async (tx: Transaction) => {
      if (!isAccepted) await accept(context, tx, call, { repositoryId: repository.id, name, contentHash });
    };
    const create = createOrchestration(context, { name, contentHash, stored });
    const created = await create(
      { ...orchestration, repositoryId: repository.id, start: input.start, idempotencyKey: undefined },
      call,
    );
    return { plan: null, orchestration: created };
  };
}

/**
 * Rejects a definition that no person has accepted for the repository. To accept it, a person passes the hash of its
 * text. The plan that a dry run returns contains the hash. A hash of another text is always rejected.
 */
async function requireAccepted(
  { contentHash: expected }: Run,
  { caller }: Call,
  { name, contentHash, isAccepted }: Pick<OrchestrationPlan, 'name' | 'contentHash' | 'isAccepted'>,
  showPlan: () => Promise<OrchestrationPlan>,
): Promise<void> {
  const isSame = expected === undefined || expected === contentHash;
  if (isAccepted && isSame) return;
  if (caller.kind === 'worker') {
    const why = isSame
      ? `No person has accepted the definition ${name} in its current form. Ask the person you work for to accept it by running it once.`
      : `The \`contentHash\` that you passed is not that of the definition ${name}. Leave \`contentHash\` out.`;
    throw new ConsoleError(isSame ? 'PERMISSION_DENIED' : 'CONFLICT', why, { contentHash });
  }
  if (expected === contentHash) return;
  const why = isSame
    ? `The definition ${name} is new or has changed. Check its plan. If the plan is as you expect, run the definition with \`contentHash\` ${contentHash}.`
    : `The definition ${name} has changed since you saw its plan. Check the plan again; the hash of the definition is now ${contentHash}.`;
  throw new ConsoleError('CONFLICT', why, { contentHash, plan: await showPlan() });
}

/** Stores that a person has accepted a definition, unless another call has already stored it. */
async function accept(
  { now, newId }: OperationContext,
  tx: Transaction,
  { caller }: Call,
  accepted: { repositoryId: string; name: string; contentHash: string },
): Promise<void> {
  const { repositoryId, contentHash } = accepted;
  if ((await tx.orchestrationDefinitions.first({ repositoryId, contentHash })) !== undefined) return;
  const at = now().toISOString();
  await tx.orchestrationDefinitions.insert({ ...accepted, id: newId(), acceptedBy: actorOf(caller), acceptedAt: at });
}

/** Answers a repeated call with the current state of the orchestration. */
export function replayRun(context: OperationContext) {
  const replay = replayOrchestration(context);
  return async (remembered: Record<string, unknown>) => ({ plan: null, orchestration: await replay(remembered) });
}

export function orchestrationDefinitionOperations(context: OperationContext) {
  return {
    'orchestrations.definitions': listDefinitions(context),
    'orchestrations.run': runDefinition(context),
  } satisfies Partial<Implementations>;
}
