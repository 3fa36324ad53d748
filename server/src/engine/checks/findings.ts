import type { Agent } from '@agent-console/shared/models/agent';
import type { AgentCheckFinding, AgentCheckName, AgentCheckResult } from '@agent-console/shared/models/agent-check';
import type { AgentKind } from '../../ports/agents.ts';
import type { OneShotEnd } from '../../ports/one-shots.ts';
import { installAdvice } from '../agents/install-advice.ts';
import type { Observed } from './hidden-session.ts';

export interface Facts {
  definition: Pick<Agent, 'id' | 'name' | 'command'>;
  kind: AgentKind;
  /** Absolute path of the executable; null if it was not found; `built in` if it is part of the console. */
  program: string | null | 'built in';
  version: string | null;
  loggedIn: Agent['loggedIn'];
  withPrompt: boolean;
  /** Observations of the started agent; null until the agent has been started. */
  observed: Observed | null;
  /**
   * The agent's answer to the prompt, or why the prompt could not be sent; null before that, and if the check sends no
   * prompt.
   */
  prompted: OneShotEnd | string | null;
  /** Seconds since an unfinished check began; null if the check has finished. */
  unfinishedFor: number | null;
}

type Verdict = [result: AgentCheckResult, detail: string];

const NOT_STARTED: Verdict = ['skipped', 'The agent was not started.'];
const NO_PROGRAM: Verdict = ['skipped', "The agent's executable was not found."];

/** Returns the findings of a check in display order. */
export function findingsOf(facts: Facts): AgentCheckFinding[] {
  const verdicts: [AgentCheckName, Verdict][] = [
    ['program', programOf(facts)],
    ['version', versionOf(facts)],
    ['login', loginOf(facts)],
    ['start', startOf(facts)],
    ['tools', toolsOf(facts)],
  ];
  return verdicts.map(([name, verdict]) => {
    const [result, detail] = isFinal(name, verdict, facts) ? verdict : pending(name, facts);
    return { name, result, detail };
  });
}

/** Whether this verdict can no longer change, although the check may still run. */
function isFinal(name: AgentCheckName, verdict: Verdict, { unfinishedFor, withPrompt, kind }: Facts): boolean {
  if (unfinishedFor === null || name === 'program') return true;
  if (name === 'login') return !withPrompt || kind.oneShot === null;
  return verdict[0] === 'yes' || (verdict[0] === 'skipped' && verdict !== NOT_STARTED);
}

function pending(name: AgentCheckName, { unfinishedFor, observed }: Facts): Verdict {
  const sentence = `This part of the check has no result after ${unfinishedFor} s. The check continues; check again to see the remaining results.`;
  return ['unknown', name === 'start' && observed !== null ? withOutput(sentence, observed) : sentence];
}

/**
 * Whether the agent can be used. A login that was not found counts only if a prompt was tried, because the console may
 * not know where the agent stores its login.
 */
export function isOk(findings: readonly AgentCheckFinding[], { prompted }: Pick<Facts, 'prompted'>): boolean {
  return findings.every(({ name, result }) => {
    if (name === 'program' || name === 'start') return result === 'yes';
    return result !== 'no' || (name === 'login' && prompted === null);
  });
}

function programOf({ program, definition, kind }: Facts): Verdict {
  if (program === 'built in') return ['yes', 'The agent is built into the console, so it needs no executable.'];
  if (program !== null) return ['yes', program];
  const name = definition.command[0] ?? "The agent's executable";
  return ['no', `${name} was not found on PATH. ${installAdvice(definition, kind)}, then check again.`];
}

function versionOf({ program, version, kind }: Facts): Verdict {
  if (version !== null) return ['yes', version];
  if (program === null) return NO_PROGRAM;
  if (kind.program === null) return ['skipped', 'The console does not ask agents of this kind for their version.'];
  return ['unknown', "The agent's executable did not print its version in time."];
}

function loginOf({ program, loggedIn, kind, prompted }: Facts): Verdict {
  if (program === null) return NO_PROGRAM;
  if (kind.login === null) return ['skipped', 'The console does not know how this agent logs in.'];
  if (prompted !== null) return promptVerdict(prompted);
  if (loggedIn === 'yes')
    return [
      'yes',
      'Found a login. Only a prompt shows whether it is valid: check again with "deep", which sends a prompt.',
    ];
  if (loggedIn === 'no') return ['no', 'Found no login. Start the agent once in your own terminal and log in.'];
  return ['unknown', "The agent's files and environment variables do not show whether it is logged in."];
}

function promptVerdict(prompted: OneShotEnd | string): Verdict {
  if (typeof prompted === 'string') return ['no', `Could not send a prompt: ${prompted}.`];
  if (prompted.ended === 'timeout') return ['no', 'The agent did not answer a prompt in time.'];
  if (prompted.ended === 'flood') return ['no', "The agent's answer to a prompt was too long."];
  if (prompted.exitCode !== 0)
    return ['no', `The agent ended with exit code ${prompted.exitCode ?? 'unknown'} after a prompt.`];
  return prompted.stdout.trim() === ''
    ? ['no', "The agent's answer to a prompt was empty."]
    : ['yes', 'The agent answered a prompt.'];
}

function startOf({ observed, program, kind }: Facts): Verdict {
  if (program === null) return NO_PROGRAM;
  if (observed === null) return NOT_STARTED;
  const { refused, exit, question, problem } = observed;
  if (refused !== null) return ['no', refused];
  if (problem !== null) return ['no', problem];
  if (exit !== null) {
    const how = exit.signal === null ? `with exit code ${exit.exitCode}` : `with signal ${exit.signal}`;
    return ['no', withOutput(`The agent ended unexpectedly ${how}.`, observed)];
  }
  const { activityState, activitySource, confidence } = observed.activity;
  const evidence = `source: ${activitySource}, confidence: ${confidence}`;
  switch (activityState) {
    case 'idle':
      if (kind.reports === 'start' && !observed.hooksReported) {
        return [
          'no',
          "The agent's hooks did not report its start, so prompts would stay queued. Check whether its settings disable hooks.",
        ];
      }
      return ['yes', `The agent starts and accepts prompts (${evidence}).`];
    case 'active':
      return ['unknown', withOutput(`The agent is still starting (${evidence}).`, observed)];
    case 'asking': {
      const sentence = `The agent asks a question before it accepts prompts (${evidence}). Start the agent in your own terminal and answer the question once.`;
      return ['no', question === null ? withOutput(sentence, observed) : `${sentence} The question:\n${question}`];
    }
    case 'unknown':
      return [
        'unknown',
        withOutput(
          "The agent's activity cannot be recognized, so prompts wait until you choose to send them anyway.",
          observed,
        ),
      ];
  }
}

function withOutput(sentence: string, { output: { on, text } }: Observed): string {
  if (on === 'errors') return text === '' ? sentence : `${sentence} Its error output ends with:\n${text}`;
  return text === '' ? `${sentence} The screen is empty.` : `${sentence} The screen shows:\n${text}`;
}

function toolsOf({ observed, kind }: Facts): Verdict {
  if (observed === null || observed.refused !== null) return NOT_STARTED;
  if (observed.toolsReached) return ['yes', "The agent connected to the console's tools with its own token."];
  if (kind.connects === 'never')
    return [
      'skipped',
      "The agent does not connect to the console's tools by itself. Their address is in the environment variable AGENT_CONSOLE_MCP_URL.",
    ];
  if (kind.connects === 'use')
    return ['skipped', "The agent connects to the console's tools only when it first uses one of them."];
  return observed.activity.activityState === 'idle' && observed.exit === null
    ? ['no', "The agent did not connect to the console's tools. Check whether its settings forbid MCP servers."]
    : ['unknown', "The agent had not connected to the console's tools when the check ended."];
}
