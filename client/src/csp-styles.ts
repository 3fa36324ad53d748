/**
 * The page's policy is `style-src 'self'`: no inline styles, neither `<style>` nor the attribute. The terminal library
 * writes both. What it writes is passed on to the two interfaces that the policy leaves to scripts: adopted style sheets
 * and the style object. Call once, before a terminal is made.
 */
export function patchStylesForCsp(): void {
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? adoptedStyle(createElement('template')) : createElement(name, options);

  const { setAttribute } = HTMLElement.prototype;
  HTMLElement.prototype.setAttribute = function setAttributeWithStyle(this: HTMLElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}

/**
 * An inert element in place of a `<style>`, which the policy refuses even while it is empty: its text becomes that of a
 * style sheet of the document, and the two go together.
 */
function adoptedStyle(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  Object.defineProperty(element, 'textContent', {
    set(css: string) {
      sheet.replaceSync(css);
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    },
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    HTMLElement.prototype.remove.call(element);
  };
  return element;
}
