import { BODY_MAX_BYTES } from './calls.ts';
import { DAY, MIB } from './units.ts';

/** Maximum bytes of one image: 5 MB as base64, which the APIs of the models accept. */
export const IMAGE_MAX_BYTES = 3_750_000;
/** Maximum width and height of an image in pixels, which the APIs of the models accept. */
export const IMAGE_MAX_SIDE_PX = 8_000;
export const PROMPT_IMAGES_MAX = 10;
/**
 * Maximum bytes of all images of one prompt. Over ACP they are sent as base64 in one line, whose size is limited by
 * RUNNER_INPUT_MAX_BYTES.
 */
export const PROMPT_IMAGES_MAX_BYTES = 7_500_000;
/** Maximum bytes of the images of one session. */
export const SESSION_IMAGES_MAX_BYTES = 256 * MIB;
/** Time since its upload or last use after which an image that no prompt names is deleted. */
export const IMAGE_UNUSED_MS = DAY;
/** Length of the largest image when encoded as base64, in characters. */
export const IMAGE_BASE64_MAX_CHARS = Math.ceil(IMAGE_MAX_BYTES / 3) * 4;
/** Maximum bytes of a request body with an image: the image as base64, and space for the other fields. */
export const IMAGE_BODY_MAX_BYTES = IMAGE_BASE64_MAX_CHARS + 10_000;
/**
 * Maximum bytes of a request body with all images of a prompt: the images as base64, and the largest body without
 * images.
 */
export const PROMPT_IMAGES_BODY_MAX_BYTES = Math.ceil(PROMPT_IMAGES_MAX_BYTES / 3) * 4 + BODY_MAX_BYTES;
