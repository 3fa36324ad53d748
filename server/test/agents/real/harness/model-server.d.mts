/** A scripted answer of the model. The first step whose patterns match the newest text of the request is used. */
export interface Step {
  /** Pattern (flags `is`) for the newest user and tool-result text. Named groups fill `{{name}}` in the answer. */
  when: string;
  /** Pattern that must not match the same text. */
  not?: string;
  /** Text of the answer, before its tool calls. */
  text?: string;
  /** Tool to call. The plain name of an MCP tool matches the prefixed name that each agent gives it. */
  tool?: { name: string; input?: Record<string, unknown> };
  /** Answers with an error of the provider instead. */
  fail?: { status: number; message: string };
  /** The answer waits until `release` is called with this name. */
  hold?: string;
  /** Uses the step only once. */
  once?: boolean;
  /** Lets the named groups of `when` also fill `{{name}}` in later steps. */
  keep?: boolean;
  /** Uses the step also for side requests without tools, e.g. for titles. */
  aside?: boolean;
}

export interface ModelRequest {
  /** Newest text of the user or of tool results. */
  last: string;
  /** Complete request body. */
  raw: string;
  /** Names of the offered tools, and of the tools that the answer calls. */
  tools: string[];
  calls: string[];
  /** Whether this is a side request, e.g. for a title, and not part of the conversation. */
  aside: boolean;
}

export interface ModelServer {
  /** Base address, on loopback. */
  url: string;
  /** All requests so far, oldest first. */
  requests: ModelRequest[];
  release(name: string): void;
  close(): void;
}

/** Starts the model. Steps may be added to `steps` while it runs. */
export function startModelServer(steps: readonly Step[]): Promise<ModelServer>;
