import type { InboxItem } from '@agent-console/shared/models/inbox';
import { describe, expect, test } from 'vitest';
import { inboxRows, keyOf, newKeys, showAll } from '../../src/features/inbox/inbox-rows.ts';
import { nextNeed } from '../../src/features/inbox/subjects.ts';

function item(id: string, kind: InboxItem['kind'], fields: Partial<InboxItem> = {}): InboxItem {
  return {
    sessionId: id,
    orchestrationId: null,
    group: kind === 'failed' ? 'failed' : kind === 'done' ? 'finished' : 'answer',
    kind,
    since: `2026-03-01T10:00:0${id}.000Z`,
    title: `title ${id}`,
    text: 'text',
    repositoryId: 'r1',
    branch: null,
    agentId: 'scripted',
    taskId: null,
    approvalId: null,
    ...fields,
  };
}

const items = [item('1', 'asks'), item('2', 'asks'), item('4', 'failed'), item('3', 'done')];
const keys = (...args: Parameters<typeof inboxRows>) => inboxRows(...args).map(({ key }) => key.split(' ')[0]);

describe('rows of the inbox', () => {
  test('are grouped, with a count for each group', () => {
    const rows = inboxRows(showAll(items), items, '', {});
    expect(rows.map((row) => (row.type === 'header' ? [row.group, row.count] : row.item.sessionId))).toEqual([
      ['answer', 2],
      '1',
      '2',
      ['failed', 1],
      '4',
      ['finished', 1],
      '3',
    ]);
  });

  test('keep an answered question in its place, and drop outcomes that were read', () => {
    const rest = items.slice(1, 2);
    const rows = inboxRows(showAll(items), rest, '', {});
    expect(rows.map((row) => (row.type === 'header' ? row.count : row.resolved))).toEqual([1, true, false]);
  });

  test('do not include new items until they are shown, such as a later question of the same session', () => {
    const shown = showAll(items);
    const later = item('1', 'asks', { since: '2026-03-01T11:00:00.000Z' });
    const now = [later, ...items.slice(1), item('5', 'done')];
    expect(newKeys(shown, now)).toEqual([keyOf(later), keyOf(item('5', 'done'))]);
    expect(keys(shown, now, '', {})).toEqual(['answer', '1', '2', 'failed', '4', 'finished', '3']);
  });

  test('are filtered by words of the title, text, agent and repository', () => {
    expect(keys(showAll(items), items, 'TITLE 3 shop', { r1: 'shop' })).toEqual(['finished', '3']);
    expect(keys(showAll(items), items, 'failed', {})).toEqual(['failed', '4']);
    expect(keys(showAll(items), items, 'nothing', {})).toEqual([]);
  });

  test('of five thousand items are made within a frame', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => item(String(n % 10), 'done', { sessionId: `s${n}` }));
    const shown = showAll(many);
    expect(inboxRows(shown, many, 'title', {})).toHaveLength(5_001);
  });
});

describe('the next item that needs a person', () => {
  test('follows the current one, and begins again after the last', () => {
    expect(nextNeed(items, undefined)?.sessionId).toBe('1');
    expect(nextNeed(items, '1')?.sessionId).toBe('2');
    expect(nextNeed(items, '3')?.sessionId).toBe('1');
    expect(nextNeed(items.slice(0, 1), '1')).toBeUndefined();
    expect(nextNeed([], undefined)).toBeUndefined();
  });

  test('follows the current one also when that one was read and has left the inbox', () => {
    const failures = [item('5', 'failed'), item('4', 'failed'), item('3', 'failed')];
    const questions = items.slice(0, 2);
    const read = failures[1];
    const rest = [...questions, ...failures.filter((each) => each !== read)];
    expect(nextNeed(rest, '4', read)?.sessionId).toBe('3');
    expect(nextNeed([...questions, item('5', 'failed')], '3', item('3', 'failed'))?.sessionId).toBe('1');
    // If the current page shows no inbox item, the first item is next.
    expect(nextNeed(rest, undefined, read)?.sessionId).toBe('1');
    expect(nextNeed(rest, 'other', read)?.sessionId).toBe('1');
  });
});
