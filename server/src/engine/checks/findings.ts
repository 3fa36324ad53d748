import { BRANCH_NAMING_MS } from '@agent-console/shared/limits/agents';
import type { Agent } from '@agent-console/shared/models/agent';
import type { AgentCheckFinding, AgentCheckName, AgentCheckResult } from '@agent-console/shared/models/agent-check';
import type { AgentKind } from '../../ports/agents.ts';
import type { OneShotEnd } from '../../ports/one-shots.ts';
import type { Trial } from './trial-look.ts';

/** Everything that was found out about an agent. */
export interface Seen {
  definition: Pick<Agent, 'id' | 'name' | 'command'>;
  kind: AgentKind;
  /** Absolute path, null where it was not found, or that it is part of the console. */
  program: string | null | 'built in';
  version: string | null;
  loggedIn: Agent['loggedIn'];
  deep: boolean;
  /** Null where it was not started: it cannot be, or not yet. */
  trial: Trial | null;
  /** Null where it was not asked without a terminal; the sentence says why it could not be. */
  oneShot: (OneShotEnd & { tookMs: number }) | string | null;
  /** Since how many seconds it is tried; null when all is seen that will be. */
  goingOn: number | null;
}

type Said = [result: AgentCheckResult, detail: string];

const NOT_STARTED: Said = ['skipped', 'It was not started.'];
const NOT_READY: Said = ['skipped', 'It got no prompt, since it was not ready for one.'];
const NOT_ASKED: Said = ['skipped', 'Not asked for: it costs tokens. Check it with "deep" to try.'];

/** What is told of each thing, in the order in which it is told. */
export function findingsOf(seen: Seen): AgentCheckFinding[] {
  const findings: [AgentCheckName, Said][] = [
    ['program', programOf(seen)],
    ['version', versionOf(seen)],
    ['login', loginOf(seen)],
    ['start', startOf(seen)],
    ['screen', screenOf(seen)],
    ['hooks', hooksOf(seen)],
    ['tools', toolsOf(seen)],
    [
      'resume',
      canOf(seen.kind.supportsResume, 'It takes up its conversation again.', 'It cannot take up a conversation.'),
    ],
    ['fork', canOf(seen.kind.supportsFork, 'Its conversation can be forked.', 'Its conversation cannot be forked.')],
    ['turn', turnOf(seen)],
    ['oneShot', oneShotOf(seen)],
  ];
  return findings.map(([name, said]) => {
    const [result, detail] = seen.goingOn === null || isSure(name, said) ? said : notYet(seen.goingOn, name, seen);
    return { name, result, detail };
  });
}

/** What a longer look cannot change. */
function isSure(name: AgentCheckName, said: Said): boolean {
  if (name === 'program' || name === 'login') return true;
  return said[0] === 'yes' || (said[0] === 'skipped' && said !== NOT_STARTED && said !== NOT_READY);
}

function notYet(seconds: number, name: AgentCheckName, { trial }: Seen): Said {
  const sentence = `Not known after ${seconds} s. It goes on: check it again for the rest.`;
  return ['unknown', name === 'screen' && trial !== null ? withScreen(sentence, trial) : sentence];
}

/** Whether it can be used: it starts, is understood, and nothing failed. A log-in that is not seen may be there all the same. */
export function isOk(findings: readonly AgentCheckFinding[]): boolean {
  const needed: readonly AgentCheckName[] = ['program', 'start', 'screen'];
  return findings.every(
    ({ name, result }) =>
      result === 'yes' || (!needed.includes(name) && (result !== 'no' || name === 'login' || name === 'version')),
  );
}

function programOf({ program, definition }: Seen): Said {
  if (program === 'built in') return ['yes', 'It is part of the console.'];
  if (program !== null) return ['yes', program];
  return ['no', `${definition.command[0] ?? 'Its program'} was not found on PATH. Install it, then check again.`];
}

function versionOf({ program, version, kind }: Seen): Said {
  if (version !== null) return ['yes', version];
  if (program === null) return ['skipped', 'Its program is not here.'];
  if (kind.program === null) return ['skipped', 'Nobody knows what it does with --version, so it is not asked.'];
  return ['unknown', 'It did not tell its version in time.'];
}

function loginOf({ program, loggedIn, kind }: Seen): Said {
  if (program === null) return ['skipped', 'Its program is not here.'];
  if (kind.login === null) return ['skipped', 'The console knows of no log-in for it.'];
  if (loggedIn === 'yes') return ['yes', 'Its log-in was found; whether it is still valid, only a prompt tells.'];
  if (loggedIn === 'no') return ['no', 'No log-in was found. Start it once in a terminal of your own and log in.'];
  return ['unknown', 'It was used here, but neither its files nor variables tell of a log-in.'];
}

function startOf({ trial, program }: Seen): Said {
  if (program === null) return ['skipped', 'Its program is not here.'];
  if (trial === null) return NOT_STARTED;
  if (trial.refused !== null) return ['no', trial.refused];
  if (trial.exit === null) return ['yes', 'It starts in a terminal.'];
  const how = trial.exit.signal === null ? `with exit code ${trial.exit.exitCode}` : `by ${trial.exit.signal}`;
  return ['no', withScreen(`It ended by itself ${how}.`, trial)];
}

function screenOf({ trial }: Seen): Said {
  if (trial === null || trial.refused !== null || trial.exit !== null) return NOT_STARTED;
  const { activityState, activitySource, confidence } = trial.activity;
  const by = `seen by its ${activitySource}, ${confidence}`;
  if (activityState === 'idle') return ['yes', `It is idle and takes prompts (${by}).`];
  if (activityState === 'active') return ['unknown', withScreen(`It is still busy with its start (${by}).`, trial)];
  if (activityState === 'asking') {
    const sentence = `It asks something before it takes prompts (${by}). Answer it once in a terminal of your own.`;
    return ['no', trial.question === null ? withScreen(sentence, trial) : `${sentence} It asks:\n${trial.question}`];
  }
  return [
    'unknown',
    withScreen('What it shows does not tell what it is doing; prompts are held until you send them.', trial),
  ];
}

function withScreen(sentence: string, { screen }: Trial): string {
  return screen === '' ? `${sentence} Its screen is empty.` : `${sentence} Its screen shows:\n${screen}`;
}

function hooksOf({ trial, kind }: Seen): Said {
  if (kind.reports === 'never') return ['skipped', 'It has no hooks that the console uses.'];
  if (trial === null || trial.refused !== null) return NOT_STARTED;
  if (trial.hooksReported) return ['yes', 'Its hooks report to the console.'];
  if (kind.reports === 'turn' && trial.turn !== 'over')
    return ['unknown', 'They report with its first turn. Check it with "deep" to see them.'];
  return trial.activity.activityState === 'idle' && trial.exit === null
    ? ['no', 'Its hooks said nothing. A setting may have switched them off; its screen is read all the same.']
    : ['unknown', 'Nothing was heard of them by then.'];
}

function toolsOf({ trial, kind }: Seen): Said {
  if (trial === null || trial.refused !== null) return NOT_STARTED;
  if (trial.toolsReached) return ['yes', 'It reached the console’s tools as itself.'];
  if (kind.connects === 'never')
    return ['skipped', 'It is not told of the console’s tools; AGENT_CONSOLE_MCP_URL names them.'];
  if (kind.connects === 'use') return ['skipped', 'It connects when it uses one.'];
  return trial.activity.activityState === 'idle' && trial.exit === null
    ? ['no', 'It did not connect to the console’s tools. A setting of its own may forbid MCP servers.']
    : ['unknown', 'It had not connected to the console’s tools by then.'];
}

function canOf(can: boolean, yes: string, no: string): Said {
  return can ? ['yes', yes] : ['skipped', no];
}

function turnOf({ trial, deep }: Seen): Said {
  if (!deep) return NOT_ASKED;
  if (trial === null || trial.refused !== null || trial.turn === 'not given') return NOT_READY;
  if (trial.turn === 'over') return ['yes', withScreen('It took a prompt and ended its turn.', trial)];
  if (trial.turn === 'taken') return ['unknown', withScreen('It took the prompt and was still at it.', trial)];
  return ['unknown', withScreen('It did not show that it took the prompt.', trial)];
}

function oneShotOf({ oneShot, deep, kind }: Seen): Said {
  if (kind.oneShot === null) return ['skipped', 'It cannot be asked without a terminal; prompts name their branches.'];
  if (!deep) return NOT_ASKED;
  if (oneShot === null) return NOT_STARTED;
  if (typeof oneShot === 'string') return ['no', oneShot];
  if (oneShot.ended === 'timeout') return ['no', 'It did not answer in time; prompts name their branches then.'];
  if (oneShot.ended === 'flood') return ['no', 'It printed more than an answer.'];
  if (oneShot.exitCode !== 0) return ['no', `It ended with exit code ${oneShot.exitCode ?? 'unknown'}.`];
  if (oneShot.stdout.trim() === '') return ['no', 'It answered nothing.'];
  if (oneShot.tookMs <= BRANCH_NAMING_MS) return ['yes', 'It answers without a terminal and can name branches.'];
  const [took, limit] = [oneShot.tookMs, BRANCH_NAMING_MS].map((ms) => `${Math.round(ms / 1_000)} s`);
  return ['yes', `It answers without a terminal, but took ${took}. After ${limit} prompts name their branches.`];
}
