import * as v from 'valibot';
import { described } from '../describe.ts';

export const AgentDriver = described(
  v.picklist(['pty', 'acp']),
  'How the console communicates with the agent: through a terminal (pty), or over the Agent Client Protocol (acp)',
);
export type AgentDriver = v.InferOutput<typeof AgentDriver>;
