/** What the model says when the newest text it is sent fits; the first step that fits is taken. */
export interface Step {
  /** Pattern (flags `is`) for the newest user and tool-result text; named groups fill `{{name}}` in what is said. */
  when: string;
  /** Pattern that must not fit the same text. */
  not?: string;
  /** Said before the tools are called. */
  text?: string;
  /** A tool to call; the bare name of an MCP tool fits each agent's own form of it. */
  tool?: { name: string; input?: Record<string, unknown> };
  /** An error is the answer: its HTTP status and the provider's words. */
  fail?: { status: number; message: string };
  /** The answer waits until `release` is called with this name. */
  hold?: string;
  /** Not taken again. */
  once?: boolean;
  /** What named groups of `when` find fills `{{name}}` in later steps too. */
  keep?: boolean;
  /** Taken for titles and the like too, where no tools are offered. */
  aside?: boolean;
}

export interface ModelRequest {
  /** The newest text, of user or tools. */
  last: string;
  /** The whole body. */
  raw: string;
  /** Names of the tools that were offered, and of those called in answer. */
  tools: string[];
  calls: string[];
  /** Titles and the like, not the conversation. */
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

/** Starts the model. `steps` may be added to while it runs. */
export function startModelServer(steps: readonly Step[]): Promise<ModelServer>;
