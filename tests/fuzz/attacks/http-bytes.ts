import type { SeededRandom } from '#tests/support/seeded-random.ts';
import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { happens, nonsenseText, nonsenseToken, pick, several } from '../nonsense.ts';
import { exchangeRaw, type Step, statusesOf, type TargetListener } from './raw-exchange.ts';

const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'PRI',
  'get',
  'G\0T',
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/9.9',
  'http/1.1',
  '',
];
const HEADER_NAMES = [
  'Range',
  'If-None-Match',
  'If-Modified-Since',
  'If-Range',
  'Accept-Encoding',
  'Accept-Language',
  'Accept',
  'Cookie',
  'Authorization',
  'Connection',
  'Upgrade',
  'HTTP2-Settings',
  'Transfer-Encoding',
  'Content-Length',
  'Content-Type',
  'Expect',
  'Origin',
  'Sec-Fetch-Site',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'Forwarded',
  'TE',
  'Trailer',
  'Keep-Alive',
  'Portage-Organization',
  'Idempotency-Key',
];
const HEADER_VALUES = new Map<string, readonly string[]>(
  Object.entries({
    Range: ['bytes=0-', 'bytes=-1', 'bytes=5-2', 'bytes=0-0,1-1', 'bytes=99999999999999999999-', 'items=0-1'],
    Connection: ['close', 'keep-alive', 'upgrade', 'close, keep-alive', 'te, x'],
    'Transfer-Encoding': ['chunked', 'chunked, chunked', 'identity', 'gzip, chunked', ' chunked', 'xchunked'],
    'Content-Length': ['0', '5', '-1', '+5', '5, 5', '9999999999999999999999', '0x10', '1e3'],
    'Accept-Encoding': ['br', 'gzip', 'br;q=0, *;q=0', 'gzip;q=9', 'identity;q=0'],
    Upgrade: ['websocket', 'h2c', 'TLS/1.0'],
    Expect: ['100-continue', '200-ok'],
  }),
);

/** Bytes that are nearly HTTP/1.1: at the edge, also over TLS, and at the console. */
export const httpBytes: FuzzAttack = {
  name: 'http-bytes',
  async round(target, random) {
    const listener = chooseListener(target, random);
    const requests = Array.from({ length: 1 + random.below(4) }, () =>
      requestBytes(target, random, listener),
    );
    const steps = toSteps(random, requests);
    const received = await exchangeRaw(listener, steps, attackerAddress(random));
    for (const status of statusesOf(received)) {
      if (status < 500) continue;
      target.report(
        `port ${listener.port} answered ${status} to ${JSON.stringify(Buffer.concat(requests).toString('latin1').slice(0, 1500))}`,
      );
    }
  },
};

function chooseListener(target: FuzzTarget, random: SeededRandom): TargetListener {
  const { server, httpsPort, host } = target;
  return pick<TargetListener>(random, [
    { port: server.edgePort },
    { port: server.edgePort },
    { port: httpsPort, secure: { host, protocol: 'http/1.1' } },
    { port: server.consolePort },
    // Plain bytes where TLS is expected.
    { port: httpsPort },
  ]);
}

function requestBytes(target: FuzzTarget, random: SeededRandom, listener: TargetListener): Buffer {
  const isConsole = listener.port === target.server.consolePort;
  const path = happens(random, 50)
    ? pick(random, ['/', '/large.bin', '/docs/', '/docs', '/old/x', '/none', '*', '', 'x', 'http://other/'])
    : `/${isConsole ? pick(random, CONSOLE_PATHS) : ''}${nonsenseToken(random, 2_000)}`;
  const host = happens(random, 70)
    ? isConsole
      ? `localhost:${listener.port}`
      : target.host
    : nonsenseText(random, 300).replace(/[\r\n]/g, '');
  const headers = several(random, 6, () => headerLine(random));
  const lineEnd = happens(random, 95) ? '\r\n' : pick(random, ['\n', '\r', '\0\r\n', '\r\n ']);
  const head = [
    `${pick(random, METHODS)} ${path} ${pick(random, VERSIONS)}`,
    ...(happens(random, 95) ? [`Host: ${host}`] : []),
    ...(happens(random, 3) ? [`Host: ${nonsenseToken(random)}`] : []),
    ...headers,
    '',
    '',
  ].join(lineEnd);
  const body = happens(random, 30) ? bodyText(random) : '';
  return Buffer.from(head + body, happens(random, 80) ? 'latin1' : 'utf8');
}

const CONSOLE_PATHS = [
  'api/trpc/',
  'api/v1/',
  'auth/',
  'identity/',
  'identity/interaction/',
  'assets/',
  '_serverFn/',
  '',
];

function headerLine(random: SeededRandom): string {
  const name = happens(random, 90) ? pick(random, HEADER_NAMES) : nonsenseToken(random, 100);
  const usual = HEADER_VALUES.get(name);
  const value =
    usual && happens(random, 60) ? pick(random, usual) : nonsenseText(random, 3_000).replace(/[\r\n]/g, ' ');
  const prefix = name === 'Range' && !value.startsWith('bytes') ? 'bytes=' : '';
  return `${name}:${pick(random, [' ', '', '\t', '   '])}${prefix}${value}`;
}

function bodyText(random: SeededRandom): string {
  return pick(random, [
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '-1\r\n\r\n',
    `1;${'x'.repeat(2_000)}\r\na\r\n0\r\n\r\n`,
    '0\r\nTrailer: x\r\n\r\n',
    nonsenseText(random),
  ]);
}

/** Sends the bytes at once, in pieces, slowly, or not to the end. */
function toSteps(random: SeededRandom, requests: readonly Buffer[]): Step[] {
  const bytes = Buffer.concat(requests);
  const steps: Step[] = happens(random, 10) ? [{ stopReading: true }] : [];
  switch (random.below(5)) {
    case 0: {
      const cut = random.below(bytes.length + 1);
      steps.push({ send: bytes.subarray(0, cut) });
      break;
    }
    case 1: {
      const size = 1 + random.below(50);
      for (let start = 0; start < Math.min(bytes.length, size * 40); start += size) {
        steps.push({ send: bytes.subarray(start, start + size) }, { waitMs: random.below(3) });
      }
      break;
    }
    case 2: {
      const damaged = Buffer.from(bytes);
      for (let index = 0; index < 4 && damaged.length > 0; index += 1) {
        damaged[random.below(damaged.length)] = random.below(256);
      }
      steps.push({ send: damaged });
      break;
    }
    default:
      steps.push({ send: bytes });
  }
  if (happens(random, 30)) steps.push({ halfClose: true });
  return steps;
}
