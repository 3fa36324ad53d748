import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { conversationsIn, told } from './support/conversations.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { messagesOf, whenSaid } = conversationsIn(() => c);

/**
 * A program that reports its turns through Claude Code's hooks, and writes its transcript when it reads the line
 * `record`.
 */
const TELLER = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const { hooks } = JSON.parse(fs.readFileSync(option('--settings'), 'utf8'));
const session_id = option('--session-id');
const tell = (hook_event_name, more) =>
  execFileSync('sh', ['-c', hooks[hook_event_name][0].hooks[0].command], {
    input: JSON.stringify({ session_id, hook_event_name, ...more }),
  });
const lines = [];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'record') {
    const folder = process.env.HOME + '/.claude/projects/-teller';
    fs.mkdirSync(folder, { recursive: true });
    const entries = lines.flatMap((text, index) => [
      { type: 'user', uuid: 'u' + index, message: { content: text } },
      { type: 'assistant', uuid: 'a' + index, message: { content: [{ type: 'text', text: 'heard ' + text }] } },
    ]);
    fs.writeFileSync(folder + '/' + session_id + '.jsonl', entries.map((entry) => JSON.stringify(entry) + '\\n').join(''));
    return;
  }
  lines.push(line);
  tell('UserPromptSubmit', { prompt: line });
  tell('Stop', { last_assistant_message: 'heard ' + line });
});
console.log('ready');
`;

describe('an agent without a readable transcript', () => {
  it('has the messages that its hooks report, and no duplicates once there is a transcript', async () => {
    const program = join(c.folder, 'teller');
    writeFileSync(program, TELLER);
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'teller', name: 'Teller', kind: 'claude-code', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'teller' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const type = (line: string) => c.client.call('workers.input', { workerId, data: `${line}\r` });
    await c.until('the program', async () =>
      (await c.client.call('workers.screen', { workerId })).text.includes('ready'),
    );
    await type('apple');
    expect(told(await whenSaid(sessionId, 1))).toEqual(['hook agent: heard apple']);
    await type('record');
    expect(told(await whenSaid(sessionId, 2)).sort()).toEqual([
      'transcript agent: heard apple',
      'transcript user: apple',
    ]);
  });
});

/** A program that draws on the alternate screen and writes a transcript like Claude Code. */
const PAINTER = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --session-id ] && id=$2; shift; done
folder=$HOME/.claude/projects/-painter
mkdir -p "$folder"
stty -echo
printf 'welcome\\n\\033[?1049h\\033[H\\033[2J> '
count=0
while IFS= read -r line; do
  count=$((count + 1))
  printf '{"type":"user","uuid":"u%s","message":{"role":"user","content":"%s"}}\\n' $count "$line" >> "$folder/$id.jsonl"
  printf '{"type":"assistant","uuid":"a%s","message":{"id":"m%s","content":[{"type":"text","text":"drew %s"}]}}\\n' $count $count "$line" >> "$folder/$id.jsonl"
  printf '\\033[H\\033[2Jpicture of %s> ' "$line"
done
`;

describe('the output, as text, of an agent that draws on the alternate screen', () => {
  it('contains each message once across pages, or the screen if there are no new messages', async () => {
    const program = join(c.folder, 'painter');
    writeFileSync(program, PAINTER);
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'painter', name: 'Painter', kind: 'claude-code', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'painter' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const read = (sinceOffset: number, maxBytes = 4_096) =>
      c.client.call('sessions.output', { sessionId, sinceOffset, maxBytes });
    const first = await c.until('its screen', async () => {
      const page = await read('welcome\r\n'.length);
      return page.rendered === 'screen' && page.text?.includes('>') && page;
    });
    const draw = async (name: string) => {
      await c.client.call('workers.input', { workerId, data: `${name}\r` });
      await c.until('the picture', async () =>
        (await c.client.call('workers.screen', { workerId })).text.includes(`of ${name}`),
      );
    };

    const pages: string[] = [];
    let offset = first.nextOffset;
    for (const name of ['apple', 'pear', 'plum', 'fig']) {
      await draw(name);
      const page = await c.until('its words', async () => {
        const now = await read(offset);
        return now.rendered === 'messages' && now;
      });
      pages.push(page.text ?? '');
      offset = page.nextOffset;
    }
    expect(pages).toEqual(['drew apple', 'drew pear', 'drew plum', 'drew fig']);
    expect(await read(offset)).toMatchObject({ rendered: 'screen', nextOffset: offset, truncated: false });

    // Reads the output from its beginning, in pages that are small but have room for a message.
    let all = '';
    for (let at = 0, more = true; more; ) {
      const page = await read(at, 64);
      if (page.rendered !== 'screen') all += `${page.text}|`;
      more = page.truncated;
      at = page.nextOffset;
    }
    for (const name of ['apple', 'pear', 'plum', 'fig']) expect(all.split(`drew ${name}`)).toHaveLength(2);
    expect(all.indexOf('welcome')).toBeLessThan(all.indexOf('drew apple'));
    expect((await messagesOf(sessionId)).map(({ logOffset }) => logOffset !== null)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});
