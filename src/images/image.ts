/** What is known of an image, and its pixels once they are unpacked. */
export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'bmp';

export type Size = { readonly width: number; readonly height: number };

/** The size is the one it is shown in: a photo that lies on its side is turned first. */
export type ImageFacts = Size & { readonly format: ImageFormat; readonly animated: boolean };

/** Red, green, blue and opacity of each pixel, a byte each, row by row from the top. */
export type Pixels = Size & { readonly rgba: Uint8Array };

/** The size in which an image of this size fits into a square, never larger than it is. */
export function fitInto(side: number, { width, height }: Size): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: scaled(width, scale), height: scaled(height, scale) };
}

function scaled(length: number, scale: number): number {
  return Math.max(1, Math.round(length * scale));
}
