import type { Definition, Nodes } from 'mdast';
import { createContext, Fragment, memo, type ReactNode, use, useMemo, useRef } from 'react';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { markHidden } from '../../../ui/UntrustedText.tsx';
import { parseWebUrl } from '../../../ui/web-url.ts';
import { type Block, type ParsedMarkdown, parseMarkdown } from './blocks.ts';
import { CodeBlock } from './CodeBlock.tsx';

/** Function that shows a link's address and asks whether to open the link. */
export const OpenLink = createContext<(address: string) => void>(() => {});

/**
 * Shows an agent's text as Markdown. Nothing in the text is loaded or executed: HTML appears as text, images appear as
 * links, and a link opens only after its address was shown. `grows` is whether more text will follow.
 */
export const Markdown = memo(function Markdown({ text, grows = false }: { text: string; grows?: boolean }) {
  const before = useRef<ParsedMarkdown>(undefined);
  const parsed = useMemo(() => parseMarkdown(text, grows, before.current), [text, grows]);
  before.current = parsed;
  return (
    <div className="markdown">
      {parsed.blocks.map((block) => (
        <BlockView block={block} definitions={parsed.definitions} key={block.start} />
      ))}
    </div>
  );
});

const BlockView = memo(function BlockView(props: { block: Block; definitions: ParsedMarkdown['definitions'] }) {
  const { node } = props.block;
  // A top-level block of HTML needs a paragraph element. HTML within a paragraph already has one.
  if (node.type === 'html') return <p dir="auto">{markHidden(node.value)}</p>;
  return <Node definitions={props.definitions} node={node} />;
});

interface NodeProps<N extends Nodes = Nodes> {
  node: N;
  definitions: ReadonlyMap<string, Definition>;
}

function Node({ node, definitions }: NodeProps): ReactNode {
  const inside = (children: readonly Nodes[]) => <Children definitions={definitions} nodes={children} />;
  switch (node.type) {
    case 'text':
      return markHidden(node.value);
    case 'paragraph':
      return <p dir="auto">{inside(node.children)}</p>;
    case 'strong':
      return <strong>{inside(node.children)}</strong>;
    case 'emphasis':
      return <em>{inside(node.children)}</em>;
    case 'delete':
      return <del>{inside(node.children)}</del>;
    case 'inlineCode':
      return <code dir="ltr">{markHidden(node.value)}</code>;
    case 'break':
      return <br />;
    case 'heading': {
      // Headings in the text begin at level 3, because the page itself uses levels 1 and 2.
      const Heading = `h${Math.min(6, Math.max(3, node.depth + 1))}` as 'h3';
      return (
        <Heading data-depth={node.depth} dir="auto">
          {inside(node.children)}
        </Heading>
      );
    }
    case 'blockquote':
      return <blockquote>{inside(node.children)}</blockquote>;
    case 'list':
      return node.ordered === true ? (
        <ol start={node.start ?? 1}>{inside(node.children)}</ol>
      ) : (
        <ul>{inside(node.children)}</ul>
      );
    case 'listItem':
      return <ListItem definitions={definitions} node={node} />;
    case 'code':
      return <CodeBlock name={escapeHidden(node.lang ?? '')} text={node.value} />;
    case 'thematicBreak':
      return <hr />;
    case 'table':
      return <Table definitions={definitions} node={node} />;
    case 'link':
      return <Link address={node.url}>{inside(node.children)}</Link>;
    case 'image':
      return <Link address={node.url}>Image: {markHidden(node.alt || node.url)}</Link>;
    case 'linkReference': {
      const definition = definitions.get(node.identifier);
      const label = inside(node.children);
      return definition === undefined ? <>[{label}]</> : <Link address={definition.url}>{label}</Link>;
    }
    case 'imageReference': {
      const address = definitions.get(node.identifier)?.url;
      const label = <>Image: {markHidden(node.alt ?? '')}</>;
      return address === undefined ? label : <Link address={address}>{label}</Link>;
    }
    case 'html':
      return markHidden(node.value);
    case 'footnoteReference':
      return <sup>{markHidden(node.label ?? node.identifier)}</sup>;
    case 'footnoteDefinition':
      return (
        <div className="text-sm text-quiet">
          {markHidden(node.label ?? node.identifier)}. {inside(node.children)}
        </div>
      );
    case 'definition':
      return null;
    default:
      return 'children' in node ? inside(node.children) : null;
  }
}

function Children({ nodes, definitions }: { nodes: readonly Nodes[]; definitions: NodeProps['definitions'] }) {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: nodes are stateless
    <Node definitions={definitions} key={index} node={node} />
  ));
}

function ListItem({ node, definitions }: NodeProps<Extract<Nodes, { type: 'listItem' }>>) {
  const { checked, spread, children } = node;
  // In a tight Markdown list, the paragraphs of an item are rendered without paragraph elements, so that they have no
  // margin.
  const content = children.map((child, index) =>
    child.type === 'paragraph' && spread !== true ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: nodes are stateless
      <Fragment key={index}>
        <Children definitions={definitions} nodes={child.children} />
      </Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: nodes are stateless
      <Node definitions={definitions} key={index} node={child} />
    ),
  );
  if (typeof checked !== 'boolean') return <li dir="auto">{content}</li>;
  return (
    <li data-task dir="auto">
      <span aria-label={checked ? 'done' : 'open'} className="mr-1.5 text-quiet" role="img">
        {checked ? '☑' : '☐'}
      </span>
      {content}
    </li>
  );
}

function Table({ node, definitions }: NodeProps<Extract<Nodes, { type: 'table' }>>) {
  const [head, ...rows] = node.children;
  const cells = (row: (typeof rows)[number], Cell: 'th' | 'td') => (
    <tr>
      {row.children.map(({ children }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are stateless
        <Cell data-align={node.align?.[index] ?? undefined} dir="auto" key={index}>
          <Children definitions={definitions} nodes={children} />
        </Cell>
      ))}
    </tr>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table>
        {head === undefined ? null : <thead>{cells(head, 'th')}</thead>}
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are stateless
            <Fragment key={index}>{cells(row, 'td')}</Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * A link to a web page, which opens only after a confirmation. Other addresses, such as paths of files, are shown as
 * text.
 */
function Link({ address, children }: { address: string; children: ReactNode }) {
  const open = use(OpenLink);
  const url = parseWebUrl(address);
  if (url === undefined) {
    return <span title={escapeHidden(address)}>{children}</span>;
  }
  return (
    <button
      className="inline cursor-pointer text-left text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
      onClick={() => open(url.href)}
      title={`Opens ${url.href}`}
      type="button"
    >
      {children}
    </button>
  );
}
