import type { AgentKindName } from '@agent-console/shared/models/agent';
import { type RecordingReading, readRecording } from './activity/recording.ts';
import { createAgentKinds } from './agents/kinds.ts';
import { createOfflineScreen } from './screens/offline.ts';

/** Reads the recorded output of an agent, rendered from its first byte on in a terminal of the given size. */
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
