import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgentKinds } from '../../src/agents/kinds.ts';
import { createAskAgent } from '../../src/engine/agents/ask-agent.ts';
import { createNaming } from '../../src/engine/delegations/naming.ts';
import { createSettings } from '../../src/engine/settings.ts';
import { createGit } from '../../src/git/git.ts';
import { createAgentPrograms } from '../../src/machine/agent-programs.ts';
import { createHost } from '../../src/machine/host.ts';
import { createOneShots } from '../../src/machine/one-shots.ts';
import { bootId, sessionMembers, startTimeOf } from '../../src/runner/processes.ts';
import { isAlive } from '../e2e/support/kill.ts';
import { openStorage } from '../support/storage.ts';

let opened: ReturnType<typeof openStorage>;
beforeEach(async () => {
  opened = openStorage();
});
afterEach(() => opened.close());

it('an agent that hangs when asked for a name is ended, and causes a warning', async () => {
  const { folder, storage } = opened;
  const environment = { PATH: process.env.PATH ?? '', HOME: folder, ANTHROPIC_API_KEY: 'sk-test-dummy' };
  const processes = { startTimeOf, sessionMembers, bootId };
  const host = createHost({ home: folder, port: 1, environment, processes });
  const ask = createAskAgent({
    kinds: createAgentKinds({ scriptedAgent: 'none', cli: '' }),
    programs: createAgentPrograms({ host, environment }),
    host,
    oneShots: createOneShots({
      home: folder,
      processes,
      git: createGit({ viewsDir: join(folder, 'views'), env: environment }),
    }),
  });
  const naming = createNaming({ ask, settings: createSettings({ storage }), limitMs: 2_000 });
  const program = join(folder, 'hangs');
  const hang = 'trap "" TERM HUP; sleep 600 & echo $$ $! >"$HOME/pids"; wait; wait';
  await writeFile(program, `#!/bin/sh\n${hang}\n`);
  await chmod(program, 0o755);

  const agent = { name: 'Namer', kind: 'claude-code' as const, command: [program], env: [] };
  const { name, warning } = await naming.suggest(agent, 'Water the plants');
  expect(name).toBeNull();
  expect(warning).toContain('because Namer did not answer within 2 s');
  const pids = (await readFile(join(folder, 'pids'), 'utf8')).trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect(await readdir(join(folder, 'scratch'))).toEqual([]);
});

it('an unreadable setting does not fail the caller, but causes a warning', async () => {
  const naming = createNaming({
    ask: async () => null,
    settings: { current: () => Promise.reject(new Error('the disk failed')) },
  });
  const agent = { name: 'Namer', kind: 'claude-code' as const, command: ['none'], env: [] };
  await expect(naming.suggest(agent, 'Water the plants')).resolves.toEqual({
    name: null,
    warning: 'The branch name was derived from the prompt, because Namer could not be asked.',
  });
});
