import type { ProtocolCapabilities } from '../../domain/protocol.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';

/** Optional capabilities that an agent with a protocol reported when a process of it last started. */
export interface ReportedFeatures {
  resume: boolean;
  fork: boolean;
}

const keyOf = (agentId: string) => `features:${agentId}`;

/** Returns what the agent reported; null if no process of it has reported anything yet. */
export async function reportedFeatures(read: Pick<Readers, 'meta'>, agentId: string): Promise<ReportedFeatures | null> {
  const stored = await read.meta.get(keyOf(agentId));
  return stored === undefined || stored === '' ? null : (JSON.parse(stored) as ReportedFeatures);
}

export async function rememberFeatures(
  tx: Transaction,
  agentId: string | null,
  { loadSession, resumeSession, forkSession }: ProtocolCapabilities,
): Promise<void> {
  if (agentId === null) return;
  const features: ReportedFeatures = { resume: loadSession || resumeSession, fork: forkSession };
  await tx.meta.set(keyOf(agentId), JSON.stringify(features));
}

/** Forgets what the agents of a definition reported that was changed. */
export const forgetFeatures = (tx: Transaction, agentId: string): Promise<void> => tx.meta.set(keyOf(agentId), '');
