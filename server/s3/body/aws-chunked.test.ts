import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { scopeText, sha256Hex, signText } from '../signature/signing-key.ts';
import { type ChunkedOptions, readAwsChunked } from './aws-chunked.ts';

/** A body that arrives in pieces of its own. */
async function* arriving(text: string, pieceBytes: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function read(
  text: string,
  { pieceBytes = 7, ...options }: Partial<ChunkedOptions> & { pieceBytes?: number; decodedBytes: number },
): Promise<{ content: string; trailers: Record<string, string> }> {
  let trailers: Record<string, string> = {};
  const parts: Buffer[] = [];
  const content = readAwsChunked(arriving(text, pieceBytes), {
    signatures: null,
    hasTrailer: true,
    onTrailers: (heard) => {
      trailers = Object.fromEntries(heard);
    },
    ...options,
  });
  for await (const part of content) parts.push(part);
  return { content: Buffer.concat(parts).toString('latin1'), trailers };
}

const refusal = (text: string, decodedBytes: number) =>
  read(text, { decodedBytes }).then(
    () => 'taken',
    (error: { code?: string }) => error.code,
  );

describe('content in chunks', () => {
  it('is reassembled however it arrives, with its trailers', async () => {
    const random = seededRandom(3);
    for (let round = 0; round < 50; round += 1) {
      const chunks = Array.from({ length: random.below(5) }, () =>
        random.bytes(1 + random.below(300)).toString('latin1'),
      );
      const content = chunks.join('');
      const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
      const text = `${framed}0\r\nX-Amz-Checksum-Crc32: AAAA==\r\n\r\n`;
      const heard = await read(text, { decodedBytes: content.length, pieceBytes: 1 + random.below(40) });
      expect(heard).toEqual({ content, trailers: { 'x-amz-checksum-crc32': 'AAAA==' } });
    }
  });

  it('is refused when thousands of chunks are a byte each', async () => {
    expect(await refusal(`${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`, 5_000)).toBe('InvalidChunkSizeError');
    expect(await refusal(`${'1\r\nx\r\n'.repeat(900)}0\r\n\r\n`, 900)).toBe('taken');
    const chunk = `200\r\n${'x'.repeat(512)}\r\n`;
    expect(await refusal(`${chunk.repeat(2_000)}0\r\n\r\n`, 2_000 * 512)).toBe('taken');
  });

  it('is passed on in large parts, however short its chunks are', async () => {
    const body = arriving(`${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(200)}0\r\n\r\n`, 4_096);
    const options = {
      signatures: null,
      hasTrailer: true,
      decodedBytes: 200 * 1024,
      onTrailers: () => undefined,
    };
    const parts: number[] = [];
    for await (const part of readAwsChunked(body, options)) parts.push(part.byteLength);
    expect(parts).toHaveLength(4);
    expect(Math.min(...parts.slice(0, -1))).toBeGreaterThanOrEqual(64 * 1024);
  });

  it.each([
    ['that end early', '5\r\nab', 5, 'IncompleteBody'],
    ['without their last one', '2\r\nab\r\n', 2, 'IncompleteBody'],
    ['that are longer than was said', '5\r\nabcde\r\n0\r\n\r\n', 4, 'IncompleteBody'],
    ['that are shorter than was said', '2\r\nab\r\n0\r\n\r\n', 3, 'IncompleteBody'],
    ['whose size is no number', 'z\r\nab\r\n0\r\n\r\n', 2, 'IncompleteBody'],
    ['whose size is negative', '-1\r\nab\r\n0\r\n\r\n', 2, 'IncompleteBody'],
    ['whose size nobody sends', 'fffffffffff\r\n', 2, 'IncompleteBody'],
    ['whose size has no end', '0'.repeat(5_000), 0, 'IncompleteBody'],
    ['with more than their size', '2\r\nabcd\r\n0\r\n\r\n', 2, 'IncompleteBody'],
    ['with something behind them', '2\r\nab\r\n0\r\n\r\nGET / HTTP/1.1', 2, 'InvalidRequest'],
    ['with a trailer that is none', '0\r\nnothing\r\n\r\n', 0, 'MalformedTrailerError'],
    [
      'with trailers without end',
      `0\r\n${'a: b\r\n'.repeat(5)}${Array.from({ length: 20 }, (_, at) => `t${at}: x\r\n`).join('')}\r\n`,
      0,
      'MalformedTrailerError',
    ],
  ])('%s are refused', async (_, text, decodedBytes, code) => {
    expect(await refusal(text, decodedBytes)).toBe(code);
  });

  it('may end as MinIO ends them: a line feed after each trailer, a blank line more at the end', async () => {
    const text = '2\r\nab\r\n0\r\nx-amz-checksum-crc32c:AAAA==\n\r\n\r\n';
    for (const pieceBytes of [1, 7, 100]) {
      expect(await read(text, { decodedBytes: 2, pieceBytes })).toEqual({
        content: 'ab',
        trailers: { 'x-amz-checksum-crc32c': 'AAAA==' },
      });
    }
    expect(await refusal(`${text}\r\n`, 2)).toBe('InvalidRequest');
  });

  it.each(['\r\n', '\n\r\n'])(
    'are taken with signed trailers that %j separates from their signature',
    async (end) => {
      const scope = { day: '20261125', region: 'qc-south-1' };
      const signatures = {
        key: createSecretKey(Buffer.from('key')),
        scope,
        date: '20261125T120000Z',
        seed: 'f'.repeat(64),
      };
      const sign = (kind: string, previous: string, hashes: string[]) =>
        signText(signatures.key, [kind, signatures.date, scopeText(scope), previous, ...hashes].join('\n'));
      const last = sign('AWS4-HMAC-SHA256-PAYLOAD', signatures.seed, [sha256Hex(''), sha256Hex('')]);
      const trailer = 'x-amz-checksum-crc32c:AAAA==';
      const signature = sign('AWS4-HMAC-SHA256-TRAILER', last, [sha256Hex(`${trailer}\n`)]);
      const body = (signed: string) =>
        `0;chunk-signature=${last}\r\n${trailer}${end}x-amz-trailer-signature:${signed}\r\n\r\n`;
      expect((await read(body(signature), { decodedBytes: 0, signatures })).trailers).toEqual({
        'x-amz-checksum-crc32c': 'AAAA==',
      });
      const forged = read(body('0'.repeat(64)), { decodedBytes: 0, signatures });
      await expect(forged).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' });
    },
  );

  it('are refused with an unannounced trailer', async () => {
    const response = read('0\r\na: b\r\n\r\n', { decodedBytes: 0, hasTrailer: false });
    await expect(response).rejects.toMatchObject({ code: 'MalformedTrailerError' });
  });
});
