import { ConsoleError } from '@agent-console/shared/errors';
import type { Approval, ApprovalOption } from '@agent-console/shared/models/approval';
import type {
  AgentContext,
  CreateElicitationRequest,
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';
import { type Answer, answerOf, answerOfPermission, type EditorForms, elicitationFor, permissionFor } from './forms.ts';

export interface PermissionDeps {
  console: EditorConsole;
  client: AgentContext;
  sessionId: string;
  /** Sends the stored messages that the editor has not received yet. */
  showMessages(): Promise<void>;
  /** Returns the id of the tool call that a question is about, if the editor already shows this tool call. */
  shownCall(approval: Approval): string | undefined;
  /** Returns whether the editor can show forms and links to a person. */
  forms(): EditorForms;
  onError(error: unknown): void;
}

/** Maximum number of times that a form is shown again after its values were refused. */
const FORM_REPEATS_MAX = 5;

/**
 * Shows the questions of a session's agent in the editor, as forms, links or permission requests. A person may also
 * answer a question outside the editor, for example in the dashboard; the first answer counts.
 */
export function createPermissions({
  console,
  client,
  sessionId,
  showMessages,
  shownCall,
  forms,
  onError,
}: PermissionDeps) {
  const offered = new Map<string, AbortController>();
  /**
   * Questions that are shown as tool calls of their own, because the editor shows no tool call to which they belong.
   */
  const ownCalls = new Set<string>();

  async function ask(approval: Approval, withdrawn: AbortSignal): Promise<void> {
    const elicitation = elicitationFor(approval, forms(), sessionId);
    if (elicitation === null) return askForPermission(approval, withdrawn);
    let { message } = elicitation;
    for (let attempt = 0; attempt <= FORM_REPEATS_MAX; attempt += 1) {
      const response = await client.request<CreateElicitationResponse, CreateElicitationRequest>(
        'elicitation/create',
        { ...elicitation, message },
        { cancellationSignal: withdrawn },
      );
      if (withdrawn.aborted) return;
      const refused = await answer(approval, answerOf(approval, response));
      if (refused === null) return;
      message = `${elicitation.message}\n\n${refused}`;
    }
  }

  async function askForPermission(approval: Approval, withdrawn: AbortSignal): Promise<void> {
    // Messages are sent first, because the editor may not have received the tool call that the question is about.
    await showMessages();
    if (withdrawn.aborted) return;
    const shown = shownCall(approval);
    const toolCall = shown === undefined ? callOf(approval) : { toolCallId: shown };
    if (shown === undefined && !ownCalls.has(approval.id)) {
      ownCalls.add(approval.id);
      await client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'tool_call', ...callOf(approval) },
      });
    }
    const { outcome } = await client.request<RequestPermissionResponse, RequestPermissionRequest>(
      'session/request_permission',
      { sessionId, toolCall, options: permissionFor(approval).options.map(optionOf) },
      { cancellationSignal: withdrawn },
    );
    if (outcome.outcome !== 'selected' || withdrawn.aborted) return;
    await answer(approval, answerOfPermission(approval, outcome.optionId));
  }

  /** Answers a question. Returns why the console refused the values of a form; null if the question is now answered. */
  async function answer({ id: approvalId, kind }: Approval, given: Answer): Promise<string | null> {
    try {
      await console.call('approvals.answer', { approvalId, ...given });
      return null;
    } catch (error) {
      // The conflict is ignored, because it means that the question was answered or withdrawn at the same time.
      if (error instanceof ConsoleError && error.code === 'CONFLICT') return null;
      if (kind === 'form' && error instanceof ConsoleError && error.code === 'VALIDATION') return error.message;
      throw error;
    }
  }

  /** Sends a question to the editor, only once. */
  function offer(approval: Approval): void {
    // A question without options expects free text, which a person types into the agent's terminal.
    if (offered.has(approval.id) || approval.state !== 'pending' || approval.options.length === 0) return;
    const withdrawn = new AbortController();
    offered.set(approval.id, withdrawn);
    ask(approval, withdrawn.signal).catch((error: unknown) => {
      if (!withdrawn.signal.aborted) onError(error);
    });
  }

  /** Sends a question again, because its text or answers have changed. */
  function offerAgain(approval: Approval): void {
    offered.get(approval.id)?.abort();
    offered.delete(approval.id);
    offer(approval);
  }

  /** Ends a question in the editor after it was answered, in the editor or elsewhere, or is no longer asked. */
  async function withdraw(approvalId: string): Promise<void> {
    const controller = offered.get(approvalId);
    if (controller === undefined) return;
    controller.abort();
    const isOwn = ownCalls.delete(approvalId);
    if (!isOwn && !forms().link) return;
    const approval = await console.call('approvals.get', { approvalId });
    if (!isOwn) {
      // A withdrawn link means that the person has finished on the page, or that the agent no longer needs the page.
      const isOver = approval.kind === 'link' && approval.state === 'withdrawn';
      if (isOver) await client.notify('elicitation/complete', { elicitationId: approvalId });
      return;
    }
    const chosen = approval.options.find(({ id }) => id === approval.optionId);
    const isDone = approval.kind === 'question' ? chosen?.kind === 'allow' : (chosen?.kind ?? 'deny') !== 'deny';
    const status = isDone ? 'completed' : 'failed';
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'tool_call_update', toolCallId: approvalId, status },
    });
  }

  return {
    offer,
    offerAgain,
    withdraw,
    /**
     * Sends all pending questions to the editor, and withdraws the questions sent before that are no longer pending.
     */
    async reconcile(): Promise<void> {
      const { data } = await console.call('approvals.list', { sessionId, limit: 100 });
      const pending = new Set(data.map(({ id }) => id));
      for (const [id, controller] of offered) if (!pending.has(id) && !controller.signal.aborted) await withdraw(id);
      for (const approval of data.reverse()) offer(approval);
    },
    close(): void {
      for (const controller of offered.values()) controller.abort();
    },
  };
}

function callOf(approval: Approval): ToolCallUpdate & { title: string } {
  const { id } = approval;
  const { text } = permissionFor(approval);
  const [title = ''] = text.split('\n', 1);
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
  return { toolCallId: id, title, kind: 'other', status: 'pending', ...(title === text ? {} : { content }) };
}

/**
 * Converts an answer option. Unless the agent gave an `effect`, the answer applies only once. An answer that neither
 * permits nor forbids becomes a rejection, so that an editor that allows everything does not choose it.
 */
export function optionOf({ id, label, kind, effect }: ApprovalOption): PermissionOption {
  return { optionId: id, name: label, kind: effect ?? (kind === 'allow' ? 'allow_once' : 'reject_once') };
}
