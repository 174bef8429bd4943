const BLOCK_BYTES = 64;
const K = roundConstants();

/**
 * SHA-256 that takes its input in portions (FIPS 180-4). Browsers hash only whole buffers, and only on pages
 * from a secure address; this one takes files of any size anywhere.
 */
export class Sha256 {
  private readonly state = new Uint32Array([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ]);
  private readonly schedule = new Uint32Array(BLOCK_BYTES);
  private readonly rest = new Uint8Array(BLOCK_BYTES);
  private restBytes = 0;
  private totalBytes = 0;

  update(bytes: Uint8Array): this {
    this.totalBytes += bytes.byteLength;
    let offset = 0;
    if (this.restBytes > 0) {
      offset = Math.min(BLOCK_BYTES - this.restBytes, bytes.byteLength);
      this.rest.set(bytes.subarray(0, offset), this.restBytes);
      this.restBytes += offset;
      if (this.restBytes < BLOCK_BYTES) return this;
      this.compress(this.rest, 0);
      this.restBytes = 0;
    }
    for (; offset + BLOCK_BYTES <= bytes.byteLength; offset += BLOCK_BYTES) this.compress(bytes, offset);
    this.rest.set(bytes.subarray(offset));
    this.restBytes = bytes.byteLength - offset;
    return this;
  }

  /** Returns the digest in 64 lower-case hexadecimal digits; the object takes no more input after it. */
  hex(): string {
    const bits = this.totalBytes * 8;
    const padding = new Uint8Array(this.restBytes < 56 ? 64 - this.restBytes : 128 - this.restBytes);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.byteLength - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.byteLength - 4, bits % 2 ** 32);
    this.update(padding);
    return Array.from(this.state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  private compress(bytes: Uint8Array, offset: number): void {
    const { schedule: w, state } = this;
    const at = (words: Uint32Array, index: number) => words[index] ?? 0;
    for (let t = 0; t < 16; t += 1) {
      const i = offset + t * 4;
      w[t] =
        ((bytes[i] ?? 0) << 24) |
        ((bytes[i + 1] ?? 0) << 16) |
        ((bytes[i + 2] ?? 0) << 8) |
        (bytes[i + 3] ?? 0);
    }
    for (let t = 16; t < BLOCK_BYTES; t += 1) {
      const x = at(w, t - 15);
      const y = at(w, t - 2);
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = at(w, t - 16) + s0 + at(w, t - 7) + s1;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < BLOCK_BYTES; t += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, t) + at(w, t)) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word;
  }
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function roundConstants(): Uint32Array {
  const constants = new Uint32Array(BLOCK_BYTES);
  const primes: number[] = [];
  for (let n = 2; primes.length < BLOCK_BYTES; n += 1) {
    if (primes.some((prime) => n % prime === 0)) continue;
    constants[primes.length] = fractionOfCubeRoot(n);
    primes.push(n);
  }
  return constants;
}

/** Whole-number cube root of n * 2^96, of which the low 32 bits are the fraction. */
function fractionOfCubeRoot(n: number): number {
  const target = BigInt(n) << 96n;
  let low = 0n;
  let high = 1n << 36n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** 3n <= target) low = middle;
    else high = middle - 1n;
  }
  return Number(low & 0xffffffffn);
}
