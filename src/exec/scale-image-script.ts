/**
 * What runs in a process of its own, since decoding is the work of native code on bytes of anybody's making:
 *   node -e SCRIPT -- <package> <file> <longest side> <most bytes>
 * It prints one line of JSON, `{"bytes": n}` and then the image, or `{"problem": "…"}` when the file cannot be decoded.
 * Anything else, such as a package that does not load, ends it with another exit code than 0.
 */
export const SCALE_IMAGE_SCRIPT = String.raw`
'use strict';
const [packagePath, file, side, most] = process.argv.slice(1);
const maxSide = Number(side);
const maxBytes = Number(most);
const sharp = require(packagePath);

// One thread and no cache: it has one thing to do, perhaps under tight limits.
sharp.concurrency(1);
sharp.cache(false);
// Of all that the package can read, no more than is asked for.
sharp.block({ operation: ['VipsForeignLoad'] });
const formats = ['Jpeg', 'Png', 'Nsgif', 'Webp'];
sharp.unblock({ operation: formats.map((format) => 'VipsForeignLoad' + format + 'Buffer') });

main();

async function main() {
  let image;
  const bytes = require('node:fs').readFileSync(file);
  try {
    image = await decode(bytes);
  } catch (error) {
    return void process.stdout.write(JSON.stringify({ problem: String(error.message).slice(0, 300) }) + '\n');
  }
  const encoded = await encodeWithin(image);
  process.stdout.write(JSON.stringify({ bytes: encoded.length }) + '\n');
  process.stdout.write(encoded);
}

// The first frame, turned as it is meant to be seen, and made to fit.
function decode(bytes) {
  return sharp(bytes, { limitInputPixels: 100_000_000, failOn: 'error' })
    .rotate()
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
}

async function encodeWithin(image) {
  for (;;) {
    const encoded = await encode(image);
    const longest = Math.max(image.info.width, image.info.height);
    if (encoded.length <= maxBytes || longest === 1) return encoded;
    const width = Math.max(1, Math.floor(longest * 0.75));
    image = await pixels(image).resize({ width, height: width, fit: 'inside' }).raw().toBuffer({ resolveWithObject: true });
  }
}

// Where a PNG is not much larger than a JPEG, there are few colours, and it shows them sharper.
async function encode(image) {
  let smallest = await pixels(image).flatten({ background: 'white' }).jpeg({ quality: 85 }).toBuffer();
  const png = await pixels(image).png().toBuffer();
  if (png.length <= maxBytes && (isSeeThrough(image) || png.length <= 2 * smallest.length)) return png;
  for (const quality of [70, 50]) {
    if (smallest.length <= maxBytes) break;
    smallest = await pixels(image).flatten({ background: 'white' }).jpeg({ quality }).toBuffer();
  }
  return smallest;
}

function isSeeThrough({ data, info }) {
  if (info.channels !== 4) return false;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
  return false;
}

function pixels({ data, info: { width, height, channels } }) {
  return sharp(data, { raw: { width, height, channels } });
}
`;
