/** Errors of turns that ended without a complete answer, by the stop reason that the agent reported. */
export const STOP_MESSAGES = {
  max_tokens: 'the model reached its token limit.',
  max_turn_requests: 'the agent reached its limit of model requests in one turn.',
  refusal: 'the model refused to continue.',
} as const;
