// An MCP server over stdio with one tool, which returns the value of ECHO_SECRET.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo_secret', { description: 'Says what it was told' }, () => ({
    content: [{ type: 'text', text: `stdio says ${process.env.ECHO_SECRET}.` }],
  }));
  return server;
});
