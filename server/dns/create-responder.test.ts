import { decode, encode } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { createResponder } from './create-responder.ts';
import { defaultDnsLimits } from './dns-limits.ts';
import { OPCODE, RCODE, TYPE } from './wire.ts';

const limits = {
  ...defaultDnsLimits,
  answersBurst: Number.MAX_SAFE_INTEGER,
  lookupsPerSecond: Number.MAX_SAFE_INTEGER,
};

function respondWith(
  findTexts: (label: string) => Promise<readonly string[] | null>,
  addresses: string[] = [],
) {
  return createResponder({
    ports: { findTexts },
    settings: {
      challengeZone: 'acme.example.ca',
      addressZone: 'edge.example.ca',
      addresses,
      nameServers: [],
    },
    logger: { warn: () => undefined, error: () => undefined },
    clock: { now: () => 1_700_000_000_000 },
    limits,
    queueLookups: (of) => new FairQueue(of),
  });
}

const VALUE = 'v'.repeat(43);
const responder = respondWith(async (label) => (label === 'abc' ? [VALUE, VALUE] : null));
const SEED = encode({
  type: 'query',
  id: 1,
  questions: [{ name: 'abc.acme.example.ca', type: 'TXT' }],
  additionals: [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      ednsVersion: 0,
      extendedRcode: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ],
});

/** A valid question with some bytes replaced, cut off or appended. */
const damaged = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(SEED.length - 1), fc.nat(255)), { maxLength: 6 }),
    fc.nat(SEED.length),
    fc.uint8Array({ maxLength: 40 }),
  )
  .map(([changes, length, tail]) => {
    const copy = Buffer.from(SEED);
    for (const [offset, byte] of changes) copy[offset] = byte;
    return Buffer.concat([copy.subarray(0, length), tail]);
  });
/** Random bytes behind a header that claims many records. */
const chance = fc
  .tuple(fc.uint8Array({ maxLength: 600 }), fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }))
  .map(([bytes, counts]) => {
    const header = Buffer.alloc(12);
    for (const [index, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * index);
    return Buffer.concat([header, bytes]);
  });
/** Names made of pointers and length bytes: what sends a careless decoder round in circles. */
const pointers = fc
  .array(fc.constantFrom(0xc0, 0x0c, 0x0e, 0x00, 0x01, 0x3f, 0x40, 0x80, 0xff), { maxLength: 500 })
  .map((bytes) => Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2]), Buffer.from(bytes)]));

describe('any message at all', () => {
  it('gets a small bounded answer with its own id or none at all, and nothing throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, chance, pointers), async (message) => {
        for (const answer of [
          await responder.answerUdp(message, '192.0.2.9'),
          await responder.answerTcp(message, '192.0.2.9'),
        ]) {
          if (answer === null) continue;
          expect(answer.readUInt16BE(0)).toBe(message.readUInt16BE(0));
          expect(answer.readUInt16BE(2) & 0x8000).toBe(0x8000);
          expect(answer.length).toBeLessThanOrEqual(512);
          // Answers are never answered.
          expect(await responder.answerUdp(answer, '192.0.2.9')).toBeNull();
          expect(await responder.answerTcp(answer, '192.0.2.9')).toBeNull();
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('that is refused gets an answer no larger than itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, chance, pointers), async (message) => {
        const answer = await responder.answerUdp(message, '192.0.2.9');
        if (answer === null || (answer.readUInt16BE(2) & 0xf) === 0) return;
        const room = (answer.readUInt16BE(2) & 0xf) === 3 ? 64 : 0;
        expect(answer.length).toBeLessThanOrEqual(message.length + room);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a refusal', () => {
  const OPT = [0, 0, TYPE.opt, 4, 208, 0, 0, 0x80, 0, 0, 0];
  const plain = encode({ type: 'query', id: 1, questions: [{ name: 'abc.acme.example.ca', type: 'TXT' }] });
  /** A message with these words of its header, and these bytes behind its question. */
  const message = (header: Record<number, number>, ...tail: number[]) => {
    const bytes = Buffer.concat([plain, Buffer.from(tail)]);
    for (const [offset, word] of Object.entries(header)) bytes.writeUInt16BE(word, Number(offset));
    return bytes;
  };
  const RECORD = [0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 1, 0];
  it.each([
    ['an update', RCODE.notImplemented, message({ 2: OPCODE.update << 11, 10: 1 }, ...OPT)],
    [
      'a notification with a record',
      RCODE.notImplemented,
      message({ 2: 4 << 11, 6: 1, 10: 1 }, ...RECORD, ...OPT),
    ],
    ['an unknown operation', RCODE.notImplemented, message({ 2: 15 << 11, 10: 1 }, ...OPT)],
    ['two EDNS records', RCODE.formatError, message({ 10: 2 }, ...OPT, ...OPT)],
    ['a truncated option', RCODE.formatError, message({ 10: 1 }, ...OPT.slice(0, 10), 3, 0, 10, 0)],
    ['an answer record', RCODE.formatError, message({ 6: 1, 10: 1 }, ...RECORD, ...OPT)],
    ['trailing bytes', RCODE.formatError, message({ 10: 1 }, ...OPT, 0)],
    [
      'a version of EDNS that does not exist yet',
      RCODE.badVersion & 0xf,
      message({ 10: 1 }, ...OPT.with(6, 1)),
    ],
    ['no question', RCODE.formatError, Buffer.from([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, ...OPT])],
  ])('of %s has an EDNS record if the message has one', async (_, rcode, bytes) => {
    for (const answer of [
      await responder.answerUdp(bytes, '192.0.2.9'),
      await responder.answerTcp(bytes, '192.0.2.9'),
    ]) {
      const read = decode(answer ?? Buffer.alloc(0));
      expect((answer?.readUInt16BE(2) ?? 0) & 0xf).toBe(rcode);
      expect(read.additionals).toEqual([
        expect.objectContaining({ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0, flag_do: true }),
      ]);
    }
  });

  it.each([
    ['an operation that we do not know', message({ 2: 15 << 11 })],
    ['a record that is cut off', message({ 10: 1 }, ...OPT.slice(0, 9))],
    ['more questions than there are', message({ 4: 65_535, 10: 1 }, ...OPT)],
    ['a name without an end', message({ 10: 1 }, 63, ...OPT)],
    ['an EDNS record among the answers', message({ 6: 1 }, ...OPT)],
  ])('of %s without an EDNS record has none', async (_, bytes) => {
    const answer = await responder.answerUdp(bytes, '192.0.2.9');
    expect(answer).toHaveLength(12);
  });
});

describe('an answer', () => {
  const ask = async (name: string, type: 'TXT' | 'A' | 'AAAA', from = responder) =>
    decode(
      (await from.answerTcp(encode({ type: 'query', id: 9, questions: [{ name, type }] }), '192.0.2.9')) ??
        Buffer.alloc(0),
    );

  it('with every kind of name reads the same in another implementation', async () => {
    const spelling = fc.stringMatching(/^[a-zA-Z0-9]{1,40}$/);
    await fc.assert(
      fc.asyncProperty(spelling, fc.mixedCase(fc.constant('acme.example.ca')), async (label, zone) => {
        const texts = [label, 'x'.repeat(300), 'é'];
        const read = await ask(
          `${label}.${zone}`,
          'TXT',
          respondWith(async () => texts),
        );
        expect(read.questions).toEqual([{ name: `${label}.${zone}`, type: 'TXT', class: 'IN' }]);
        expect(
          read.answers?.map((record) =>
            record.type === 'TXT' && Array.isArray(record.data)
              ? [
                  record.name,
                  record.ttl,
                  Buffer.concat(record.data.map((part) => Buffer.from(part))).toString(),
                ]
              : [],
          ),
        ).toEqual(texts.map((text) => [`${label}.${zone}`, 0, text]));
      }),
    );
  });

  it('returns addresses as configured, however an IPv6 address is written', async () => {
    const addresses = [
      '192.0.2.7',
      '2001:db8::1',
      '::',
      '::1',
      '2001:db8:0:1:2:3:4:5',
      'fe80::',
      '::ffff:192.0.2.1',
    ];
    const from = respondWith(async () => null, addresses);
    const data = async (type: 'A' | 'AAAA') =>
      (await ask('x.edge.example.ca', type, from)).answers?.map((record) =>
        'data' in record ? record.data : null,
      );
    expect(await data('A')).toEqual(['192.0.2.7']);
    expect(await data('AAAA')).toEqual([
      '2001:db8::1',
      '::',
      '::1',
      '2001:db8:0:1:2:3:4:5',
      'fe80::',
      '::ffff:c000:201',
    ]);
  });

  it('with more texts than fit in a message says so, and is still a valid message', async () => {
    const read = await ask(
      'abc.acme.example.ca',
      'TXT',
      respondWith(async () => Array(2_000).fill(VALUE)),
    );
    expect(read.flag_tc).toBe(true);
    const whole = await ask(
      'abc.acme.example.ca',
      'TXT',
      respondWith(async () => Array(1_000).fill(VALUE)),
    );
    expect(whole.answers).toHaveLength(1_000);
  });
});
