import type { SeededRandom } from '#tests/support/seeded-random.ts';
import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { happens, nonsenseText, pick, several } from '../nonsense.ts';
import { exchangeRaw, type Step } from './raw-exchange.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;
const END_STREAM = 1;
const END_HEADERS = 4;
const INITIAL_WINDOW_SIZE = 4;

/**
 * HTTP/2 frames that no client sends: of wrong types, sizes, orders and numbers, and valid ones far too
 * often.
 */
export const http2Frames: FuzzAttack = {
  name: 'http2-frames',
  async round(target, random) {
    const steps: Step[] = [{ send: PREFACE }];
    if (happens(random, 95)) steps.push({ send: frame(SETTINGS, 0, 0, settings(random)) });
    let stream = 1;
    const nextStream = () => {
      stream += 2;
      return stream - 2;
    };
    for (let count = 1 + random.below(12); count > 0; count -= 1) {
      for (const send of burst(target, random, nextStream)) steps.push({ send });
      if (happens(random, 20)) steps.push({ waitMs: random.below(20) });
    }
    if (happens(random, 20)) steps.splice(2, 0, { stopReading: true });
    await exchangeRaw(
      { port: target.httpsPort, secure: { host: target.host, protocol: 'h2' } },
      steps,
      attackerAddress(random),
    );
  },
};

function burst(target: FuzzTarget, random: SeededRandom, nextStream: () => number): Buffer[] {
  const many = 1 + random.below(120);
  const times = (count: number, make: () => Buffer) => Array.from({ length: count }, make);
  const request = () => frame(HEADERS, END_STREAM | END_HEADERS, nextStream(), headerBlock(target, random));
  switch (random.below(11)) {
    case 0:
      return times(many, request);
    case 1:
      // Opened and reset, again and again.
      return times(many, () => {
        const opened = nextStream();
        const head = frame(HEADERS, END_STREAM | END_HEADERS, opened, headerBlock(target, random));
        return Buffer.concat([head, frame(RST_STREAM, 0, opened, u32(8))]);
      });
    case 2:
      return times(many, () => frame(PING, random.below(2), 0, random.bytes(8)));
    case 3:
      return times(many, () => frame(SETTINGS, 0, 0, settings(random)));
    case 4:
      return times(many, () =>
        frame(WINDOW_UPDATE, 0, random.below(40), u32(pick(random, [0, 1, 65_535, 2 ** 31 - 1]))),
      );
    case 5: {
      // A head without an end.
      const opened = nextStream();
      return [
        frame(HEADERS, END_STREAM, opened, headerBlock(target, random)),
        ...times(random.below(60), () =>
          frame(CONTINUATION, 0, opened, literal('x-filler', 'y'.repeat(200))),
        ),
      ];
    }
    case 6:
      return times(many, () => frame(DATA, 0, random.below(60), random.bytes(random.below(200))));
    case 7:
      return [
        frame(random.below(256), random.below(256), random.below(50), random.bytes(random.below(2_000))),
      ];
    case 8: {
      const whole = request();
      return [whole.subarray(0, random.below(whole.length))];
    }
    case 9: {
      // A length that does not match what follows.
      const wrong = Buffer.from(request());
      wrong.writeUIntBE(random.below(2 ** 24), 0, 3);
      return [wrong];
    }
    default:
      return [frame(HEADERS, END_HEADERS | END_STREAM, nextStream(), random.bytes(random.below(300)))];
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function settings(random: SeededRandom): Buffer {
  return Buffer.concat(
    several(random, 5, () => {
      const entry = Buffer.alloc(6);
      entry.writeUInt16BE(happens(random, 80) ? INITIAL_WINDOW_SIZE : random.below(20), 0);
      entry.writeUInt32BE(pick(random, [0, 1, 16_384, 65_535, 2 ** 31 - 1, 2 ** 32 - 1]), 2);
      return entry;
    }),
  );
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A header as a literal without Huffman coding (RFC 7541, 6.2.2). */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1').subarray(0, 2_000);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [0x7f];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 0x80);
  length.push(rest);
  return Buffer.concat([Buffer.from(length), bytes]);
}

function headerBlock(target: FuzzTarget, random: SeededRandom): Buffer {
  const authority = happens(random, 85) ? target.host : nonsenseText(random, 200);
  const path = happens(random, 70)
    ? pick(random, ['/', target.largePath, '/docs', '/none', '/old/a'])
    : nonsenseText(random, 500);
  const pairs: [string, string][] = [
    [':method', happens(random, 90) ? 'GET' : pick(random, ['HEAD', 'POST', 'CONNECT', '', 'x'])],
    [':scheme', happens(random, 95) ? 'https' : nonsenseText(random, 20)],
    [':authority', authority],
    [':path', path],
    ...several(random, 3, (): [string, string] => [
      happens(random, 60)
        ? pick(random, ['range', 'if-none-match', 'accept-encoding', 'host', 'cookie', 'te', 'connection'])
        : nonsenseText(random, 60),
      nonsenseText(random, 400),
    ]),
  ];
  if (happens(random, 5)) pairs.splice(random.below(pairs.length), 1);
  return Buffer.concat(pairs.map(([name, value]) => literal(name, value)));
}
