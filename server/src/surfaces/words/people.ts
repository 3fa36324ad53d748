/** Words of tokens, logins and events. */
export const PEOPLE: Readonly<Record<string, string>> = {
  'tokens.create.userId': 'Whose token it will be; the local owner’s when it is left out',
  'tokens.create.expiresAt': 'When it ends to be valid; never when it is left out',
  'ConsoleEvent.at': 'When it happened (RFC 3339, UTC)',
  'ConsoleEvent.type': 'What happened: <noun>.<past participle>',
  'ConsoleEvent.alias': 'Another name under which some know this event',
  'ConsoleEvent.subject': 'What it happened to',
  'ConsoleEvent.actor': 'Who did it: user:<id>, session:<id> or system',
  'ConsoleEvent.data': 'Facts of this type of event',
  'login.redeem.code': 'The code of the link that `agent-console open` prints; valid once, for a minute',
  'Token.kind': 'Whose it is: of a user or of a worker',
  'Token.workerId': 'The worker it belongs to and ends with, or null',
};
