import { encode, type RecordType } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse-query.ts';
import { RCODE, TYPE } from './wire.ts';

const BYTES_MAX = 512;
const TYPES = { A: 1, NS: 2, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const satisfies Partial<
  Record<RecordType, number>
>;
const label = fc.stringMatching(/^[a-zA-Z0-9_-]{1,30}$/);
const name = fc.array(label, { minLength: 1, maxLength: 7 }).map((labels) => labels.join('.'));
const type = fc.constantFrom('A', 'NS', 'SOA', 'TXT', 'AAAA', 'CAA');
const edns = fc.option(
  fc.record({
    payload: fc.integer({ min: 1, max: 65_535 }),
    version: fc.nat(255),
    isDnssecWanted: fc.boolean(),
  }),
);

const parse = (bytes: Buffer) => parseQuery(bytes, BYTES_MAX);
const refused = (rcode: number) => ({ kind: 'refusal', rcode });
const FORMERR = refused(RCODE.formatError);

/** A question as another implementation encodes it. */
function question(asked: string, askedType: RecordType = 'TXT'): Buffer {
  return encode({ type: 'query', id: 1, questions: [{ name: asked, type: askedType }] });
}

function changed(bytes: Buffer, change: (bytes: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

describe('a question', () => {
  it('is read as another implementation encoded it', () => {
    fc.assert(
      fc.property(name, type, edns, (asked, askedType, opt) => {
        const bytes = encode({
          type: 'query',
          id: 1,
          questions: [{ name: asked, type: askedType }],
          additionals: opt
            ? [
                {
                  type: 'OPT',
                  name: '.',
                  udpPayloadSize: opt.payload,
                  ednsVersion: opt.version,
                  extendedRcode: 0,
                  flags: opt.isDnssecWanted ? 0x8000 : 0,
                  flag_do: opt.isDnssecWanted,
                  options: [],
                },
              ]
            : [],
        });
        expect(parse(bytes)).toEqual({
          kind: 'query',
          query: {
            labels: asked.toLowerCase().split('.'),
            type: TYPES[askedType],
            class: 1,
            endOffset: 12 + asked.length + 2 + 4,
            edns: opt && {
              payloadBytesMax: opt.payload,
              version: opt.version,
              isDnssecWanted: opt.isDnssecWanted,
            },
          },
        });
      }),
    );
  });

  it('may have a name of 255 bytes and labels of 63, no more', () => {
    const long = ['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63)];
    expect(parse(question([...long, 'd'.repeat(61)].join('.'))).kind).toBe('query');
    expect(parse(question([...long, 'd'.repeat(62)].join('.')))).toEqual(FORMERR);
    expect(parse(question(`${'a'.repeat(64)}.ca`))).toEqual(FORMERR);
  });

  it('keeps bytes of a label that are not letters', () => {
    const bytes = changed(question('xxxx.ca'), (copy) => copy.set([0x40, 0xff, 0x2e, 0x41], 13));
    expect(parse(bytes)).toMatchObject({ query: { labels: ['@\u00ff.a', 'ca'] } });
  });

  it('is about the root when its name is empty', () => {
    expect(parse(question('.'))).toMatchObject({ query: { labels: [] } });
  });
});

describe('a message that is not a question', () => {
  const good = question('abc.acme.example.ca');

  it('gets no answer when it is an answer or too short for a header', () => {
    expect(parse(changed(good, (copy) => copy.writeUInt16BE(0x8000, 2)))).toEqual({ kind: 'silence' });
    for (const length of [0, 1, 11]) expect(parse(good.subarray(0, length))).toEqual({ kind: 'silence' });
  });

  it('gets NOTIMP when it requests an operation other than a query (RFC 1035, 4.1.1)', () => {
    for (let opcode = 1; opcode < 16; opcode += 1) {
      expect(parse(changed(good, (copy) => copy.writeUInt16BE(opcode << 11, 2)))).toEqual(
        refused(RCODE.notImplemented),
      );
    }
  });

  it.each([
    ['no question', 4, 0],
    ['two questions', 4, 2],
    ['an answer record', 6, 1],
    ['an authority record', 8, 1],
    ['three additional records', 10, 3],
    ['an additional record that is not there', 10, 1],
  ])('is refused with %s', (_, offset, count) => {
    expect(parse(changed(good, (copy) => copy.writeUInt16BE(count, offset)))).toEqual(FORMERR);
  });

  it('is refused when it is too long, cut off, or has trailing bytes', () => {
    expect(parse(Buffer.concat([good, Buffer.alloc(BYTES_MAX)]))).toEqual(FORMERR);
    expect(parse(Buffer.concat([good, Buffer.alloc(1)]))).toEqual(FORMERR);
    for (let length = 12; length < good.length; length += 1) {
      expect(parse(good.subarray(0, length))).toEqual(FORMERR);
    }
  });

  it('is refused when its name contains a pointer', () => {
    for (const pointer of [0xc000, 0xc00c, 0xffff]) {
      expect(parse(changed(good, (copy) => copy.writeUInt16BE(pointer, 12)))).toEqual(FORMERR);
    }
    for (const length of [0x40, 0x80]) {
      expect(parse(changed(good, (copy) => copy.writeUInt8(length, 12)))).toEqual(FORMERR);
    }
  });

  it('is refused with two EDNS records, one that is not at the root, one with a truncated option, or a signature', () => {
    const opt = (...data: number[]) =>
      Buffer.from([0, 0, TYPE.opt, 4, 208, 0, 0, 0, 0, 0, data.length, ...data]);
    const withRecords = (...records: Buffer[]) =>
      changed(Buffer.concat([good, ...records]), (copy) => copy.writeUInt16BE(records.length, 10));
    expect(parse(withRecords(opt())).kind).toBe('query');
    expect(parse(withRecords(opt(0, 10, 0, 2, 1, 1))).kind).toBe('query');
    expect(parse(withRecords(opt(), opt()))).toEqual(FORMERR);
    expect(parse(withRecords(opt(0, 10, 0, 3, 1, 1)))).toEqual(FORMERR);
    expect(parse(withRecords(opt(0)))).toEqual(FORMERR);
    expect(parse(withRecords(Buffer.concat([Buffer.from([1, 0x61]), opt()])))).toEqual(FORMERR);
    expect(parse(withRecords(changed(opt(), (copy) => copy.writeUInt16BE(TYPE.tsig, 1))))).toEqual(FORMERR);
  });
});
