/**
 * Names handed on from our own environment. `GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE` and the like are not among
 * them: they would point every command at another repository. Neither are EDITOR, PAGER and SSH_ASKPASS, which start
 * programs.
 */
const PASSED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'KRB5CCNAME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
]);

/**
 * Settings of every command: no hook and no file system monitor of the repository runs, signatures are not checked, no
 * git starts in a submodule, no maintenance starts in the background, and `ext::` URLs, which are shell commands, stay
 * refused whatever a configuration says.
 */
export const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'log.showSignature=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
];

/**
 * The environment of a git that reads: what it needs from ours, messages in English, no question to anybody, no
 * lock for the sake of a fresher index and no fetch of objects that a partial clone lacks.
 */
export function readEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    if (PASSED.has(name) || PASSED.has(name.toUpperCase()) || name.startsWith('XDG_')) env[name] = value;
  }
  return { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' };
}

/**
 * The environment of every other git. It runs in a session of its own without a terminal, and no helper program may
 * ask instead: an empty GIT_ASKPASS switches all of them off.
 */
export function fullEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...readEnvironment(own),
    GIT_NO_LAZY_FETCH: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
  };
}
