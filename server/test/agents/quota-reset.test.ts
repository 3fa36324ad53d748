import { describe, expect, it } from 'vitest';
import { readClaudeCodeLine } from '../../src/agents/claude-code/transcript.ts';
import { readCodexLine } from '../../src/agents/codex/transcript.ts';
import { readQuotaReset } from '../../src/agents/common/quota.ts';

const AT = new Date('2026-11-23T12:30:00Z');

describe('the reset of a usage limit', () => {
  it.each([
    ["You've hit your session limit · resets 3pm (UTC)", '2026-11-23T15:00:00.000Z'],
    ["You've hit your session limit · resets 3:45pm (Europe/Berlin)", '2026-11-23T14:45:00.000Z'],
    ["You've hit your session limit · resets 11am (UTC)", '2026-11-24T11:00:00.000Z'],
    ["You've hit your weekly limit · resets Nov 27, 9am (America/New_York)", '2026-11-27T14:00:00.000Z'],
    ["You've hit your weekly limit · resets Nov 27 at 12am (UTC)", '2026-11-27T00:00:00.000Z'],
    ["You've hit your weekly limit · resets Jan 2, 9am (UTC)", '2027-01-02T09:00:00.000Z'],
    ['5-hour limit reached ∙ resets 12pm (UTC)', '2026-11-24T12:00:00.000Z'],
    ['Claude AI usage limit reached|1795500000', '2026-11-24T06:00:00.000Z'],
    ["You've hit your usage limit · resets at 2026-11-23T13:00:00.000Z", '2026-11-23T13:00:00.000Z'],
    ['API Error: Request rejected (429) · too many of you', null],
    ["You've hit your usage limit. Upgrade to Pro.", null],
    ['The request failed. Try again at 3:05 PM.', null],
    ["You've hit your weekly limit · resets Foo 27, 9am (UTC)", null],
    [null, null],
  ])('%s', (message, reset) => {
    expect(readQuotaReset(message, AT)).toBe(reset);
  });

  it('without a zone is local time, as Codex writes it', () => {
    const local = new Date(2026, 10, 25, 15, 5).toISOString();
    const message = "You've hit your usage limit. Visit https://example.com to purchase more credits or try again at";
    expect(readQuotaReset(`${message} Nov 25th, 2026 3:05 PM.`, AT)).toBe(local);
    const payload = { type: 'task_complete', error: { message: `${message} Nov 25th, 2026 3:05 PM.` } };
    expect(readCodexLine({ type: 'event_msg', timestamp: AT.toISOString(), payload }).turnEnd).toMatchObject({
      how: 'failed',
      resetsAt: local,
    });
  });

  it('is the time that Claude Code records from the server, not the time that it displays', () => {
    const entry = {
      type: 'assistant',
      isApiErrorMessage: true,
      error: 'rate_limit',
      uuid: 'u',
      timestamp: AT.toISOString(),
      message: { content: [{ type: 'text', text: "You've hit your session limit · resets 3pm (UTC)" }] },
    };
    expect(readClaudeCodeLine(entry).turnEnd?.resetsAt).toBe('2026-11-23T15:00:00.000Z');
    const quotaLimits = { status: 'rejected', resetsAt: 1_795_500_000, rateLimitType: 'five_hour' };
    expect(readClaudeCodeLine({ ...entry, quotaLimits }).turnEnd?.resetsAt).toBe('2026-11-24T06:00:00.000Z');
  });
});
