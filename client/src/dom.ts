type Child = Node | string;

interface Attributes {
  class?: string;
  title?: string;
  text?: string;
  hidden?: boolean;
  type?: string;
  label?: string;
  role?: string;
  onClick?: (event: MouseEvent) => void;
}

/** Makes an element. Text only ever becomes a text node, so nothing an agent names or prints is read as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { class: className, title, text, hidden, type, label, role, onClick } = attributes;
  if (className !== undefined) element.className = className;
  if (title !== undefined) element.title = title;
  if (text !== undefined) element.textContent = text;
  if (hidden !== undefined) element.hidden = hidden;
  if (type !== undefined) element.setAttribute('type', type);
  if (label !== undefined) element.setAttribute('aria-label', label);
  if (role !== undefined) element.setAttribute('role', role);
  if (onClick !== undefined) element.addEventListener('click', onClick as (event: Event) => void);
  element.append(...children);
  return element;
}

/** Sets text only where it differs: an untouched node is not laid out again. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
