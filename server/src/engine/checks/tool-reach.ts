/** Reports when a worker sends a request to the console's tools. */
export interface ToolReach {
  /** Calls `onReached` whenever the worker sends a request to the tools, until `release` is called. */
  expect(workerId: string, onReached: () => void): { release(): void };
  /**
   * Calls the worker's `onReached`, if it is set. Must be called when a worker sends a request to the console's tools.
   */
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
