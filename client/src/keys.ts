export interface KeyActions {
  move(by: number): void;
  type(): void;
}

/** Keys that work wherever nobody is typing. */
export function listenToKeys(actions: KeyActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const action = {
      j: () => actions.move(1),
      k: () => actions.move(-1),
      i: () => actions.type(),
    }[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
