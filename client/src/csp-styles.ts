/**
 * Makes the terminal library work with the page's CSP `style-src 'self'`, which forbids the `<style>` elements and
 * style attributes that the library writes. The patches replace them with adopted style sheets and the CSSOM, which the
 * policy allows. Must be called once, before a terminal is created.
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
 * Turns an element into a substitute for a `<style>` element. The CSP forbids even an empty `<style>`. Setting the text
 * of the substitute updates an adopted style sheet. Removing the substitute removes this style sheet.
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
