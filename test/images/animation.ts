import sharp from 'sharp';

/** An animation of two frames, the first of them white, the second red. */
export async function animation(format: 'gif' | 'webp', size = { width: 8, height: 6 }): Promise<Buffer> {
  const frame = (background: string) =>
    sharp({ create: { ...size, channels: 4, background } })
      .png()
      .toBuffer();
  return sharp([await frame('white'), await frame('red')], { join: { animated: true } })
    .toFormat(format, { delay: [100, 100], loop: 0 })
    .toBuffer();
}
