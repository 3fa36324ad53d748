import type { ElicitationSchema, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { contentOf } from './login.ts';
import type { Command, ProtocolTurn, Turn } from './turn.ts';

/** Commands of a scripted agent that is driven over ACP. Each command sends one kind of message of the protocol. */
export const protocolCommands: Record<string, Command> = {
  async thought(text, turn) {
    await protocolOf(turn).update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
    return undefined;
  },

  /**
   * `@chunks count text`: sends one message of `count` chunks. Each chunk contains the text and the number of the
   * chunk.
   */
  async chunks(rest, turn) {
    const [, count, text = ''] = /^(\d{1,6})(?:\s(.*))?$/.exec(rest) ?? [];
    if (count === undefined) throw new Error('usage: @chunks count text');
    const messageId = crypto.randomUUID();
    for (let at = 0; at < Number(count); at += 1) {
      const content = { type: 'text' as const, text: `${text}${at} ` };
      await protocolOf(turn).update({ sessionUpdate: 'agent_message_chunk', messageId, content });
    }
    return undefined;
  },

  /**
   * `@plan read the code + | write it ~ | test it`: sends a plan with these entries. `+` marks a completed entry and
   * `~` an entry in progress.
   */
  async plan(rest, turn) {
    const entries = rest.split('|').map((part) => {
      const [, content = '', mark = ''] = /^\s*(.*?)\s*([+~]?)\s*$/.exec(part) ?? [];
      const status = mark === '+' ? 'completed' : mark === '~' ? 'in_progress' : 'pending';
      return { content, priority: 'medium', status } as const;
    });
    await protocolOf(turn).update({ sessionUpdate: 'plan', entries });
    return undefined;
  },

  /** `@edit path text`: asks the client to write a file, and reports it as a tool call with a diff. */
  async edit(rest, turn) {
    const [, path, text = ''] = /^(\S+)(?:\s(.*))?$/.exec(rest) ?? [];
    if (path === undefined) throw new Error('usage: @edit path text');
    const protocol = protocolOf(turn);
    const full = protocol.resolve(path);
    await protocol.call({ title: `Edit ${path}`, kind: 'edit', locations: [{ path: full }] }, async () => {
      const newText = `${text}\n`;
      const oldText = await protocol.readFile(full).catch(() => null);
      await protocol.writeFile(full, newText);
      return [{ type: 'diff', path: full, oldText, newText }];
    });
    return undefined;
  },

  /**
   * `@read path`: asks the client for a whole file. `@read path line limit`: asks for `limit` lines, beginning with
   * line `line`.
   */
  async read(rest, turn) {
    const [path = '', line, limit] = rest.split(' ');
    const protocol = protocolOf(turn);
    const full = protocol.resolve(path);
    await protocol.call({ title: `Read ${path}`, kind: 'read', locations: [{ path: full }] }, async () => {
      const part = limit === undefined ? undefined : { line: Number(line), limit: Number(limit) };
      const text = await protocol.readFile(full, part);
      return [{ type: 'content', content: { type: 'text', text } }];
    });
    return undefined;
  },

  /** `@run command`: asks the client to run a shell command in a terminal, and releases the terminal afterwards. */
  async run(command, turn) {
    const protocol = protocolOf(turn);
    await protocol.call({ title: command, kind: 'execute' }, async (show) => {
      const terminal = await protocol.terminal({ command });
      const content = [{ type: 'terminal' as const, terminalId: terminal.id }];
      await show(content);
      const { exitCode, signal } = await terminal.waitForExit();
      await terminal.release();
      if (exitCode !== 0) throw new Error(exitCode === null ? `ended by signal ${signal}` : `exit status ${exitCode}`);
      return content;
    });
    return undefined;
  },

  /**
   * `@terminal start name command`: opens a terminal and stores it under this name. The command is a shell command
   * line, or a JSON object with the fields of the request. `@terminal output|wait|kill|release name` uses the terminal
   * with this name.
   */
  async terminal(rest, turn) {
    const [, verb = '', name = '', command = ''] = /^(\S+)\s+(\S+)\s*(.*)$/s.exec(rest) ?? [];
    const { terminals, ...protocol } = protocolOf(turn);
    if (verb === 'start') {
      const request = command.startsWith('{') ? JSON.parse(command) : { command };
      await protocol.call({ title: request.command, kind: 'execute' }, async (show) => {
        const opened = await protocol.terminal(request);
        terminals.set(name, opened);
        await show([{ type: 'terminal', terminalId: opened.id }]);
        return [{ type: 'terminal', terminalId: opened.id }];
      });
      return undefined;
    }
    const terminal = terminals.get(name);
    if (terminal === undefined) throw new Error(`there is no terminal ${name}`);
    if (verb === 'output') turn.say(JSON.stringify(await terminal.currentOutput()));
    else if (verb === 'wait') turn.say(JSON.stringify(await terminal.waitForExit()));
    else if (verb === 'kill') await terminal.kill();
    else if (verb === 'release') await terminal.release();
    else throw new Error('usage: @terminal start|output|wait|kill|release name [command]');
    return undefined;
  },

  async mode(modeId, turn) {
    await protocolOf(turn).setMode(modeId);
    return undefined;
  },

  async usage(rest, turn) {
    const [used = 0, size = 0] = rest.split(' ').map(Number);
    await protocolOf(turn).update({ sessionUpdate: 'usage_update', used, size });
    return undefined;
  },

  /** `@stop reason`: ends the prompt with this stop reason, such as `max_tokens`. */
  async stop(reason, turn) {
    protocolOf(turn).stopWith(reason as StopReason);
    return 'end';
  },

  /** `@logout`: logs the agent out, so that it refuses the next prompt until somebody logs in. */
  async logout(_, turn) {
    protocolOf(turn).logOut();
    return undefined;
  },

  /**
   * `@form {json}`: asks a person for values of the properties in this JSON schema, and sends a message with the
   * answer.
   */
  async form(json, turn) {
    const requestedSchema = JSON.parse(json) as ElicitationSchema;
    const answer = await protocolOf(turn).elicit({ mode: 'form', message: 'Fill this in.', requestedSchema });
    turn.say(`form ${answer.action} ${JSON.stringify(contentOf(answer))}`);
    return undefined;
  },

  /**
   * `@link url`: asks a person to open a page, and then says what the person answered. `@link url done`: also reports
   * immediately that the person has finished on the page.
   */
  async link(rest, turn) {
    const [url = '', done] = rest.split(' ');
    const elicitationId = crypto.randomUUID();
    const protocol = protocolOf(turn);
    const asked = protocol.elicit({ mode: 'url', message: 'Open this page.', url, elicitationId });
    if (done === 'done') await protocol.linkDone(elicitationId);
    turn.say(`link ${(await asked).action}`);
    return undefined;
  },

  /** `@raw text`: writes the text to standard output as a line, unchanged. */
  async raw(text, turn) {
    await protocolOf(turn).raw(text);
    return undefined;
  },

  /** `@update {json}`: sends this JSON as an update. */
  async update(json, turn) {
    await protocolOf(turn).update(JSON.parse(json) as SessionUpdate);
    return undefined;
  },
};

function protocolOf({ protocol }: Turn): ProtocolTurn {
  if (protocol === null) throw new Error('this command needs an agent that is driven over ACP');
  return protocol;
}
