import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPrograms, type Programs } from '../surfaces/cli/programs.ts';

let programs: Programs;
beforeAll(async () => {
  programs = await openPrograms();
});
afterAll(() => programs.remove());

describe('agents read-screen', () => {
  it('reads a recording as the agent kind does, and shows the question', async () => {
    const recording = '\x1b]0;scripted: working\x07\x1b]0;scripted: asking\x07? May I (y/n)';
    const { code, out } = await programs.run(['agents', 'read-screen', '--kind', 'scripted'], {}, recording);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      activityState: 'asking',
      source: 'title',
      question: { text: 'May I', options: [{ label: 'Yes' }, { label: 'No' }] },
    });
  });

  it('reports unknown for unrecognised output', async () => {
    const { out } = await programs.run(['agents', 'read-screen', '--kind', 'claude-code'], {}, 'hello');
    expect(JSON.parse(out)).toMatchObject({ activityState: 'unknown' });
  });

  it('refuses an unknown kind', async () => {
    const { code, err } = await programs.run(['agents', 'read-screen', '--kind', 'nobody'], {}, '');
    expect(code).toBe(2);
    expect(err).toContain('nobody');
  });
});
