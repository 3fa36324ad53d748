import type { AgentKindName } from '@agent-console/shared/models/agent';
import { type RecordingReading, readRecording } from './activity/recording.ts';
import { createAgentKinds } from './agents/kinds.ts';
import { createOfflineScreen } from './screens/offline.ts';

/** Renders the recorded output of an agent in a terminal of the given size, and reads the agent's activity from it. */
export async function readRecordedOutput(
  kind: AgentKindName,
  size: { cols: number; rows: number },
  output: Buffer,
): Promise<RecordingReading> {
  const kinds = createAgentKinds({ scriptedAgent: '', cli: '' });
  const screen = createOfflineScreen(size.cols, size.rows);
  try {
    await screen.write(output);
    return readRecording(kinds(kind), output, screen.content());
  } finally {
    screen.close();
  }
}
