import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../domain/caller.ts';
import type { Identity, IdentitySource, PeerConnection, PeerEvidence } from '../ports/identity.ts';
import { createPeerLookup } from './peer.ts';
import { createSocketFinder, isLoopback } from './proc-net.ts';

export interface IdentityOptions {
  /** Whether callers are identified only by a token and never by their process (`AGENT_CONSOLE_AUTH=token`). */
  tokenOnly: boolean;
  /** Whether callers may come through a proxy. Every connection may then belong to the user of the proxy. */
  isProxied?: boolean;
  /** Returns the pids of this server and its runner. */
  ownPids: () => readonly number[];
  /** Token that identifies the local owner. Needed if callers are not identified by their process. */
  cliToken?: string;
  /** Path at which procfs is mounted. Default: `/proc`. */
  proc?: string;
  platform?: NodeJS.Platform;
  /** The Unix user whose processes are trusted. Default: the user of this process. */
  uid?: number;
  now?: () => number;
}

const ALL_SCOPES = ['read', 'write', 'owner'] as const;
/** User id of root. */
const ROOT = 0;
const SEND_TOKEN =
  'send "Authorization: Bearer <token>" (a person creates one with `agent-console tokens create <name>`)';

const nobody = (reason: string): Caller => ({ kind: 'nobody', reason });
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

/**
 * Creates the function that identifies callers. A bearer token identifies the caller. Without a token, on Linux, the
 * caller is identified by the process at the other end of a loopback connection. Never throws for malformed input;
 * errors of `source` are not caught.
 */
export function createIdentity(source: IdentitySource, options: IdentityOptions): Identity {
  const { tokenOnly, ownPids, cliToken, proc = '/proc', platform = process.platform } = options;
  const uid = options.uid ?? process.getuid?.() ?? -1;
  const cliHash = cliToken === undefined ? undefined : sha256(cliToken);
  const findSocket = createSocketFinder(proc);
  const peerOf = createPeerLookup({
    source,
    ownPids,
    proc,
    uid,
    findSocket,
    now: options.now ?? (() => performance.now()),
  });

  const owner = (via: 'token' | 'peer'): Caller => ({
    kind: 'user',
    userId: source.localOwnerId(),
    scopes: ALL_SCOPES,
    via,
  });

  async function identifyToken(token: string, connection: PeerConnection): Promise<Caller> {
    const hash = sha256(token);
    if (cliHash !== undefined && timingSafeEqual(hash, cliHash)) return owner('token');
    const found = await source.findToken(hash.toString('hex'));
    if (found === undefined) return nobody(unknownToken(token));
    if (found.kind === 'refused') return nobody(`This token ${found.why}: ${SEND_TOKEN}.`);
    if (found.kind === 'worker') return { ...found, via: 'token' };
    const { isLogin, ...user } = found;
    // While no console runs, another user can listen on its port, and gets the token of every open dashboard.
    if (isLogin && (await isOtherUser(connection))) {
      return nobody(`A browser login works only for the Unix user who runs the console: ${SEND_TOKEN}.`);
    }
    return { ...user, via: 'token' };
  }

  /** Returns the Unix user of the process at the other end of a loopback connection; undefined if unknown. */
  async function userOf(connection: PeerConnection): Promise<number | undefined> {
    const { remoteAddress, remotePort, localAddress, localPort } = connection;
    if (platform !== 'linux' || !isLoopback(remoteAddress)) return undefined;
    const found = await findSocket(
      { address: remoteAddress, port: remotePort },
      { address: localAddress, port: localPort },
    );
    return found?.uid;
  }

  async function findIsOtherUser(connection: PeerConnection): Promise<boolean> {
    if (options.isProxied) return false;
    const user = await userOf(connection);
    return user !== undefined && user !== uid && user !== ROOT;
  }

  const otherUsers = new WeakMap<object, Promise<boolean>>();
  /**
   * Whether another Unix user has opened the connection. Determined only once, because the user of a connection does
   * not change.
   */
  function isOtherUser(connection: PeerConnection): Promise<boolean> {
    const isOther = otherUsers.get(connection.connection) ?? findIsOtherUser(connection);
    otherUsers.set(connection.connection, isOther);
    return isOther;
  }

  return {
    identifyToken,
    isOwnUser: async (connection) => (await userOf(connection)) === uid,
    isOtherUser,
    async identify(evidence) {
      const { authorization } = evidence.headers;
      if (authorization !== undefined) {
        const token = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
        return token === undefined
          ? nobody(`The Authorization header is not a bearer token: ${SEND_TOKEN}.`)
          : identifyToken(token, evidence);
      }
      const untrusted = whyPeerIsUntrusted(evidence, tokenOnly, platform);
      if (untrusted !== undefined) return nobody(untrusted);
      const peer = await peerOf(evidence);
      if (peer.kind === 'owner') return owner('peer');
      return peer.kind === 'worker' ? { ...peer, via: 'peer' } : peer;
    },
  };
}

/**
 * Returns the reason why an unknown token is rejected. When a worker ends, the console deletes its token. The prefix
 * `acw_` still shows that the token belonged to a worker.
 */
function unknownToken(token: string): string {
  if (!token.startsWith('acw_')) return `This token is unknown: ${SEND_TOKEN}.`;
  return `This is the token of a worker that has ended: resume its session to get a new token, or ${SEND_TOKEN}.`;
}

/**
 * Headers that are added by proxies and tunnels such as nginx, Cloudflare, Tailscale, Envoy and Fly. Each of these
 * headers may be the only one that a proxy adds.
 */
const RELAY_HEADER =
  /^(?:forwarded|via|x-(?:forwarded|original|envoy)-.+|(?:x-real|x-client|x-cluster-client|true-client)-ip|(?:cf|fly|tailscale)-.+)$/;

/**
 * Whether a header with this name shows that a proxy forwarded the request. The connection then comes from the proxy
 * instead of the sender of the request.
 */
const isRelayed = (name: string) => RELAY_HEADER.test(name);

function whyPeerIsUntrusted(evidence: PeerEvidence, tokenOnly: boolean, platform: NodeJS.Platform): string | undefined {
  if (tokenOnly)
    return `This console accepts only tokens, because it was started with AGENT_CONSOLE_AUTH=token: ${SEND_TOKEN}.`;
  const present = Object.entries(evidence.headers).filter(([, value]) => value !== undefined);
  const relayed = present.find(([name]) => isRelayed(name))?.[0];
  if (relayed !== undefined)
    return `The request came through a proxy (header ${relayed}), so its sender is unknown: ${SEND_TOKEN}.`;
  if (present.some(([name]) => name === 'origin' || name === 'sec-fetch-site')) {
    return 'A browser needs to log in: run `agent-console open` and use the link it prints.';
  }
  if (!isLoopback(evidence.remoteAddress))
    return `Only processes on this machine are recognized without a token: ${SEND_TOKEN}.`;
  if (platform !== 'linux') {
    return 'This platform cannot identify the calling process: send "Authorization: Bearer <token>" with the content of the cli-token file in the data directory.';
  }
  return undefined;
}
