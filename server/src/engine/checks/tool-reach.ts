/** Who has reached the console's tools, for whoever waits for it. */
export interface ToolReach {
  /** Calls back when the worker makes its first request to the tools; release it when that no longer matters. */
  expect(workerId: string, onReached: () => void): { release(): void };
  /** A request of this worker came to the tools. */
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
