import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PromptText } from '@agent-console/shared/text';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import * as v from 'valibot';

/** The content of a prompt. Each image is base64. */
export interface PromptContent {
  text: string;
  images: readonly string[];
}

/**
 * Converts the blocks of an editor's prompt. Links and embedded files become their paths in the text. An embedded file
 * is followed by its content. Content that is too long or not plain text is left out, because the agent can read it by
 * its path.
 * @throws RequestError for audio, which the console does not accept.
 */
export function promptContent(blocks: readonly ContentBlock[]): PromptContent {
  const images: string[] = [];
  const texts: string[] = [];
  const files: string[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        texts.push(block.text);
        break;
      case 'image':
        images.push(block.data);
        break;
      case 'resource_link':
        texts.push(linkTo(block.uri, block.name));
        break;
      case 'resource': {
        const { resource } = block;
        const { uri } = resource;
        texts.push(linkTo(uri, basename(uri)));
        if ('text' in resource) files.push(`${pathOf(uri)}:\n${fenced(resource.text)}`);
        break;
      }
      default:
        throw RequestError.invalidParams(
          { type: block.type },
          'prompts can contain text, files and images, but no audio',
        );
    }
  }
  const accepts = (text: string) => v.safeParse(PromptText, text).success;
  const text = files.reduce((prompt, file) => {
    const longer = `${prompt}\n\n${file}`;
    return accepts(longer) ? longer : prompt;
  }, texts.join(''));
  return { text, images };
}

/** Returns a Markdown link. A link to a file has a path instead of a URL. */
function linkTo(uri: string, name: string): string {
  return `[${name}](${pathOf(uri)})`;
}

/** Returns the path of a file URL. Any other URL, including that of a file on another host, is returned unchanged. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  try {
    const { hash } = new URL(uri);
    return `${fileURLToPath(uri)}${hash}`;
  } catch {
    return uri;
  }
}

/**
 * Returns the text as a Markdown code block. Its fence has more backticks than any sequence of backticks in the text,
 * so that the text cannot end the block.
 */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
