import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { useConnection } from '../../src/api/live.ts';
import { queryClient } from '../../src/api/query-client.ts';

/** Polling options with a timeout that a slow machine does not exceed. */
const POLL = { timeout: 40_000, interval: 5 };

test('a failed query is fetched again when the connection is back', async () => {
  const calls = { failing: 0, succeeding: 0 };
  let isReachable = false;
  const failing = new QueryObserver(queryClient, {
    queryKey: ['failing'],
    queryFn: () => {
      calls.failing += 1;
      if (!isReachable) throw new Error('Could not reach the console');
      return 'loaded';
    },
  });
  const succeeding = new QueryObserver(queryClient, {
    queryKey: ['succeeding'],
    queryFn: () => {
      calls.succeeding += 1;
      return 'loaded';
    },
  });
  const stops = [failing.subscribe(() => {}), succeeding.subscribe(() => {})];
  try {
    await expect
      .poll(() => [failing, succeeding].map((each) => each.getCurrentResult().status))
      .toEqual(['error', 'success']);
    isReachable = true;
    useConnection.setState({ state: { kind: 'waiting', retryAt: 0 } });
    useConnection.setState({ state: { kind: 'connecting' } });
    expect(calls).toEqual({ failing: 1, succeeding: 1 });
    useConnection.setState({ state: { kind: 'open' } });
    await expect.poll(() => failing.getCurrentResult().data, POLL).toBe('loaded');
    expect(calls).toEqual({ failing: 2, succeeding: 1 });
  } finally {
    for (const stop of stops) stop();
    queryClient.clear();
  }
});
