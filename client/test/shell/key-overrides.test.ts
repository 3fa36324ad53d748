import { expect, test } from 'vitest';
import { idOfLabel } from '../../src/shell/key-overrides.ts';
import { SHORTCUT_LABELS } from '../../src/shell/shortcut-labels.ts';

/** Labels by which earlier builds stored the keys that a person had changed. */
const EARLIER_LABELS = `
Add an agent
Add repository
Answer or reply
Answer the agent's question
Answer the question on the card
Boards
Cancel the run
Choose session for an action on several
Close
Collapse
Column to the left
Column to the right
Comment on the selected lines
Commit…
Delegate work
Discard uncommitted changes…
Edit the search
Expand
Expand or collapse file
Filter
Filter cards
Filter files
Filter sessions
Focus mode: hide session list and details
Focus the prompt
Focus the terminal
Grid of terminals
Inbox
Mark as read
Mark everything shown as read
Mark file as viewed and go to the next
Merge…
Move the card down
Move the card up
Move the card…
New board
New run
Next card
Next file
Next file that is not viewed
Next hunk
Next item
Next result
Next run
Next session
Next terminal
Next that needs you
Next that needs you, also while a question is open
Next turn
Open in place
Open session
Pause the run
Pause the run and interrupt its agents
Pin or unpin session
Previous card
Previous file
Previous hunk
Previous item
Previous result
Previous run
Previous session
Previous terminal
Previous turn
Push, or create a pull request…
Rename session
Repositories
Resume the run
Run the check command
Runs
Search
Search all conversations
Search in the conversation
Search or run a command
Send comments
Sessions
Settings
Show columns or a list
Show conversation
Show diff
Show events
Show keyboard shortcuts
Show or hide details
Show or hide session list
Show or hide whitespace changes
Show sessions that change the same files
Show terminal
Show the events
Show the graph
Show the table
Start the run
Switch between unified and split
Undo marking as read
Undo the last merge
Update from the base branch…
`;

test('keys that an earlier build stored by label belong to a shortcut', () => {
  const labels = EARLIER_LABELS.trim().split('\n');
  const ids = labels.map(idOfLabel);
  expect(labels.filter((_, at) => !Object.hasOwn(SHORTCUT_LABELS, ids[at] ?? ''))).toEqual([]);
  expect(new Set(ids).size).toBe(labels.length);
});

test('keys that are stored by id stay', () => {
  const ids = Object.keys(SHORTCUT_LABELS);
  expect(ids.map(idOfLabel)).toEqual(ids);
});
