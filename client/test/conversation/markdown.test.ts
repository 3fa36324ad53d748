import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { type ParsedMarkdown, parseMarkdown } from '../../src/features/conversation/markdown/blocks.ts';
import { Markdown } from '../../src/features/conversation/markdown/Markdown.tsx';

const html = (text: string, grows = false) => renderToStaticMarkup(createElement(Markdown, { grows, text }));

const TEXT = `# Title

A paragraph with **bold**, *italics*, ~~struck~~ and \`code\`,
on two lines.

1. one
   - inner

     more of it
2. two

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

    indented code

> quoted
continued

| a | b |
|---|--:|
| 1 | 2 |

Heading
=======

- [x] done
- [ ] open

---

<b>html</b>

#hashtag and a [link](https://example.com/x)
`;

describe('markdown', () => {
  it('is the same whether it arrives at once or in pieces', () => {
    for (const text of [TEXT, `${TEXT}\n[ref] and [other][ref]\n\n[ref]: https://example.com\n`]) {
      let parsed: ParsedMarkdown | undefined;
      for (let end = 1; end <= text.length; end += 3) parsed = parseMarkdown(text.slice(0, end), true, parsed);
      const shape = ({ blocks }: ParsedMarkdown) => blocks.map(({ start, source, node }) => [start, source, node.type]);
      expect(shape(parseMarkdown(text, false, parsed))).toEqual(shape(parseMarkdown(text, false)));
    }
  });

  it('keeps finished blocks while the last one grows', () => {
    const before = parseMarkdown('one\n\ntwo\n\nthree\n\nfo', true);
    const after = parseMarkdown('one\n\ntwo\n\nthree\n\nfour', true, before);
    expect(after.blocks.map((block, index) => block === before.blocks[index])).toEqual([true, true, true, false]);
  });

  it('closes open formatting while the text grows', () => {
    expect(html('some **bold te', true)).toContain('<strong>bold te</strong>');
    expect(html('some **bold te')).toContain('**bold te');
    expect(html('see [the docs](https://exam', true)).not.toContain('https');
  });

  it('executes and loads nothing: HTML is text, and images are links', () => {
    const shown = html(
      '<img src=x onerror=alert(1)> and <script>x</script>\n\n![a *cat*](https://example.com/cat.png)',
    );
    expect(shown).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(shown).not.toMatch(/<(img|script)/);
    expect(shown).toMatch(/<button[^>]*title="Opens https:\/\/example.com\/cat.png"[^>]*>Image: a cat<\/button>/);
  });

  it('links only to web pages, and shows the address of each link', () => {
    expect(html('[docs](https://example.com/a)')).toContain('title="Opens https://example.com/a"');
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'src/a.ts', 'data:text/html,x']) {
      const shown = html(`[docs](${address})`);
      expect(shown, address).not.toMatch(/<(a|button)/);
      expect(shown).toContain('docs');
    }
    expect(html('[docs][d]\n\n[d]: https://example.com/d')).toContain('Opens https://example.com/d');
  });

  it('marks invisible and reordering characters in text, code, links and entities', () => {
    const shown = html('a\u202eb `c\u200bd` [e\u202ef](https://example.com/\u202e) &#x202e;g\n\n```\nh\u202ei\n```');
    expect(shown).not.toMatch(/[\u200b\u202e]/);
    expect(shown.match(/U\+202E/g)?.length).toBeGreaterThanOrEqual(4);
  });
});
