import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { IMAGE_BODY_MAX_BYTES } from '../limits/images.ts';
import { ImageData, ImageId, PromptImage } from '../models/image.ts';
import { operation } from '../operation.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;

export const sessionImages = [
  operation({
    name: 'sessions.addImage',
    summary: 'Upload an image to a session; a prompt refers to it by its id in `images`',
    access: 'subtree',
    ids,
    target: 'sessionId',
    rest: { method: 'POST', path: '/sessions/:sessionId/images', bodyMaxBytes: IMAGE_BODY_MAX_BYTES },
    example: { data: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
    input: v.strictObject({ sessionId, data: ImageData }),
    output: PromptImage,
  }),
  operation({
    name: 'sessions.image',
    summary: 'Read an image of a session',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/images/:imageId' },
    example: { imageId: '5d41402abc4b2a76b9719d911017c592' },
    input: v.strictObject({ sessionId, imageId: described(ImageId, 'Id of the image') }),
    output: v.object({ ...PromptImage.entries, data: described(v.string(), 'The image as base64') }),
  }),
] as const;
