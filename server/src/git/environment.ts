/**
 * Variables of the server's environment that are passed to git, besides those that begin with `XDG_`. The same names in
 * lower case, for example `http_proxy`, are passed too. Other variables are not passed: `GIT_DIR` and similar ones
 * would make every command use another repository, and EDITOR, PAGER and SSH_ASKPASS would start programs.
 */
const PASSED_VARIABLES = new Set([
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
 * Settings of every command. They disable the repository's file system monitor, signature checks, recursion into
 * submodules, background maintenance, and `ext::` URLs, which are shell commands. They override the settings of all
 * configuration files.
 */
export const SETTINGS: readonly string[] = [
  'core.fsmonitor=false',
  'log.showSignature=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
];

/**
 * Returns the environment of every git process: messages in English, no prompts, and no locks for commands that only
 * refresh the index. Without a terminal, git can prompt only through a helper program, which an empty GIT_ASKPASS
 * disables.
 */
export function gitEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    if (PASSED_VARIABLES.has(name) || PASSED_VARIABLES.has(name.toUpperCase()) || name.startsWith('XDG_'))
      env[name] = value;
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
