import { ConsoleError } from '@agent-console/shared/errors';
import { CALL_GRACE_MS, CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { validate } from '@agent-console/shared/validate';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Call } from '../../domain/call.ts';
import type { Gate } from '../../operations/operation.ts';
import { withNames } from '../error-names.ts';
import { followDelivery, hasCallerDisconnected } from '../http/context.ts';
import type { Drain } from '../http/drain.ts';
import { asConsoleError } from '../http/respond.ts';
import { takeIdempotencyKey } from '../input.ts';
import type { McpExchange } from './exchange.ts';
import { byField, namesOf } from './names.ts';
import type { Tool } from './tools.ts';

export interface ToolCallOptions {
  gate: Gate;
  drain: Drain;
  /** Receives every error that is not a ConsoleError, because only a bug causes such an error. */
  onBug: (error: unknown, requestId: string) => void;
}

/**
 * Creates the result of a failed call. It contains the error only as a text that is not JSON. Clients would validate
 * structured content or a JSON text against the tool's output schema, and show their own message instead of the error.
 */
export function errorResult(error: ConsoleError): CallToolResult {
  const text = `${error.code}: ${error.message}\n${JSON.stringify(error.toBody())}`;
  return { isError: true, content: [{ type: 'text', text }] };
}

function successResult(output: unknown): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }],
    structuredContent: output as Record<string, unknown>,
  };
}

/**
 * Runs a tool. Never rejects: a failure becomes an error result. If the caller disconnects or cancels, or the call
 * takes too long, this function stops waiting for the tool, but the tool's work continues.
 */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  exchange: McpExchange,
  cancelled: AbortSignal,
  options: ToolCallOptions,
): Promise<CallToolResult> {
  const { delivered, replaced } = exchange.answersElsewhere
    ? { delivered: undefined, replaced: () => {} }
    : followDelivery(exchange.outgoing);
  // A caller that cancelled a call does not read its response, so the response counts as not delivered.
  cancelled.addEventListener('abort', replaced, { once: true });
  try {
    const output = await options.drain.call(exchange.outgoing, () =>
      bounded(cancelled, exchange.signal, (signal) =>
        run(tool, args, exchange, { signal, ...(delivered && { delivered }) }, options.gate),
      ),
    );
    // In the 2026 revision, `cancelled` also aborts after a complete response. Such a response counts as delivered,
    // so the listener is removed.
    cancelled.removeEventListener('abort', replaced);
    return successResult(output);
  } catch (error) {
    replaced();
    if (!(error instanceof ConsoleError)) options.onBug(error, exchange.requestId);
    return errorResult(withNames(asConsoleError(error, exchange.requestId), namesOf(tool, args)));
  }
}

/**
 * Returns the operation's input for these arguments, and the idempotency key.
 * @throws VALIDATION for invalid arguments, TIMEOUT if the caller has disconnected and the operation changes something.
 */
async function inputOf({ contract, form, input: schema }: Tool, args: Record<string, unknown>, from: McpExchange) {
  for (const [field, hint] of Object.entries(form.refusedArguments ?? {})) {
    if (args[field] !== undefined) throw new ConsoleError('VALIDATION', `${field}: ${hint}`, { field });
  }
  // The arguments of a tool with its own schema are validated before they are converted to the operation's input,
  // because `gate.run` validates only the operation's input.
  if (form.input !== undefined) validate(schema, args);
  const { input, key } = takeIdempotencyKey(schema, args);
  const header = contract.idempotent === true ? from.incoming.headers['idempotency-key']?.toString() : undefined;
  if (contract.effect !== 'read' && (await hasCallerDisconnected(from.incoming))) {
    throw new ConsoleError('TIMEOUT', 'The caller disconnected before the call started; nothing was done.');
  }
  const named = byField(form, input);
  return { input: form.toInput?.(named as never) ?? named, key: key ?? header };
}

async function run(
  tool: Tool,
  args: Record<string, unknown>,
  exchange: McpExchange,
  progress: Pick<Call, 'signal' | 'delivered'>,
  gate: Gate,
): Promise<unknown> {
  const call: Call = { caller: exchange.caller, surface: 'mcp', ...progress };
  const { input, key } = await auditRefusals(gate, tool.operation, call, () => inputOf(tool, args, exchange));
  const output = await gate.run(tool.operation, input, key === undefined ? call : { ...call, idempotencyKey: key });
  return tool.form.toResult?.(output as never, args as never) ?? output;
}

/**
 * Runs a step that comes before `gate.run`, such as reading the input. If the step rejects the call, the audit log
 * records the call as if `gate.run` had rejected it.
 */
export async function auditRefusals<T>(
  gate: Gate,
  name: string,
  call: Pick<Call, 'caller' | 'surface'>,
  work: () => T | Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    await gate.refused(name, error, call, startedAt);
    throw error;
  }
}

/**
 * Runs `work` with a signal that aborts when `work` should stop waiting: when the caller cancels or disconnects, and
 * after CALL_MAX_MS. Rejects with TIMEOUT if `work` still runs CALL_GRACE_MS later, because common MCP clients time out
 * after 60 s.
 */
export async function bounded<T>(
  cancelled: AbortSignal,
  disconnected: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const waiting = new AbortController();
  const end = () => waiting.abort();
  const sources = [cancelled, disconnected];
  for (const source of sources) {
    if (source.aborted) end();
    source.addEventListener('abort', end, { once: true });
  }
  const cut = setTimeout(end, CALL_MAX_MS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new ConsoleError(
            'TIMEOUT',
            'The call took longer than MCP clients usually wait; it continues in the background. Check later whether it took effect.',
          ),
        ),
      CALL_MAX_MS + CALL_GRACE_MS,
    );
  });
  try {
    return await Promise.race([work(waiting.signal), late]);
  } finally {
    clearTimeout(cut);
    clearTimeout(timer);
    for (const source of sources) source.removeEventListener('abort', end);
  }
}
