/**
 * Returns the images in pasted or dropped data. Text takes precedence, because office programs also copy text as an
 * image.
 */
export function imagesIn(data: DataTransfer): File[] {
  if (data.getData('text/plain') !== '') return [];
  return [...data.files].filter(({ type }) => type.startsWith('image/'));
}
