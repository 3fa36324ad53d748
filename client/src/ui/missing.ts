import { createContext, useContext } from 'react';

/** Whether someone tried to send the form around while something in it was missing. */
export const Tried = createContext(false);

/** What is missing, once someone tried to send without it. Whatever is around it carries `data-missing`. */
export function useMissing(missing: string | undefined): string | undefined {
  return useContext(Tried) ? missing : undefined;
}
