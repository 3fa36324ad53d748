/**
 * Variables passed on from our own environment. Excluded are `GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE` and the like,
 * which would point every command at another repository, and EDITOR, PAGER and SSH_ASKPASS, which start programs.
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
 * Settings of every command: no hook or file system monitor of the repository runs, signatures are not checked, git does
 * not start in submodules or maintenance in the background, and `ext::` URLs, which are shell commands, are refused
 * whatever a configuration says.
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
 * The environment of every git: the variables of ours that it needs, messages in English, no question to anybody, and no
 * lock only to refresh the index. git runs in a session of its own without a terminal, and an empty GIT_ASKPASS switches
 * off every helper program that would ask instead.
 */
export function gitEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    if (PASSED.has(name) || PASSED.has(name.toUpperCase()) || name.startsWith('XDG_')) env[name] = value;
  }
  return {
    ...env,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
  };
}
