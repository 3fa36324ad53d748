import type { Hono } from 'hono';
import type { Gate } from '../../operations/operation.ts';
import { evidenceOf, type HttpEnv, type Identify } from './context.ts';
import { jsonResponse } from './respond.ts';

interface HealthOptions {
  gate: Gate;
  identify: Identify;
  version: string;
  runnerState: () => Promise<{ state: 'running' | 'unresponsive' | 'gone' }>;
}

/**
 * Mounts `GET /health`, with details for callers who may use `system.status`. The status is `ok` while the runner
 * responds, otherwise `degraded`.
 */
export function mountHealth(app: Hono<HttpEnv>, { gate, identify, version, runnerState }: HealthOptions): void {
  app.get('/health', async (c) => {
    const status = (await runnerState()).state === 'running' ? 'ok' : 'degraded';
    const caller = await identify(evidenceOf(c.env.incoming));
    if (!gate.mayCall('system.status', caller)) return jsonResponse({ status, version });
    const call = { caller, surface: 'rest', signal: c.req.raw.signal } as const;
    const { uptimeSeconds, runner, counts } = await gate.run('system.status', {}, call);
    return jsonResponse({ status, version, uptimeSeconds, runner, counts });
  });
}
