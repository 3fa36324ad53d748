import type { AgentKindName } from '@agent-console/shared/models/agent';
import { type RecordingReading, readRecording } from './activity/recording.ts';
import type { WatchedKind } from './activity/watcher.ts';
import { claudeCodeReading } from './agents/reading/claude-code.ts';
import { codexReading } from './agents/reading/codex.ts';
import { geminiReading } from './agents/reading/gemini.ts';
import { opencodeReading } from './agents/reading/opencode.ts';
import { scriptedReading } from './agents/reading/scripted.ts';
import { createOfflineScreen } from './screens/offline.ts';

const KINDS: Readonly<Record<AgentKindName, WatchedKind>> = {
  'claude-code': claudeCodeReading,
  codex: codexReading,
  gemini: geminiReading,
  opencode: opencodeReading,
  scripted: scriptedReading,
  custom: { readTitle: () => null },
};

/** What is read from the output of an agent of this kind, drawn in a terminal of this size from its first byte on. */
export async function readRecordedOutput(
  kind: AgentKindName,
  size: { cols: number; rows: number },
  output: Buffer,
): Promise<RecordingReading> {
  const screen = createOfflineScreen(size.cols, size.rows);
  try {
    await screen.write(output);
    return readRecording(KINDS[kind], output, screen.picture());
  } finally {
    screen.close();
  }
}
