import { createHash, randomBytes } from 'node:crypto';
import type { Secrets } from '../ports/secrets.ts';

/** Creates tokens and their hashes. Tokens are 256 random bits, so a fast hash without salt is enough to store them. */
export const secrets: Secrets = {
  create: (prefix) => `${prefix}_${randomBytes(32).toString('base64url')}`,
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
};
