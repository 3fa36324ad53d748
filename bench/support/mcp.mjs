import { connect } from './http.mjs';

const ACCEPT = { accept: 'application/json, text/event-stream' };

/**
 * Opens an MCP client for the 2025 versions of the protocol over one keep-alive connection. The client does little
 * work, so that measurements show the cost of the server.
 * @param {number} port
 * @param {{token?: string}} options
 */
export async function openMcp(port, options = {}) {
  const connection = connect(port, options);
  let id = 0;
  let session = {};

  async function post(message) {
    const answer = await connection.request('POST', '/mcp', { jsonrpc: '2.0', ...message }, { ...ACCEPT, ...session });
    if (answer.status >= 400) throw new Error(`/mcp: ${answer.status} ${answer.text}`);
    return answer;
  }

  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const opened = await post({ id: ++id, method: 'initialize', params });
  session = { 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': '2025-06-18' };
  await post({ method: 'notifications/initialized' });

  return {
    /** Calls a tool and parses its answer as a client would: the structured content, or otherwise the text as JSON. */
    async call(name, args = {}) {
      const { text } = await post({ id: ++id, method: 'tools/call', params: { name, arguments: args } });
      const { result, error } = JSON.parse(text);
      if (error !== undefined || result.isError) throw new Error(`${name}: ${text}`);
      const content = result.structuredContent ?? JSON.parse(result.content[0].text);
      return { content, bytes: Buffer.byteLength(text) };
    },
    close: connection.close,
  };
}
