import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { splitContextLead } from '@agent-console/shared/context-lead';
import { SCRIPTED_KEPT_MAX } from '@agent-console/shared/limits/scripted-agent';
import { CONTINUE_AFTER_QUOTA, parseNoticeBlock, REMINDER } from '@agent-console/shared/notice-block';
import { commands } from './commands.ts';
import { notePath, writeInside } from './files.ts';
import { isOutsideRepository } from './git.ts';
import { splitImages } from './images.ts';
import { parsePrompt, type Step } from './prompt.ts';
import type { Transcript } from './transcript.ts';
import type { Turn } from './turn.ts';

/** Records a submitted text and runs it as a turn. Rejects if the turn is interrupted. */
export async function runTurn(text: string, transcript: Transcript, turn: Turn): Promise<void> {
  const due = transcript.user(text);
  const notices = parseNoticeBlock(text);
  if (notices === null) {
    if (text === REMINDER) turn.say('reminded to report');
    else if (text === CONTINUE_AFTER_QUOTA) await runLines(await linesAfterQuota(turn), transcript, turn);
    else await runPrompt(text, transcript, turn);
    return;
  }
  turn.say(`noticed ${notices.length}: ${notices.map((notice) => notice.id).join(' ')}`);
  for (const { lines } of due) if (!(await runLines(lines, transcript, turn))) return;
}

/** Returns the lines below `@quota` in the newest prompt that contains `@quota`. */
async function linesAfterQuota(turn: Turn): Promise<string> {
  let lines = '';
  for (let number = 1; ; number += 1) {
    const text = await turn.recall(number);
    if (text === null) return lines;
    lines = /^@quota .*$([\s\S]*)/m.exec(text)?.[1] ?? lines;
  }
}

/** Reports the context files that are listed above the prompt, then runs the prompt. */
async function runPrompt(text: string, transcript: Transcript, turn: Turn): Promise<void> {
  const { paths, prompt } = splitContextLead(text);
  for (const path of paths) {
    const facts = await stat(resolve(turn.cwd, path)).catch(() => null);
    turn.say(facts === null ? `context file ${path} is gone` : `context file ${path} (${facts.size} bytes)`);
  }
  await runLines(splitImages(prompt).text, transcript, turn);
}

/**
 * Runs lines in order. A step that fails is reported, and the next step still runs. Returns whether the turn may
 * continue.
 */
async function runLines(text: string, transcript: Transcript, turn: Turn): Promise<boolean> {
  const { steps, after } = parsePrompt(text);
  for (const step of steps) {
    try {
      const result = step.type === 'plain' ? await doPlain(step.text, turn) : await doCommand(step, turn);
      if (result === 'end') return false;
    } catch (error) {
      if (turn.signal.aborted) throw error;
      turn.say(`error: ${error instanceof Error ? error.message : String(error)}`);
    }
    await turn.sent();
    turn.signal.throwIfAborted();
  }
  if (after) deferLines(after, transcript, turn);
  return true;
}

function deferLines({ argument, lines }: { argument: string; lines: string }, transcript: Transcript, { say }: Turn) {
  const remaining = /^[1-9]\d{0,5}$/.test(argument) ? Number(argument) : null;
  if (remaining === null) return say('error: usage: @after count (the number of notices to wait for, at least 1)');
  if (transcript.waitingCount() >= SCRIPTED_KEPT_MAX)
    return say(`error: ${SCRIPTED_KEPT_MAX} @after blocks are already waiting; this @after is ignored`);
  transcript.defer({ remaining, lines });
  say(`waiting for ${remaining} ${remaining === 1 ? 'notice' : 'notices'}`);
}

async function doCommand(step: Extract<Step, { type: 'command' }>, turn: Turn): Promise<'end' | undefined> {
  const command = Object.hasOwn(commands, step.name) ? commands[step.name] : undefined;
  if (!command)
    throw new Error(`unknown command @${step.name}; available commands: @${Object.keys(commands).join(', @')}, @after`);
  return command(step.rest, turn);
}

/**
 * Simulates ordinary work: writes a note that contains the text, and commits the note if the folder is in a repository.
 */
async function doPlain(text: string, turn: Turn): Promise<undefined> {
  const path = notePath(text, new Date());
  await writeInside(turn.cwd, path, `${text}\n`, 'wx');
  const subject = (text.split(/\r\n|\r|\n/)[0] ?? '').slice(0, 60).replace(/[\ud800-\udbff]$/, '');
  try {
    turn.say(`wrote ${path} and committed it: ${await turn.git.commit(`note: ${subject}`, path)}`);
  } catch (error) {
    if (!isOutsideRepository(error)) throw error;
    turn.say(`wrote ${path} but did not commit it: not a git repository`);
  }
}
