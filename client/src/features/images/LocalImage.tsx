import { useEffect, useState } from 'react';

/**
 * An image that the console has not stored yet. It has its full size on the page even before the browser has loaded it.
 */
export function LocalImage(props: {
  image: { blob: Blob; width: number; height: number };
  alt: string;
  className: string;
}) {
  const { image, alt, className } = props;
  const { blob, width, height } = image;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return <img alt={alt} className={className} height={height} src={url} width={width} />;
}
