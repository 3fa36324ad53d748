// Measures, on this machine, the console and the minimal programs with which it is compared, and prints one table.
// README.md explains the table.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAcp } from './rows/acp.mjs';
import { measureAcpMemory } from './rows/acp-memory.mjs';
import { measureDelegation } from './rows/delegation.mjs';
import { measureEcho } from './rows/echo.mjs';
import { measureExits } from './rows/exits.mjs';
import { measureIntegrate } from './rows/integrate.mjs';
import { measureLists } from './rows/lists.mjs';
import { measureOrchestrations } from './rows/orchestrations.mjs';
import { measureOverlaps } from './rows/overlaps.mjs';
import { measurePage } from './rows/page.mjs';
import { measureReattach } from './rows/reattach.mjs';
import { measureRestart } from './rows/restart.mjs';
import { measureConversation } from './rows/scale-conversation.mjs';
import { measureDiff } from './rows/scale-diff.mjs';
import { measureGraph } from './rows/scale-graph.mjs';
import { measurePageMemory } from './rows/scale-memory.mjs';
import { measureInbox, measureSessions } from './rows/scale-sessions.mjs';
import { measureTerminals } from './rows/scale-terminals.mjs';
import { measureWorktrees } from './rows/scale-worktrees.mjs';
import { measureScreens } from './rows/screen-memory.mjs';
import { measureSize } from './rows/size.mjs';
import { measureSpawns } from './rows/spawns.mjs';
import { measureStart } from './rows/start.mjs';
import { measureMemory } from './rows/terminal-memory.mjs';
import { measureThroughput } from './rows/throughput.mjs';
import { measureViewers } from './rows/viewers.mjs';
import { endAll, endOnSignals } from './support/cleanup.mjs';
import { load, machineFacts } from './support/machine.mjs';
import { ROOT } from './support/packages.mjs';
import { takeProduct } from './support/product.mjs';
import { short } from './support/stats.mjs';
import { reaches, table } from './support/table.mjs';

const ROWS = {
  1: measureStart,
  2: measureDelegation,
  3: measureLists,
  4: measureThroughput,
  5: measureEcho,
  6: measureExits,
  7: measureMemory,
  8: measureRestart,
  9: measureViewers,
  10: measureReattach,
  11: measureScreens,
  12: measureSize,
  13: measureSpawns,
  14: measurePage,
  15: measureAcp,
  16: measureAcpMemory,
  17: measureIntegrate,
  18: measureOverlaps,
  19: measureOrchestrations,
  20: measureConversation,
  21: measureSessions,
  22: measureTerminals,
  23: measureDiff,
  24: measureInbox,
  25: measureWorktrees,
  26: measurePageMemory,
  27: measureGraph,
};

const HELP = `node bench/run.mjs [options]
  --quick            fewer repetitions
  --long             1 000 delegations, 1 000 exits, ten minutes of row 26 (also LONG=1)
  --only 4,6         these rows only
  --programs FOLDER  built programs to measure; default server/dist
  --save             also write bench/results/<time>.json
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: (process.env.LONG ?? '') !== '' },
      only: { type: 'string' },
      programs: { type: 'string', default: join(ROOT, 'server/dist') },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? Object.keys(ROWS);
  const unknown = only.find((id) => !(id in ROWS));
  if (unknown !== undefined) throw new Error(`unknown row ${unknown}; rows are ${Object.keys(ROWS).join(', ')}`);
  return { ...values, only, programs: resolve(values.programs) };
}

async function measure(options) {
  if (!existsSync(join(options.programs, 'server.js'))) throw new Error('nothing is built: run `npm run build` first');
  const machine = machineFacts();
  const product = await takeProduct(options.programs);
  const rows = [];
  for (const id of options.only) {
    const loadBefore = load();
    const since = performance.now();
    process.stderr.write(`row ${id} ...`);
    const measured = await ROWS[id]({ product, quick: options.quick, long: options.long });
    const seconds = Math.round((performance.now() - since) / 1000);
    process.stderr.write(` ${seconds} s, load average ${short(loadBefore)} → ${short(load())}\n`);
    rows.push(...measured.map((row) => ({ id, row })));
  }
  return { machine: { ...machine, loadAtEnd: Number(short(load())) }, rows };
}

function show({ machine, rows }) {
  const { cores, memoryGiB, platform, node, git, loadAtStart, loadAtEnd } = machine;
  console.log(`${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, git ${git}`);
  console.log(`load average ${loadAtStart} at the start, ${loadAtEnd} at the end\n`);
  console.log(table(rows));
  const missed = rows.filter(({ row }) => reaches(row) === false);
  const aimed = rows.filter(({ row }) => row.aim !== undefined);
  console.log(`\n${aimed.length - missed.length} of ${aimed.length} aims met`);
}

function save({ machine, rows }) {
  const folder = join(ROOT, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const plain = rows.map(({ id, row }) => ({ id, ...row, aim: row.aim?.text, reached: reaches(row) }));
  const file = join(folder, `${at.replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ at, machine, rows: plain }, null, 2)}\n`);
}

endOnSignals();
try {
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else {
    const results = await measure(options);
    show(results);
    if (options.save) save(results);
  }
} catch (error) {
  // After Ctrl-C, errors are expected, because the bench is ending all programs.
  if (process.exitCode === undefined) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
} finally {
  await endAll();
}
process.exit();
