/** Reports requests of workers to the console's tools. */
export interface ToolReach {
  /** Calls `onReached` on each request of the worker to the tools, until `release` is called. */
  expect(workerId: string, onReached: () => void): { release(): void };
  /** Called for each request of a worker to the tools. */
  note(workerId: string): void;
}

export function createToolReach(): ToolReach {
  const expected = new Map<string, () => void>();
  return {
    expect(workerId, onReached) {
      expected.set(workerId, onReached);
      return { release: () => void expected.delete(workerId) };
    },
    note(workerId) {
      expected.get(workerId)?.();
    },
  };
}
