import { expect, test } from 'vitest';
import { tabsThatFit } from '../../src/features/sessions/page/terminal-tabs.ts';

const terminals = ['agent', 'one', 'two', 'three'];

test.each([
  { name: 'all fit', current: 0, room: 4, tabs: terminals, rest: [] },
  { name: 'the first fit', current: 1, room: 2, tabs: ['agent', 'one'], rest: ['two', 'three'] },
  { name: 'the current one takes the last place', current: 3, room: 2, tabs: ['agent', 'three'], rest: ['one', 'two'] },
  { name: 'one is shown without room', current: 2, room: 0, tabs: ['two'], rest: ['agent', 'one', 'three'] },
  { name: 'none is current', current: -1, room: 1, tabs: ['agent'], rest: ['one', 'two', 'three'] },
])('of the terminals, $name', ({ current, room, tabs, rest }) => {
  expect(tabsThatFit(terminals, current, room)).toEqual({ tabs, rest });
});
