import type { Agent } from '@agent-console/shared/models/agent';
import type { ActivityWatchers } from '../operations/ports/agents.ts';
import { createOscScanner } from './osc-scanner.ts';
import { createActivityReader, type SignReading } from './reader.ts';

/**
 * Watches the output of agents: `kinds` says how each kind's signs are read. `from` is what was stored: the safe offset
 * and the state known there. Output that begins elsewhere than the last one ended (its middle is no longer stored) is
 * read afresh, since what came before is no part of it.
 */
export function createActivityWatchers(kinds: (name: Agent['kind']) => SignReading): ActivityWatchers {
  return (name, from) => {
    const kind = kinds(name);
    const reader = createActivityReader({
      readTitle: (title) => kind.readTitle(title),
      readProgress: kind.readProgress ?? {},
      initial: { state: from.state, confidence: from.confidence },
    });
    let scanner = createOscScanner({ offset: from.offset });
    return {
      push(offset, data) {
        if (offset !== scanner.offset) scanner = createOscScanner({ offset });
        return reader.read(scanner.push(data));
      },
      safeOffset: () => scanner.safeOffset,
    };
  };
}
