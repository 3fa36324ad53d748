import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import {
  IMAGE_MAX_BYTES,
  IMAGE_MAX_SIDE_PX,
  IMAGE_UNUSED_MS,
  PROMPT_IMAGES_MAX_BYTES,
  SESSION_IMAGES_MAX_BYTES,
} from '@agent-console/shared/limits/images';
import type { PromptImage } from '@agent-console/shared/models/image';
import { see } from '@agent-console/shared/see';
import { EXTENSIONS, readImage } from '../../domain/images.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { ImageFiles } from '../../ports/images.ts';
import type { PromptBlock } from '../../ports/protocol.ts';
import type { SessionRow, TaskRow } from '../../ports/rows.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Readers } from '../../ports/storage.ts';
import { reportedFeatures } from '../agents/features.ts';

/** Number of hexadecimal digits of an image's id, which are the first digits of the SHA-256 of its base64 text. */
const ID_DIGITS = 32;

const nameOf = ({ imageId, mimeType }: Pick<PromptImage, 'imageId' | 'mimeType'>) =>
  `${imageId}.${EXTENSIONS[mimeType]}`;

const bytesOf = (count: number) => `${count.toLocaleString('en')} bytes`;

/** An image that is not stored yet, with its content. */
interface NewImage {
  image: PromptImage;
  content: Buffer;
}

/**
 * Decodes an image. The same image always gets the same id.
 * @param field name of the input field with the base64 text, for the error.
 * @throws VALIDATION unless the content is an image of a supported type and size.
 */
function decodeImage({ sha256 }: Pick<Secrets, 'sha256'>, field: string, data: string): NewImage {
  const bytes = Buffer.from(data, 'base64');
  // Buffer ignores characters that are not base64. The content is then shorter than the length of the text implies.
  const digits = data.replace(/=+$/, '').length;
  if (bytes.length !== Math.floor((digits * 3) / 4)) {
    throw fieldError(field, 'is not base64. Encode the bytes of the image, without a "data:" prefix.');
  }
  if (bytes.length > IMAGE_MAX_BYTES) {
    throw fieldError(field, `the image is larger than ${bytesOf(IMAGE_MAX_BYTES)}. Scale it down.`);
  }
  const facts = readImage(bytes);
  if (facts === null) throw fieldError(field, 'is not a PNG, JPEG, WebP or GIF image. Convert it to one of these.');
  if (Math.max(facts.width, facts.height) > IMAGE_MAX_SIDE_PX) {
    throw fieldError(
      field,
      `the image has ${facts.width} × ${facts.height} pixels; at most ${IMAGE_MAX_SIDE_PX} in each direction are allowed. Scale it down.`,
    );
  }
  const image = {
    imageId: sha256(bytes.toString('base64')).slice(0, ID_DIGITS),
    ...facts,
    bytes: bytes.length,
  };
  return { image, content: bytes };
}

/**
 * Stores an image of a session. The same image is stored once, so the call can be repeated.
 * @throws VALIDATION unless the content is an image of a supported type and size, LIMIT_EXCEEDED if the session's
 * images would become too large together.
 */
export async function storeImage(
  { images, secrets }: { images: ImageFiles; secrets: Pick<Secrets, 'sha256'> },
  sessionId: string,
  data: string,
): Promise<PromptImage> {
  const { image, content } = decodeImage(secrets, 'data', data);
  const stored = await images.list(sessionId);
  if (!stored.some(({ name }) => name === nameOf(image))) {
    const total = stored.reduce((sum, each) => sum + each.bytes, image.bytes);
    if (total > SESSION_IMAGES_MAX_BYTES) {
      throw new ConsoleError(
        'LIMIT_EXCEEDED',
        `The images of this session would take more than ${bytesOf(SESSION_IMAGES_MAX_BYTES)}. Start another session for further images.`,
        { limit: 'sessionImages', value: SESSION_IMAGES_MAX_BYTES },
      );
    }
    await images.store(sessionId, nameOf(image), content);
  } else await images.touch(sessionId, nameOf(image));
  return image;
}

/**
 * Decodes the images of a new session's first prompt. An image that was passed several times is returned once.
 * @throws UNSUPPORTED if the agent takes no images, VALIDATION if an image is not supported or the images are too large
 * together.
 */
export async function imagesForFirstPrompt(
  deps: { secrets: Pick<Secrets, 'sha256'>; read: ReadFeatures },
  agentId: string,
  kind: AgentKind,
  images: readonly { data: string }[],
): Promise<NewImage[]> {
  if (images.length === 0) return [];
  await refuseImages(deps.read, kind, { agentId });
  const decoded = images.map(({ data }, index) => decodeImage(deps.secrets, `images.${index}.data`, data));
  const distinct = [...new Map(decoded.map((each) => [each.image.imageId, each])).values()];
  refuseTooLarge(distinct.map(({ image }) => image));
  return distinct;
}

/**
 * Stores the images of a new session's first prompt, then runs `insert`, which stores the session and its prompt. If
 * the session was not stored, removes its images. After a crash between these steps, `sweepImages` removes the images
 * at the next start.
 */
export async function insertWithImages<T>(
  { images, read }: { images: ImageFiles; read: Pick<Readers, 'sessions'> },
  sessionId: string,
  newImages: readonly NewImage[],
  insert: () => Promise<T>,
): Promise<T> {
  if (newImages.length === 0) return insert();
  try {
    for (const { image, content } of newImages) await images.store(sessionId, nameOf(image), content);
    return await insert();
  } catch (error) {
    if ((await read.sessions.get(sessionId)) === undefined) await images.remove(sessionId);
    throw error;
  }
}

/** Returns an image of a session with its content. @throws NOT_FOUND. */
export async function readStoredImage(
  { images }: { images: ImageFiles },
  sessionId: string,
  imageId: string,
): Promise<{ image: PromptImage; content: Buffer }> {
  const stored = (await images.list(sessionId)).find(({ name }) => name.startsWith(`${imageId}.`));
  const content = stored === undefined ? null : await images.read(sessionId, stored.name);
  const facts = content === null ? null : readImage(content);
  if (content === null || facts === null) throw notFound('Image', imageId);
  return { image: { imageId, ...facts, bytes: content.length }, content };
}

/**
 * Returns the images that a prompt names, and marks them as used.
 * @throws UNSUPPORTED if the session's agent takes no images, VALIDATION if an image is unknown or the images are too
 * large together.
 */
export async function imagesForPrompt(
  deps: { images: ImageFiles; read: ReadFeatures },
  session: Pick<SessionRow, 'id' | 'agentId'>,
  kind: AgentKind,
  imageIds: readonly string[],
): Promise<PromptImage[]> {
  if (imageIds.length === 0) return [];
  await refuseImages(deps.read, kind, session);
  const found: PromptImage[] = [];
  for (const imageId of new Set(imageIds)) {
    const { image } = await readStoredImage(deps, session.id, imageId).catch((error: unknown) => {
      if (!(error instanceof ConsoleError) || error.code !== 'NOT_FOUND') throw error;
      throw fieldError('images', `${imageId} is not an image of this session. Upload it again, then send the prompt.`);
    });
    await deps.images.touch(session.id, nameOf(image));
    found.push(image);
  }
  refuseTooLarge(found);
  return found;
}

/** @throws VALIDATION if the images of a prompt are too large together. */
function refuseTooLarge(images: readonly PromptImage[]): void {
  if (images.reduce((sum, { bytes }) => sum + bytes, 0) <= PROMPT_IMAGES_MAX_BYTES) return;
  throw fieldError(
    'images',
    `together, the images of a prompt may have at most ${bytesOf(PROMPT_IMAGES_MAX_BYTES)}. Send fewer or smaller images.`,
  );
}

type ReadFeatures = Pick<Readers, 'meta' | 'workers'>;

/** The agent and the id of a session. A session that does not exist yet has no id. */
type SessionOfAgent = Pick<SessionRow, 'agentId'> & { id?: string };

/**
 * Whether the agent of a session takes images. An agent over ACP reports this when it starts. Before its first start
 * the result is true, and a prompt with images fails when the agent reports that it takes none.
 */
async function takesImages(
  read: ReadFeatures,
  { driver, readsImages }: Pick<AgentKind, 'driver' | 'readsImages'>,
  { id: sessionId, agentId }: SessionOfAgent,
): Promise<boolean> {
  if (driver !== 'acp') return readsImages;
  const features = await reportedFeatures(read, agentId);
  if (features?.images !== undefined || sessionId === undefined) return features?.images ?? true;
  // Earlier versions stored only in the row of a worker whether its agent takes images.
  const worker = await read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
  return worker?.protocol?.capabilities?.image ?? true;
}

/** @throws UNSUPPORTED if the agent of a session takes no images. */
export async function refuseImages(
  read: ReadFeatures,
  kind: Pick<AgentKind, 'driver' | 'readsImages'>,
  session: SessionOfAgent,
): Promise<void> {
  if (!(await takesImages(read, kind, session))) throw noImages(session.agentId);
}

function noImages(agentId: string): ConsoleError {
  return new ConsoleError(
    'UNSUPPORTED',
    `Agent ${agentId} takes no images. Describe the image in words, or start a session with an agent that takes images.`,
    { agentId, see: see('agents.list') },
  );
}

/** Returns the paths of a prompt's images, for agents that read images as files. */
export function imagePaths({ images }: { images: Pick<ImageFiles, 'folder'> }, task: TaskRow): string[] {
  return task.images.map((image) => `${images.folder(task.sessionId)}/${nameOf(image)}`);
}

/**
 * Returns the images of a prompt as they are sent over ACP.
 * @throws UNSUPPORTED if the running agent takes no images, NOT_FOUND if a file is gone.
 */
export async function imageBlocks(
  deps: { images: ImageFiles },
  task: Pick<TaskRow, 'sessionId' | 'images'>,
  agent: { agentId: string; takesImages: boolean },
): Promise<PromptBlock[]> {
  if (task.images.length === 0) return [];
  if (!agent.takesImages) throw noImages(agent.agentId);
  const blocks: PromptBlock[] = [];
  for (const { imageId, mimeType } of task.images) {
    const { content } = await readStoredImage(deps, task.sessionId, imageId);
    blocks.push({ type: 'image', mimeType, data: content.toString('base64') });
  }
  return blocks;
}

/**
 * Removes the images of removed sessions. Also removes images that no prompt names, once IMAGE_UNUSED_MS have passed
 * since they were stored or last named.
 * @param isStarting whether the server is starting. At any other time, images without a session row are kept, because a
 * call may be creating their session.
 */
export async function sweepImages(
  { images, storage, now }: { images: ImageFiles; storage: { read: Readers }; now: () => Date },
  { isStarting, signal }: { isStarting: boolean; signal?: AbortSignal },
): Promise<void> {
  const before = new Date(now().getTime() - IMAGE_UNUSED_MS);
  for (const sessionId of await images.sessions()) {
    if (signal?.aborted) return;
    const session = await storage.read.sessions.get(sessionId);
    const isGone = session === undefined ? isStarting : session.removedAt !== null;
    if (isGone) {
      await images.remove(sessionId);
      continue;
    }
    const tasks = await storage.read.tasks.find({ sessionId });
    const originalId = session?.forkedFromSessionId ?? null;
    const copied = originalId === null ? [] : await imagesOfMessages(storage.read, sessionId);
    const used = new Set([...tasks.flatMap((task) => task.images.map(nameOf)), ...copied]);
    await images.removeUnused(sessionId, before, used);
  }
}

/**
 * Returns the file names of the images in the user messages of a session. For a fork, these messages are the only
 * record of the images of its copied prompts, because copied messages have no tasks in the fork.
 */
async function imagesOfMessages(read: Readers, sessionId: string): Promise<string[]> {
  const names: string[] = [];
  for (const { parts } of await read.messages.find({ sessionId, role: 'user' })) {
    for (const { type, imageId, mimeType } of parts) {
      if (type === 'image' && typeof imageId === 'string') names.push(nameOf({ imageId, mimeType } as PromptImage));
    }
  }
  return names;
}
