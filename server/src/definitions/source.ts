import { ConsoleError } from '@agent-console/shared/errors';
import {
  DEFINITION_DEPTH_MAX,
  DEFINITION_MAX_BYTES,
  DEFINITION_PROBLEMS_MAX,
  DEFINITION_VALUES_MAX,
} from '@agent-console/shared/limits/orchestrations';
import type { DefinitionProblem } from '@agent-console/shared/models/orchestration-definition';
import { moreProblems } from '@agent-console/shared/validate';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLError } from 'yaml';

/** A value in a YAML file, with its offsets in the text. Aliases are replaced by the values that they reference. */
export type SourceValue = { start: number; end: number } & (
  | { kind: 'scalar'; value: string | number | boolean | null }
  | { kind: 'list'; items: readonly SourceValue[] }
  | { kind: 'map'; entries: ReadonlyMap<string, SourceEntry> }
);

export interface SourceEntry {
  /** Offset at which the key starts in the text. */
  start: number;
  value: SourceValue;
}

export type Path = readonly (string | number)[];

export interface Source {
  file: string;
  text: string;
  root: SourceValue;
  /** Creates the description of a mistake at an offset in the text. */
  problem(offset: number, path: Path, message: string): DefinitionProblem;
}

/**
 * Parses a YAML 1.2 text with one document.
 * @throws VALIDATION with the first syntax error of each line. Also for a text that is empty, too large or too deep, or
 * that contains too many values (with aliases replaced), an invalid alias, a duplicate field or a value of an
 * unsupported type.
 */
export function readSource(text: string, file: string): Source {
  const lines = new LineCounter();
  const problem: Source['problem'] = (offset, path, message) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: dotted(path), message };
  };
  const bytes = Buffer.byteLength(text);
  if (bytes > DEFINITION_MAX_BYTES) {
    const message = `the file has ${bytes} bytes, but at most ${DEFINITION_MAX_BYTES} are allowed`;
    throw problemsError(file, [{ line: 1, column: 1, path: '', message }]);
  }
  const document = parseYaml(text, file, lines);
  // Only the first error of each line is reported, because it often causes the others.
  const mistakes = new Map<number, DefinitionProblem>();
  for (const error of [...document.errors, ...document.warnings]) {
    const { line } = lines.linePos(error.pos[0]);
    if (mistakes.size >= DEFINITION_PROBLEMS_MAX || mistakes.has(line)) continue;
    mistakes.set(line, problem(error.pos[0], [], syntaxMessage(error, text)));
  }
  if (mistakes.size > 0) throw problemsError(file, [...mistakes.values()]);
  const root = document.contents;
  if (root === null) throw problemsError(file, [problem(0, [], 'the file is empty; start with "name: …"')]);
  try {
    return { file, text, problem, root: createConverter()(root) };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw problemsError(file, [problem(error.offset, error.path, error.message)]);
  }
}

function parseYaml(text: string, file: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      stringKeys: true,
      // `contentOf` finds duplicate keys. The parser would compare each key with every other one, which takes seconds
      // for a few thousand keys.
      uniqueKeys: false,
      logLevel: 'error',
    });
  } catch (error) {
    // The parser is recursive, so a deeply nested text overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    throw problemsError(file, [{ line: 1, column: 1, path: '', message: TOO_DEEP }]);
  }
}

const TOO_DEEP = 'the YAML is nested too deeply';

class SourceError extends Error {
  readonly offset: number;
  readonly path: Path;

  constructor(offset: number, path: Path, message: string) {
    super(message);
    this.offset = offset;
    this.path = path;
  }
}

/**
 * Returns a function that converts the nodes of a document to values with offsets. The parser's own conversion loses
 * positions, and does not limit the number of values to which aliases expand.
 */
function createConverter() {
  const anchors = new Map<string, ParsedNode>();
  const open = new Set<ParsedNode>();
  const done = new Map<ParsedNode, { value: SourceValue; size: number }>();
  let size = 0;

  function grow(by: number, offset: number, path: Path): void {
    size += by;
    if (size > DEFINITION_VALUES_MAX) {
      throw new SourceError(offset, path, `the file has more than ${DEFINITION_VALUES_MAX} values`);
    }
  }

  function convert(node: ParsedNode | null, offset: number, path: Path): SourceValue {
    const [start, end] = node === null ? [offset, offset] : node.range;
    if (path.length > DEFINITION_DEPTH_MAX) throw new SourceError(start, path, TOO_DEEP);
    if (node === null) {
      grow(1, start, path);
      return { kind: 'scalar', value: null, start, end };
    }
    if (isAlias(node)) {
      const original = anchors.get(node.source);
      const known = original === undefined ? undefined : done.get(original);
      if (known === undefined) {
        const reason = original !== undefined && open.has(original) ? 'contains itself' : 'does not exist';
        throw new SourceError(start, path, `the anchor &${node.source} ${reason}`);
      }
      grow(known.size, start, path);
      return known.value;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    open.add(node);
    const before = size;
    grow(1, start, path);
    const value = { ...contentOf(node, path), start, end };
    open.delete(node);
    done.set(node, { value, size: size - before });
    return value;
  }

  function contentOf(node: ParsedNode, path: Path) {
    if (isSeq(node)) {
      const items = node.items.map((item, index) => convert(item, node.range[0], [...path, index]));
      return { kind: 'list', items } as const;
    }
    if (isMap(node)) {
      const entries = new Map<string, SourceEntry>();
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        const [start, end] = key.range;
        if (entries.has(name)) throw new SourceError(start, [...path, name], 'occurs twice');
        entries.set(name, { start, value: convert(value, end, [...path, name]) });
      }
      return { kind: 'map', entries } as const;
    }
    const { value } = node as { value: unknown };
    const isPlain = value === null || typeof value === 'string' || typeof value === 'boolean';
    if (isPlain || (typeof value === 'number' && Number.isFinite(value))) return { kind: 'scalar', value } as const;
    throw new SourceError(node.range[0], path, 'must be a text, a number, true or false');
  }

  return (root: ParsedNode) => convert(root, 0, []);
}

/** Converts the value to a plain JavaScript value, without offsets. */
export function toPlain(value: SourceValue): unknown {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'list') return value.items.map(toPlain);
  // Unlike an assignment, `fromEntries` stores the key `__proto__` as a property.
  return Object.fromEntries([...value.entries].map(([key, entry]) => [key, toPlain(entry.value)]));
}

/**
 * Returns the value at a path. If there is no value at this path, returns the innermost existing value along the path.
 */
export function valueAt(root: SourceValue, path: Path): SourceValue {
  let found = root;
  for (const key of path) {
    const next =
      found.kind === 'map'
        ? found.entries.get(String(key))?.value
        : found.kind === 'list'
          ? found.items[Number(key)]
          : undefined;
    if (next === undefined) break;
    found = next;
  }
  return found;
}

/** Returns the error for a definition with mistakes. Its message contains the first mistakes with their lines. */
export function problemsError(file: string, problems: readonly DefinitionProblem[]): ConsoleError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const named = sorted.slice(0, 3).map(({ line, column, path, message }) => {
    const text = path === '' ? message : `${path}: ${message}`;
    return `${file}:${line}:${column}: ${text}`;
  });
  const more = moreProblems(sorted.length - named.length);
  return new ConsoleError('VALIDATION', `${named.join('; ')}${more}`, {
    file,
    problems: sorted.slice(0, DEFINITION_PROBLEMS_MAX),
  });
}

function dotted(path: Path): string {
  return path.join('.');
}

/** Returns the message of a syntax error, reworded where the parser's own message would not help a caller. */
function syntaxMessage({ code, message, pos }: YAMLError, text: string): string {
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1).split('\n', 1)[0] ?? '';
  if (/[[{,:]\s*\$\{\{/.test(line) && /[[{]/.test(line.split('${{', 1)[0] ?? '')) {
    return `inside [ ] and { }, a text with \${{ … }} must be in quotes`;
  }
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return 'a text that contains ": " must be in quotes, or start on the line after "|"';
  if (message.includes('call stack')) return TOO_DEEP;
  if (code === 'MULTIPLE_DOCS') return 'the file contains several documents; put each into a file of its own';
  if (code === 'NON_STRING_KEY') return 'a field name must be a text';
  const first = message.split(/[\n;]/, 1)[0] ?? '';
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}`.replace(/\.$/, '');
}
