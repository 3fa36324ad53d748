import type { Definition, Nodes, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import remend from 'remend';

/** A top-level block of a markdown text, such as a paragraph or a list. */
export interface Block {
  /** Offset in the whole text of the first character of the block. */
  start: number;
  /** Source text of the block, used to recognize unchanged blocks. */
  source: string;
  node: RootContent;
}

export interface ParsedMarkdown {
  text: string;
  blocks: readonly Block[];
  definitions: ReadonlyMap<string, Definition>;
}

/**
 * Number of blocks at the end that later text may still change: the last block and the one before it. For example, a
 * line `#` after a paragraph is a heading, but `#1` continues the paragraph.
 */
const OPEN_BLOCKS = 2;
/**
 * Matches a link definition. A text that contains one is parsed as a whole, because the definition may change links in
 * every block.
 */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const NO_DEFINITIONS: ReadonlyMap<string, Definition> = new Map();

const EXTENSIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/**
 * Parses a text as GitHub Flavored Markdown. If the text begins with the text of `before` and contains no link
 * definitions, only the end of the text is parsed, and unchanged blocks stay the same objects.
 * @param grows whether more text will follow. If so, unclosed marks at the end, such as `**`, are closed.
 */
export function parseMarkdown(text: string, grows: boolean, before?: ParsedMarkdown): ParsedMarkdown {
  const whole = DEFINITION.test(text);
  const continues = before !== undefined && !whole && before.definitions.size === 0 && text.startsWith(before.text);
  const kept = continues ? before.blocks.slice(0, -OPEN_BLOCKS) : [];
  const from = continues ? (before.blocks[kept.length]?.start ?? 0) : 0;
  const rest = text.slice(from);
  const source = grows ? remend(rest, { linkMode: 'text-only', katex: false }) : rest;
  const { children } = fromMarkdown(source, EXTENSIONS);
  const known = new Map(before?.blocks.slice(kept.length).map((block) => [block.start, block]));
  const fresh = children.map((node): Block => {
    const { start, end } = node.position ?? { start: { offset: 0 }, end: { offset: source.length } };
    // The source of a block starts at the beginning of its line, so that the source of an indented code block contains
    // the indentation.
    const first = source.lastIndexOf('\n', (start.offset ?? 0) - 1) + 1;
    const block = { start: from + first, source: source.slice(first, end.offset), node };
    const same = known.get(block.start);
    return same?.source === block.source && !whole ? same : block;
  });
  const blocks = [...kept, ...fresh];
  return { text, blocks, definitions: whole ? definitionsOf(blocks.map(({ node }) => node)) : NO_DEFINITIONS };
}

function definitionsOf(nodes: readonly Nodes[], found = new Map<string, Definition>()): Map<string, Definition> {
  for (const node of nodes) {
    // Of several link definitions with the same name, Markdown uses the first.
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node);
    if ('children' in node) definitionsOf(node.children, found);
  }
  return found;
}
