/** Numbers in bytes. What lies beyond the end reads as zero, so that no parser can stumble over a short file. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

export function little16(bytes: Uint8Array, at: number): number {
  return byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8);
}

export function little24(bytes: Uint8Array, at: number): number {
  return little16(bytes, at) | (byteAt(bytes, at + 2) << 16);
}

export function little32(bytes: Uint8Array, at: number): number {
  return (little24(bytes, at) | (byteAt(bytes, at + 3) << 24)) >>> 0;
}

export function big16(bytes: Uint8Array, at: number): number {
  return (byteAt(bytes, at) << 8) | byteAt(bytes, at + 1);
}

export function big32(bytes: Uint8Array, at: number): number {
  return ((big16(bytes, at) << 16) | big16(bytes, at + 2)) >>> 0;
}

/** Whether these characters stand there, each as one byte. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
