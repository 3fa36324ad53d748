import type { Hono } from 'hono';
import type { Gate } from '../../operations/call.ts';
import { evidenceOf, type HttpEnv, type Identify } from './context.ts';
import { jsonResponse } from './respond.ts';

/** `GET /health`: that we live, for anyone; how we are, for whoever may ask `system.status`. */
export function mountHealth(
  app: Hono<HttpEnv>,
  { gate, identify, version }: { gate: Gate; identify: Identify; version: string },
): void {
  app.get('/health', async (c) => {
    const alive = { status: 'ok', version } as const;
    const caller = await identify(evidenceOf(c.env.incoming));
    if (!gate.mayCall('system.status', caller)) return jsonResponse(alive);
    const { uptimeSeconds, runner, counts } = await gate.run(
      'system.status',
      {},
      {
        caller,
        surface: 'rest',
        signal: c.req.raw.signal,
      },
    );
    return jsonResponse({ ...alive, uptimeSeconds, runner, counts });
  });
}
