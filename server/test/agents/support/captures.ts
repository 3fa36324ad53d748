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

/** A moment of a session at which somebody looked at the screen and said what the agent was doing. */
interface Label {
  mark: string;
  /** Seconds since the start. */
  at: number;
  /** Bytes written so far. */
  end: number;
  /** `unknown` where no state would be right: a help page, an ended process. */
  state: ActivityState;
  /** The process had ended by then. */
  ended?: true;
  /** The states of the session from the mark before to this one, as they follow on each other, both included. */
  through: ActivityState[];
  /** States that were there in between, for too short a time to be told when it is played in its own. */
  brief?: ActivityState[];
}

export interface Capture {
  /** `claude-2.1.330/work`. */
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

/** All recorded sessions of real agents: asciicast files, and what each shows when. */
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

/** Repeatable random numbers below `limit`. */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
