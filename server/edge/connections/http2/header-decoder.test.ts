import { describe, expect, test } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { ConnectionFault } from './frames.ts';
import { HeaderDecoder, type HeaderField } from './header-decoder.ts';
import { encodeHead } from './header-encoder.ts';

const DATE = 'Wed, 25 Nov 2026 10:00:00 GMT';

/** Returns the fields of a head, as `name: value`. */
function decode(decoder: HeaderDecoder, hex: string): string[] {
  const fields: HeaderField[] = [];
  decoder.decode(Buffer.from(hex, 'hex'), { take: (field) => fields.push(field) });
  return fields.map(({ name, value }) => `${name}: ${value}`);
}

const GET = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];

describe('the examples of heads in RFC 7541', () => {
  test('in plain characters (C.3), the table growing from head to head', () => {
    const decoder = new HeaderDecoder();
    expect(decode(decoder, '828684410f7777772e6578616d706c652e636f6d')).toEqual(GET);
    expect(decode(decoder, '828684be58086e6f2d6361636865')).toEqual([...GET, 'cache-control: no-cache']);
    expect(decode(decoder, '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565')).toEqual([
      ...[':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'],
      'custom-key: custom-value',
    ]);
  });

  test('in Huffman code (C.4)', () => {
    const decoder = new HeaderDecoder();
    expect(decode(decoder, '828684418cf1e3c2e5f23a6ba0ab90f4ff')).toEqual(GET);
    expect(decode(decoder, '828684be5886a8eb10649cbf')).toEqual([...GET, 'cache-control: no-cache']);
    expect(decode(decoder, '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf')).toContain(
      'custom-key: custom-value',
    );
  });

  test('in a small table (C.5), the oldest fields being evicted', () => {
    const decoder = new HeaderDecoder();
    // A table of 256 bytes, as in the example.
    const first =
      '3fe101488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3';
    expect(decode(decoder, first)).toEqual([
      ...[':status: 302', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT'],
      'location: https://www.example.com',
    ]);
    expect(decode(decoder, '4883640effc1c0bf')[0]).toBe(':status: 307');
    // ':status: 302' was evicted for ':status: 307'.
    expect(() => decode(decoder, 'c2')).toThrow(ConnectionFault);
  });
});

test('the encoder’s output is decoded unchanged, for any fields', () => {
  const random = seededRandom(3);
  const text = (characters: string, length: number) =>
    Array.from({ length }, () => characters[random.below(characters.length)]).join('');
  const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');
  const latin = Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join('');
  const decoder = new HeaderDecoder();
  for (let round = 0; round < 300; round += 1) {
    const headers = Array.from({ length: random.below(10) }, () => [
      random.below(2) === 0 ? 'Content-Type' : `x-${text('abcdefghijklmnopqrstuvwxyz0123456789', 5)}`,
      text(`${visible} \t${latin}`, random.below(300)),
    ]).flat();
    const status = [200, 206, 304, 404, 503, 431][random.below(6)] ?? 200;
    const expected = [`:status: ${status}`];
    for (let at = 0; at < headers.length; at += 2) {
      expected.push(`${headers[at]?.toLowerCase()}: ${headers[at + 1]}`);
    }
    expect(decode(decoder, encodeHead(status, headers, DATE).toString('hex'))).toEqual([
      ...expected,
      `date: ${DATE}`,
    ]);
  }
});

test.each([
  ['Set-Cookie', 'a=b\r\nx: y'],
  ['x-nul', 'a\0b'],
  ['x-beyond', 'caf\u{1f600}'],
  ['bad name', 'value'],
  ['', 'value'],
  [':status', '200'],
  ['Transfer-Encoding', 'chunked'],
])('a field that cannot be sent is rejected: %j: %j', (name, value) => {
  expect(() => encodeHead(200, [name, value], DATE)).toThrow(TypeError);
});

test('an interim status is rejected as a response', () => {
  expect(() => encodeHead(101, [], DATE)).toThrow(TypeError);
});

test.each([
  ['a field beyond the tables', 'be'],
  ['no field', '80'],
  ['a number that does not end', 'ffffffffffffffff'],
  ['a number that is cut off', 'ff80'],
  ['a text that is cut off', '0003616263056162'],
  ['a name without a value', '0003616263'],
  ['a wrong Huffman code', '000361626381ff'],
  ['a table larger than allowed', '3fe21f'],
  ['a table that changes its size after a field', '823fe101'],
])('invalid heads end the connection: %s', (_, hex) => {
  expect(() => decode(new HeaderDecoder(), hex)).toThrow(ConnectionFault);
});

test('a client that fills its table holds no more than the table may contain', () => {
  const decoder = new HeaderDecoder();
  // Added to the table: a name of one character, and a value of 4,000 and of 8,064 characters.
  const large = Buffer.concat([Buffer.from('4001617fa11e', 'hex'), Buffer.alloc(4_000, 'v')]);
  const tooLarge = Buffer.concat([Buffer.from('4001617f813e', 'hex'), Buffer.alloc(8_064, 'v')]);
  for (let round = 0; round < 100; round += 1) {
    expect(() => decode(decoder, large.toString('hex'))).not.toThrow();
    // Only the newest one fits.
    expect(() => decode(decoder, 'bf')).toThrow(ConnectionFault);
  }
  // A field larger than the table empties it.
  decode(decoder, tooLarge.toString('hex'));
  expect(() => decode(decoder, 'be')).toThrow(ConnectionFault);
});
