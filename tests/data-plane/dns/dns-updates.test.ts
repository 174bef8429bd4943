import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createDnsUpdates } from '#server/dns-update/create-dns-updates.ts';
import { testOutgoing } from '#tests/support/app/test-outgoing.ts';
import { dig, digShort } from '#tests/support/dns/dig.ts';
import { freePort } from '#tests/support/free-port.ts';
import { type KnotServer, startKnot } from './knot-server.ts';

const ZONE = 'acme.example.ca';

describe('challenge records at the operator’s name server', () => {
  let knot: KnotServer;
  beforeAll(async () => {
    knot = await startKnot(ZONE);
  });
  afterAll(() => knot.close());

  const put = (url: string, values: string[] = ['value'], zone = ZONE, clock = systemClock) =>
    createDnsUpdates(url, zone, { clock, outgoing: testOutgoing() }).put('abc', values);
  const texts = () => digShort(knot.port, `abc.${ZONE}`, 'TXT');

  it('replace each other in one step, and are removed', async () => {
    await put(knot.updateUrl, ['one', 'two']);
    expect(await texts()).toEqual(['"one"', '"two"']);
    await put(knot.updateUrl, ['two', 'three']);
    expect((await texts()).toSorted()).toEqual(['"three"', '"two"']);
    expect(await dig(knot.port, `abc.${ZONE}`, 'TXT')).toContain(`abc.${ZONE}. 0 IN TXT "two"`);
    await put(knot.updateUrl, []);
    expect(await dig(knot.port, `abc.${ZONE}`, 'TXT')).toMatch(/^NXDOMAIN\n/);
    await put(knot.updateUrl, []);
  });

  it('of many names at once are kept side by side', async () => {
    const updates = createDnsUpdates(knot.updateUrl, ZONE, { clock: systemClock, outgoing: testOutgoing() });
    const labels = Array.from({ length: 10 }, (_, index) => `many${index}`);
    await Promise.all(labels.map((label) => updates.put(label, [label])));
    for (const label of labels) {
      expect(await digShort(knot.port, `${label}.${ZONE}`, 'TXT')).toEqual([`"${label}"`]);
    }
  });

  it.each([
    ['with a key it does not know', (url: string) => put(url.replace('portage', 'nobody')), 'BADKEY'],
    ['with another secret', (url: string) => put(url.replace(/:[^@:]+@/, ':c2VjcmV0@')), 'BADSIG'],
    [
      'with a key that may not',
      (url: string) => put(url.replace('portage', 'other')),
      'does not allow it to update the zone',
    ],
    ['for a zone it does not hold', (url: string) => put(url, ['value'], 'example.net'), 'NOTAUTH'],
    [
      'by a wrong clock',
      (url: string) => put(url, ['value'], ZONE, { now: () => Date.now() - 3_600_000 }),
      'BADTIME',
    ],
  ])('are refused %s, with the reason and without the secret', async (_, attempt, reason) => {
    const refusal = await attempt(knot.updateUrl).then(
      () => 'none',
      (error: unknown) => String(error),
    );
    expect(refusal).toMatch(
      /^DnsUpdateError: The name server 127\.0\.0\.1:\d+ did not accept the challenge records: /,
    );
    expect(refusal).toMatch(new RegExp(reason));
    expect(refusal).not.toContain('c2VjcmV0');
    expect(await texts()).toEqual([]);
  });
});

describe('a misbehaving name server', () => {
  /** Responds to each message with what `answer` returns. */
  async function startFalseServer(
    answer: (message: Buffer) => Buffer | null,
  ): Promise<{ url: string; server: Server }> {
    const port = await freePort();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        const reply = answer(bytes.subarray(2));
        if (reply === null) return;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        socket.end(Buffer.concat([length, reply]));
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
    return { url: `dns://key:c2VjcmV0@127.0.0.1:${port}`, server };
  }

  /** A header with the id of the query and nothing more: success, unsigned. */
  const unsigned = (message: Buffer, flags = 0xa800) => {
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(flags, 2);
    return header;
  };

  it.each([
    ['says yes without a signature', unsigned, 'its answer is not signed'],
    ['refuses without a signature', (message: Buffer) => unsigned(message, 0xa805), 'REFUSED'],
    [
      'sends our own message back',
      (message: Buffer) => Buffer.from(message),
      'the signature of its answer is wrong',
    ],
    ['answers something else', () => unsigned(Buffer.from([0xff, 0xff])), 'another question|not signed'],
    ['answers nonsense', () => Buffer.from('nonsense that is no message'), 'cannot be read|another question'],
    [
      'sends a name that points at itself',
      (message: Buffer) => {
        const reply = Buffer.concat([unsigned(message), Buffer.from([0xc0, 0x0c, 0, 6, 0, 1])]);
        reply.writeUInt16BE(1, 4);
        return reply;
      },
      'its answer cannot be read',
    ],
    ['never answers', () => null, 'no answer within 0.2 s'],
  ])('%s is not accepted', async (_, answer, reason) => {
    const { url, server } = await startFalseServer(answer);
    const attempt = createDnsUpdates(url, ZONE, {
      clock: systemClock,
      outgoing: testOutgoing(),
      timeoutMs: 200,
    }).put('abc', ['value']);
    await expect(attempt).rejects.toThrow(new RegExp(reason));
    server.close();
  });

  it('is unreachable, and this is reported', async () => {
    const url = `dns://key:c2VjcmV0@127.0.0.1:${await freePort()}`;
    await expect(
      createDnsUpdates(url, ZONE, { clock: systemClock, outgoing: testOutgoing() }).put('abc', []),
    ).rejects.toThrow('ECONNREFUSED');
  });
});
