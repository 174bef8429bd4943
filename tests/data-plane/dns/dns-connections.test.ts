import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { streamEncode } from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { digShort } from '#tests/support/dns/dig.ts';
import { type NameServer, startNameServer } from '#tests/support/dns/name-server.ts';
import { framed, idsOf, openConnection, question } from './dns-messages.ts';

let server: NameServer;
afterEach(() => server.close());

describe('connections', () => {
  it('accept query after query without waiting, and split in any way', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    const { socket, answers, closed } = await openConnection(server.port);
    const questions = Buffer.concat(Array.from({ length: 40 }, (_, id) => framed('abc.acme.example.ca', id)));
    for (let start = 0; start < questions.length; start += 7)
      socket.write(questions.subarray(start, start + 7));
    socket.end();
    await closed;
    expect(idsOf(answers).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, id) => id));
  });

  it('return database answers when they arrive, and others meanwhile', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await openConnection(server.port);
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
    const { socket, answers, closed } = await openConnection(server.port);
    socket.write(bytes);
    await closed;
    expect(answers).toEqual([]);
  });

  it.each([
    ['too long for a question', Buffer.concat([Buffer.from([0x04, 0xd1]), Buffer.alloc(1233)])],
    ['too short for a header', Buffer.from([0, 3, 1, 2, 3])],
    [
      'an answer',
      streamEncode({ type: 'response', id: 1, questions: [{ name: 'acme.example.ca', type: 'NS' }] }),
    ],
  ])('are closed immediately for %s', async (_, bytes) => {
    server = await startNameServer({}, { limits: { idleMs: 60_000 } });
    const { socket, answers, closed } = await openConnection(server.port);
    socket.write(bytes);
    await closed;
    expect(answers).toEqual([]);
  });

  it('of one network are limited in number, and allowed again when others have closed', async () => {
    server = await startNameServer({}, { limits: { connectionsPerNetworkMax: 2, idleMs: 60_000 } });
    const [first, second] = [await openConnection(server.port), await openConnection(server.port)];
    const third = await openConnection(server.port);
    await third.closed;
    first.socket.destroy();
    second.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(second.socket, 'data');
    expect(await digShort(server.port, '+tcp', 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
    second.socket.destroy();
  });

  it('of one network that ask too fast are answered at a slower pace, another network meanwhile', async () => {
    server = await startNameServer({}, { limits: { tcpQuestionsPerSecond: 50 } });
    const { socket, answers, closed } = await openConnection(server.port);
    const begin = performance.now();
    socket.end(Buffer.concat(Array.from({ length: 150 }, (_, id) => framed(`n${id}.acme.example.ca`, id))));
    await once(socket, 'data');
    expect(await digShort(server.port, '+tcp', '-b', '127.0.9.1', 'k3j2.edge.example.ca', 'AAAA')).toEqual([
      '2001:db8::1',
    ]);
    expect(answers.length).toBeLessThan(150);
    await closed;
    expect(performance.now() - begin).toBeGreaterThan(1_800);
    expect(idsOf(answers).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, id) => id));
  });

  it('are answered up to an amount of bytes, and closed although their client takes none of them', async () => {
    server = await startNameServer({}, { limits: { idleMs: 300, answerBytesPerConnectionMax: 2_000 } });
    const { socket, answers, closed } = await openConnection(server.port);
    socket.pause();
    const ask = setInterval(() => socket.write(framed('k3j2.edge.example.ca', 1)), 5);
    // Reset: what it has not taken is gone.
    await expect(closed).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
    clearInterval(ask);
    expect(answers).toEqual([]);
  });

  it('that have been quiet longest make room for new ones', async () => {
    server = await startNameServer({}, { limits: { connectionsMax: 2, idleMs: 60_000 } });
    const quiet = await openConnection(server.port);
    const busy = await openConnection(server.port);
    busy.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(busy.socket, 'data');
    quiet.socket.write(framed('k3j2.edge.example.ca', 1));
    await once(quiet.socket, 'data');
    const late = await openConnection(server.port);
    await busy.closed;
    for (const { socket } of [quiet, late]) {
      socket.write(framed('k3j2.edge.example.ca', 2));
      await once(socket, 'data');
      socket.destroy();
    }
  });

  it('end gracefully: queries received are answered, then the port is free', async () => {
    server = await startNameServer();
    server.texts.set('abc', ['value']);
    let release = () => {};
    server.wait = new Promise((resolve) => {
      release = resolve;
    });
    const { socket, answers, closed } = await openConnection(server.port);
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
