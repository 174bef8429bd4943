import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { CLASS, encodeName, HEADER_BYTES, TYPE } from './wire.ts';

const WITHIN_MS = 500;
/** A datagram may be lost on a busy machine. */
const TRIES = 2;

/** Whether a name server on this machine answers a question about its zone over UDP within a second. */
export async function isAnswering(place: { address: string; port: number }, zone: string): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) if (await ask(place, zone)) return true;
  return false;
}

function ask({ address, port }: { address: string; port: number }, zone: string): Promise<boolean> {
  const host = loopbackFor(address);
  const id = randomInt(0x1_0000);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    const end = (isAnswered: boolean) => {
      clearTimeout(deadline);
      socket.close();
      resolve(isAnswered);
    };
    const deadline = setTimeout(() => end(false), WITHIN_MS);
    socket.once('error', () => end(false));
    socket.on('message', (message) => {
      if (message.length >= HEADER_BYTES && message.readUInt16BE(0) === id) end(true);
    });
    socket.send(questionOf(id, zone), port, host, () => undefined);
  });
}

/** Where a socket that is bound to every address can be reached from this machine. */
function loopbackFor(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

function questionOf(id: number, zone: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(1, 4);
  return Buffer.concat([header, encodeName(zone), Buffer.from([0, TYPE.soa, 0, CLASS.in])]);
}
