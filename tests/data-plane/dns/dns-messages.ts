import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, decode, encode, type RecordType, streamEncode } from 'dns-packet';

export function question(name: string, type: RecordType = 'TXT', id = 7): Buffer {
  return encode({ type: 'query', id, questions: [{ name, type }] });
}

/**
 * Sends datagrams from one socket and returns the responses until the last one, an address query, is
 * answered.
 */
export async function exchange(port: number, messages: readonly Buffer[]): Promise<Buffer[]> {
  const LAST_ID = 65_535;
  const socket = createSocket('udp4');
  const answers: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on('message', (answer) => {
      if (answer.readUInt16BE(0) === LAST_ID) resolve();
      else answers.push(answer);
    });
    for (const message of messages) socket.send(message, port, '127.0.0.1');
    socket.send(question('last.edge.example.ca', 'A', LAST_ID), port, '127.0.0.1');
  });
  socket.close();
  return answers;
}

/** Collects complete responses of one connection. */
export async function openConnection(
  port: number,
): Promise<{ socket: Socket; answers: Buffer[]; closed: Promise<unknown> }> {
  const socket = connect({ port: port, host: '127.0.0.1', allowHalfOpen: true });
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

export const framed = (name: string, id: number) =>
  streamEncode({ type: 'query', id, questions: [{ name, type: 'TXT' }] });
export const idsOf = (answers: Buffer[]) => answers.map((answer) => answer.readUInt16BE(0));

export function isWhole(answer: Buffer): boolean {
  return !decode(answer).flag_tc;
}

export function opt(udpPayloadSize: number): Answer {
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
