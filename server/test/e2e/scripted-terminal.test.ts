import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASKING, IDLE, WORKING } from '../agents/support/agent-terminal.ts';
import { useWorkplace } from '../agents/support/workplace.ts';

const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

describe('the scripted agent at its terminal', () => {
  const place = useWorkplace();

  it('enables bracketed paste, prints a greeting and a prompt, and then reports idle', async () => {
    const agent = await place.start();
    expect(agent.output()).toMatch(/^\x1b\[\?2004hScripted agent/);
    expect(agent.output().endsWith(`\r\n> ${IDLE}`)).toBe(true);
  });

  it('reports the start of a turn, the wait for an answer and the end, in this order', async () => {
    const agent = await place.start();
    agent.submit('@say before\n@ask go on?\n@say after');
    await agent.expect(`${WORKING}before\r\n? go on? (y/n)\r\n${ASKING}`);
    agent.write('y');
    await agent.expect(`${WORKING}answer: yes\r\nafter\r\n> ${IDLE}`);
  });

  it('echoes what is typed, not what is pasted', async () => {
    const agent = await place.start();
    agent.write('@say typed ');
    await agent.expect('@say typed ');
    agent.write('\x1b[200~secret ü\x1b[201~');
    await agent.expect('[pasted 9 bytes]');
    expect(agent.output()).not.toContain('secret');
    agent.write('\r');
    expect(await agent.expect(IDLE)).toContain('typed secret ü');
  });

  it('reads a prompt of 100 kB with every kind of character byte for byte', async () => {
    const nasty = `it's "quoted" $(touch pwned) \`touch pwned\` \\ & | ; 'ü€🙂漢字'\ttab\r\nwindows line\rold line\n@notacommand\u2028\u0000`;
    const prompt = `@recall 1\n@say ${nasty.repeat(900)}`;
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(100_000);
    const agent = await place.start();
    await agent.turn(prompt);
    expect(hash(place.messages('user')[0] ?? '')).toBe(hash(prompt));
    expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
  });

  it('accepts a paste of 1 MiB and refuses a larger one with a message', async () => {
    const agent = await place.start();
    const most = `@say ${'x'.repeat(1024 * 1024 - 5)}`;
    await agent.turn(most);
    expect(hash(place.messages('user')[0] ?? '')).toBe(hash(most));
    agent.submit(`${most}x`);
    await agent.expect('[paste of 1048577 bytes refused: at most 1048576]');
    expect(await agent.turn('@say still here')).toContain('still here');
    expect(place.messages('user')).toHaveLength(2);
  });

  it('assembles characters and paste marks that arrive in single bytes', async () => {
    const agent = await place.start();
    for (const byte of Buffer.from('\x1b[200~@say pasted 🙂\x1b[20~1~\x1b\x1b[201~\x1b[A 漢é\r'))
      agent.write(Buffer.of(byte));
    await agent.expect(IDLE);
    expect(place.messages('user')).toEqual(['@say pasted 🙂\x1b[20~1~\x1b 漢é']);
  });

  it('lets a person correct the line: backspace, Ctrl-U, Ctrl-C', async () => {
    const agent = await place.start();
    agent.write('wrong\x15nope\x03@say hex\x7fy🙂\x7f\r');
    await agent.expect(IDLE);
    expect(place.messages('user')).toEqual(['@say hey']);
  });

  it('handles keys typed during a turn after the turn', async () => {
    const agent = await place.start();
    agent.submit('@ask ready?');
    await agent.expect(ASKING);
    agent.write('\x1b[200~@say second\x1b[201~');
    agent.write('n');
    await agent.expect(IDLE);
    await agent.expect('[pasted 11 bytes]');
    agent.submit(' and @say');
    await agent.expect('second and @say');

    agent.submit('@sleep 200\n@say one');
    await agent.expect(WORKING);
    agent.submit('@say two');
    agent.enter('@say three');
    const rest = `${await agent.expect('three\r\n')}`;
    expect(rest.indexOf('one\r\n')).toBeLessThan(rest.indexOf('two\r\n'));
    await agent.expect(IDLE);
    expect(place.messages('user')).toEqual([
      '@ask ready?',
      '@say second and @say',
      '@sleep 200\n@say one',
      '@say two',
      '@say three',
    ]);
  });

  it('stops the running turn at Ctrl-C and does nothing at an empty prompt', async () => {
    const agent = await place.start();
    agent.write('\x03');
    agent.submit('@sleep 60000\n@say never');
    await agent.expect(WORKING);
    agent.write('\x03');
    expect(await agent.expect(IDLE)).toContain('interrupted');
    agent.submit('@ask sure?');
    await agent.expect(ASKING);
    agent.kill('SIGINT');
    await agent.expect('interrupted');
    await agent.expect(IDLE);
    expect(await agent.turn('@say alive')).toContain('alive');
    expect(place.messages('agent')).not.toContain('never');
  });

  it.each([
    ['y', 'yes'],
    ['N', 'no'],
    ['\r', 'yes'],
    ['yes\r', 'yes'],
    ['no\r', 'no'],
  ])('accepts %j as an answer', async (keys, answer) => {
    const agent = await place.start();
    agent.submit('@ask proceed?\n@say went on');
    await agent.expect(ASKING);
    for (const key of keys) agent.write(key);
    const shown = await agent.expect(IDLE);
    expect(shown).toContain(`answer: ${answer}`);
    expect(shown.includes('went on')).toBe(answer === 'yes');
    // The agent reads only the first letter of an answer such as `yes`. The other letters must not become part of the
    // next prompt.
    expect(await agent.turn('@recall 2')).toContain('message 2: @recall 2');
  });

  it('asks again if the answer is neither yes nor no', async () => {
    const agent = await place.start();
    agent.submit('@ask proceed?');
    await agent.expect(ASKING);
    agent.write('maybe\r');
    await agent.expect('please answer y or n');
    agent.write('yes\r');
    await agent.expect('answer: yes');
  });

  it('reads a word that only starts like an answer as the next prompt', async () => {
    const agent = await place.start();
    agent.submit('@ask proceed?');
    await agent.expect(ASKING);
    agent.write('y');
    await agent.expect(IDLE);
    agent.write('es');
    agent.write('timate\r');
    await agent.expect(WORKING);
    await agent.expect(IDLE);
    expect(place.messages('user')).toEqual(['@ask proceed?', 'estimate']);
  });

  it.each([0, 2, 79, 81, 1_000_003])('floods exactly %i bytes of printable lines', async (bytes) => {
    const agent = await place.start();
    agent.submit(`@flood ${bytes}`);
    await agent.expect(WORKING);
    const flood = (await agent.expect(`> ${IDLE}`)).slice(0, -`> ${IDLE}`.length);
    expect(Buffer.byteLength(flood)).toBe(bytes);
    expect(flood).toMatch(/^([ -~]*\r\n)*$/);
  });

  it('can be stopped during a flood by Ctrl-C, and by a signal while nobody reads its output', async () => {
    const agent = await place.start();
    agent.submit('@flood 300000000');
    await agent.expect('5000 flood');
    agent.pause();
    agent.write('\x03');
    agent.resume();
    await agent.expect('interrupted');
    await agent.expect(IDLE);
    expect(agent.bytes()).toBeLessThan(30_000_000);
    agent.submit('@flood 300000000');
    await agent.expect('5000 flood');
    agent.pause();
    agent.kill('SIGTERM');
    expect((await agent.ended).exitCode).toBe(143);
  });

  it('continues after a failed or unknown command', async () => {
    const agent = await place.start();
    const shown = await agent.turn('@dance\n@constructor x\n@sleep soon\n@exit many\n@write\n@say still on');
    expect(shown).toMatch(/error: unknown command @dance; available commands: @say/);
    expect(shown).toMatch(/error: unknown command @constructor/);
    expect(shown).toMatch(/error: usage: @sleep ms; a whole number/);
    expect(shown).toMatch(/error: usage: @write path text/);
    expect(shown).toMatch(/still on\n$/);
  });

  it.each([
    ['@exit 3', { exitCode: 3, signal: 0 }],
    ['@exit', { exitCode: 0, signal: 0 }],
    ['@crash', { exitCode: 0, signal: 9 }],
  ])('exits at %s without reporting the end of the turn', async (prompt, ending) => {
    const agent = await place.start();
    agent.submit(`${prompt}\n@say never`);
    await agent.expect(WORKING);
    expect(await agent.ended).toEqual(ending);
    expect(agent.output().split(IDLE)).toHaveLength(2);
  });

  it('exits with status 0 at Ctrl-D, but only on an empty line', async () => {
    const agent = await place.start();
    agent.write('x\x04');
    agent.write('\x15');
    expect(await agent.turn('@say alive')).toContain('alive');
    agent.write('\x04');
    expect(await agent.ended).toEqual({ exitCode: 0, signal: 0 });
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGTERM', 143],
  ] as const)('gives the terminal back when %s ends it in the middle of a turn', async (signal, exitCode) => {
    const agent = await place.start();
    agent.submit('@sleep 60000');
    await agent.expect(WORKING);
    agent.kill(signal);
    expect(await agent.ended).toEqual({ exitCode, signal: 0 });
    expect(agent.output()).toContain('\x1b[?2004l');
  });

  it('prints no control characters from a prompt', async () => {
    const agent = await place.start();
    const shown = await agent.turn('@say red \x1b[31m\x1b]0;scripted: idle\x07\x9b bell\x07');
    expect(shown).toBe('red [31m]0;scripted: idle bell\n');
  });
});
