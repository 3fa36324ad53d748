import { CONTRACTS } from '@agent-console/shared/operations/table';
import { describe, expect, it, test } from 'vitest';
import { PAGES } from '../../src/shell/pages.ts';
import { COMMANDS, PAGE_KEYWORDS } from '../../src/shell/palette/commands.ts';
import { type Findable, matching, rank } from '../../src/shell/palette/rank.ts';
import { SESSION_VERBS } from '../../src/shell/palette/session-verbs.ts';

const verbs = SESSION_VERBS.map(({ id, title, aliases = [], keywords = [] }) => ({
  id: `session-${id}`,
  title: title('main'),
  aliases,
  keywords,
}));
const pages = PAGES.map(({ to, title }) => ({ id: to as string, title: title as string, keywords: PAGE_KEYWORDS[to] }));
const entries: (Findable & { id: string })[] = [...verbs, ...COMMANDS, ...pages];

describe('a word that people use ranks its command first', () => {
  it.each([
    ['merge', 'Merge into main…'],
    ['mer', 'Merge into main…'],
    ['squash', 'Merge into main…'],
    ['commit', 'Commit changes…'],
    ['dark', 'Switch between dark and light theme'],
    ['theme', 'Switch between dark and light theme'],
    ['pause', 'Pause session'],
    ['resume', 'Resume session'],
    ['continue', 'Resume session'],
    ['archive', 'Archive session'],
    ['unarchive', 'Unarchive session'],
    ['push', 'Push, or create a pull request…'],
    ['pull request', 'Push, or create a pull request…'],
    ['pr', 'Push, or create a pull request…'],
    ['new session', 'New session…'],
    ['new', 'New session…'],
    ['session new', 'New session…'],
    ['start session', 'New session…'],
    ['stop', 'Stop session'],
    ['kill', 'Stop session'],
    ['settings', 'Settings'],
    ['check', 'Run the check command'],
    ['test', 'Run the check command'],
    ['update', 'Update from main…'],
    ['rename', 'Rename session…'],
    ['delete', 'Remove session…'],
    ['remove', 'Remove session…'],
    ['duplicate', 'New session like this…'],
    ['terminal', 'New terminal'],
    ['inbox', 'Inbox'],
    ['boards', 'Boards'],
    ['new board', 'New board…'],
    ['repos', 'Repositories'],
    ['delegate', 'Delegate work…'],
    ['keys', 'Show keyboard shortcuts'],
  ])('%s', (query, title) => {
    // The query `new` matches several entries. The one that was used last, with the id `start`, comes first.
    expect(matching(entries, query, ['start'])[0]?.entry.title).toBe(title);
  });

  it('before any operation of the console', () => {
    const operations = CONTRACTS.map(({ name, summary }) => ({ id: name, title: summary, note: name }));
    for (const query of ['merge', 'dark', 'pause', 'archive', 'push', 'stop', 'settings', 'check']) {
      const own = matching(entries, query)[0]?.score ?? 0;
      expect(own, query).toBeGreaterThanOrEqual(matching(operations, query)[0]?.score ?? 0);
    }
  });
});

const title = (text: string, keywords: readonly string[] = []) => ({ title: text, keywords });

test('every word must match', () => {
  expect(rank('checkout shop', title('checkout flow', ['shop', 'ac/checkout']))).toBeGreaterThan(0);
  expect(rank('checkout blog', title('checkout flow', ['shop', 'ac/checkout']))).toBe(0);
});

test('the start of the title ranks above the start of a word, then keywords, then the middle of a word, then scattered letters', () => {
  const order = ['flow of checkout', 'check flow', 'overflow', 'first low tide'].map((text) =>
    rank('flow', title(text)),
  );
  const keyword = rank('flow', title('upgrade', ['flow']));
  expect([...order.slice(0, 2), keyword, ...order.slice(2)]).toEqual([...order, keyword].toSorted((a, b) => b - a));
  expect(new Set([...order, keyword]).size).toBe(5);
});

test('scattered letters match only in the title, from the start of a word', () => {
  expect(rank('hkf', title('the checkout flow'))).toBe(0);
  expect(rank('chf', title('the checkout flow'))).toBeGreaterThan(0);
  expect(rank('tasks', title('tests: @ask which browser shall i test'))).toBe(0);
  expect(rank('chf', title('upgrade', ['checkout flow']))).toBe(0);
  expect(rank('chf', { ...title('checkout flow'), isSentence: true })).toBe(0);
});

test('of equally relevant entries, the one used last comes first', () => {
  const both = [
    { id: 'a', title: 'Pause all' },
    { id: 'b', title: 'Pause one' },
  ];
  const order = (recent: string[]) => matching(both, 'pause', recent).map(({ entry }) => entry.id);
  expect(order([])).toEqual(['a', 'b']);
  expect(order(['b', 'a'])).toEqual(['b', 'a']);
});

test('an empty query matches everything equally', () => {
  expect(rank('  ', title('anything'))).toBe(rank('', title('something else')));
});
