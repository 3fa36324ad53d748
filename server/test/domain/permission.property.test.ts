import { ConsoleError } from '@agent-console/shared/errors';
import { PermissionMode } from '@agent-console/shared/models/session';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../src/agents/kinds.ts';
import {
  changedPermission,
  exceeds,
  loweredTo,
  modeApplies,
  type Permission,
  type PermissionRequest,
  permissionOfNewSession,
} from '../../src/domain/permission-mode.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 50_000 : 1_000));
const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });
const KINDS = ['claude-code', 'codex', 'gemini', 'opencode', 'scripted', 'custom'] as const;
/**
 * Help texts of agent programs, which say what modes a program supports. Null stands for an agent without a program.
 */
const HELPS = [null, 'on-request, untrusted, on-failure, never', 'on-request, never', 'nothing of the kind'];

const mode = fc.constantFrom(...PermissionMode.options);
const help = fc.constantFrom(...HELPS);
const kind = fc.constantFrom(...KINDS);

interface Node extends Permission {
  parent: number | null;
  kind: (typeof KINDS)[number];
}

type Step =
  | { do: 'create'; parent: number | null; kind: Node['kind']; asked: PermissionRequest }
  | { do: 'update'; at: number; person: boolean; asked: PermissionRequest };

const asked = (arbitrary: fc.Arbitrary<PermissionMode>): fc.Arbitrary<PermissionRequest> =>
  fc.record({
    mode: fc.option(arbitrary, { nil: undefined }),
    ceiling: fc.option(arbitrary, { nil: undefined }),
  });
const child = fc.record({
  do: fc.constant('create' as const),
  parent: fc.nat(20),
  kind,
  asked: fc.record({ mode: fc.option(mode, { nil: undefined }), ceiling: fc.constant(undefined) }),
});
const root = fc.record({ do: fc.constant('create' as const), parent: fc.constant(null), kind, asked: asked(mode) });
const update = (person: boolean) =>
  fc.record({ do: fc.constant('update' as const), at: fc.nat(20), person: fc.constant(person), asked: asked(mode) });

function effective(name: Node['kind'], requested: PermissionMode, text: string | null): PermissionMode {
  return kindOf(name).permission(requested, { version: null, help: text }).mode;
}

/** Applies a step to a tree of sessions as the operations do. A rejected step changes nothing. */
function take(nodes: Node[], step: Step, text: string | null): void {
  if (step.do === 'create') {
    const index = step.parent === null || nodes.length === 0 ? null : step.parent % nodes.length;
    const above = index === null ? undefined : nodes[index];
    const parent = above === undefined ? null : { sessionId: 's', mode: above.mode, ceiling: above.ceiling };
    const { defaultMode } = kindOf(step.kind);
    const made = permissionOfNewSession(step.asked, { parent, defaultMode });
    nodes.push({
      parent: index,
      kind: step.kind,
      mode: effective(step.kind, made.requested, text),
      requested: step.asked.mode ?? null,
      ceiling: made.ceiling,
    });
    return;
  }
  const node = nodes[step.at % Math.max(nodes.length, 1)];
  if (node === undefined) return;
  const above = node.parent === null ? undefined : nodes[node.parent];
  const bounds = above === undefined ? [] : [{ sessionId: 's', ceiling: above.ceiling }];
  store(node, changedPermission(node, step.asked, { person: step.person, bounds }), text);
  for (const below of nodes.filter((each) => isUnder(nodes, each, node))) {
    store(below, loweredTo(below, node.ceiling), text);
  }
}

function store(node: Node, next: Pick<Permission, 'requested' | 'ceiling'>, text: string | null): void {
  if (next.requested !== null && next.requested !== node.requested)
    node.mode = effective(node.kind, next.requested, text);
  Object.assign(node, next);
}

function isUnder(nodes: readonly Node[], node: Node, top: Node): boolean {
  for (let at = node.parent; at !== null; at = nodes[at]?.parent ?? null) if (nodes[at] === top) return true;
  return false;
}

function attempt(nodes: Node[], step: Step, text: string | null): string | null {
  try {
    take(nodes, step, text);
    return null;
  } catch (error) {
    if (error instanceof ConsoleError) return error.code;
    throw error;
  }
}

const settings = { seed: SEED, numRuns: RUNS };

describe(`permission modes (seed ${SEED})`, () => {
  it('are never raised by the mapping of an agent, whatever its version accepts', () => {
    fc.assert(
      fc.property(kind, mode, help, (name, requested, text) => {
        expect(exceeds(effective(name, requested, text), requested)).toBe(false);
      }),
      settings,
    );
  });

  it("of no session exceed its own ceiling or an ancestor's, whatever people and agents do", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(root, child, update(true), update(false)), { maxLength: 40 }),
        help,
        (steps, text) => {
          const nodes: Node[] = [];
          for (const step of steps) {
            attempt(nodes, step, text);
            for (const node of nodes) {
              const above = node.parent === null ? undefined : nodes[node.parent];
              expect(exceeds(node.mode, node.ceiling)).toBe(false);
              expect(exceeds(node.requested ?? node.mode, node.ceiling)).toBe(false);
              if (above !== undefined) expect(exceeds(node.ceiling, above.ceiling)).toBe(false);
            }
          }
        },
      ),
      settings,
    );
  });

  it('are never raised by agents above what a person allowed', () => {
    fc.assert(
      fc.property(mode, fc.array(fc.oneof(child, update(false)), { maxLength: 40 }), (ceiling, steps) => {
        const nodes: Node[] = [];
        take(nodes, { do: 'create', parent: null, kind: 'scripted', asked: { mode: undefined, ceiling } }, null);
        for (const step of steps) attempt(nodes, step, null);
        for (const node of nodes) {
          expect(exceeds(node.ceiling, ceiling)).toBe(false);
          expect(exceeds(node.mode, ceiling)).toBe(false);
        }
      }),
      settings,
    );
  });
});

describe('a change', () => {
  const current: Permission = { mode: 'acceptEdits', requested: null, ceiling: 'acceptEdits' };
  const by = (person: boolean, ...bounds: PermissionMode[]) => ({
    person,
    bounds: bounds.map((ceiling) => ({ sessionId: 'above', ceiling })),
  });
  const change = (wanted: Partial<PermissionRequest>, who = by(true)) =>
    changedPermission(current, { mode: undefined, ceiling: undefined, ...wanted }, who);
  const refused = (wanted: Partial<PermissionRequest>, who = by(true)) => {
    try {
      change(wanted, who);
    } catch (error) {
      if (error instanceof ConsoleError) return `${error.code}: ${error.message}`;
    }
    return null;
  };

  it('by a person above the ceiling raises the ceiling as well', () => {
    expect(change({ mode: 'allow-all' })).toEqual({ requested: 'allow-all', ceiling: 'allow-all' });
    expect(change({ mode: 'ask' })).toEqual({ requested: 'ask', ceiling: 'acceptEdits' });
    expect(change({ ceiling: 'plan' })).toEqual({ requested: 'plan', ceiling: 'plan' });
    expect(change({ ceiling: 'allow-all' })).toEqual({ requested: null, ceiling: 'allow-all' });
  });

  it('is rejected with the reason, and with who can make it', () => {
    expect(refused({ mode: 'on-failure' }, by(false))).toMatch(/^PERMISSION_DENIED: .*on-failure.*acceptEdits.*person/);
    expect(refused({ ceiling: 'plan' }, by(false))).toMatch(/^PERMISSION_DENIED: Only people/);
    expect(refused({ mode: 'auto', ceiling: 'plan' })).toMatch(/^VALIDATION: permissionMode/);
    expect(refused({ mode: 'allow-all' }, by(true, 'allow-all', 'auto'))).toMatch(/^PERMISSION_DENIED: .*above/);
    expect(refused({ mode: 'auto' }, by(false, 'auto'))).toBeNull();
  });
});

it('of mode applies at once unless an agent runs in another mode', () => {
  expect(modeApplies('ask', null, true)).toBe('now');
  expect(modeApplies('ask', { mode: 'ask' }, false)).toBe('now');
  expect(modeApplies('ask', { mode: null }, true)).toBe('now');
  expect(modeApplies('ask', { mode: 'auto' }, true)).toBe('nextTask');
  expect(modeApplies('ask', { mode: 'auto' }, false)).toBe('nextStart');
});
