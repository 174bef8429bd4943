import { createSocket } from 'node:dgram';
import { decode, encode, TRUNCATED_RESPONSE } from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { dig, digShort } from '#tests/support/dns/dig.ts';
import { type NameServer, startNameServer } from '#tests/support/dns/name-server.ts';
import { exchange, framed, isWhole, openConnection, opt, question } from './dns-messages.ts';

/** The length of a real challenge value. */
const VALUES = Array.from({ length: 40 }, (_, index) => String(index).padStart(43, 'v'));

let server: NameServer;
afterEach(() => server.close());

describe('answers by udp', () => {
  it('are truncated to what the client accepts, and are complete by tcp', async () => {
    server = await startNameServer();
    server.texts.set('abc', VALUES);
    const cut = 'NOERROR\nflags qr aa tc rd';
    expect(await dig(server.port, 'abc.acme.example.ca', 'TXT', '+noedns', '+ignore')).toBe(cut);
    expect(await dig(server.port, 'abc.acme.example.ca', 'TXT', '+bufsize=65000', '+ignore')).toBe(
      `${cut}\nedns 0 1232`,
    );
    // Like every resolver, dig retries by tcp.
    expect(await digShort(server.port, 'abc.acme.example.ca', 'TXT')).toEqual(
      VALUES.map((value) => `"${value}"`),
    );
  });

  it('fit into 512 bytes without EDNS, and never exceed 1,232', async () => {
    server = await startNameServer();
    for (const count of [5, 8, 15, 20, 21]) server.texts.set(`n${count}`, VALUES.slice(0, count));
    const sizes: number[][] = [];
    for (const payload of [0, 100, 900, 1232, 65_535]) {
      const edns = payload === 0 ? [] : [opt(payload)];
      const messages = [...server.texts.keys()].map((label, id) =>
        encode({
          type: 'query',
          id,
          questions: [{ name: `${label}.acme.example.ca`, type: 'TXT' }],
          additionals: edns,
        }),
      );
      const answers = await exchange(server.port, messages);
      expect(answers).toHaveLength(messages.length);
      const bytesMax = Math.max(512, Math.min(payload, 1232));
      expect(Math.max(...answers.map(({ length }) => length))).toBeLessThanOrEqual(bytesMax);
      sizes.push(
        answers.filter((answer) => isWhole(answer)).map((answer) => decode(answer).answers?.length ?? 0),
      );
    }
    expect(sizes.map((whole) => whole.toSorted((a, b) => a - b))).toEqual([
      [5, 8],
      [5, 8],
      [5, 8, 15],
      [5, 8, 15, 20, 21],
      [5, 8, 15, 20, 21],
    ]);
  });

  it('omit the addresses of name servers before anything is truncated', async () => {
    const nameServers = Array.from({ length: 12 }, (_, index) => `name-server-${index}.acme.example.ca`);
    server = await startNameServer({ nameServers });
    const [answer] = await exchange(server.port, [question('acme.example.ca', 'NS')]);
    const read = decode(answer ?? Buffer.alloc(0));
    expect(read.answers).toHaveLength(12);
    expect(read.additionals).toHaveLength(0);
    expect(read.flag_tc).toBe(false);
  });

  it('reach every sender, whichever of several sockets the system gives it', async () => {
    server = await startNameServer();
    const senders = Array.from({ length: 64 }, (_, id) =>
      exchange(server.port, [question('acme.example.ca', 'SOA', id)]),
    );
    expect((await Promise.all(senders)).flat()).toHaveLength(64);
  });

  it('are never sent for responses, for single bytes, or to an unspecified sender', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    const answer = encode({
      type: 'response',
      id: 1,
      questions: [{ name: 'abc.acme.example.ca', type: 'TXT' }],
    });
    const hostile = [answer, Buffer.alloc(0), Buffer.from([0]), Buffer.alloc(11), Buffer.alloc(600, 0xff)];
    expect(await exchange(server.port, hostile)).toEqual([]);
  });

  it('become short hints to use tcp when one network queries too often, so that they cannot flood a victim', async () => {
    server = await startNameServer({}, { limits: { answersPerSecond: 0.001, answersBurst: 10 } });
    server.texts.set('abc', VALUES.slice(0, 8));
    const asked = question('abc.acme.example.ca');
    const socket = createSocket('udp4');
    const answers: Buffer[] = [];
    const EXPECTED = 10 + 20;
    await new Promise<void>((resolve) => {
      socket.on('message', (bytes) => {
        if (answers.push(bytes) === EXPECTED) resolve();
      });
      for (let index = 0; index < 10 + 40; index += 1) socket.send(asked, server.port, '127.0.0.1');
    });
    socket.close();
    const hints = answers.filter((bytes) => bytes.length === asked.length);
    expect(hints).toHaveLength(20);
    expect(hints.every((bytes) => ((decode(bytes).flags ?? 0) & TRUNCATED_RESPONSE) !== 0)).toBe(true);
    expect(answers.filter((bytes) => bytes.length > asked.length)).toHaveLength(10);
    // A real resolver follows the hint, and tcp proves its address.
    expect(await digShort(server.port, 'abc.acme.example.ca', 'TXT', '+tcp')).toHaveLength(8);
  });
});

describe('the database', () => {
  it('is not flooded by udp from anyone; a resolver that follows to tcp gets the value', async () => {
    server = await startNameServer({}, { limits: { lookupsPerSecond: 3 }, clock: { now: () => 0 } });
    server.texts.set('abc', ['value']);
    const answers = await exchange(
      server.port,
      Array.from({ length: 10 }, (_, id) => question('abc.acme.example.ca', 'TXT', id)),
    );
    expect(answers.filter(isWhole)).toHaveLength(3);
    expect(server.asked).toHaveLength(3);
    expect(await digShort(server.port, 'abc.acme.example.ca', 'TXT')).toEqual(['"value"']);
    expect(await digShort(server.port, 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
  });

  it('gets a limited number of queries at once; one that waits too long, or in too long a queue, gets an error', async () => {
    const limits = { lookupsMax: 2, lookupsWaitingMax: 3, lookupMs: 150 };
    server = await startNameServer({}, { limits });
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await openConnection(server.port);
    socket.end(Buffer.concat(Array.from({ length: 9 }, (_, id) => framed(`n${id}.acme.example.ca`, id))));
    await closed;
    release();
    expect(answers.map((answer) => (decode(answer).flags ?? 0) & 0xf)).toEqual(Array(9).fill(2));
    expect(server.asked).toEqual(['n0', 'n1']);
  });
});
