import {
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import { type BuildServer, serveSubscriptions } from '../../src/surfaces/mcp/server.ts';
import { ASKING, states } from './asking.ts';

/** A tool that the conformance suite calls. The arguments named in `required` are strings. */
export interface Fixture {
  required?: readonly string[];
  run: (
    args: Record<string, unknown>,
    context: ServerContext,
    changed: (event: ServerEvent) => void,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const text = (words: string) => ({ type: 'text' as const, text: words });
const said = (words: string): CallToolResult => ({ content: [text(words)] });
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const moment = () => new Promise((resolve) => setTimeout(resolve, 50));

const SIMPLE: Readonly<Record<string, Fixture>> = {
  test_simple_text: { run: async () => said('This is a simple text response for testing.') },
  test_image_content: { run: async () => ({ content: [image] }) },
  test_audio_content: { run: async () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: async () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    run: async () => ({
      content: [
        text('Multiple content types test:'),
        image,
        embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
      ],
    }),
  },
  test_error_handling: {
    run: async () => ({ ...said('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_tool_with_logging: {
    async run(_, context) {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.log('info', words);
        await moment();
      }
      return said('Three messages were logged.');
    },
  },
  test_logging_tool: {
    async run(_, context) {
      await context.mcpReq.log('info', 'Only for those who asked for it');
      return said('Logged.');
    },
  },
  test_tool_with_progress: {
    async run(_, context) {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 100 };
          await context.mcpReq.notify({ method: 'notifications/progress', params });
        }
        await moment();
      }
      return said('All the way.');
    },
  },
  test_reconnection: {
    async run(_, context) {
      context.http?.closeSSE?.();
      await moment();
      return said('Taken up again.');
    },
  },
  test_trigger_tool_change: {
    async run(_args, _context, changed) {
      changed({ kind: 'tools_list_changed' });
      return said('Told.');
    },
  },
  test_trigger_prompt_change: {
    async run(_args, _context, changed) {
      changed({ kind: 'prompts_list_changed' });
      return said('Told.');
    },
  },
};

const TOOLS: Readonly<Record<string, Fixture>> = { ...SIMPLE, ...ASKING };

const RESOURCES: Readonly<Record<string, { mimeType: string; text?: string; blob?: string }>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'This one changes.' },
};

interface PromptFixture {
  arguments?: readonly string[];
  make: (given: Record<string, string>, context: ServerContext) => GetPromptResult | InputRequiredResult;
}
const user = (content: GetPromptResult['messages'][number]['content']) => ({ role: 'user' as const, content });

const PROMPTS: Readonly<Record<string, PromptFixture>> = {
  test_simple_prompt: { make: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    make: ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    make: ({ resourceUri = '' }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    make: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    make(_, context) {
      if (context.mcpReq.inputResponses?.user_context !== undefined) return { messages: [user(text('With context.'))] };
      const requestedSchema = {
        type: 'object' as const,
        properties: { context: { type: 'string' as const } },
        required: ['context'],
      };
      const message = 'What context should the prompt use?';
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ mode: 'form', message, requestedSchema }) },
      });
    },
  },
};

/**
 * Returns a function that builds the server that the conformance suite expects. The console's own HTTP surface serves
 * it.
 */
export function createFixtureServer(changed: (event: ServerEvent) => void): BuildServer {
  return () => {
    const capabilities = {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
      logging: {},
      completions: {},
    };
    const server = new Server(
      { name: 'fixture', version: '1' },
      { capabilities, requestState: { verify: states.verify } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: Object.entries(TOOLS).map(([name, { required = [] }]) => ({
        name,
        description: `The suite's ${name}`,
        inputSchema: {
          type: 'object' as const,
          properties: Object.fromEntries(required.map((argument) => [argument, { type: 'string' }])),
          required: [...required],
        },
      })),
    }));
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const fixture = TOOLS[params.name];
      if (fixture === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${params.name}`);
      return fixture.run(params.arguments ?? {}, context, changed);
    });
    server.setRequestHandler('resources/list', () => ({
      resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
        uri,
        name: uri,
        description: `The suite's ${uri}`,
        mimeType,
      })),
    }));
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
    }));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      const found = RESOURCES[uri];
      if (found?.blob !== undefined) return { contents: [{ uri, mimeType: found.mimeType, blob: found.blob }] };
      if (found?.text !== undefined) return { contents: [{ uri, mimeType: found.mimeType, text: found.text }] };
      const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
      if (id === undefined) throw new ResourceNotFoundError(uri);
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
    });
    server.setRequestHandler('prompts/list', () => ({
      prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
        name,
        description: `The suite's ${name}`,
        arguments: (prompt.arguments ?? []).map((argument) => ({ name: argument, required: true })),
      })),
    }));
    server.setRequestHandler('prompts/get', ({ params }, context) => {
      const prompt = PROMPTS[params.name];
      if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt ${params.name}`);
      return prompt.make(params.arguments ?? {}, context);
    });
    server.setRequestHandler('completion/complete', ({ params: { argument } }) => ({
      completion: { values: ['paris', 'park', 'party'].filter((word) => word.startsWith(argument.value)) },
    }));
    serveSubscriptions(server);
    return server;
  };
}
