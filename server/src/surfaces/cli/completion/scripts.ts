/** Completion scripts. Each runs `agent-console complete`, which prints a value, a tab and a description per line. */

const BASH = `# bash completion for agent-console. Load it with: source <(agent-console completion bash)
_agent_console() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(agent-console complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  compopt -o filenames 2>/dev/null
}
complete -F _agent_console agent-console
`;

const ZSH = `#compdef agent-console
# zsh completion for agent-console. Load it with: source <(agent-console completion zsh)
_agent_console() {
  local line
  local -a candidates
  for line in "\${(@f)$(agent-console complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe 'agent-console' candidates
}
compdef _agent_console agent-console
`;

const FISH = `# fish completion for agent-console. Load it with: agent-console completion fish | source
complete -c agent-console -f -a '(agent-console complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SCRIPTS;
