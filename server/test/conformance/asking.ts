import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequest,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Fixture } from './fixture.ts';

/**
 * Tools of the conformance suite that send a request to their client during a call, in the protocols of 2025 and of
 * 2026.
 */

/**
 * Encodes the state that a tool sends with its question and the client returns with the answer. The key is used only in
 * tests.
 */
export const states = createRequestStateCodec<string>({ key: 'one key of at least thirty-two bytes' });

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function form(
  message: string,
  properties: ElicitRequestFormParams['requestedSchema']['properties'],
  required?: string[],
): InputRequest {
  const requestedSchema = { type: 'object' as const, properties, ...(required === undefined ? {} : { required }) };
  return inputRequired.elicit({ mode: 'form', message, requestedSchema });
}

function sample(text: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });
}

const name = (message: string) => form(message, { name: { type: 'string' } }, ['name']);
const answers = (context: ServerContext) => context.mcpReq.inputResponses ?? {};
const stateOf = (context: ServerContext) => context.mcpReq.requestState<string>();

function capabilitiesOf(context: ServerContext): Record<string, unknown> {
  const meta = (context.mcpReq.envelope ?? context.mcpReq._meta ?? {}) as Record<string, unknown>;
  return (meta[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<string, unknown>;
}

/**
 * Returns a tool that asks the client to fill in a form with this schema. The result of the tool contains the client's
 * answer.
 */
function elicits(message: string, properties: ElicitRequestFormParams['requestedSchema']['properties']): Fixture {
  return {
    async run(_, context) {
      const answer = answers(context).asked as { action?: string; content?: unknown } | undefined;
      if (answer === undefined) return inputRequired({ inputRequests: { asked: form(message, properties) } });
      const { action, content } = answer;
      return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
    },
  };
}

const three = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'];

export const ASKING: Readonly<Record<string, Fixture>> = {
  test_sampling: {
    required: ['prompt'],
    async run({ prompt }, context) {
      const answer = answers(context).asked as { content?: { text?: string } } | undefined;
      if (answer === undefined) return inputRequired({ inputRequests: { asked: sample(String(prompt), 100) } });
      return said(`LLM response: ${answer.content?.text ?? ''}`);
    },
  },
  test_elicitation: {
    required: ['message'],
    async run({ message }, context) {
      const answer = answers(context).asked as { action?: string; content?: unknown } | undefined;
      const fields = {
        username: { type: 'string' as const, description: "User's response" },
        email: { type: 'string' as const, description: "User's email address" },
      };
      if (answer === undefined) {
        return inputRequired({ inputRequests: { asked: form(String(message), fields, ['username', 'email']) } });
      }
      return said(`User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
    },
  },
  test_elicitation_sep1034_defaults: elicits('Defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: elicits('Choices', {
    untitledSingle: { type: 'string', enum: three },
    titledSingle: {
      type: 'string',
      oneOf: titled.map((title, at) => ({ const: `value${at + 1}`, title: `${title} Option` })),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: three } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled.map((title, at) => ({ const: `value${at + 1}`, title: `${title} Choice` })) },
    },
  }),
  test_missing_capability: {
    async run(_, context) {
      if (!('sampling' in capabilitiesOf(context))) {
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      }
      return said('The client can sample.');
    },
  },
  test_streaming_elicitation: {
    async run(_, context) {
      if (answers(context).asked !== undefined) return said('Thank you.');
      return inputRequired({ inputRequests: { asked: name('What is your name?') } });
    },
  },
  test_input_required_result_elicitation: {
    async run(_, context) {
      const given = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'user_name');
      if (typeof given?.name === 'string') return said(`Hello, ${given.name}!`);
      return inputRequired({ inputRequests: { user_name: name('What is your name?') } });
    },
  },
  test_input_required_result_sampling: {
    async run(_, context) {
      const answer = answers(context).capital_question as { content?: { text?: string } } | undefined;
      if (answer !== undefined) return said(answer.content?.text ?? '');
      return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } });
    },
  },
  test_input_required_result_list_roots: {
    async run(_, context) {
      const answer = answers(context).client_roots as { roots?: { uri: string }[] } | undefined;
      if (answer !== undefined) return said(`Roots: ${(answer.roots ?? []).map(({ uri }) => uri).join(', ')}`);
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  },
  test_input_required_result_request_state: {
    async run(_, context) {
      if (answers(context).confirm !== undefined && stateOf(context) === 'confirming') return said('state-ok');
      return inputRequired({
        inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
        requestState: await states.mint('confirming'),
      });
    },
  },
  test_input_required_result_multiple_inputs: {
    async run(_, context) {
      const given = answers(context);
      if (['user_name', 'greeting', 'client_roots'].every((key) => given[key] !== undefined)) return said('All there.');
      return inputRequired({
        inputRequests: {
          user_name: name('What is your name?'),
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await states.mint('several'),
      });
    },
  },
  test_input_required_result_multi_round: {
    async run(_, context) {
      const given = answers(context);
      if (given.step2 !== undefined && stateOf(context) === 'second') return said('Both steps are done.');
      if (given.step1 !== undefined && stateOf(context) === 'first') {
        const color = form('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']);
        return inputRequired({ inputRequests: { step2: color }, requestState: await states.mint('second') });
      }
      const first = name('Step 1: What is your name?');
      return inputRequired({ inputRequests: { step1: first }, requestState: await states.mint('first') });
    },
  },
  test_input_required_result_tampered_state: {
    async run(_, context) {
      if (answers(context).confirm !== undefined) return said('The state is whole.');
      return inputRequired({
        inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
        requestState: await states.mint('untouched'),
      });
    },
  },
  test_input_required_result_capabilities: {
    async run(_, context) {
      const can = capabilitiesOf(context);
      const inputRequests: Record<string, InputRequest> = {
        ...('elicitation' in can ? { asked: name('What is your name?') } : {}),
        ...('sampling' in can ? { sampled: sample('Say something', 50) } : {}),
      };
      if (Object.keys(inputRequests).every((key) => answers(context)[key] !== undefined)) return said('Done.');
      return inputRequired({ inputRequests });
    },
  },
};
