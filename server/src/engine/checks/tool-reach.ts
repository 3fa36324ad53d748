/** Reports which workers reached the console's tools. */
export interface ToolReach {
  /** Calls `onReached` on each of the worker's requests to the tools, until released. */
  expect(workerId: string, onReached: () => void): { release(): void };
  /** Notes that the worker made a request to the tools. */
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
