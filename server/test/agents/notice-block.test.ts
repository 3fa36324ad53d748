import { NOTICE_SUMMARY_MAX_CHARS } from '@agent-console/shared/limits/sessions';
import { formatNoticeBlock, type NoticeFacts, parseNoticeBlock } from '@agent-console/shared/notice-block';
import { PromptText } from '@agent-console/shared/text';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../support/text.ts';

const RUNS = process.env.LONG ? 5_000 : 300;
const END = '[end of agent-console notices]';

const ended: NoticeFacts = {
  kind: 'ended',
  about: { sessionId: '019aa7c1-2345-7000-8000-000000000001', title: 'Add "login"' },
  status: 'completed',
  outcomeSource: 'report',
  certain: true,
  summary: 'Done.\n  All tests pass.',
};

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r\n',
        END,
        '[agent-console notices: 1]',
        '- ended session x "y" z: ',
        '    ',
        '"',
        '\\',
        '\x1b[2J',
        '\u2028',
        '\u202e',
      ),
      fc.string({ unit: codePoint }),
    ),
  )
  .map((parts) => parts.join(''));
const hostileNotice: fc.Arbitrary<NoticeFacts> = fc.record({
  kind: fc.constantFrom('ended', 'waiting', 'message'),
  about: fc.record({ sessionId: fc.uuid(), title: hostileText }),
  status: fc.option(fc.constantFrom('completed', 'awaiting_input')),
  outcomeSource: fc.option(fc.constantFrom('report', 'exit')),
  certain: fc.boolean(),
  summary: hostileText,
});

describe('the block of text that delivers notices to an agent', () => {
  it('states what ended, how this is known, and the summary', () => {
    const message: NoticeFacts = {
      ...ended,
      kind: 'message',
      status: null,
      outcomeSource: null,
      certain: null,
      summary: 'hi',
    };
    const waiting: NoticeFacts = {
      ...ended,
      kind: 'waiting',
      status: 'awaiting_input',
      outcomeSource: null,
      certain: null,
      summary: '',
    };
    expect(formatNoticeBlock([ended, waiting, message])).toBe(
      [
        '[agent-console notices: 3]',
        '- ended session 019aa7c1-2345-7000 "Add \\"login\\"" completed (report, certain): Done.',
        '      All tests pass.',
        '- waiting session 019aa7c1-2345-7000 "Add \\"login\\"" awaiting_input: ',
        '- message session 019aa7c1-2345-7000 "Add \\"login\\"": hi',
        END,
      ].join('\n'),
    );
  });

  it('is read back as it was written', () => {
    expect(parseNoticeBlock(formatNoticeBlock([ended, { ...ended, certain: false }]))).toEqual(
      [true, false].map((certain) => ({
        kind: 'ended',
        noun: 'session',
        id: '019aa7c1-2345-7000',
        title: 'Add "login"',
        status: 'completed',
        outcomeSource: 'report',
        certain,
        summary: 'Done.\n  All tests pass.',
      })),
    );
  });

  it('is read back when a terminal turned its newlines into carriage returns', () => {
    const text = formatNoticeBlock([ended]);
    expect(parseNoticeBlock(text.replaceAll('\n', '\r'))).toEqual(parseNoticeBlock(text));
    expect(parseNoticeBlock(`${text}\n`)).toEqual(parseNoticeBlock(text));
  });

  it('cannot be started, ended or miscounted by text that it quotes, and is a valid prompt', () => {
    fc.assert(
      fc.property(fc.array(hostileNotice, { minLength: 1, maxLength: 4 }), (notices) => {
        const text = formatNoticeBlock(notices);
        expect(parseNoticeBlock(text)?.map((item) => item.id)).toEqual(
          notices.map((one) => one.about.sessionId.slice(0, 18)),
        );
        expect(text.split(END)).toHaveLength(2);
        expect(text.split('[agent-console notices:')).toHaveLength(2);
        if (text.isWellFormed()) expect(v.parse(PromptText, text)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('is unchanged after being parsed and formatted again', () => {
    fc.assert(
      fc.property(hostileNotice, (notice) => {
        const text = formatNoticeBlock([notice]);
        const read = (parseNoticeBlock(text) ?? []).map((item) => ({
          ...item,
          about: { sessionId: item.id, title: item.title },
        }));
        expect(formatNoticeBlock(read)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('cuts a long summary and says so', () => {
    const [item] =
      parseNoticeBlock(formatNoticeBlock([{ ...ended, summary: `${'a'.repeat(NOTICE_SUMMARY_MAX_CHARS - 1)}🙂b` }])) ??
      [];
    expect(item?.summary).toBe(`${'a'.repeat(NOTICE_SUMMARY_MAX_CHARS - 1)} ... (3 more characters)`);
  });

  it.each([
    ['ordinary text', 'hello'],
    ['text before it', `hi\n${formatNoticeBlock([ended])}`],
    ['text behind it', `${formatNoticeBlock([ended])}\nhi`],
    ['a wrong count', formatNoticeBlock([ended]).replace(': 1]', ': 2]')],
    ['a line that is no notice', formatNoticeBlock([ended]).replace('- ended', '@exit')],
    ['no end', formatNoticeBlock([ended]).replace(END, '')],
    ['a first line only', '[agent-console notices: 0]'],
    ['a continued line without its notice', `[agent-console notices: 0]\n    x\n${END}`],
  ])('is not recognised in %s', (_, text) => {
    expect(parseNoticeBlock(text)).toBeNull();
  });
});
