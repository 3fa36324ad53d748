import { type Command, Help } from 'commander';

function sentenceCase(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const help = Help.prototype;

/** Puts every description of the help in sentence case, commander's own included. Commands added later inherit it. */
export function withHelp(command: Command): Command {
  return command.configureHelp({
    optionDescription: (option) => sentenceCase(help.optionDescription(option)),
    argumentDescription: (argument) => sentenceCase(help.argumentDescription(argument)),
    subcommandDescription: (subcommand) => sentenceCase(help.subcommandDescription(subcommand)),
  });
}
