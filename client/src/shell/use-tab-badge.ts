import { useEffect } from 'react';

const NAME = 'Agent Console';

/** Shows the number of waiting sessions in the tab title and as a dot on its icon. */
export function useTabBadge(waiting: number): void {
  useEffect(() => {
    document.title = waiting === 0 ? NAME : `(${waiting}) ${NAME}`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = waiting === 0 ? '/icon.svg' : '/icon-waiting.svg';
  }, [waiting]);
}
