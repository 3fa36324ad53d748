/**
 * Completion scripts. Each runs `complete`, which prints a value, a tab and a description per line. `program` is the
 * command, quoted for the shell, that starts the program. If the shell does not find a command `agent-console`, the
 * script defines it.
 */

const bash = (
  program: string,
) => `# bash completion for agent-console. Load it with: source <(agent-console completion bash)
command -v agent-console >/dev/null || agent-console() { ${program} "$@"; }
_agent_console() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(${program} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  compopt -o filenames 2>/dev/null
}
complete -F _agent_console agent-console
`;

const zsh = (program: string) => `#compdef agent-console
# zsh completion for agent-console. Load it with: source <(agent-console completion zsh)
(( $+commands[agent-console] )) || agent-console() { ${program} "$@"; }
_agent_console() {
  local line
  local -a candidates
  for line in "\${(@f)$(${program} complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe 'agent-console' candidates
}
compdef _agent_console agent-console
`;

const fish = (
  program: string,
) => `# fish completion for agent-console. Load it with: agent-console completion fish | source
type -q agent-console; or function agent-console; ${program} $argv; end
complete -c agent-console -f -a '(${program.replaceAll("'", "\\'")} complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

export const SCRIPTS = { bash, zsh, fish } as const;
export type Shell = keyof typeof SCRIPTS;
