import { type Command, Help } from 'commander';

/** A line of help begins with a capital, unless it begins with a value such as `text: …`. */
function sentence(text: string): string {
  return /^\w+:/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const help = Help.prototype;

/** How help looks, our own words and commander's alike. Commands that are added afterwards have it too. */
export function withHelp(command: Command): Command {
  return command.configureHelp({
    optionDescription: (option) => sentence(help.optionDescription(option)),
    argumentDescription: (argument) => sentence(help.argumentDescription(argument)),
    subcommandDescription: (subcommand) => sentence(help.subcommandDescription(subcommand)),
  });
}
