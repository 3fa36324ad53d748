import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { ActivityState } from '@agent-console/shared/models/worker';
import { claudeCodeReading } from '../../../src/agents/claude-code/reading.ts';
import { codexReading } from '../../../src/agents/codex/reading.ts';
import type { KindReading } from '../../../src/agents/common/kind.ts';
import { geminiReading } from '../../../src/agents/gemini/reading.ts';
import { opencodeReading } from '../../../src/agents/opencode/reading.ts';

/** A point in a recorded session for which a person has stated what the agent is doing. */
interface Label {
  mark: string;
  /** Seconds since the start of the recording. */
  at: number;
  /** Number of bytes that the agent has written up to this point. */
  end: number;
  /** `unknown` if no state would be correct, e.g. on a help page or after the end of the process. */
  state: ActivityState;
  /** Whether the process had ended before this point. */
  ended?: true;
  /** States of the agent from the previous label to this one, in order, including the states at both labels. */
  through: ActivityState[];
  /**
   * Further states since the previous label. They are too brief to be reported when the recording is replayed at its
   * own speed.
   */
  brief?: ActivityState[];
}

export interface Capture {
  /** Name of the recording, e.g. `claude-2.1.330/work`. */
  name: string;
  reading: KindReading;
  cols: number;
  rows: number;
  chunks: { at: number; data: Buffer }[];
  labels: Label[];
}

const FOLDER = fileURLToPath(new URL('../captures/', import.meta.url));
const KINDS: Record<string, KindReading> = {
  claude: claudeCodeReading,
  codex: codexReading,
  gemini: geminiReading,
  opencode: opencodeReading,
};

/** Returns all recorded sessions of real agents: asciicast files with labels. */
export function allCaptures(): Capture[] {
  return readdirSync(FOLDER).flatMap((version) =>
    readdirSync(join(FOLDER, version))
      .filter((file) => file.endsWith('.cast.gz'))
      .map((file) => readCapture(version, file.slice(0, -'.cast.gz'.length))),
  );
}

function readCapture(version: string, session: string): Capture {
  const reading = KINDS[version.split('-')[0] ?? ''];
  if (reading === undefined) throw new Error(`no kind reads ${version}`);
  const text = gunzipSync(readFileSync(join(FOLDER, version, `${session}.cast.gz`))).toString();
  const [head, ...events] = text.trim().split('\n');
  const { width, height } = JSON.parse(head ?? '') as { width: number; height: number };
  const written = events
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, type]) => type === 'o')
    .map(([at, , data]) => ({ at, data: Buffer.from(data) }));
  const labels = JSON.parse(readFileSync(join(FOLDER, version, `${session}.labels.json`), 'utf8')) as Label[];
  return { name: `${version}/${session}`, reading, cols: width, rows: height, chunks: written, labels };
}

export function bytesOf(capture: Capture): Buffer {
  return Buffer.concat(capture.chunks.map(({ data }) => data));
}

/** Returns a generator of reproducible random integers below `limit`. */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
