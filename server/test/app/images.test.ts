import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROMPT_IMAGES_MAX } from '@agent-console/shared/limits/images';
import { contractOf, type RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../e2e/support/people.ts';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, runCommand, tokenOf } from '../support/calling.ts';
import { png } from '../support/images.ts';
import { type OpenProgram, scriptedAcpAgent } from '../support/memory-runner/programs.ts';

/** The scripted agent over ACP, except that it reports no support for images. */
const blind: OpenProgram = (place) => {
  const args = ['', '', join(place.spec.file, '..', 'transcripts')];
  const print = (text: string | Buffer) => place.print(text.toString().replace('"image":true', '"image":false'));
  return scriptedAcpAgent({ ...place, spec: { ...place.spec, args }, print });
};

/** The scripted agent over ACP, except that it reports support for forks. A fork is just a new conversation. */
const forking: OpenProgram = (place) => {
  const args = ['', '', join(place.spec.file, '..', 'transcripts')];
  const print = (text: string | Buffer) => place.print(text.toString().replace('"resume":{}', '"resume":{},"fork":{}'));
  const program = scriptedAcpAgent({ ...place, spec: { ...place.spec, args }, print });
  const input = (data: Buffer) => program.input(Buffer.from(data.toString().replace('session/fork', 'session/new')));
  return { ...program, input };
};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { blind, forking } });
  for (const id of ['blind', 'forking']) {
    const path = join(c.folder, id);
    writeFileSync(path, '', { mode: 0o755 });
    await c.client.call('agents.create', { id, name: id, command: [path], driver: 'acp' });
  }
  await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['cat'] });
});
afterAll(() => c.close());

const { taskBecomes } = sessionsOf(() => c);
const texts = async (sessionId: string) =>
  (await c.client.call('sessions.messages', { sessionId })).data.flatMap(({ role, parts }) =>
    role === 'agent' ? [String(parts[0]?.text)] : [],
  );
const create = async (agentId: string) => (await c.client.call('sessions.create', { cwd: c.folder, agentId })).id;
const add = (sessionId: string, image: Buffer) =>
  c.client.call('sessions.addImage', { sessionId, data: image.toString('base64') });
const folderOf = (sessionId: string) => join(c.home, 'images', sessionId);

/** Sends a prompt with images and returns the agent's answer. */
async function prompt(sessionId: string, images: string[], text = '@images') {
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: text, images });
  await taskBecomes(taskId, 'completed');
  return (await texts(sessionId)).at(-1);
}

describe.each([
  ['scripted', 'reads as files'],
  ['scripted-acp', 'receives over its protocol'],
])('images that the agent %s %s', (agentId) => {
  it('reach it unchanged and in order, and are shown with the prompt', async () => {
    const sessionId = await create(agentId);
    // As base64, the second image exceeds the maximum size of one terminal input.
    const [small, large] = [png(2, 2), Buffer.concat([png(4, 3), Buffer.alloc(300_000, 7)])];
    const [one, two] = [await add(sessionId, small), await add(sessionId, large)];
    expect(two).toMatchObject({ mimeType: 'image/png', width: 4, height: 3, bytes: large.length });
    const said = await prompt(sessionId, [two.imageId, one.imageId]);
    expect(said).toMatch(
      new RegExp(`^images: image/png, ${large.length} bytes, \\w{8}; image/png, ${small.length} bytes`),
    );
    const { data } = await c.client.call('sessions.messages', { sessionId });
    const sent = data.find(({ role }) => role === 'user');
    expect(sent?.parts).toEqual([
      { type: 'text', text: '@images' },
      { type: 'image', ...two },
      { type: 'image', ...one },
    ]);
    const read = await c.client.call('sessions.image', { sessionId, imageId: two.imageId });
    expect(read).toEqual({ ...two, data: large.toString('base64') });
    // If a prompt with images is retried, it is sent with the same images.
    const { taskId } = await c.client.call('sessions.prompt', {
      sessionId,
      prompt: '@sleep 600000',
      images: [one.imageId],
    });
    await c.client.call('tasks.cancel', { taskId });
    const again = await c.client.call('tasks.retry', { taskId });
    expect(again.images).toEqual([one]);
    await c.client.call('tasks.cancel', { taskId: again.id });
  });

  it('survive a restart before they are sent', async () => {
    const sessionId = await create(agentId);
    const { imageId } = await add(sessionId, png(5, 5));
    await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@images', images: [imageId] });
    await c.restart();
    const { data } = await c.client.call('sessions.tasks', { sessionId });
    await c.client.call('tasks.cancel', { taskId: data[0]?.id ?? '' });
    await taskBecomes(taskId, 'completed');
    expect((await texts(sessionId)).filter((text) => text.startsWith('images: image/png'))).toHaveLength(1);
  });
});

describe('images of a first prompt', () => {
  const base64 = (...images: Buffer[]) => images.map((image) => ({ data: image.toString('base64') }));
  const delegation = (fields: Partial<RequestOf<'delegations.create'>>) => ({
    repositoryId: c.repository.id,
    agentId: 'scripted',
    prompt: '@images',
    ...fields,
  });
  const delegate = (fields: Partial<RequestOf<'delegations.create'>>) =>
    c.client.call('delegations.create', delegation(fields));
  const stored = () => readdirSync(join(c.home, 'images')).sort();

  it.each(['scripted', 'scripted-acp'])('reach the agent %s after the setup of its worktree', async (agentId) => {
    const { id: repositoryId } = c.repository;
    await c.client.call('repositories.update', { repositoryId, setupCommand: 'touch prepared' });
    const [small, large] = [png(2, 2), Buffer.concat([png(4, 3), Buffer.alloc(300_000, 7)])];
    const { sessionId, taskId } = await delegate({ agentId, images: base64(large, small, large) });
    await c.client.call('repositories.update', { repositoryId, setupCommand: null });
    await taskBecomes(taskId, 'completed');
    expect((await texts(sessionId)).at(-1)).toMatch(
      new RegExp(`^images: image/png, ${large.length} bytes, \\w{8}; image/png, ${small.length} bytes, \\w{8}$`),
    );
    const { data } = await c.client.call('sessions.messages', { sessionId });
    const parts = data.find(({ role }) => role === 'user')?.parts ?? [];
    expect(parts).toMatchObject([{ text: '@images' }, { width: 4 }, { width: 2 }]);
    const read = await c.client.call('sessions.image', { sessionId, imageId: String(parts[1]?.imageId) });
    expect(read.data).toBe(large.toString('base64'));
  });

  it('are stored once for an idempotency key, which other images cannot use', async () => {
    const idempotencyKey = 'with-image';
    const first = await delegate({ images: base64(png(12, 2)), idempotencyKey });
    const before = stored();
    const again = await delegate({ images: base64(png(12, 2)), idempotencyKey });
    expect(again.delegationId).toBe(first.delegationId);
    expect(await refusal(delegate({ images: base64(png(13, 2)), idempotencyKey }))).toMatchObject({ code: 'CONFLICT' });
    expect(stored()).toEqual(before);
  });

  it('are checked like uploaded ones, and a refused delegation leaves no file', async () => {
    const before = stored();
    const refused = (fields: Partial<RequestOf<'delegations.create'>>) => refusal(delegate(fields));
    expect(await refused({ images: base64(png(2, 2), Buffer.from('<svg/>')) })).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^images\.1\.data: is not a PNG/),
    });
    expect(await refused({ images: base64(png(8_001, 1)) })).toMatchObject({
      message: expect.stringContaining('8001 × 1 pixels'),
    });
    const large = [1, 2, 3].map((noise) => Buffer.concat([png(2, 2, noise), Buffer.alloc(2_600_000)]));
    expect(await refused({ images: base64(...large) })).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^images: together/),
    });
    const largest = Array.from({ length: 6 }, () => Buffer.alloc(3_700_000));
    expect(await refused({ images: base64(...largest) })).toMatchObject({ code: 'TOO_LARGE' });
    const many = Array.from({ length: PROMPT_IMAGES_MAX + 1 }, (_, noise) => png(2, 2, noise));
    expect(await refused({ images: base64(...many) })).toMatchObject({ code: 'VALIDATION' });
    expect(await refused({ agentId: 'plain', images: base64(png(2, 2)) })).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Agent plain takes no images'),
    });
    // The console writes the image files before it checks whether the branch exists, so it has to delete them again.
    expect(await refused({ branch: 'main', images: base64(png(2, 2)) })).toMatchObject({ code: 'CONFLICT' });
    expect(stored()).toEqual(before);
  });

  it('are not an argument of the tool', async () => {
    const root = await delegate({ prompt: '@say ready' });
    const tools = await openTools(c, tokenOf(c, root.workerId));
    const refused = await refusal(tools.call('delegate_to_worktree', { prompt: 'x', images: base64(png(2, 2)) }));
    await tools.close();
    expect(refused).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('images: unknown field') });
  });

  it('are files on the command line, and an error names the file', async () => {
    const [image, text] = [join(c.folder, 'layout.png'), join(c.folder, 'layout.txt')];
    writeFileSync(image, png(14, 2));
    writeFileSync(text, 'notes');
    const run = (files: string[]) =>
      runCommand(c, contractOf('delegations.create'), { ...delegation({}), image: files });
    const { taskId } = (await run([image])) as { taskId: string };
    expect((await taskBecomes(taskId, 'completed')).images).toMatchObject([{ width: 14 }]);
    expect(await refusal(run([image, text]))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining(`image: ${text}: is not a PNG`),
    });
    expect(await refusal(run(Array(PROMPT_IMAGES_MAX + 1).fill(image)))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^--image: /),
    });
  });
});

it('are files on the command line', async () => {
  const sessionId = await create('scripted');
  const files = [png(8, 2), png(9, 2)].map((image, index) => {
    const path = join(c.folder, `${index}.png`);
    writeFileSync(path, image);
    return path;
  });
  const contract = contractOf('sessions.prompt');
  const run = (image: string[]) => runCommand(c, contract, { sessionId, prompt: '@images', image });
  const { taskId } = (await run(files)) as { taskId: string };
  expect((await taskBecomes(taskId, 'completed')).images).toMatchObject([{ width: 8 }, { width: 9 }]);
  const text = join(c.folder, 'notes.txt');
  writeFileSync(text, 'notes');
  const refused = await refusal(run([text]));
  expect(refused).toMatchObject({
    code: 'VALIDATION',
    message: expect.stringContaining(`image: ${text}: is not a PNG`),
  });
  expect(await refusal(run([join(c.folder, 'missing.png')]))).toMatchObject({ code: 'VALIDATION' });
});

describe('images of a session', () => {
  it('are private files, stored once, and removed with the session', async () => {
    const sessionId = await create('scripted');
    const [one, again] = [await add(sessionId, png(6, 6)), await add(sessionId, png(6, 6))];
    expect(again).toEqual(one);
    expect(readdirSync(folderOf(sessionId))).toEqual([`${one.imageId}.png`]);
    expect(statSync(folderOf(sessionId)).mode & 0o777).toBe(0o700);
    expect(statSync(join(folderOf(sessionId), `${one.imageId}.png`)).mode & 0o777).toBe(0o600);
    await c.client.call('sessions.remove', { sessionId });
    expect(existsSync(folderOf(sessionId))).toBe(false);
  });

  it('are removed at the next start if their session is gone', async () => {
    const sessionId = await create('scripted');
    const { imageId } = await add(sessionId, png(11, 2));
    const gone = folderOf('0193a1b2-c3d4-7e5f-8a6b-000000000001');
    mkdirSync(gone);
    await c.restart();
    expect(existsSync(gone)).toBe(false);
    expect(await c.client.call('sessions.image', { sessionId, imageId })).toMatchObject({ width: 11 });
  });

  it('are shown in a fork even if the original is removed', async () => {
    const sessionId = await create('forking');
    const image = await add(sessionId, png(10, 2));
    await prompt(sessionId, [image.imageId]);
    const fork = await c.client.call('sessions.fork', { sessionId, prompt: '@say in the fork' });
    await taskBecomes(fork.taskId, 'completed');
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.remove', { sessionId });
    const { data } = await c.client.call('sessions.messages', { sessionId: fork.sessionId });
    expect(data[0]?.parts[1]).toMatchObject({ type: 'image', imageId: image.imageId });
    const read = await c.client.call('sessions.image', { sessionId: fork.sessionId, imageId: image.imageId });
    expect(read).toMatchObject(image);
  });

  it('are hidden with a private session, and belong to no other session', async () => {
    const ann = await addPerson(c, 'Ann');
    const bob = await addPerson(c, 'Bob');
    const { id: sessionId } = await ann.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    await ann.client.call('sessions.update', { sessionId, visibility: 'private' });
    const data = png(7, 7).toString('base64');
    const { imageId } = await ann.client.call('sessions.addImage', { sessionId, data });
    expect(await ann.client.call('sessions.image', { sessionId, imageId })).toMatchObject({ data });
    await expect(bob.client.call('sessions.image', { sessionId, imageId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const other = await create('scripted');
    await expect(c.client.call('sessions.image', { sessionId: other, imageId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const refused = await refusal(
      c.client.call('sessions.prompt', { sessionId: other, prompt: 'x', images: [imageId] }),
    );
    expect(refused).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('is not an image of this session'),
    });
  });

  it('are refused unless they are images of a supported size', async () => {
    const sessionId = await create('scripted');
    const refusalOf = (data: string) => refusal(c.client.call('sessions.addImage', { sessionId, data }));
    const text = Buffer.from('<svg onload="alert(1)"/>').toString('base64');
    expect(await refusalOf(text)).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('PNG, JPEG, WebP or GIF'),
    });
    expect(await refusalOf('data:image/png;base64,AAAA')).toMatchObject({
      message: expect.stringContaining('is not base64'),
    });
    const wide = png(8_001, 1).toString('base64');
    expect(await refusalOf(wide)).toMatchObject({ message: expect.stringContaining('8001 × 1 pixels') });
    const large = Buffer.concat([png(2, 2), Buffer.alloc(3_750_000)]).toString('base64');
    expect(await refusalOf(large)).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('3,750,000 bytes'),
    });
    expect(await refusalOf('A'.repeat(5_100_000))).toMatchObject({ code: 'TOO_LARGE' });
    const ids = Array.from({ length: PROMPT_IMAGES_MAX + 1 }, (_, index) => index.toString(16).padStart(32, '0'));
    const tooMany = c.client.call('sessions.prompt', { sessionId, prompt: 'x', images: ids });
    await expect(tooMany).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('are refused for an agent that does not support images, at once or after the agent has said so', async () => {
    const plain = await create('plain');
    const refused = await refusal(add(plain, png(2, 2)));
    expect(refused).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Agent plain takes no images'),
    });
    const sessionId = await create('blind');
    const { imageId } = await add(sessionId, png(2, 2));
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@images', images: [imageId] });
    expect((await taskBecomes(taskId, 'failed')).error).toMatchObject({ code: 'UNSUPPORTED' });
    expect(await refusal(add(sessionId, png(3, 2)))).toMatchObject({ code: 'UNSUPPORTED' });
    expect(await prompt(sessionId, [], '@say fine')).toBe('fine');
  });
});
