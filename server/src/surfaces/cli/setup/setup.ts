import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { Command } from 'commander';
import { homeOf } from '../../../config.ts';
import type { RegistrableAgent } from '../../../registrations.ts';
import { helpWith } from '../examples.ts';
import { baseUrlOf, readServerFile } from '../find-console.ts';
import { print, toJson } from '../output.ts';
import { toTable } from '../printing/table.ts';
import {
  isOnPath,
  missingFolders,
  readRecord,
  readText,
  recordFile,
  removeFolders,
  writeRecord,
  writeText,
} from './files.ts';
import { planRegistration, planUndo, type Registration } from './registrations.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Done {
  agent: AgentKindName;
  /** The result for an agent, for example `registered`, or `would register` in a dry run. */
  result: string;
  file: string;
  detail: string;
}

const PORT_DEFAULT = 3457;

export function addSetup(cli: Command): void {
  cli
    .command('setup')
    .description(
      'Add the console as an MCP server to installed agents that you start yourself; agents in sessions need no setup',
    )
    .option('--dry-run', 'Show what setup would change, and change nothing')
    .option('--undo', 'Undo all changes that setup made to files')
    .option('--url <url>', 'Console URL')
    .option('--json', 'Print JSON')
    .addHelpText('after', helpWith(['setup --dry-run']))
    .action(async (options: { dryRun?: boolean; undo?: boolean; json?: boolean; url?: string }) => {
      const env = process.env;
      const dryRun = options.dryRun === true;
      const chosen = options.url ?? cli.opts<{ url?: string }>().url;
      const url = new URL('/mcp', chosen ?? (await addressOf(env))).href;
      const done = options.undo === true ? await undo(env, dryRun) : await register(env, url, dryRun);
      const asJson = options.json === true || cli.opts<{ json?: boolean }>().json === true;
      print(asJson ? toJson(done) : toTable(['agent', 'result', 'file', 'detail'], done));
      if (!asJson && dryRun)
        for (const { file, detail } of done.filter(({ detail: text }) => text.includes('\n')))
          print(`\n${file}:${detail}`);
      if (done.some(({ result }) => result === 'refused')) process.exitCode = 1;
    });
}

async function addressOf(env: Env): Promise<string> {
  const running = await readServerFile(homeOf(env));
  if (running !== undefined) return baseUrlOf([running.host], running.port);
  const port = Number(env.PORT ?? PORT_DEFAULT);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return `http://127.0.0.1:${port}`;
  throw new ConsoleError('VALIDATION', `PORT is "${env.PORT}". Set it to a number from 1 to 65535.`, {});
}

/** Returns the agents that setup can register. Their module is imported on demand, because only `setup` needs it. */
async function registrableAgents(): Promise<RegistrableAgent[]> {
  return (await import('../../../registrations.ts')).registrableAgents();
}

async function register(env: Env, url: string, dryRun: boolean): Promise<Done[]> {
  const home = homeOf(env);
  const record = await readRecord(home);
  const done: Done[] = [];
  for (const { kind: agent, program, configFiles, entry } of await registrableAgents()) {
    const files = configFiles(env, env.HOME ?? homedir());
    const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
    const { file, text } = texts.find((each) => each.text !== undefined) ?? { file: files[0] ?? '', text: undefined };
    if (!(await isOnPath(program, env.PATH ?? ''))) {
      done.push({ agent, result: 'not installed', file, detail: `no ${program} on PATH` });
      continue;
    }
    const before = record.find((earlier) => earlier.agent === agent && earlier.file === file);
    // If an earlier run registered another URL, that registration is removed first.
    const base =
      before !== undefined && before.url !== url && text !== undefined ? (planUndo(entry, before, text) ?? text) : text;
    const step = planRegistration(entry, base ?? '', url);
    if (step.action !== 'add') {
      done.push({ agent, result: step.action === 'none' ? 'unchanged' : 'refused', file, detail: step.why });
      continue;
    }
    done.push({ agent, result: dryRun ? 'would register' : 'registered', file, detail: dryRun ? step.inserted : url });
    if (dryRun) continue;
    const { inserted, ownContainer } = step;
    const created = before === undefined ? text === undefined : before.created;
    // If the first registration creates the data directory for setup's record, `setup --undo` removes the directory
    // again, unless it contains other files.
    const createdFolders = [...(record.length === 0 ? missingFolders(recordFile(home)) : []), ...missingFolders(file)];
    const folders = before?.folders ?? createdFolders;
    const registration: Registration = { agent, file, url, inserted, created, folders, ownContainer };
    await writeRecord(home, [...record.filter((earlier) => earlier !== before), registration]);
    record.splice(0, record.length, ...(await readRecord(home)));
    await writeText(file, step.after);
  }
  return done;
}

async function undo(env: Env, dryRun: boolean): Promise<Done[]> {
  const home = homeOf(env);
  const record = await readRecord(home);
  const remaining: Registration[] = [];
  const done: Done[] = [];
  const folders: string[] = [];
  const agents = await registrableAgents();
  for (const registration of record) {
    const { agent, file, created } = registration;
    const text = await readText(file);
    const entry = agents.find(({ kind }) => kind === agent)?.entry;
    const after = text === undefined ? null : entry && planUndo(entry, registration, text);
    if (after === undefined) {
      remaining.push(registration);
      const detail = 'the entry was changed after setup added it; remove "agent-console" from this file by hand';
      done.push({ agent, result: 'refused', file, detail });
      continue;
    }
    const detail = after === null ? 'this file no longer contains the entry that setup added' : '';
    done.push({ agent, result: dryRun ? 'would undo' : 'undone', file, detail });
    folders.push(...registration.folders);
    if (dryRun || after === null) continue;
    if (created && after.trim() === '') await rm(file);
    else await writeText(file, after);
  }
  if (dryRun) return done;
  await writeRecord(home, remaining);
  await removeFolders(folders);
  return done;
}
