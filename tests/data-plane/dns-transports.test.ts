import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, decode, encode, type RecordType, streamEncode, TRUNCATED_RESPONSE } from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { dig, digShort } from '#tests/support/dig.ts';
import { type NameServer, startNameServer } from '#tests/support/name-server.ts';

/** The size of a value of a real challenge. */
const VALUES = Array.from({ length: 40 }, (_, index) => String(index).padStart(43, 'v'));

let server: NameServer;
afterEach(() => server.close());

function question(name: string, type: RecordType = 'TXT', id = 7): Buffer {
  return encode({ type: 'query', id, questions: [{ name, type }] });
}

/** Sends datagrams from one socket and returns what comes back until the last one, a question for an address, is answered. */
async function exchange(messages: readonly Buffer[]): Promise<Buffer[]> {
  const LAST_ID = 65_535;
  const socket = createSocket('udp4');
  const answers: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on('message', (answer) => {
      if (answer.readUInt16BE(0) === LAST_ID) resolve();
      else answers.push(answer);
    });
    for (const message of messages) socket.send(message, server.port, '127.0.0.1');
    socket.send(question('last.edge.example.ca', 'A', LAST_ID), server.port, '127.0.0.1');
  });
  socket.close();
  return answers;
}

/** Collects whole answers of one connection. */
async function open(): Promise<{ socket: Socket; answers: Buffer[]; closed: Promise<unknown> }> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  const answers: Buffer[] = [];
  let received = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      answers.push(received.subarray(2, 2 + received.readUInt16BE(0)));
      received = received.subarray(2 + received.readUInt16BE(0));
    }
  });
  socket.on('end', () => socket.end());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, answers, closed };
}

const framed = (name: string, id: number) =>
  streamEncode({ type: 'query', id, questions: [{ name, type: 'TXT' }] });
const idsOf = (answers: Buffer[]) => answers.map((answer) => answer.readUInt16BE(0));

describe('answers by udp', () => {
  it('are cut to what the asker takes, and are whole by tcp', async () => {
    server = await startNameServer();
    server.texts.set('abc', VALUES);
    const cut = 'NOERROR\nflags qr aa tc rd';
    expect(await dig(server.port, 'abc.acme.example.ca', 'TXT', '+noedns', '+ignore')).toBe(cut);
    expect(await dig(server.port, 'abc.acme.example.ca', 'TXT', '+bufsize=65000', '+ignore')).toBe(
      `${cut}\nedns 0 1232`,
    );
    // As every resolver does, dig asks again by tcp.
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
      const answers = await exchange(messages);
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

  it('leave out the addresses of name servers before anything is cut', async () => {
    const nameServers = Array.from({ length: 12 }, (_, index) => `name-server-${index}.acme.example.ca`);
    server = await startNameServer({ nameServers });
    const [answer] = await exchange([question('acme.example.ca', 'NS')]);
    const read = decode(answer ?? Buffer.alloc(0));
    expect(read.answers).toHaveLength(12);
    expect(read.additionals).toHaveLength(0);
    expect(read.flag_tc).toBe(false);
  });

  it('are never given to answers, to single bytes and to nobody', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    const answer = encode({
      type: 'response',
      id: 1,
      questions: [{ name: 'abc.acme.example.ca', type: 'TXT' }],
    });
    const hostile = [answer, Buffer.alloc(0), Buffer.from([0]), Buffer.alloc(11), Buffer.alloc(600, 0xff)];
    expect(await exchange(hostile)).toEqual([]);
  });

  it('become short hints at tcp when one network asks too often, so that nobody can be flooded with them', async () => {
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

describe('connections', () => {
  it('take question after question without waiting, and split in any way', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    const { socket, answers, closed } = await open();
    const questions = Buffer.concat(Array.from({ length: 40 }, (_, id) => framed('abc.acme.example.ca', id)));
    for (let start = 0; start < questions.length; start += 7)
      socket.write(questions.subarray(start, start + 7));
    socket.end();
    await closed;
    expect(idsOf(answers).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, id) => id));
  });

  it('give answers of the database when they come, and others meanwhile', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await open();
    socket.end(Buffer.concat([framed('abc.acme.example.ca', 1), framed('k3j2.edge.example.ca', 2)]));
    await once(socket, 'data');
    expect(idsOf(answers)).toEqual([2]);
    release();
    await closed;
    expect(idsOf(answers)).toEqual([2, 1]);
  });

  it.each([
    ['silent', Buffer.alloc(0)],
    ['with a question that never ends', Buffer.from([0, 40, 1, 2, 3])],
  ])('are closed when they stay %s', async (_, bytes) => {
    server = await startNameServer({}, { limits: { idleMs: 100 } });
    const { socket, answers, closed } = await open();
    socket.write(bytes);
    await closed;
    expect(answers).toEqual([]);
  });

  it.each([
    ['too long for a question', Buffer.concat([Buffer.from([0x02, 0x01]), Buffer.alloc(513)])],
    ['too short for a header', Buffer.from([0, 3, 1, 2, 3])],
    [
      'an answer',
      streamEncode({ type: 'response', id: 1, questions: [{ name: 'acme.example.ca', type: 'NS' }] }),
    ],
  ])('are closed at once over what is %s', async (_, bytes) => {
    server = await startNameServer({}, { limits: { idleMs: 60_000 } });
    const { socket, answers, closed } = await open();
    socket.write(bytes);
    await closed;
    expect(answers).toEqual([]);
  });

  it('of one network are counted, and come again when others have gone', async () => {
    server = await startNameServer({}, { limits: { connectionsPerNetworkMax: 2, idleMs: 60_000 } });
    const [first, second] = [await open(), await open()];
    const third = await open();
    await third.closed;
    first.socket.destroy();
    second.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(second.socket, 'data');
    expect(await digShort(server.port, '+tcp', 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
    second.socket.destroy();
  });

  it('that have been quiet longest make room for new ones', async () => {
    server = await startNameServer({}, { limits: { connectionsMax: 2, idleMs: 60_000 } });
    const quiet = await open();
    const busy = await open();
    busy.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(busy.socket, 'data');
    quiet.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(quiet.socket, 'data');
    const late = await open();
    await busy.closed;
    for (const { socket } of [quiet, late]) {
      socket.write(framed('k3j2.edge.example.ca', 2));
      await once(socket, 'data');
      socket.destroy();
    }
  });

  it('end gracefully: what was asked is answered, then the port is free', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await open();
    socket.write(framed('abc.acme.example.ca', 5));
    const udp = createSocket('udp4');
    const told = once(udp, 'message');
    udp.send(question('abc.acme.example.ca'), server.port, '127.0.0.1');
    while (server.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const stopped = server.close();
    release();
    await Promise.all([stopped, closed, told]);
    udp.close();
    expect(idsOf(answers)).toEqual([5]);
    const refused = connect(server.port, '127.0.0.1');
    expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
    server = await startNameServer();
  });
});

describe('the database', () => {
  it('is not flooded by udp, whoever asks; a resolver that follows to tcp gets the value', async () => {
    server = await startNameServer({}, { limits: { lookupsPerSecond: 3 }, clock: { now: () => 0 } });
    server.texts.set('abc', ['value']);
    const answers = await exchange(
      Array.from({ length: 10 }, (_, id) => question('abc.acme.example.ca', 'TXT', id)),
    );
    expect(answers.filter(isWhole)).toHaveLength(3);
    expect(server.asked).toHaveLength(3);
    expect(await digShort(server.port, 'abc.acme.example.ca', 'TXT')).toEqual(['"value"']);
    expect(await digShort(server.port, 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
  });

  it('is asked by a bounded number at once; whoever waits too long or in too long a queue is told so', async () => {
    const limits = { lookupsMax: 2, lookupsWaitingMax: 3, lookupMs: 150 };
    server = await startNameServer({}, { limits });
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await open();
    socket.end(Buffer.concat(Array.from({ length: 9 }, (_, id) => framed(`n${id}.acme.example.ca`, id))));
    await closed;
    release();
    expect(answers.map((answer) => (decode(answer).flags ?? 0) & 0xf)).toEqual(Array(9).fill(2));
    expect(server.asked).toEqual(['n0', 'n1']);
  });
});

function isWhole(answer: Buffer): boolean {
  return !decode(answer).flag_tc;
}

function opt(udpPayloadSize: number): Answer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}
