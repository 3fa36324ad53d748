import { ANSWERS, type Approval, type ApprovalOption, type FormField } from '@agent-console/shared/models/approval';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from '@agentclientprotocol/sdk';

export type Answer = Omit<RequestOf<Extract<OperationName, 'approvals.answer'>>, 'approvalId'>;

/** Whether an editor can show a form, and whether it can show a link to a web page. */
export interface EditorForms {
  form: boolean;
  link: boolean;
}

export function formsOf(capabilities: ClientCapabilities | undefined): EditorForms {
  const { form, url } = capabilities?.elicitation ?? {};
  return { form: form != null, link: url != null };
}

/**
 * Returns the request with which the editor shows a form or a link; null for a plain question, and for a form or link
 * that the editor cannot show.
 */
export function elicitationFor(
  { id, kind, text, fields, url }: Approval,
  { form, link }: EditorForms,
  sessionId: string,
): CreateElicitationRequest | null {
  if (kind === 'form' && form) {
    const properties = Object.fromEntries(fields.map((field) => [field.id, propertyOf(field)]));
    const required = fields.filter((field) => field.required).map((field) => field.id);
    return { sessionId, mode: 'form', message: text, requestedSchema: { type: 'object', properties, required } };
  }
  if (kind === 'link' && link && url !== null) {
    return { sessionId, mode: 'url', message: text, url, elicitationId: id };
  }
  return null;
}

/** The protocol cannot say that a value is secret, so the description warns that it may be visible. */
const SECRET = 'Your editor may show this value while you type it; the dashboard does not.';

function propertyOf(field: FormField): ElicitationPropertySchema {
  const { type, title, secret, default: initial, choices, min, max, format, pattern } = field;
  const description = [field.description, secret ? SECRET : null].filter((text) => text !== null).join(' ');
  const about = { title, ...(description === '' ? {} : { description }) };
  const titled = choices.map(({ value, label }) => ({ const: value, title: label }));
  switch (type) {
    case 'boolean':
      return { ...about, type, ...(typeof initial === 'boolean' ? { default: initial } : {}) };
    case 'number':
    case 'integer': {
      const bounds = { ...(min === null ? {} : { minimum: min }), ...(max === null ? {} : { maximum: max }) };
      return { ...about, ...bounds, type, ...(typeof initial === 'number' ? { default: initial } : {}) };
    }
    case 'choices': {
      const bounds = { ...(min === null ? {} : { minItems: min }), ...(max === null ? {} : { maxItems: max }) };
      const chosen = Array.isArray(initial) ? { default: initial } : {};
      return { ...about, ...bounds, ...chosen, type: 'array', items: { anyOf: titled } };
    }
    case 'choice':
    case 'text': {
      const bounds = { ...(min === null ? {} : { minLength: min }), ...(max === null ? {} : { maxLength: max }) };
      return {
        ...about,
        ...bounds,
        type: 'string',
        ...(type === 'choice' ? { oneOf: titled } : {}),
        ...(format === null ? {} : { format }),
        ...(pattern === null ? {} : { pattern }),
        ...(typeof initial === 'string' ? { default: initial } : {}),
      };
    }
  }
}

/** Converts the editor's response to a form or link to an answer of the approval. */
export function answerOf({ kind }: Approval, response: CreateElicitationResponse): Answer {
  const { action } = response;
  const optionId = action === 'accept' || action === 'decline' ? action : ANSWERS.cancel;
  if (kind !== 'form' || optionId !== ANSWERS.accept) return { optionId };
  const content = 'content' in response ? (response.content as Answer['values'] | null) : null;
  return { optionId, values: content ?? {} };
}

const CHOICE = 'value:';

interface Question {
  text: string;
  options: readonly ApprovalOption[];
}

/**
 * Converts a question, or a form or link that the editor cannot show, to a permission request. If a form consists of
 * one choice or one yes-or-no field, the values of this field become the options. Any other form can only be refused in
 * the editor, so the text says where to fill it in.
 */
export function permissionFor({ id, kind, text, options, fields, url }: Approval): Question {
  if (kind === 'link') {
    const opened = { id: ANSWERS.accept, label: 'I have opened the page', kind: 'other' as const };
    return { text: `${text}\n${url ?? ''}`, options: options.map((each) => (each.id === opened.id ? opened : each)) };
  }
  if (kind !== 'form') return { text, options };
  const refusals = options.filter((option) => option.id !== ANSWERS.accept);
  const choices = fields.length === 1 ? choicesOf(fields[0]) : [];
  if (choices.length > 0) {
    const offered = choices.map(({ label }, index) => ({ id: `${CHOICE}${index}`, label, kind: 'other' as const }));
    return { text: `${text}\n${fields[0]?.title ?? ''}`, options: [...offered, ...refusals] };
  }
  const where = `Fill in this form in the dashboard, or with: agent-console approvals answer ${id} accept --values -`;
  return { text: [text, ...fields.map(({ title }) => `- ${title}`), where].join('\n'), options: refusals };
}

/** Converts the option that a person chose in a permission request to an answer of the approval. */
export function answerOfPermission({ fields: [field] }: Approval, optionId: string): Answer {
  if (!optionId.startsWith(CHOICE) || field === undefined) return { optionId };
  const value = choicesOf(field)[Number(optionId.slice(CHOICE.length))]?.value;
  return { optionId: ANSWERS.accept, values: value === undefined ? {} : { [field.id]: value } };
}

function choicesOf(field: FormField | undefined): { value: string | boolean; label: string }[] {
  if (field?.type === 'choice') return field.choices;
  if (field?.type !== 'boolean') return [];
  return [
    { value: true, label: 'Yes' },
    { value: false, label: 'No' },
  ];
}
