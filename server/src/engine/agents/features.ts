import type { ProtocolCapabilities } from '../../domain/protocol.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';

/** Optional features that an agent driven over ACP reported at the last start of one of its processes. */
export interface ReportedFeatures {
  resume: boolean;
  fork: boolean;
  /** Whether prompts can contain images. Earlier builds did not store this. */
  images?: boolean;
}

const keyOf = (agentId: string) => `features:${agentId}`;

/**
 * Returns the features that the agent reported; null if none of its processes has reported any since its definition was
 * created or changed.
 */
export async function reportedFeatures(read: Pick<Readers, 'meta'>, agentId: string): Promise<ReportedFeatures | null> {
  const stored = await read.meta.get(keyOf(agentId));
  return stored === undefined || stored === '' ? null : (JSON.parse(stored) as ReportedFeatures);
}

export async function rememberFeatures(
  tx: Transaction,
  agentId: string | null,
  { loadSession, resumeSession, forkSession, image }: ProtocolCapabilities,
): Promise<void> {
  if (agentId === null) return;
  const features: ReportedFeatures = { resume: loadSession || resumeSession, fork: forkSession, images: image };
  await tx.meta.set(keyOf(agentId), JSON.stringify(features));
}

/** Deletes the reported features of an agent whose definition was changed. */
export const forgetFeatures = (tx: Transaction, agentId: string): Promise<void> => tx.meta.set(keyOf(agentId), '');
